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
    // scmutils
    (Function, &["Lagrange_equations", "Lagrangian_equations"], Word("equations")),
    (
        Function,
        &["literal_function", "literal-function"],
        Said("coordinates are functions of time by themselves; another unknown function is declared: `function V(x)`"),
    ),
    (Function, &["up", "down", "tuple"], Said("states have names instead of places: `{ x = 1, x' = 2 }`")),
    (
        Function,
        &["compose", "coordinate_transformation"],
        Said("coordinates are changed by a map: `map f : P -> Y { x = r*cos(a) }`"),
    ),
    (Function, &["Lagrangian", "lagrangian"], Said("a Lagrangian is declared: `lagrangian L on J1(Y) = m*x'^2/2`")),
    (
        Function,
        &["modes", "normal_modes", "frequencies", "eigenfrequencies", "normal_frequencies"],
        Said("frequencies and modes are parts of the linear equations: `linearize(L, { x = 0 }).modes`"),
    ),
    (
        Function,
        &["kinetic", "kinetic_energy", "potential", "potential_energy"],
        Said(
            "energies are formulas that a name may stand for: `let T = m*x'^2/2`; the energy of a system is `energy(L)`",
        ),
    ),
    (
        Function,
        &["conserved", "conserved_quantities", "constants_of_motion", "invariants", "first_integrals"],
        Word("find_integrals"),
    ),
    (
        Function,
        &["motion", "solution", "trajectory", "evolve", "run"],
        Said("motions are runs: `simulate L { from x = 1; until t = 10 }`"),
    ),
    (Function, &["accelerations", "acceleration"], Word("vector_field")),
    (
        Function,
        &["degrees_of_freedom", "dof"],
        Said("`dynamics(L)` says how far a motion is determined, `Y` lists the coordinates"),
    ),
    (Function, &["pow", "power", "Power"], Said("powers are written with a sign: `x^2`")),
    (Function, &["sec"], Said("it is `1/cos(x)`")),
    (Function, &["csc", "cosec"], Said("it is `1/sin(x)`")),
    (Function, &["cot", "cotan"], Said("it is `cos(x)/sin(x)`")),
    (
        Function,
        &["grad", "gradient", "nabla"],
        Said("the derivative by a coordinate is `D(f, x)`, the differential `d(f)`"),
    ),
    (Function, &["radians", "deg2rad"], Said("angles are in radians: 30 degrees are `30*pi/180`")),
    // Maple
    (Function, &["EulerLagrange", "Euler", "euler"], Word("euler_lagrange")),
    (Function, &["TotalDiff", "total_derivative", "DtTotal"], Said("the total derivative of `f` is `f'`")),
    (
        Function,
        &["PDETools", "pdsolve", "dsolve_numeric"],
        Said("motions are runs: `simulate L { from x = 1; until t = 10 }`"),
    ),
    (
        Function,
        &["subsop", "eval", "evalf", "N"],
        Said("a value at a point is asked with `at`: `energy(L) at { x = 1 }`; numbers are computed in runs"),
    ),
    // Mathematica
    (Function, &["Dt"], Said("the total derivative of `f` is `f'`")),
    (Function, &["VariationalD", "EulerEquations"], Word("euler_lagrange")),
    (Function, &["FullSimplify", "Simplify", "trigsimp", "radsimp", "nsimplify"], Word("simplify")),
    (Function, &["Expand", "ExpandAll"], Word("expand")),
    (Function, &["Solve", "Reduce", "linsolve", "nonlinsolve", "fsolve"], Word("solve")),
    (Function, &["Det"], Word("det")),
    (Function, &["Eigenvalues", "eigenvals", "eig"], Word("eigenvalues")),
    (Function, &["Sin"], Word("sin")),
    (Function, &["Cos"], Word("cos")),
    (Function, &["Tan"], Word("tan")),
    (Function, &["Exp"], Word("exp")),
    (Function, &["Log"], Word("log")),
    (Function, &["Sqrt"], Word("sqrt")),
    (Function, &["Abs"], Word("abs")),
    (Function, &["Plot", "ListPlot", "ParametricPlot"], Said("a run is drawn: `plot run { y against x }`")),
    // SymPy
    (
        Function,
        &["LagrangesMethod", "KanesMethod", "euler_equations", "form_lagranges_equations"],
        Said("a Lagrangian is declared, `lagrangian L on J1(Y) = …`, and asked: `equations(L)`"),
    ),
    (
        Function,
        &["ReferenceFrame", "RigidBody", "Particle", "Point"],
        Said("energies are written in coordinates; `lepage doc std` lists what is prepared"),
    ),
    (
        Function,
        &["lambdify"],
        Said("formulas are compiled where they are needed; `lepage emit` writes them in another language"),
    ),
    (Function, &["Eq"], Said("an equation is written with its sign: `a = b`")),
    (Function, &["Rational"], Said("numbers are exact: `1/3`")),
    // Modelica
    (Statement, &["equation"], Word("equations")),
    (
        Statement,
        &["algorithm", "connect", "extends", "annotation"],
        Said("a program declares and asks: `manifold`, `lagrangian`, then `equations(L)`"),
    ),
    (Function, &["reinit", "when"], Said("an event ends a run: `stop when x = 0 falling`")),
    // heyoka
    (
        Function,
        &["taylor_adaptive"],
        Said("a run with Taylor's method: `simulate L { from x = 1; until t = 10; method taylor }`"),
    ),
    (Function, &["cfunc", "ensemble_propagate_until"], Said("many runs are a sweep: `sweep L over m in [1, 2] { … }`")),
    (Function, &["t_event", "nt_event"], Said("an event is a clause of a run: `stop when x = 0 rising`")),
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
    (
        Statement,
        &["hamiltonian", "Hamiltonian"],
        Said(
            "a Hamiltonian is asked of a Lagrangian: `hamiltonian(L)`; equations of first order are declared: `equations N on J1(Y) { x: y - x' }`",
        ),
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
    (
        Value,
        &["print", "show", "display", "Print"],
        Said("an expression alone is a question, and its answer is shown: `equations(L)`"),
    ),
    (Value, &["plot", "draw", "graph"], Said("a run is drawn: `plot run { x }`")),
    (Value, &["simulate"], Said("a run has its system and its clauses: `simulate L { from x = 1; until t = 10 }`")),
    (Value, &["clear", "reset", "restart"], Said("in the session `:reset` forgets everything")),
    (Value, &["ls", "who", "whos", "vars", "names"], Said("in the session `:list` shows what is declared")),
    (Value, &["I", "j", "im"], Said("expressions are real; complex eigenvalues are pairs: `eigenvalues(A).complex`")),
    (Value, &["deg", "degree", "degrees"], Word("pi/180")),
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

/// The table for readers: where a word is written, the words of others, and what stands for them here.
pub fn rows() -> impl Iterator<Item = (&'static str, String, String)> {
    ELSEWHERE.iter().map(|(used, words, ours)| {
        let place = match used {
            Function => "before arguments",
            Statement => "at the beginning of a statement",
            Value => "as a name",
            Clause => "in a run",
            Method => "after `method`",
        };
        let theirs = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let here = match ours {
            Word(word) => format!("`{word}`"),
            Nothing(why) => format!("nothing: {why}"),
            Said(how) => how.to_string(),
        };
        (place, theirs, here)
    })
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
        assert!(words(Function).all(|(_, here)| ["piecewise", "sqrt"].contains(&here)
            || crate::algebra::function::Elementary::find(here).is_some()
            || crate::questions::find(here).is_some()));
    }
}
