//! The labels that answers of a `kind` may have, as LANGUAGE lists them: `A is w` is a question about
//! the kind only for these words, so that a misspelt label is an error and not a "no".

static LABELS: &[(&str, &[&str])] = &[
    (
        "rank_condition",
        &[
            "holds",
            "constraints_dependent",
            "constraints_inconsistent",
            "hidden_lower_order_constraint",
            "rank_deficient_on_Q",
            "too_many_constraints",
        ],
    ),
    ("constraint_type", &["holonomic", "semiholonomic", "affine_nonholonomic", "nonlinear_nonholonomic"]),
    ("integrability", &["explicit", "underdetermined", "inconsistent"]),
    ("reduction", &["free", "geometric", "mechanical"]),
    (
        "adjoint_symmetry",
        &[
            "first_integral",
            "first_integral_after_gauge",
            "lagrangian_for_second_order_part",
            "singular_lagrangian",
            "not_adjoint_symmetry",
        ],
    ),
    ("dynamics", &["motion", "no_motion", "contradictory", "cut_off"]),
    ("hessian", &["positive", "negative", "indefinite", "none", "conditions"]),
];

pub fn is_label(question: &str, word: &str) -> bool {
    LABELS.iter().any(|(q, words)| *q == question && words.contains(&word))
}
