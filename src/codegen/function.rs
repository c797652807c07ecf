//! The numeric side of the elementary functions: one row each, keyed by the [`Elementary`] of the algebra, with what
//! a kernel computes for it and how source text of other languages writes it.
//!
//! The interpreter and the machine code call the *same* pointer, so that they agree bit for bit whatever it computes.
//! Taylor recurrences and tangents have no column: they follow from the [`Slope`](crate::algebra::function::Slope) of
//! the row in the algebra, as the symbolic derivative does.

use super::emit::Language;
use super::ir::{Binary, Unary};
use super::libm;
use crate::algebra::function::{Bound, COUNT, Domain, Elementary, Exact, Slope};

/// A double from a double, callable from machine code.
pub type One = extern "C" fn(f64) -> f64;
/// A double from two.
pub type Two = extern "C" fn(f64, f64) -> f64;

/// What a kernel computes for a function.
pub enum Operation {
    /// [`Unary::Function`].
    One(Numeric),
    /// One operation of two arguments.
    Two(Binary),
    /// The same, from the first argument through the list.
    Fold(Binary),
}

/// A function of one argument in doubles and in source text.
pub struct Numeric {
    pub value: One,
    pub written: Written,
    /// What a language must be told before, because its standard library lacks the function.
    pub declared: &'static [(Language, &'static str)],
}

/// Source text of each language, `#` for the argument; empty where the language has no such function.
pub struct Written {
    pub c: &'static str,
    pub rust: &'static str,
    pub python: &'static str,
    pub numpy: &'static str,
    pub julia: &'static str,
}

impl Written {
    /// In a language; what is no source text is written as Python.
    pub fn in_language(&self, language: Language) -> &'static str {
        match language {
            Language::C => self.c,
            Language::Rust => self.rust,
            Language::Python | Language::Clif => self.python,
            Language::Numpy => self.numpy,
            Language::Julia => self.julia,
        }
    }
}

pub struct Row {
    pub function: Elementary,
    pub operation: Operation,
}

/// A pointer that machine code can call to a function of doubles.
macro_rules! one {
    ($f:path) => {{
        extern "C" fn call(x: f64) -> f64 {
            $f(x)
        }
        call
    }};
}

macro_rules! two {
    ($f:path) => {{
        extern "C" fn call(x: f64, y: f64) -> f64 {
            $f(x, y)
        }
        call as Two
    }};
}

/// A row of a function of one argument, with its text in C, Rust, Python, NumPy and Julia.
const fn row(function: Elementary, value: One, [c, rust, python, numpy, julia]: [&'static str; 5]) -> Row {
    let written = Written { c, rust, python, numpy, julia };
    Row { function, operation: Operation::One(Numeric { value, written, declared: &[] }) }
}

use Elementary::*;

/// In the order of the enumeration.
pub static TABLE: [Row; COUNT] = [
    row(Sin, one!(libm::sin), ["sin(#)", "#.sin()", "math.sin(#)", "np.sin(#)", "sin(#)"]),
    row(Cos, one!(libm::cos), ["cos(#)", "#.cos()", "math.cos(#)", "np.cos(#)", "cos(#)"]),
    row(Tan, one!(libm::tan), ["tan(#)", "#.tan()", "math.tan(#)", "np.tan(#)", "tan(#)"]),
    row(Asin, one!(libm::asin), ["asin(#)", "#.asin()", "math.asin(#)", "np.arcsin(#)", "asin(#)"]),
    row(Acos, one!(libm::acos), ["acos(#)", "#.acos()", "math.acos(#)", "np.arccos(#)", "acos(#)"]),
    row(Atan, one!(libm::atan), ["atan(#)", "#.atan()", "math.atan(#)", "np.arctan(#)", "atan(#)"]),
    Row { function: Atan2, operation: Operation::Two(Binary::Atan2) },
    row(Sinh, one!(libm::sinh), ["sinh(#)", "#.sinh()", "math.sinh(#)", "np.sinh(#)", "sinh(#)"]),
    row(Cosh, one!(libm::cosh), ["cosh(#)", "#.cosh()", "math.cosh(#)", "np.cosh(#)", "cosh(#)"]),
    row(Tanh, one!(libm::tanh), ["tanh(#)", "#.tanh()", "math.tanh(#)", "np.tanh(#)", "tanh(#)"]),
    row(Asinh, one!(libm::asinh), ["asinh(#)", "#.asinh()", "math.asinh(#)", "np.arcsinh(#)", "asinh(#)"]),
    row(Acosh, one!(libm::acosh), ["acosh(#)", "#.acosh()", "math.acosh(#)", "np.arccosh(#)", "acosh(#)"]),
    row(Atanh, one!(libm::atanh), ["atanh(#)", "#.atanh()", "math.atanh(#)", "np.arctanh(#)", "atanh(#)"]),
    row(Exp, one!(libm::exp), ["exp(#)", "#.exp()", "math.exp(#)", "np.exp(#)", "exp(#)"]),
    row(Log, one!(libm::log), ["log(#)", "#.ln()", "math.log(#)", "np.log(#)", "log(#)"]),
    Row {
        function: Erf,
        operation: Operation::One(Numeric {
            value: one!(libm::erf),
            written: Written { c: "erf(#)", rust: "erf(#)", python: "math.erf(#)", numpy: "", julia: "erf(#)" },
            declared: &[
                (Language::Rust, "unsafe extern \"C\" {\n    safe fn erf(x: f64) -> f64;\n}\n"),
                (Language::Julia, "using SpecialFunctions\n"),
            ],
        }),
    },
    // Python has a cube root since 3.11 only.
    row(
        Cbrt,
        one!(libm::cbrt),
        ["cbrt(#)", "#.cbrt()", "math.copysign(abs(#) ** (1 / 3), #)", "np.cbrt(#)", "cbrt(#)"],
    ),
    row(Abs, one!(f64::abs), ["fabs(#)", "#.abs()", "abs(#)", "abs(#)", "abs(#)"]),
    row(
        Sign,
        one!(libm::sign),
        [
            "(# > 0) - (# < 0)",
            "if # == 0.0 { 0.0 } else { #.signum() }",
            "float((# > 0) - (# < 0))",
            "np.sign(#)",
            "(# > 0) - (# < 0)",
        ],
    ),
    Row { function: Min, operation: Operation::Fold(Binary::Min) },
    Row { function: Max, operation: Operation::Fold(Binary::Max) },
];

pub fn row_of(function: Elementary) -> &'static Row {
    let row = &TABLE[function as usize];
    debug_assert_eq!(row.function, function, "the rows stand in the order of the enumeration");
    row
}

/// A function of doubles; `None` for a wrong number of arguments.
pub fn apply(function: Elementary, arguments: &[f64]) -> Option<f64> {
    match (&row_of(function).operation, arguments) {
        (Operation::One(numeric), [x]) => Some((numeric.value)(*x)),
        (Operation::Two(f), [x, y]) => Some((f.value())(*x, *y)),
        (Operation::Fold(f), _) => arguments.iter().copied().reduce(|x, y| (f.value())(x, y)),
        (Operation::One(_) | Operation::Two(_), _) => None,
    }
}

/// The numeric side of a function of one argument.
fn numeric(function: Elementary) -> &'static Numeric {
    match &row_of(function).operation {
        Operation::One(numeric) => numeric,
        Operation::Two(_) | Operation::Fold(_) => {
            unreachable!("a kernel makes no operation of one argument of {}", function.name())
        }
    }
}

impl Unary {
    /// What the interpreter and the machine code call.
    pub fn value(self) -> One {
        match self {
            Unary::Neg => one!(std::ops::Neg::neg),
            Unary::Sqrt => one!(f64::sqrt),
            Unary::Function(f) => numeric(f).value,
        }
    }

    /// The source text, `#` for the argument.
    pub fn source(self, language: Language) -> &'static str {
        let [c, rust, python, numpy, julia] = match self {
            Unary::Neg => ["-#"; 5],
            Unary::Sqrt => ["sqrt(#)", "#.sqrt()", "math.sqrt(#)", "np.sqrt(#)", "sqrt(#)"],
            Unary::Function(f) => return numeric(f).written.in_language(language),
        };
        Written { c, rust, python, numpy, julia }.in_language(language)
    }

    /// What the language must be told before.
    pub fn declaration(self, language: Language) -> Option<&'static str> {
        match self {
            Unary::Neg | Unary::Sqrt => None,
            Unary::Function(f) => numeric(f).declared.iter().find(|(of, _)| *of == language).map(|(_, text)| *text),
        }
    }

    /// The quantity that vanishes where there is no value, or no finite slope; `None` if there is no such place.
    pub fn margin(self, x: f64) -> Option<f64> {
        let f = match self {
            Unary::Neg => return None,
            Unary::Sqrt => return Some(x),
            Unary::Function(f) => f,
        };
        match f.row().domain {
            Domain::NonzeroOf(g) => apply(g, &[x]),
            Domain::AwayFromOrigin => None,
            Domain::Interval(_) if f.row().slope == Slope::CubeRoot => Some(x),
            Domain::Interval(interval) => {
                let end = |bound: Bound| bound.end().map(|(at, _)| double(at));
                let (low, high) = (end(interval.low).map(|at| x - at), end(interval.high).map(|at| at - x));
                low.into_iter().chain(high).reduce(f64::min)
            }
        }
    }
}

impl Unary {
    /// The function whose zeros are poles of this one, on both sides of which it has values.
    pub fn vanishing_at_poles(self) -> Option<Elementary> {
        match self {
            Unary::Function(f) => match f.row().domain {
                Domain::NonzeroOf(g) => Some(g),
                Domain::AwayFromOrigin | Domain::Interval(_) => None,
            },
            Unary::Neg | Unary::Sqrt => None,
        }
    }
}

impl Binary {
    /// What the interpreter and the machine code call.
    pub fn value(self) -> Two {
        match self {
            Binary::Add => two!(std::ops::Add::add),
            Binary::Sub => two!(std::ops::Sub::sub),
            Binary::Mul => two!(std::ops::Mul::mul),
            Binary::Div => two!(std::ops::Div::div),
            Binary::Pow => two!(libm::pow),
            Binary::Atan2 => two!(libm::atan2),
            Binary::Min => two!(libm::minimum),
            Binary::Max => two!(libm::maximum),
        }
    }
}

fn double(exact: Exact) -> f64 {
    match exact {
        Exact::Number(n) => f64::from(n),
        Exact::QuarterPi(n) => f64::from(n) * std::f64::consts::FRAC_PI_4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::compiled::{Backend, Options, compile_as_it_is};
    use crate::codegen::interpret;
    use crate::codegen::ir::{Bank, Kernel, KernelBuilder};
    use crate::codegen::jet_compiled;

    /// Function, argument and Taylor coefficients of another program (mpmath, tests/oracle/functions.py).
    fn oracle() -> impl Iterator<Item = (Elementary, f64, Vec<f64>)> {
        include_str!("../../tests/oracle/functions.tsv").lines().map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let x = match columns[1].split_once('/') {
                Some((n, d)) => n.parse::<f64>().unwrap() / d.parse::<f64>().unwrap(),
                None => columns[1].parse().unwrap(),
            };
            (Elementary::find(columns[0]).unwrap(), x, columns[2..].iter().map(|c| c.parse().unwrap()).collect())
        })
    }

    fn kernel_of(f: Unary) -> Kernel {
        let mut b = KernelBuilder::new("one function");
        let x = b.input("x", Bank::State);
        let y = b.unary(f, x);
        b.output("y", y);
        b.finish()
    }

    #[test]
    fn rows_stand_in_the_order_of_the_enumeration_and_have_every_column() {
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.function as usize, i);
            match &row.operation {
                Operation::One(numeric) => {
                    assert_eq!(row.function.row().arity, Some(1));
                    let Written { c, rust, python, numpy, julia } = numeric.written;
                    for text in [c, rust, python, julia].into_iter().chain((!numpy.is_empty()).then_some(numpy)) {
                        assert!(text.contains('#'), "{}: {text}", row.function.name());
                    }
                }
                Operation::Two(_) => assert_eq!(row.function.row().arity, Some(2)),
                Operation::Fold(_) => assert_eq!(row.function.row().arity, None),
            }
        }
    }

    #[test]
    fn doubles_agree_with_another_program() {
        for (f, x, coefficients) in oracle() {
            let (value, expected) = (apply(f, &[x]).unwrap(), coefficients[0]);
            // The argument is rounded, too, which the slope carries over.
            let allowed = 2.0 * f64::EPSILON * (expected.abs() + (coefficients[1] * x).abs());
            assert!((value - expected).abs() <= allowed, "{}({x}) = {value}, and {expected}", f.name());
        }
    }

    #[test]
    fn interpreter_and_machine_code_agree_bit_by_bit() {
        for f in Unary::all() {
            let kernel = kernel_of(f);
            let compiled = compile_as_it_is(kernel.clone(), Options { portable: true, ..Options::default() });
            let mut caller = compiled.caller();
            for x in [-40.0, -2.25, -1.0, -0.3, -0.0, 0.0, 1e-3, 0.3, 0.9, 1.0, 1.1, 2.25, 40.0, 1e9] {
                let (mut slow, mut fast) = ([0.0], [0.0]);
                interpret::evaluate(&kernel, [&[], &[x], &[], &[]], &mut slow).expect("nothing is solved");
                match caller.call([&[], &[x], &[], &[]], &mut fast) {
                    Ok(()) => assert_eq!(slow[0].to_bits(), fast[0].to_bits(), "{}({x})", f.name()),
                    Err(failure) => assert!(!slow[0].is_finite(), "{}({x}): {failure:?}", f.name()),
                }
            }
        }
    }

    /// u′ = 1, w′ = f(u): coefficient k + 1 of w is coefficient k of f over k + 1.
    #[test]
    fn taylor_coefficients_agree_with_another_program() {
        for (f, x, coefficients) in oracle() {
            let mut b = KernelBuilder::new("series");
            let u = b.input("u", Bank::State);
            b.input("w", Bank::State);
            let one = b.constant(1.0);
            let y = b.unary(Unary::Function(f), u);
            b.output("u'", one);
            b.output("w'", y);
            let kernel = b.finish();
            let order = coefficients.len();
            let backends = if cfg!(feature = "jit") {
                vec![Backend::Interpreter, Backend::OptimisedCode]
            } else {
                vec![Backend::Interpreter]
            };
            for backend in backends {
                let jet = jet_compiled::compile(&kernel, order, Options { backend, portable: true }, false).unwrap();
                let mut out = vec![0.0; 2 * (order + 1)];
                assert!(jet.caller().call_fast([&[], &[x, 0.0], &[], &[]], &mut out));
                for (k, expected) in coefficients.iter().enumerate() {
                    let got = out[2 * (k + 1) + 1] * (k + 1) as f64;
                    let size = expected.abs().max(coefficients[..=k].iter().fold(0.0, |m: f64, c| m.max(c.abs())));
                    let error = (got - expected).abs();
                    assert!(error <= 1e-11 * size, "{} at {x}, order {k}: {got} and {expected}", f.name());
                }
            }
        }
    }

    #[test]
    fn margins_vanish_where_domains_end() {
        for f in Elementary::all().filter(|f| f.row().arity == Some(1)) {
            let Some(interval) = f.row().argument_interval() else { continue };
            for bound in [interval.low, interval.high] {
                if let Some((end, _)) = bound.end() {
                    assert_eq!(Unary::Function(f).margin(double(end)), Some(0.0), "{}", f.name());
                }
            }
        }
        assert_eq!(Unary::Function(Elementary::Erf).margin(0.0), None);
        assert_eq!(Unary::Function(Elementary::Cbrt).margin(-2.0), Some(-2.0));
        assert_eq!(Unary::Tan.margin(0.5), Some(libm::cos(0.5)));
    }
}
