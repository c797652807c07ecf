//! Classification, the constraint algorithm, vector fields, symmetries. Krupková §5–7, §9.

use super::strata::rank_with;
use super::systems::stopped;
use super::{Arguments, Question, refusal};
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Symbol, Verdict, conditions, normal};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::Distribution;
use crate::geometry::field::VectorField;
use crate::geometry::jet::JetSpace;
use crate::mechanics::constraint_algorithm::{DynamicBranch, Dynamics, LogItem, SystemDynamics};
use crate::mechanics::{classify as theory, symmetry as symmetries};
use crate::model::item::System;
use crate::model::set::{PointSet, branch_text};
use crate::model::show;
use crate::model::value::{Answer, Fallible, Rank, Tangent, Value};
use crate::session::evaluate_at::assignment;
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "classify",
        signature: "classify(S)",
        help: "regular, weakly regular, semiregular or singular, with ranks, strata and primary sets (Krupková §5–6)",
        options: &[],
        takes_equations: false,
        parts: &[
            ("regular", "det B vanishes nowhere"),
            ("weakly_regular", "a semispray exists everywhere and rank B is constant"),
            ("semiregular", "a Hamilton vector exists everywhere and the rank of Δ is constant"),
            ("strongly_semiregular", "both"),
            ("singular", "not regular"),
            ("rank_one", "Δ has rank one"),
            ("integrable", "Δ is completely integrable"),
            ("variational", "E has a Lagrangian"),
            ("rank_B", "of B"),
            ("rank_BA", "of (B|A)"),
            ("rank_F", "of the matrix F of (5.9)"),
            ("rank_FA", "of (F|A)"),
            ("rank_Delta", "of the dynamical distribution"),
            ("rank_D", "of the characteristic distribution"),
            ("order", "s"),
            ("size", "ms"),
            ("det_B", "determinant of B"),
            ("primary", "the primary constraint set (5.13)"),
            ("primary_semispray", "the primary semispray-constraint set (5.14)"),
        ],
        run: classify,
    },
    Question {
        name: "dynamics",
        signature: "dynamics(S, through = point)",
        help: "the constraint algorithm: final constraint submanifolds and the motion on each (Krupková §7)",
        options: &["through"],
        takes_equations: false,
        parts: &[
            ("proper", "paths: semisprays (7.2)"),
            ("extended", "all Hamilton paths (7.1)"),
            ("primary", "of the proper dynamics"),
            ("final", "of the proper dynamics"),
            ("branches", "of the proper dynamics"),
            ("empty", "no motion at all"),
            ("secondary", "the final set is smaller than the primary one"),
            ("complete", "nothing undecided"),
            ("undecided", "branches that could not be decided"),
            ("rounds", "rounds of the algorithm"),
            ("log", "every step, for `explain`"),
        ],
        run: dynamics,
    },
    Question {
        name: "vector_field",
        signature: "vector_field(S)",
        help: "the semispray of a regular system (Krupková 5.15); its highest derivatives by jet",
        options: &[],
        takes_equations: false,
        parts: &[
            ("unique", "whether there is exactly one"),
            ("conditions", "what must not vanish"),
            ("locus", "where the system is singular"),
        ],
        run: vector_field,
    },
    Question {
        name: "first_integral",
        signature: "first_integral(S, f)",
        help: "whether a function is constant along all motions",
        options: &[],
        takes_equations: false,
        parts: &[("rate", "its derivative along the motion")],
        run: first_integral,
    },
    Question {
        name: "noether",
        signature: "noether(L, X)",
        help: "the first integral of a symmetry of a Lagrangian, up to a total derivative",
        options: &[],
        takes_equations: false,
        parts: &[("primitive", "F with L_X λ = dF"), ("verified", "checked against E")],
        run: noether,
    },
];

fn free_system(a: &Arguments) -> Fallible<Rc<System>> {
    let system = a.system(0)?;
    if system.constraints.is_empty() {
        return Ok(system);
    }
    Err(Box::new(
        Diagnostic::error(
            &codes::NOT_AVAILABLE,
            format!("`{}` of a constrained system is not available yet", a.question.name),
        )
        .label(a.positional[0].span, "subject to constraints"),
    ))
}

fn not_applicable(what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::NOT_APPLICABLE, format!("{what} is a notion for equations of order two and more"))
            .note("these equations are of first order, s = 1"),
    )
}

fn classify(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    let system = free_system(a)?;
    let found = system.classification()?;
    let form = system.dynamical_form()?;
    let alpha = system.lepage()?;
    let space = form.phase_space();
    let b = Matrix::with_columns(form.b().to_vec(), form.b().len());
    let column = |list: Vec<Expr>| Matrix::with_columns(list.into_iter().map(|e| vec![e]).collect(), 1);
    let ba = b.beside(&column(form.a().to_vec()));
    let f = Matrix::with_columns(alpha.matrix().to_vec(), form.size());
    let fa = f.beside(&column(alpha.column_a()));
    let bordered = Matrix::from_rows(alpha.bordered_matrix());
    let dimension = space.dimension();
    let optional = |v: &Option<Verdict>, what: &str| match v {
        Some(v) => Ok(Value::from(v.clone())),
        None => Err(not_applicable(what)),
    };
    let set = |branches: &[crate::model::set::Branch]| Value::from(PointSet::new(&space, branches.to_vec()));
    let det = b.clone();
    Ok(Value::from(
        Answer::new("classify")
            .part("regular", found.regular.clone())
            .try_part("weakly_regular", optional(&found.weakly_regular, "weak regularity"))
            .part("semiregular", found.semiregular.clone())
            .try_part("strongly_semiregular", optional(&found.strongly_semiregular, "strong semiregularity"))
            .part("singular", found.singular.clone())
            .part("rank_one", found.rank_one.clone())
            .part("integrable", found.integrable.clone())
            .part("variational", found.variational.clone())
            .part("rank_B", rank_with(found.rank_b.clone(), b, None))
            .part("rank_BA", rank_with(found.rank_ba.clone(), ba, None))
            .part("rank_F", rank_with(found.rank_f.clone(), f, None))
            .part("rank_FA", rank_with(found.rank_fa.clone(), fa.clone(), None))
            .part("rank_Delta", rank_with(found.rank_delta.clone(), fa, Some(dimension)))
            .part("rank_D", rank_with(found.rank_d.clone(), bordered, Some(dimension)))
            .part("order", found.order as usize)
            .part("size", found.size)
            .lazy("det_B", move || Ok(Value::Expr(det.det().map_err(stopped)?)))
            .part("primary", set(&found.primary))
            .part("primary_semispray", set(&found.primary_semispray))
            .on(&system.manifold)
            .valid_where(found.generic.iter().copied()),
    ))
}

fn dynamics(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    let system = free_system(a)?;
    let found = system.dynamics()?;
    let space = system.dynamical_form()?.phase_space();
    let point = match a.option("through") {
        None => None,
        Some(option) => match option.value.main() {
            Value::Point(p) => Some(assignment(&p)),
            other => {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "`through` takes a point")
                        .label(option.span, format!("this is {}", crate::session::operate::describe(&other))),
                ));
            }
        },
    };
    let chosen = |d: &Dynamics| match &point {
        Some(p) => d.through(p),
        None => d.branches.clone(),
    };
    let proper = Value::from(dynamics_answer(&system, &space, &found.proper, chosen(&found.proper)));
    let extended = dynamics_answer(&system, &space, &found.extended, chosen(&found.extended));
    // The parts of the proper dynamics are those of the answer itself: its text does not say them twice, nor
    // the log, which `explain` prints.
    let answer = dynamics_answer(&system, &space, &found.proper, chosen(&found.proper));
    let answer = answer.lazy("proper", move || Ok(proper.clone())).part("extended", extended);
    Ok(Value::from(answer.lazy("log", move || Ok(Value::Text(log_text(&found).into())))))
}

fn dynamics_answer(system: &Rc<System>, space: &JetSpace, d: &Dynamics, branches: Vec<DynamicBranch>) -> Answer {
    let set = |list: Vec<crate::model::set::Branch>| Value::from(PointSet::new(space, list));
    Answer::new("dynamics")
        .part("primary", set(d.primary.clone()))
        .part("final", set(d.final_set()))
        .part("branches", Value::list(branches.iter().map(|b| Value::from(branch_answer(system, space, b)))))
        .part("empty", d.empty.clone())
        .part("secondary", d.secondary.clone())
        .part("complete", d.complete.clone())
        .part(
            "undecided",
            Value::list(d.undecided.iter().map(|u| Value::from(PointSet::new(space, vec![u.branch.clone()])))),
        )
        .part("rounds", d.rounds)
        .on(&system.manifold)
        .valid_where(d.generic.iter().copied())
}

fn branch_answer(system: &Rc<System>, space: &JetSpace, b: &DynamicBranch) -> Answer {
    let accelerations = b.accelerations.iter().filter_map(|(s, e)| Some((*s, Value::Expr((*e)?))));
    let distribution = match Distribution::new(space, b.fields.clone()) {
        Ok(d) => Ok(Value::Tangent(Rc::new(Tangent { distribution: Rc::new(d), branch: b.branch.clone() }))),
        Err(r) => Err(refusal(r)),
    };
    let matrix = distribution
        .as_ref()
        .ok()
        .and_then(|v| match v {
            Value::Tangent(t) => Some(t.distribution.matrix()),
            _ => None,
        })
        .unwrap_or_else(|| Matrix::with_columns(vec![], space.dimension()));
    let jumps: Vec<Value> = b.jumps.iter().map(|j| Value::from(branch_answer(system, space, j))).collect();
    let (projected, singular) = (b.clone(), b.clone());
    let (configuration_space, locus_space) = (system.manifold.jets(0), space.clone());
    Answer::new("branch")
        .main(PointSet::new(space, vec![b.branch.clone()]))
        .part("equations", Value::exprs(b.branch.equations.clone()))
        .part("nonzero", Value::exprs(b.branch.nonzero.clone()))
        .part("dim", b.dim)
        .try_part("distribution", distribution)
        .part(
            "rank",
            Rank {
                values: b.rank.values.clone(),
                strata: b.rank.strata.clone(),
                matrix,
                complement: None,
                complete: b.rank.complete.clone(),
            },
        )
        .part("integrable", b.integrable.clone())
        .part("determined", b.determined.clone())
        .part("free", b.free)
        .part("accelerations", Value::family(accelerations))
        .lazy("configuration", move || {
            let branch = crate::model::set::Branch { equations: projected.configuration()?, nonzero: vec![] };
            Ok(Value::from(PointSet::new(&configuration_space, vec![branch])))
        })
        .part("jumps", Value::list(jumps))
        .lazy("singular_locus", move || Ok(Value::from(PointSet::new(&locus_space, singular.singular_locus()?))))
        .on(&system.manifold)
        .valid_where(b.conditions.iter().copied())
}

/// The log of both problems, step by step.
fn log_text(found: &SystemDynamics) -> String {
    let style = crate::algebra::print::Style::ASCII;
    let mut lines = vec![];
    for (title, d) in [("Proper dynamics (7.2)", &found.proper), ("Extended dynamics (7.1)", &found.extended)] {
        lines.push(title.to_string());
        for entry in &d.log {
            lines.push(format!("  {}", entry.title));
            for item in &entry.items {
                let (label, list): (&str, Vec<String>) = match item {
                    LogItem::Expressions { label, list } => {
                        (label, list.iter().map(|e| show::expr_text(*e, style)).collect())
                    }
                    LogItem::Forms { label, list } => (label, list.iter().map(|f| show::form_text(f, style)).collect()),
                    LogItem::Sets { label, list } => (label, list.iter().map(branch_text).collect()),
                    LogItem::Fields { label, list } => {
                        (label, list.iter().map(|x| show::field_text(x, style)).collect())
                    }
                };
                lines.push(format!("    {label}: {}", if list.is_empty() { "none".into() } else { list.join(", ") }));
            }
        }
    }
    lines.join("\n")
}

fn vector_field(a: &Arguments) -> Fallible<Value> {
    a.count(1, 1)?;
    let system = free_system(a)?;
    let form = system.dynamical_form()?;
    let b = Matrix::with_columns(form.b().to_vec(), form.b().len());
    let y = &system.manifold;
    let space = form.phase_space();
    let (inverse, recorded) = conditions::collect(|| b.inverse());
    let Some(inverse) = inverse.map_err(stopped)? else {
        return Err(Box::new(
            Diagnostic::error(
                &codes::NOT_DETERMINED,
                "this system has no unique vector field: B is singular everywhere",
            )
            .label(a.positional[0].span, "a singular system")
            .help("`dynamics(S)` says where it moves, and what is free"),
        ));
    };
    let det = b.det().map_err(stopped)?;
    let top: Vec<Expr> = inverse
        .mul_vector(form.a())
        .into_iter()
        .map(|e| normal::simplify(-e).map_err(stopped))
        .collect::<Fallible<_>>()?;
    let field = VectorField::semispray(&space, &top);
    let jets: Vec<Symbol> = y.fibres().iter().map(|f| f.coordinate.jet(form.order())).collect();
    let nonzero: Vec<Expr> = if crate::algebra::assume::sign_of(det).is_nonzero() { vec![] } else { vec![det] };
    let _ = recorded;
    let unique = system.classification().map_or_else(
        |d| Verdict::unknown(d.title.clone()),
        |c| match &c.regular {
            Verdict::No(_) => Verdict::no("the system is singular on a set of points"),
            v => v.clone(),
        },
    );
    let for_locus = form.clone();
    let locus_space = space.clone();
    Ok(Value::from(
        Answer::new("vector_field")
            .main(field)
            .keyed(jets.into_iter().zip(top.into_iter().map(Value::Expr)))
            .part("unique", unique)
            .part("conditions", Value::exprs(nonzero.clone()))
            .lazy("locus", move || {
                let branches = theory::singular_set(&for_locus)?;
                Ok(Value::from(PointSet::new(&locus_space, branches)))
            })
            .on(y)
            .valid_where(nonzero),
    ))
}

fn first_integral(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let system = free_system(a)?;
    let found = symmetries::first_integral(&*system.lepage()?, a.expr(1)?)?;
    Ok(Value::from(Answer::new("first_integral").main(found.verdict).part("rate", found.rate).on(&system.manifold)))
}

fn noether(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let system = a.system(0)?;
    let Some(lagrangian) = system.free_lagrangian() else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "`noether` asks about a Lagrangian")
                .label(a.positional[0].span, "not one"),
        ));
    };
    let found = symmetries::noether(lagrangian, &a.field(1)?)
        .map_err(|d| Box::new(d.or_at(a.positional[1].span, "this field")))?;
    Ok(Value::from(
        Answer::new("noether")
            .main(found.integral)
            .part("primitive", found.primitive)
            .part("verified", found.verified)
            .on(&system.manifold),
    ))
}
