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
    /// After a dot.
    Part,
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
    /// A call, written with its arguments `$1`, `$2`, … or the last one, `$last`, and with what is declared: `$from`, a first
    /// coordinate; `$rest`, the state of rest; `$time`; and the sentence.
    Call(&'static str, &'static str),
}

use Ours::{Call, Nothing, Said, Word};
use Use::{Clause, Function, Method, Part, Statement, Value};

const MOTION: &str = "motions are runs: `simulate L { from x = 1; until t = 10 }`";
const DRAWN: &str = "a run is drawn: `plot run { x' against x }`";

/// Modules of other systems, before the names of their functions.
const MODULES: &[&str] = &[
    "np",
    "numpy",
    "sp",
    "sympy",
    "sm",
    "math",
    "cmath",
    "scipy",
    "plt",
    "matplotlib",
    "hy",
    "heyoka",
    "me",
    "Math",
    "torch",
    "jnp",
    "jax",
    "pandas",
    "pd",
    "scmutils",
    "mechanics",
    "pylab",
];

/// Whether a name stands for a module of another system, where nothing declares it.
pub fn is_module(word: &str) -> bool {
    MODULES.contains(&word)
}

const ELSEWHERE: &[(Use, &[&str], Ours)] = &[
    (Function, &["diff", "derivative", "pdiff", "partial", "Diff", "Derivative"], Word("D")),
    (
        Function,
        &["integrate", "Integrate", "int", "quad"],
        Said("an integral is over a range: `integral(u in 0..1, u^2)`; indefinite ones are not looked for"),
    ),
    (Function, &["substitute", "replace"], Word("subs")),
    (Function, &["determinant"], Word("det")),
    (Function, &["inv"], Word("inverse")),
    (Function, &["der", "ddt"], Call("($1)'", "the derivative along the motion is a prime")),
    (
        Function,
        &["mass_matrix", "massMatrix", "inertia_matrix"],
        Call("hessian($1)", "the matrix in front of the accelerations is `hessian(L)`"),
    ),
    (
        Function,
        &["eye", "zeros", "ones", "diag", "identity_matrix", "IdentityMatrix"],
        Said("a matrix is a list of its rows: `[[1, 0], [0, 1]]`; `identity(A)` is the one of the size of A"),
    ),
    (
        Function,
        &["mod", "Mod", "fmod", "rem"],
        Said("remainders of divisions are not computed; an angle is a coordinate of that type: `theta : angle`"),
    ),
    (
        Function,
        &["dirac_delta", "DiracDelta", "Dirac", "delta_function"],
        Said("an impulse is no function: a run begins with the velocity behind it, `from x' = 1`"),
    ),
    (
        Function,
        &["Module", "Block", "With"],
        Said("a name is given to a formula by `let`, and what it needs before it: `let a = 1`"),
    ),
    (
        Function,
        &["Do", "Table", "For", "While", "Map"],
        Said("a repetition is written `list(i in 1..3, i^2)`, a sum `sum(i in 1..3, i^2)`"),
    ),
    (Function, &["proc", "unapply"], Said("a function is declared with its formula: `let f(x) = x^2`")),
    (Function, &["fprintf", "sprintf", "format"], Said("an expression alone is a question, and its answer is shown")),
    (Function, &["par"], Said("a parameter has a name: `param k = 1`; `set k = 2` gives it another value in a run")),
    (Function, &["assuming", "refine", "Refine"], Said("facts are assumed for the whole program: `assume m > 0`")),
    (Function, &["eigvals"], Word("eigenvalues")),
    (Function, &["eom"], Word("equations")),
    (Function, &["lagrange"], Word("euler_lagrange")),
    (Function, &["legendre_transform"], Word("legendre")),
    (Function, &["if", "If", "Piecewise", "ifelse"], Word("piecewise")),
    (
        Function,
        &["dsolve", "odeint", "solve_ivp", "NDSolve", "DSolve", "ode45", "ode15s", "ODEProblem"],
        Call("simulate $1 { from $from = 1; until $time = 10 }", MOTION),
    ),
    (Function, &["linspace", "LinRange"], Call("$1..$2", "a range is written `1..10`")),
    (Function, &["range", "Range"], Said("a range is written `1..10`, where an index runs over it")),
    (
        Function,
        &["Matrix", "matrix", "Array", "array", "ImmutableMatrix", "Vector", "vector"],
        Call("$1", "a matrix is a list of its rows: `[[1, 0], [0, 1]]`"),
    ),
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
        &["modes", "normal_modes"],
        Call(
            "linearize($1, $rest).modes",
            "frequencies and modes are parts of the linear equations: `linearize(L, { x = 0 }).modes`",
        ),
    ),
    (
        Function,
        &["frequencies", "eigenfrequencies", "normal_frequencies"],
        Call(
            "linearize($1, $rest).frequencies",
            "frequencies and modes are parts of the linear equations: `linearize(L, { x = 0 }).frequencies`",
        ),
    ),
    (
        Function,
        &["stability", "is_stable", "stable", "lyapunov_stability"],
        Call("linearize($1, $rest)", "stability is asked of an equilibrium: `linearize(L, { x = 0 })`"),
    ),
    (
        Function,
        &["jacobian_matrix"],
        Call("linearize($1, $rest)", "the linear equations are `linearize(L, { x = 0 })`"),
    ),
    (
        Function,
        &["routh", "Routh", "routhian", "cyclic", "ignorable", "cyclic_coordinates", "ignorable_coordinates"],
        Call(
            "find_symmetries($1, 1)",
            "an ignorable coordinate is a symmetry: `find_symmetries(L, 1)` finds it, `noether(L, @x)` its momentum, \
             `equilibria(L, moving = x)` the steady motions",
        ),
    ),
    (Function, &["symmetries", "find_symmetry", "Symmetries"], Call("find_symmetries($1, 1)", "say of which degree")),
    (
        Function,
        &["poisson", "poisson_bracket", "PoissonBracket", "pb"],
        Said("brackets of functions are a part of `dirac(L)`; the bracket of vector fields is `bracket(X, Y)`"),
    ),
    (Function, &["phase_portrait", "PhasePortrait", "phaseplot"], Call("plot $1 { $from' against $from }", DRAWN)),
    (
        Function,
        &["kinetic", "kinetic_energy", "potential", "potential_energy"],
        Said(
            "energies are formulas that a name may stand for: `let T = m*x'^2/2`; the energy of a system is `energy(L)`",
        ),
    ),
    (
        Function,
        &["conserved", "conserved_quantities", "constants_of_motion", "invariants", "first_integrals", "integrals"],
        Call("find_integrals($1, 2)", "integrals are sought among polynomials of a degree: `find_integrals(L, 2)`"),
    ),
    (
        Function,
        &["motion", "solution", "trajectory", "evolve", "run", "propagate", "propagate_until"],
        Call("simulate $1 { from $from = 1; until $time = 10 }", MOTION),
    ),
    (Function, &["accelerations", "acceleration"], Word("vector_field")),
    (
        Function,
        &["jacobi_integral", "jacobi_energy", "energy_integral", "jacobi_constant"],
        Call("energy($1)", "the integral of a system whose Lagrangian does not mention the time is `energy(L)`"),
    ),
    (
        Function,
        &["constraints", "all_constraints", "hamiltonian_constraints", "secondary_constraints"],
        Call("dirac($1).constraints", "the constraints of a singular Lagrangian are a part of `dirac(L)`"),
    ),
    (
        Function,
        &["primary_constraints"],
        Call("dirac($1).primary", "the constraints of a singular Lagrangian are a part of `dirac(L)`"),
    ),
    (
        Function,
        &["is_holonomic", "is_nonholonomic", "nonholonomic", "integrable", "is_integrable_constraint"],
        Call("constraint_type($1).kind", "whether constraints are holonomic says `constraint_type(S)`"),
    ),
    (
        Function,
        &["fixed_points", "fixed_point", "stationary_points", "critical_points", "steady_states", "rest_points"],
        Word("equilibria"),
    ),
    (Function, &["iota", "interior", "interior_product", "contraction", "contract", "hook"], Word("i")),
    (Function, &["commutator", "Commutator", "lie_bracket", "LieBracket"], Word("bracket")),
    (
        Function,
        &["savefig", "save_figure", "export_svg"],
        Call(
            "plot $1 { $from } to $2",
            "a picture is written to a file by its statement: `plot run { x } to \"x.svg\"`",
        ),
    ),
    (
        Function,
        &["degrees_of_freedom", "dof"],
        Said("`dynamics(L)` says how far a motion is determined, `Y` lists the coordinates"),
    ),
    (Function, &["pow", "Power"], Call("($1^$2)", "powers are written with a sign: `x^2`")),
    (
        Function,
        &["heaviside", "Heaviside", "HeavisideTheta", "UnitStep", "unitstep", "theta_step"],
        Call("piecewise($1 > 0, 1, 0)", "a step is a choice: `piecewise(x > 0, 1, 0)`"),
    ),
    (Function, &["log10", "Log10"], Call("(log($1)/log(10))", "`log` is the natural logarithm")),
    (Function, &["log2", "Log2"], Call("(log($1)/log(2))", "`log` is the natural logarithm")),
    (Function, &["square", "sqr"], Call("($1^2)", "powers are written with a sign: `x^2`")),
    (
        Function,
        &["inverse_problem", "lagrangian_of", "find_lagrangian", "Lagrangian_of"],
        Call(
            "tonti($1)",
            "`tonti(N)` is a Lagrangian of equations that have one; whether they do says `helmholtz(N)`, and \
             `integrating_factor(N)` looks for a multiplier",
        ),
    ),
    (
        Function,
        &["variational", "is_variational", "is_lagrangian", "has_lagrangian"],
        Call("helmholtz($1)", "whether equations come from a Lagrangian says `helmholtz(N)`"),
    ),
    (
        Function,
        &["period", "amplitude"],
        Said(
            "an event ends a run: with `stop when x' = 0 falling` the time of it is `run.end`, the extremes are `run.x.max`",
        ),
    ),
    (
        Function,
        &["series", "Series", "limit", "Limit", "lim", "taylor", "Taylor", "TaylorSeries"],
        Said("limits and series are not computed; derivatives at a point are: `D(f, x, x) at { x = 0 }`"),
    ),
    (Function, &["sec", "Sec"], Call("(1/cos($1))", "it is `1/cos(x)`")),
    (Function, &["csc", "cosec", "Csc"], Call("(1/sin($1))", "it is `1/sin(x)`")),
    (Function, &["cot", "cotan", "ctg", "Cot"], Call("(cos($1)/sin($1))", "it is `cos(x)/sin(x)`")),
    (Function, &["tg"], Word("tan")),
    (
        Function,
        &["norm", "Norm", "magnitude"],
        Call("sqrt(dot($1, $1))", "the length of a vector is `sqrt(dot(r, r))`"),
    ),
    (Function, &["Dot", "inner", "dotproduct"], Word("dot")),
    (Function, &["Cross", "crossproduct"], Word("cross")),
    (Function, &["Transpose"], Word("transpose")),
    (Function, &["Inverse"], Word("inverse")),
    (Function, &["mean", "average"], Said("of a series there are `first`, `last`, `max` and `min`: `run.x.max`")),
    (Function, &["len", "length", "size", "Length", "numel"], Said("a list counts from 1; its length is written out")),
    (
        Function,
        &["isclose", "allclose", "approx", "isapprox"],
        Call("$1 = $2 within 1e-9", "equality up to an error is `a = b within 1e-9`"),
    ),
    (Function, &["ddot"], Call("($1)''", "derivatives are written with primes: `x''`")),
    (
        Function,
        &["grad", "gradient", "nabla"],
        Said("the derivative by a coordinate is `D(f, x)`, the differential `d(f)`"),
    ),
    (Function, &["radians", "deg2rad"], Call("($1*pi/180)", "angles are in radians: 30 degrees are `30*pi/180`")),
    (
        Function,
        &["poincare", "poincare_section", "Poincare", "poincare_map"],
        Said("a section is a statement: `poincare run { section x = 0 rising; plot y' against y }`"),
    ),
    (
        Function,
        &["animate", "animation", "movie"],
        Said("a moving picture is a statement: `animate run { point (x, y) } to \"run.svg\"`"),
    ),
    (
        Function,
        &["sweep", "scan", "parameter_sweep"],
        Said(
            "many runs are a statement: `sweep S over m in [1, 2] { from x = 1; until t = 10; collect reach = max(x) }`",
        ),
    ),
    (
        Function,
        &["is_conserved", "is_integral", "is_first_integral", "is_constant", "conserves"],
        Word("first_integral"),
    ),
    // Maple
    (Function, &["EulerLagrange", "Euler", "euler"], Word("euler_lagrange")),
    (Function, &["TotalDiff", "total_derivative", "DtTotal"], Call("($1)'", "the total derivative of `f` is `f'`")),
    (Function, &["PDETools", "pdsolve", "dsolve_numeric"], Said(MOTION)),
    (
        Function,
        &["evalf", "N", "float", "Float", "numeric", "numerical", "vpa"],
        Call(
            "$1",
            "an answer that is a number is shown with its digits; a value at a point is `energy(L) at { x = 1 }`",
        ),
    ),
    (
        Function,
        &["subsop", "eval"],
        Said("a value at a point is asked with `at`: `energy(L) at { x = 1 }`; numbers are computed in runs"),
    ),
    // Mathematica
    (Function, &["Dt"], Call("($1)'", "the total derivative of `f` is `f'`")),
    (Function, &["VariationalD", "EulerEquations"], Call("euler_lagrange($1)", "the system alone is named")),
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
    (
        Function,
        &["Plot", "ListPlot", "ParametricPlot", "plt", "graph"],
        Said("a run is drawn: `plot run { y against x }`"),
    ),
    (
        Function,
        &["pprint", "pretty_print", "println", "printf", "disp", "display", "print", "Print", "show", "echo"],
        Call("$last", "an expression alone is a question, and its answer is shown"),
    ),
    (Function, &["exit", "quit"], Call("", "a program ends where its text ends: leave it out")),
    (
        Function,
        &["help", "doc"],
        Said("in the session `:doc equations` explains a question, `:help` lists the commands"),
    ),
    (Function, &["EL", "ELeq", "equation_of_motion"], Word("equations")),
    // SymPy
    (
        Function,
        &["LagrangesMethod", "KanesMethod", "euler_equations", "form_lagranges_equations"],
        Call("equations($1)", "a Lagrangian is declared, `lagrangian L on J1(Y) = …`, and asked: `equations(L)`"),
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
    (Function, &["Eq", "Equal"], Call("$1 = $2", "an equation is written with its sign: `a = b`")),
    (Function, &["Rational", "Fraction"], Call("($1/$2)", "numbers are exact: `1/3`")),
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
        Call(
            "simulate $1 { from $from = 1; until $time = 10; method taylor }",
            "a run with Taylor's method: `simulate L { from x = 1; until t = 10; method taylor }`",
        ),
    ),
    (Function, &["cfunc", "ensemble_propagate_until"], Said("many runs are a sweep: `sweep L over m in [1, 2] { … }`")),
    (Function, &["t_event", "nt_event"], Said("an event is a clause of a run: `stop when x = 0 rising`")),
    (Statement, &["parameter", "parameters", "constant", "const"], Word("param")),
    (Statement, &["def", "var", "func", "fn", "define"], Word("let")),
    (Statement, &["import", "include", "require", "load", "source", "input"], Word("use")),
    (
        Statement,
        &["show", "print", "display", "echo", "disp", "println", "pprint"],
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
    (
        Statement,
        &["dissipation", "rayleigh", "friction", "damping"],
        Said("what takes energy away is a force: `force friction on J1(Y) { x: -c*x' }`, and `L with friction`"),
    ),
    (
        Statement,
        &["figure", "axis", "hold", "grid", "legend", "subplot", "xlabel", "ylabel"],
        Said("a picture is one statement: `plot run { x; title = \"a picture\" }`"),
    ),
    (Statement, &["kinetic", "potential"], Word("let")),
    (Statement, &["holonomic", "nonholonomic", "rolling", "constraints"], Word("constraint")),
    (Statement, &["when"], Said("an event ends a run: `stop when x = 0 falling`")),
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
    (Value, &["lepage"], Said("`lepage>` is the prompt of the session, and no part of a program")),
    (Value, &["Pi", "PI"], Word("pi")),
    (
        Value,
        &["lambda", "λ"],
        Said(
            "a multiplier comes with its constraint: `constraint rod on Y { x^2 + y^2 = 1 }`, then `L subject to rod`; a number of this name is declared: `param lambda`",
        ),
    ),
    (
        Value,
        &["rotation", "translation"],
        Said("a direction is a vector field: a rotation `x*@y - y*@x`, a translation `@x`"),
    ),
    (Value, &["e"], Word("exp(1)")),
    (Value, &["begin", "clc"], Nothing("a program needs no frame")),
    (
        Value,
        &["None", "null", "nil", "NaN", "nan"],
        Said("there is no value for nothing; a name without a value is a `param`"),
    ),
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
    (
        Value,
        &["clear", "reset", "restart"],
        Nothing("a program begins with nothing declared, and in the session `:reset` forgets everything"),
    ),
    (Value, &["ls", "who", "whos", "vars", "names"], Said("in the session `:list` shows what is declared")),
    (
        Value,
        &["i"],
        Said(
            "an index runs in its range, `sum(i in 1..3, i^2)`, and `i(X, a)` is a contraction; there is no imaginary unit: expressions are real",
        ),
    ),
    (
        Value,
        &["p"],
        Said(
            "momenta are asked of a Lagrangian: `momenta(L)`, and `hamilton(L)` calls them `p_x`; a number of this name is declared: `param p`",
        ),
    ),
    (
        Value,
        &["figure", "axis", "hold", "grid", "legend", "subplot"],
        Nothing("a picture is one statement, `plot run { x; title = \"a picture\" }`"),
    ),
    (
        Value,
        &["equation"],
        Said("equations have a name and stand in braces: `equations N on J2(Y) { x: -k*x - m*x'' }`"),
    ),
    (Value, &["I", "j", "im"], Said("expressions are real; complex eigenvalues are pairs: `eigenvalues(A).complex`")),
    (Value, &["deg", "degree", "degrees"], Word("pi/180")),
    (Value, &["help"], Said("`:help` helps in the session, `lepage --help` in a shell")),
    (Clause, &["stepsize", "step_size", "timestep", "time_step", "dt", "h"], Word("step")),
    (Clause, &["tol", "eps", "accuracy", "precision"], Word("tolerance")),
    (Clause, &["rtol", "reltol", "rel_tol", "RelTol"], Word("tolerance rel")),
    (Clause, &["atol", "abstol", "abs_tol", "AbsTol"], Word("tolerance abs")),
    (Clause, &["init", "initial", "start", "ic"], Word("from")),
    (Clause, &["solver", "integrator", "scheme"], Word("method")),
    (Clause, &["output", "observe", "log", "columns"], Word("record")),
    (Clause, &["end", "tmax", "t_end", "tend", "duration"], Word("until")),
    (Clause, &["params", "parameters"], Word("set")),
    (Clause, &["event", "terminate", "halt"], Word("stop")),
    (Method, &["euler", "heun", "rk2", "rk3", "RK4", "runge_kutta"], Word("rk4")),
    (Method, &["leapfrog", "stormer", "stormer_verlet", "velocity_verlet", "symplectic"], Word("verlet")),
    (Method, &["symplectic_euler", "yoshida", "yoshida4", "forest_ruth"], Word("suzuki4")),
    (
        Method,
        &["rk45", "RK45", "dopri5", "DOPRI5", "ode45", "ode23", "RK23", "rk23", "BS3", "rkf45", "DP5"],
        Word("tsit5"),
    ),
    (
        Method,
        &["DOP853", "dop", "vern7", "Vern7", "vern9", "Vern9", "ode113", "ode78", "ode89", "VCABM", "adams"],
        Word("dop853"),
    ),
    (
        Method,
        &["ode15s", "ode15i", "cvode", "CVODE", "CVODE_BDF", "vode", "lsode", "gear", "QNDF", "FBDF", "dassl", "ida"],
        Word("bdf"),
    ),
    (
        Method,
        &["ode23s", "ode23t", "ode23tb", "rodas", "Rodas4", "Rodas5", "Rodas5P", "RadauIIA5", "implicit", "stiff"],
        Word("radau"),
    ),
    (Method, &["implicit_midpoint", "ImplicitMidpoint", "mid_point"], Word("midpoint")),
    (Method, &["gauss_legendre", "GaussLegendre", "irk"], Word("gauss")),
    (Method, &["lsoda", "LSODA", "adaptive", "default", "automatic"], Word("auto")),
    (Method, &["heyoka"], Word("taylor")),
    (Part, &["T", "transposed", "H"], Call("transpose($1)", "the transposed matrix is `transpose(A)`")),
    (Part, &["final", "end", "value", "y_end"], Word("last")),
    (Part, &["initial", "start", "begin"], Word("first")),
    (Part, &["maximum", "upper"], Word("max")),
    (Part, &["minimum", "lower"], Word("min")),
    (Part, &["time", "times", "ts"], Word("t")),
    (
        Part,
        &["state", "states", "y", "sol", "u", "values", "data"],
        Said("the columns of a run have the names of its coordinates: `run.x`; the last state is `run.last`"),
    ),
    (
        Part,
        &["propagate_until", "propagate_for", "propagate_grid", "propagate", "integrate", "solve", "step"],
        Said("a run is made with its end: `let run = simulate L { from x = 1; until t = 10 }`"),
    ),
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
            Part => "after a dot",
        };
        let theirs = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let here = match ours {
            Word(word) => format!("`{word}`"),
            Nothing(why) => format!("nothing: {why}"),
            Said(how) | Call(_, how) => how.to_string(),
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
        let first = |here: &'static str| here.split(' ').next().unwrap_or(here);
        assert!(words(Clause).all(|(_, here)| RUN_CLAUSES.iter().any(|(word, _)| *word == first(here))));
        assert!(words(Function).all(|(_, here)| ["piecewise", "sqrt"].contains(&here)
            || crate::algebra::function::Elementary::find(here).is_some()
            || crate::questions::find(here).is_some()));
    }
}
