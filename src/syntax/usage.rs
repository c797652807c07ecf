//! How the words of the language are used, one line each: for `:help simulate` and `lepage doc simulate`.

/// A word, how it is written, and what it is for.
pub struct Usage {
    pub word: &'static str,
    pub written: &'static str,
    pub help: &'static str,
}

const fn row(word: &'static str, written: &'static str, help: &'static str) -> Usage {
    Usage { word, written, help }
}

/// Every word that begins a statement, then those inside.
pub const STATEMENTS: &[Usage] = &[
    row(
        "manifold",
        "manifold Y over t { x, theta : angle, q[1..3] }",
        "declares a fibered manifold and its coordinates",
    ),
    row("param", "param m = 1, k", "declares constants, with values for runs or without"),
    row("assume", "assume m > 0, x'^2 < 1", "states facts for simplification, definiteness and domains"),
    row("function", "function V(x)", "declares an unspecified function; `from \"file.csv\"` a tabulated one"),
    row("let", "let T = m*x'^2/2", "names a value; `let f(a, b) = …` a function"),
    row("use", "use std.springs as sp", "brings in a library, or a file: `use \"wheel.mech\"`"),
    row("map", "map polar : P -> Y { x = r*cos(a); y = r*sin(a) }", "declares a map between manifolds"),
    row("section", "section g on Y { x = cos(t) }", "declares a curve"),
    row("lagrangian", "lagrangian L on J1(Y) = m*x'^2/2", "declares a Lagrangian; the dt may be left out"),
    row("form", "form eta : contact 1-form on J1(Y) = omega(x)", "declares a differential form, and what it promises"),
    row("field", "field Z : vertical on Y = x*@y - y*@x", "declares a vector field, and what it promises"),
    row("force", "force drag on J1(Y) { x: -c*x' }", "declares a force by components"),
    row(
        "equations",
        "equations N on J2(Y) { x: -m*x'' - k*x }",
        "declares equations by components: force minus inertia",
    ),
    row(
        "constraint",
        "constraint rod on Y { x^2 + y^2 = l^2 }",
        "declares constraints, with clauses `dependent: branch: reactions: forms:`",
    ),
    row("codistribution", "codistribution C on Y { dx - y*dz }", "declares a span of 1-forms"),
    row("distribution", "distribution V on J1(Y) { @x' }", "declares a span of vector fields"),
    row("submanifold", "submanifold K on J1(Y) { x = 0; y != 0 }", "declares a set by equations and inequations"),
    row(
        "system",
        "system S = L with drag subject to rod",
        "puts a Lagrangian or equations, forces and constraints together",
    ),
    row("mixed", "mixed M on E { theta'' = 0; x' = r*theta' }", "declares equations of first and second order"),
    row(
        "test",
        "test \"it turns steadily\" { assert w = 0 }",
        "groups assertions; `fails with name` expects a refusal",
    ),
    row("assert", "assert classify(S) is regular", "claims something; `A = B within 1e-9`, `A fails with name`"),
    row(
        "simulate",
        "simulate S { from x = 1; until t = 10; record x every 1/10 }",
        "makes a run; `let run = simulate …` keeps it",
    ),
    row(
        "sweep",
        "sweep S over m in [1, 2] { until t = 1; collect reach = max(x) } to \"reach.csv\"",
        "makes many runs",
    ),
    row("plot", "plot run { y against x } to \"path.svg\"", "draws a run, in the terminal when no file is named"),
    row("save", "save run to \"run.csv\"", "writes a run as .csv, .json, .npy, .npz or .parquet"),
    row("animate", "animate run { point (x, y); trail 200 } to \"run.svg\"", "draws a moving picture"),
    row("poincare", "poincare run { section x = 0 rising; plot y' against y }", "draws a Poincaré section"),
    row("explain", "explain dynamics(S)", "prints every step of a derivation"),
];

/// Words inside statements.
pub const INSIDE: &[Usage] = &[
    row("from", "from x = 1, x' = 0", "in a run: the initial state; what is left out is 0"),
    row("set", "set m = 2, V(x) = x^2", "in a run: values of parameters and functions"),
    row("until", "until t = 10", "in a run: its end"),
    row("method", "method taylor", "in a run: the integrator"),
    row("tolerance", "tolerance 1e-12", "in a run: the error of a step; `tolerance rel 1e-9, abs 1e-12`"),
    row("step", "step 1/100", "in a run: a fixed step"),
    row("record", "record x, E = energy(S) every 1/10", "in a run: what is kept, and how often"),
    row("stop", "stop when x = 0 rising", "in a run: an event that ends it"),
    row("branch", "branch dynamics(S).branches[1]", "in a run: the submanifold on which a singular system moves"),
    row("collect", "collect reach = max(x)", "in a sweep: what is kept of each run"),
    row("sample", "sample sobol(1000)", "in a sweep: how many points of its ranges, and by which rule"),
    row(
        "angle",
        "manifold Y over t { theta : angle }",
        "a coordinate that comes back to itself after 2π: pictures show it in π",
    ),
    row(
        "over",
        "manifold Y over t { x }",
        "after a manifold: its time, or the manifold below it; `sweep S over m in [1, 2]`",
    ),
    row("on", "lagrangian L on J1(Y) = x'^2/2", "the space a declaration lives on: what it may depend on"),
    row("with", "system S = L with drag, spring", "adds forces to a Lagrangian or to equations"),
    row("subject", "system S = L subject to rod", "puts a system under constraints"),
    row("fails", "assert simulate S { until t = 1 } fails with not_determined", "expects a refusal, by its name"),
    row("every", "record x every 1/100", "how often a column is kept, and when a table has a row"),
    row("against", "plot run { y against x }", "what the horizontal axis of a curve shows"),
    row("to", "plot run { x } to \"x.svg\"", "the file that a picture, a table or a sweep is written to"),
    row("at", "energy(S) at { x = 1, x' = 2 }", "evaluates at a point"),
    row("is", "classify(S) is regular", "asks a verdict or label of an answer"),
    row("within", "assert run.x.last = 1 within 1e-9", "compares up to an absolute or relative error"),
    row("sum", "sum(i in 1..n, q[i]^2)", "the sum over an index"),
    row("product", "product(i in 1..n, q[i])", "the product over an index"),
    row("list", "list(i in 1..n, i^2)", "the list over an index"),
    row("integral", "integral(u in 0..1, u^2)", "a definite integral"),
    row("piecewise", "piecewise(x > 0, a, b)", "a where the comparison holds, else b"),
    row("sqrt", "sqrt(x)", "the square root"),
    row("pi", "pi", "the number π"),
];

/// What is written like a function, and is neither an elementary function nor a question.
pub const LIKE_FUNCTIONS: [&str; 6] = ["sqrt", "piecewise", "sum", "product", "list", "integral"];

/// Those of them that need an index and its range.
pub const WITH_AN_INDEX: [&str; 4] = ["sum", "product", "list", "integral"];

/// The row of a word.
pub fn find(word: &str) -> Option<&'static Usage> {
    STATEMENTS.iter().chain(INSIDE).find(|u| u.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;
    use crate::syntax::parse::parse;
    use crate::syntax::token::{RUN_CLAUSES, STATEMENT_WORDS};

    #[test]
    fn every_word_has_a_row_and_every_row_can_be_read() {
        for (word, _) in STATEMENT_WORDS.iter().chain(RUN_CLAUSES) {
            assert!(find(word).is_some(), "`{word}` has no row");
        }
        for usage in STATEMENTS {
            let problems = parse(SourceId(0), usage.written).1.into_sorted();
            assert!(problems.is_empty(), "{}: {problems:?}", usage.written);
            assert!(usage.written.starts_with(usage.word));
        }
    }
}
