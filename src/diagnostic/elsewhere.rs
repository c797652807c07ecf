//! The words of other systems: of SymPy, scmutils, Maple, Mathematica, Modelica, heyoka and of programming languages. Whoever
//! comes from one of them writes its words first; each row says what stands for them here, or in a sentence what to do instead.

/// Where a word of another system was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Before arguments.
    Function,
    /// At the beginning of a statement.
    Statement,
    /// As a name of a value.
    Value,
    /// At the beginning of an entry of a run.
    Clause,
    /// After `method`.
    Method,
}

/// What stands for it here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ours {
    /// Another word, in the same place.
    Word(&'static str),
    /// Nothing: it is left out, for this reason.
    Nothing(&'static str),
    /// Another notation, told in a sentence.
    Said(&'static str),
}

use Ours::{Nothing, Said, Word};
use Use::{Clause, Function, Method, Statement, Value};

const ELSEWHERE: &[(Use, &[&str], Ours)] = &[
    (Function, &["diff", "derivative", "pdiff", "partial", "Diff", "Derivative"], Word("D")),
    (Function, &["integrate", "Integrate", "int"], Said("an integral is over a range: `integral(u in 0..1, u^2)`")),
    (Function, &["substitute", "replace"], Word("subs")),
    (Function, &["determinant"], Word("det")),
    (Function, &["inv"], Word("inverse")),
    (Function, &["eigvals"], Word("eigenvalues")),
    (Function, &["eom"], Word("equations")),
    (Function, &["lagrange"], Word("euler_lagrange")),
    (Function, &["legendre_transform"], Word("legendre")),
    (Function, &["if", "If", "Piecewise", "ifelse"], Word("piecewise")),
    (
        Function,
        &["dsolve", "odeint", "solve_ivp", "NDSolve", "DSolve", "ode45"],
        Said("motions are runs: `simulate L { from x = 1; until t = 10 }`"),
    ),
    (Function, &["range", "Range", "linspace"], Said("a range is written `1..10`, where an index runs over it")),
    (Function, &["Matrix", "matrix", "Array", "array"], Said("a matrix is a list of its rows: `[[1, 0], [0, 1]]`")),
    (
        Function,
        &["symbols", "Symbol", "syms", "dynamicsymbols", "make_vars"],
        Said("coordinates are declared with their manifold, `manifold Y over t { x }`, parameters with `param m`"),
    ),
    (Statement, &["parameter", "parameters", "constant", "const"], Word("param")),
    (Statement, &["def", "var", "func", "fn", "define"], Word("let")),
    (Statement, &["import", "include", "require"], Word("use")),
    (
        Statement,
        &["show", "print", "display", "echo"],
        Nothing("an expression alone is a question, and its answer is shown"),
    ),
    (
        Statement,
        &["set"],
        Said("a parameter has its value from its declaration, `param m = 2`; for one run, write `set m = 2` inside it"),
    ),
    (
        Statement,
        &["for", "foreach"],
        Said("a repetition is written `list(i in 1..3, i^2)`, a sum `sum(i in 1..3, i^2)`"),
    ),
    (
        Statement,
        &["while", "loop", "repeat"],
        Said("there are no loops: a run goes on `until t = 10`, a repetition is `list(i in 1..3, i^2)`"),
    ),
    (Statement, &["if"], Said("a choice is a value: `piecewise(x > 0, 1, 0)`; a claim is `assert x > 0`")),
    (
        Statement,
        &["coordinates", "coordinate", "coords", "variables", "variable", "symbols", "real", "Real", "float", "double"],
        Said("coordinates are declared with their manifold: `manifold Y over t { x, y }`"),
    ),
    (Statement, &["model", "class", "struct", "package"], Said("a program needs no frame: its statements stand alone")),
    (Value, &["Pi", "PI"], Word("pi")),
    (Value, &["e"], Word("exp(1)")),
    (
        Value,
        &["inf", "infinity", "Infinity", "oo"],
        Said("no number is infinite; a run ends at a time: `until t = 100`"),
    ),
    (Value, &["true", "True", "false", "False"], Said("a claim is asked or asserted: `classify(L) is regular`")),
    (Value, &["quit", "exit", "end"], Nothing("a program ends where its text ends")),
    (Value, &["help"], Said("`:help` helps in the session, `lepage --help` in a shell")),
    (Clause, &["stepsize", "step_size", "timestep", "time_step", "dt", "h"], Word("step")),
    (Clause, &["tol", "rtol", "atol", "eps", "accuracy"], Word("tolerance")),
    (Clause, &["init", "initial", "start", "ic"], Word("from")),
    (Clause, &["solver", "integrator", "scheme"], Word("method")),
    (Clause, &["output", "observe", "log", "columns"], Word("record")),
    (Clause, &["end", "tmax", "t_end", "tend", "duration"], Word("until")),
    (Clause, &["params", "parameters"], Word("set")),
    (Clause, &["event", "terminate", "halt"], Word("stop")),
    (Method, &["euler", "heun", "rk2", "rk3", "RK4", "runge_kutta"], Word("rk4")),
    (Method, &["leapfrog", "stormer", "stormer_verlet", "velocity_verlet", "symplectic"], Word("verlet")),
    (Method, &["symplectic_euler", "yoshida", "yoshida4", "forest_ruth"], Word("suzuki4")),
    (Method, &["rk45", "RK45", "dopri5", "DOPRI5", "ode45"], Word("tsit5")),
    (Method, &["DOP853", "dop", "vern9", "Vern9"], Word("dop853")),
    (Method, &["lsoda", "LSODA", "adaptive", "default", "automatic"], Word("auto")),
    (Method, &["heyoka"], Word("taylor")),
];

/// What stands for a word of another system.
pub fn ours(used: Use, word: &str) -> Option<Ours> {
    ELSEWHERE.iter().find(|(of, words, _)| *of == used && words.contains(&word)).map(|(_, _, ours)| *ours)
}

/// Every word that has another one here, with it.
#[cfg(test)]
pub fn words(used: Use) -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_use = ELSEWHERE.iter().filter(move |(of, _, _)| *of == used);
    of_use.flat_map(|(_, words, ours)| {
        let here = if let Word(here) = ours { Some(*here) } else { None };
        words.iter().filter_map(move |word| Some((*word, here?)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_in_two_rows_of_one_use() {
        let mut all: Vec<(String, &str)> = ELSEWHERE
            .iter()
            .flat_map(|(used, words, _)| words.iter().map(move |w| (format!("{used:?}"), *w)))
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(
            (ours(Function, "diff"), ours(Function, "D"), ours(Value, "Pi")),
            (Some(Word("D")), None, Some(Word("pi")))
        );
    }

    #[test]
    fn what_is_offered_exists() {
        use crate::integrate::method::METHODS;
        use crate::syntax::token::RUN_CLAUSES;
        assert!(words(Method).all(|(_, here)| METHODS.iter().any(|m| m.name == here)));
        assert!(words(Clause).all(|(_, here)| RUN_CLAUSES.iter().any(|(word, _)| *word == here)));
        assert!(words(Function).all(|(_, here)| here == "piecewise" || crate::questions::find(here).is_some()));
    }
}
