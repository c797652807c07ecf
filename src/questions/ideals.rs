//! Questions about ideals and pairs of polynomials: membership, saturation, quotients, resultants, discriminants.
//!
//! The ideal of a list of equations is what follows from them by multiplication and addition, together with the relations of
//! the functions that occur (sin² + cos² = 1). Three degrees of "follows" are told apart, and each is a verdict of its own:
//!
//! ```text
//! f ∈ I             f = Σ aᵢ fᵢ
//! f ∈ √I            f vanishes at every complex common zero        x ∈ √(x²)
//! f = 0 on V(I)     f vanishes at every real one                   x on x² + y² = 0
//! ```

use super::polynomials::{Ideal, PATIENCE, System, basis_complete, no_inequations, no_value, written};
use super::systems::stopped;
use super::{Arguments, Question};
use crate::algebra::expr::Expr;
use crate::algebra::generator::{Generator, Kind, reduce};
use crate::algebra::ideal::{self, Basis};
use crate::algebra::normal::write::polynomial_expr;
use crate::algebra::normal::{Context, canonical_fraction};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::{Branch, vanishes_on};
use crate::algebra::{Symbol, Verdict};
use crate::budget::{Budgeted, grace, within};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::{Answer, Fallible, Value};
use crate::session::operate;
use std::time::Duration;

pub static ROWS: &[Question] = &[
    Question {
        name: "member",
        signature: "member(f, equations)",
        help: "whether f lies in the ideal of the equations: f is a combination of them",
        options: &[],
        takes_equations: true,
        parts: &[
            ("remainder", "of f by a Gröbner basis, up to a factor in the parameters; zero for members"),
            ("radical", "f vanishes at every common zero, complex ones included: a power of f is a member"),
            ("real", "f vanishes at every real common zero"),
        ],
        run: member,
    },
    Question {
        name: "saturate",
        signature: "saturate(equations, f)",
        help: "I : f^∞, what holds on the closure of the part of the zero set where f does not vanish",
        options: &[],
        takes_equations: true,
        parts: &[("complete", "the computation came to its end")],
        run: saturate,
    },
    Question {
        name: "quotient",
        signature: "quotient(equations, f)",
        help: "I : f, everything whose product with f lies in the ideal of the equations; with a list, with each of it",
        options: &[],
        takes_equations: true,
        parts: &[("complete", "the computation came to its end")],
        run: quotient,
    },
    Question {
        name: "resultant",
        signature: "resultant(f, g, x)",
        help: "what remains of f and g when x is eliminated: zero where they have a common zero, or both leading coefficients vanish",
        options: &[],
        takes_equations: false,
        parts: &[],
        run: resultant,
    },
    Question {
        name: "discriminant",
        signature: "discriminant(f, x)",
        help: "zero where f has a double root in x, or its leading coefficient and the next vanish",
        options: &[],
        takes_equations: false,
        parts: &[],
        run: discriminant,
    },
];

/// For a division after the time of a basis is over.
const GRACE: Duration = Duration::from_secs(1);

// ----- ideals -------------------------------------------------------------------------------------

/// The ideal of the equations of one argument, and the polynomials of the other, read together.
struct Pair {
    ideal: Ideal,
    others: Vec<Polynomial>,
    equations: Vec<Expr>,
}

impl Pair {
    fn read(a: &Arguments, of_ideal: usize, of_others: usize) -> Fallible<Pair> {
        a.count(2, 2)?;
        let system = System::read(&a.positional[of_ideal..=of_ideal])?;
        let others = System::read(&a.positional[of_others..=of_others])?;
        no_inequations(a, &system)?;
        no_inequations(a, &others)?;
        let (equations, n) = (system.equations(), others.equations().len());
        let mut ideal = Ideal::read(&system.and(others), &[])?;
        let others = ideal.generators.split_off(ideal.generators.len() - n);
        Ok(Pair { ideal, others, equations })
    }
}

fn conditions(basis: &Basis) -> Vec<Expr> {
    basis.conditions.iter().map(polynomial_expr).collect()
}

fn member(a: &Arguments) -> Fallible<Value> {
    let Pair { ideal, others, equations } = Pair::read(a, 1, 0)?;
    let [f] = others.as_slice() else {
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "one function is asked about at a time")
                .label(a.positional[0].span, format!("these are {}", others.len()))
                .help("ask for each: `member(f, equations)`"),
        ));
    };
    let all = ideal.all();
    let basis = within(PATIENCE, || ideal::groebner(&all, &ideal.graded(), &ideal.parameters));
    let ended = basis_complete(&basis);
    // A budget that ended with the basis leaves a little time to divide by what was found of it.
    let remainder = grace(GRACE, || basis.reduce(f)).ok().map(|r| r.polynomial);
    let verdict = match &remainder {
        Some(r) if r.is_zero() => Verdict::yes("its remainder by elements of the ideal is zero"),
        Some(_) if basis.complete => Verdict::no("its remainder by a Gröbner basis is not zero"),
        _ if basis.complete => Verdict::unknown("incomplete: there was no time to divide by the basis"),
        _ => ended,
    };
    let remainder = remainder.unwrap_or_else(|| f.clone());
    let (radical, real) = (verdict.clone(), verdict.clone());
    let (f, generators, parameters) = (f.clone(), basis.generators.clone(), ideal.parameters.clone());
    let function = polynomial_expr(&f);
    let symbols: Vec<Symbol> = ideal.moving.iter().flat_map(|v| Generator(*v).meaning().symbols()).collect();
    Ok(Value::from(
        Answer::new("member")
            .main(verdict)
            .lazy("remainder", move || Ok(Value::Expr(polynomial_expr(&reduce(remainder.clone()).map_err(stopped)?))))
            .lazy("radical", move || {
                if radical.is_yes() {
                    return Ok(Value::from(radical.clone()));
                }
                let found = within(PATIENCE, || ideal::radical_contains(&generators, &f, &parameters));
                Ok(Value::from(match found.map_err(stopped)? {
                    Some(true) => Verdict::yes("1 is a combination of the equations and 1 - s*f (Rabinowitsch)"),
                    Some(false) => Verdict::no("a complex zero of the equations at which it does not vanish exists"),
                    None => Verdict::unknown("incomplete: the budget ended before the computation did"),
                }))
            })
            .lazy("real", move || {
                if real.is_yes() {
                    return Ok(Value::from(real.clone()));
                }
                let branch = Branch { equations: equations.clone(), nonzero: vec![] };
                let found = within(PATIENCE, || vanishes_on(&symbols, function, &branch)).map_err(stopped)?;
                Ok(Value::from(match found {
                    Verdict::No(ground) => Verdict::No(ground),
                    Verdict::Yes(_) => Verdict::yes("the real part of the zero set where it does not vanish is empty"),
                    unknown => unknown,
                }))
            })
            .valid_where(conditions(&basis)),
    ))
}

/// An ideal as an answer.
fn answer(name: &'static str, basis: &Basis) -> Value {
    let complete = basis_complete(basis);
    let answer = Answer::new(name).main(Value::exprs(written(basis))).as_written();
    Value::from(answer.optional_part("complete", complete).valid_where(conditions(basis)))
}

fn saturate(a: &Arguments) -> Fallible<Value> {
    let Pair { ideal, others, .. } = Pair::read(a, 0, 1)?;
    let f = Polynomial::product(&others).map_err(stopped)?;
    let basis = within(PATIENCE, || ideal::saturate(&ideal.all(), &f, &ideal.parameters)).map_err(stopped)?;
    Ok(answer("saturate", &basis))
}

fn quotient(a: &Arguments) -> Fallible<Value> {
    let Pair { ideal, others, .. } = Pair::read(a, 0, 1)?;
    let all = ideal.all();
    let run = || -> Budgeted<Option<Basis>> {
        // I : (f, g) = (I : f) ∩ (I : g).
        let mut found: Option<Basis> = None;
        for f in others.iter().filter(|f| !f.is_zero()) {
            let one = ideal::quotient(&all, f, &ideal.parameters)?;
            found = Some(match found {
                None => one,
                Some(before) => {
                    let mut both = ideal::intersection(&before.generators, &one.generators, &ideal.parameters)?;
                    both.complete &= before.complete && one.complete;
                    both.conditions.extend(before.conditions.into_iter().chain(one.conditions));
                    both
                }
            });
        }
        Ok(found)
    };
    match within(PATIENCE, run).map_err(stopped)? {
        Some(basis) => Ok(answer("quotient", &basis)),
        // 0 times anything lies in every ideal.
        None => Ok(Value::from(Answer::new("quotient").main(Value::exprs([Expr::one()])))),
    }
}

// ----- resultants ---------------------------------------------------------------------------------

/// A polynomial in one variable, over a denominator without it.
struct InOne {
    numerator: Polynomial,
    denominator: Polynomial,
}

/// The variable that an argument names.
fn variable(a: &Arguments, i: usize) -> Fallible<Symbol> {
    operate::as_expr(&a.value(i)?).ok().and_then(|e| e.as_symbol()).ok_or_else(|| {
        Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a coordinate or parameter is needed here")
                .label(a.positional[i].span, "the variable to eliminate")
                .help(format!("it is written `{}`", a.question.signature)),
        )
    })
}

fn read_in_one(a: &Arguments, i: usize, context: Context, x: Symbol) -> Fallible<InOne> {
    let e = a.expr(i)?;
    let span = a.positional[i].span;
    let (numerator, denominator) = canonical_fraction(context, e).map_err(stopped)?.ok_or_else(|| no_value(e, span))?;
    let inside = |v: &u32| !matches!(Generator(*v).kind(), Kind::Symbol(_)) && Generator(*v).meaning().contains(x);
    if let Some(v) = numerator.variables().iter().chain(denominator.variables()).find(|v| inside(v)) {
        let generator = Generator(*v).meaning();
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("this is not a polynomial in {x}"))
                .label(span, format!("{x} stands inside {generator}"))
                .help(format!("give {generator} a name of its own with `param`, and its relation as an equation")),
        ));
    }
    if denominator.contains(Generator::of_symbol(x).0) {
        let below = polynomial_expr(&denominator);
        return Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("this is not a polynomial in {x}"))
                .label(span, format!("{x} stands in the denominator {below}"))
                .help("multiply by the denominator first"),
        ));
    }
    Ok(InOne { numerator, denominator })
}

fn resultant(a: &Arguments) -> Fallible<Value> {
    a.count(3, 3)?;
    let x = variable(a, 2)?;
    let context = Context::of(&[a.expr(0)?, a.expr(1)?]).map_err(stopped)?;
    let (f, g) = (read_in_one(a, 0, context, x)?, read_in_one(a, 1, context, x)?);
    let v = Generator::of_symbol(x).0;
    let run = || -> Budgeted<Expr> {
        let above = reduce(f.numerator.resultant(&g.numerator, v)?)?;
        let below =
            (f.denominator.pow(g.numerator.degree_in(v))?).mul(&g.denominator.pow(f.numerator.degree_in(v))?)?;
        Ok(polynomial_expr(&above) / polynomial_expr(&below))
    };
    let found = within(PATIENCE, run).map_err(stopped)?;
    Ok(Value::from(Answer::new("resultant").main(found)))
}

fn discriminant(a: &Arguments) -> Fallible<Value> {
    a.count(2, 2)?;
    let x = variable(a, 1)?;
    let context = Context::of(&[a.expr(0)?]).map_err(stopped)?;
    let f = read_in_one(a, 0, context, x)?;
    let v = Generator::of_symbol(x).0;
    let n = f.numerator.degree_in(v);
    if n == 0 {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, format!("{x} does not occur"))
                .label(a.positional[0].span, "it has no roots to compare"),
        ));
    }
    let run = || -> Budgeted<Expr> {
        let above = reduce(f.numerator.discriminant(v)?)?;
        // Homogeneous of degree 2n − 2 in the coefficients.
        Ok(polynomial_expr(&above) / polynomial_expr(&f.denominator.pow(2 * n - 2)?))
    };
    let found = within(PATIENCE, run).map_err(stopped)?;
    Ok(Value::from(Answer::new("discriminant").main(found)))
}
