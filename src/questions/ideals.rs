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

use super::polynomials::{Ideal, System, basis_complete, no_inequations, no_value, written};
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::expr::Expr;
use crate::algebra::generator::{Generator, Kind, reduce};
use crate::algebra::ideal::{self, Basis};
use crate::algebra::normal::write::polynomial_expr;
use crate::algebra::normal::{Context, canonical_fraction};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::{Branch, vanishes_on};
use crate::algebra::{Symbol, Verdict};
use crate::budget::{Budgeted, share};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::value::{Answer, Fallible, Value};

pub static ROWS: &[Question] = &[
    Question {
        name: "member",
        parameters: &[one("f", EQUATIONS), one("equations", EQUATIONS)],
        help: "whether f lies in the ideal of the equations: f is a combination of them",
        options: &[],
        gives: Gives::Kinds(VERDICT),
        parts: &[
            part("remainder", FUNCTION, "of f by a Gröbner basis, up to a factor in the parameters; zero for members"),
            part(
                "radical",
                VERDICT,
                "f vanishes at every common zero, complex ones included: a power of f is a member",
            ),
            part("real", VERDICT, "f vanishes at every real common zero"),
        ],
        run: member,
    },
    Question {
        name: "saturate",
        parameters: &[one("equations", EQUATIONS), one("f", EQUATIONS)],
        help: "I : f^∞, what holds on the closure of the part of the zero set where f does not vanish",
        options: &[],
        gives: Gives::Kinds(LIST),
        parts: &[part("complete", VERDICT, "the computation came to its end")],
        run: saturate,
    },
    Question {
        name: "quotient",
        parameters: &[one("equations", EQUATIONS), one("f", EQUATIONS)],
        help: "I : f, everything whose product with f lies in the ideal of the equations; with a list, with each of it",
        options: &[],
        gives: Gives::Kinds(LIST),
        parts: &[part("complete", VERDICT, "the computation came to its end")],
        run: quotient,
    },
    Question {
        name: "resultant",
        parameters: &[one("f", FUNCTION), one("g", FUNCTION), one("x", COORDINATE)],
        help: "what remains of f and g when x is eliminated: zero where they have a common zero, or both leading coefficients vanish",
        options: &[],
        gives: Gives::Kinds(FUNCTION),
        parts: &[],
        run: resultant,
    },
    Question {
        name: "discriminant",
        parameters: &[one("f", FUNCTION), one("x", COORDINATE)],
        help: "zero where f has a double root in x, or its leading coefficient and the next vanish",
        options: &[],
        gives: Gives::Kinds(FUNCTION),
        parts: &[],
        run: discriminant,
    },
];

// ----- ideals -------------------------------------------------------------------------------------

/// The ideal of the equations of one argument, and the polynomials of the other, read together.
struct Pair {
    ideal: Ideal,
    others: Vec<Polynomial>,
    equations: Vec<Expr>,
}

impl Pair {
    fn read(a: &Arguments, of_ideal: usize, of_others: usize) -> Fallible<Pair> {
        let system = System::read(&a.cx, &a.positional[of_ideal..=of_ideal])?;
        let others = System::read(&a.cx, &a.positional[of_others..=of_others])?;
        no_inequations(a, &system)?;
        no_inequations(a, &others)?;
        let (equations, n) = (system.equations(), others.equations().len());
        let mut ideal = Ideal::read(&a.cx, &system.and(others), &[])?;
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
    let basis = a.cx.within(share::SEARCH, || ideal::groebner(&a.cx, &all, &ideal.graded(), &ideal.parameters));
    let ended = basis_complete(&basis);
    // A budget that ended with the basis leaves a little time to divide by what was found of it.
    let remainder = a.cx.grace(|| basis.reduce(&a.cx, f)).ok().map(|r| r.polynomial);
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
            .lazy("remainder", move |cx: &Inquiry| Ok(Value::Expr(polynomial_expr(&reduce(cx, remainder.clone())?))))
            .lazy("radical", move |cx: &Inquiry| {
                if radical.is_yes() {
                    return Ok(Value::from(radical.clone()));
                }
                let found = cx.within(share::SEARCH, || ideal::radical_contains(cx, &generators, &f, &parameters));
                Ok(Value::from(match found? {
                    Some(true) => Verdict::yes("1 is a combination of the equations and 1 - s*f (Rabinowitsch)"),
                    Some(false) => Verdict::no("a complex zero of the equations at which it does not vanish exists"),
                    None => Verdict::unknown("incomplete: the budget ended before the computation did"),
                }))
            })
            .lazy("real", move |cx: &Inquiry| {
                if real.is_yes() {
                    return Ok(Value::from(real.clone()));
                }
                let branch = Branch { equations: equations.clone(), nonzero: vec![] };
                let found = cx.within(share::SEARCH, || vanishes_on(cx, &symbols, function, &branch))?;
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
fn answer(cx: &Inquiry, name: &'static str, basis: &Basis) -> Value {
    let complete = basis_complete(basis);
    let answer = Answer::new(name).main(Value::exprs(written(cx, basis))).verbatim();
    Value::from(answer.optional_part("complete", complete).valid_where(conditions(basis)))
}

fn saturate(a: &Arguments) -> Fallible<Value> {
    let Pair { ideal, others, .. } = Pair::read(a, 0, 1)?;
    let f = Polynomial::product(&a.cx, &others)?;
    let basis = a.cx.within(share::SEARCH, || ideal::saturate(&a.cx, &ideal.all(), &f, &ideal.parameters))?;
    Ok(answer(&a.cx, "saturate", &basis))
}

fn quotient(a: &Arguments) -> Fallible<Value> {
    let Pair { ideal, others, .. } = Pair::read(a, 0, 1)?;
    let all = ideal.all();
    let run = || -> Budgeted<Option<Basis>> {
        // I : (f, g) = (I : f) ∩ (I : g).
        let mut found: Option<Basis> = None;
        for f in others.iter().filter(|f| !f.is_zero()) {
            let one = ideal::quotient(&a.cx, &all, f, &ideal.parameters)?;
            found = Some(match found {
                None => one,
                Some(before) => {
                    let mut both = ideal::intersection(&a.cx, &before.generators, &one.generators, &ideal.parameters)?;
                    both.complete &= before.complete && one.complete;
                    both.conditions.extend(before.conditions.into_iter().chain(one.conditions));
                    both
                }
            });
        }
        Ok(found)
    };
    match a.cx.within(share::SEARCH, run)? {
        Some(basis) => Ok(answer(&a.cx, "quotient", &basis)),
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
    operate::as_expr(&a.cx, &a.value(i)?).ok().and_then(|e| e.as_symbol()).ok_or_else(|| {
        Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a coordinate or parameter is needed here")
                .label(a.positional[i].span, "the variable to eliminate")
                .help(format!("it is written `{}`", a.question.signature())),
        )
    })
}

fn read_in_one(a: &Arguments, i: usize, context: Context, x: Symbol) -> Fallible<InOne> {
    let e = a.expr(i)?;
    let span = a.positional[i].span;
    let (numerator, denominator) = canonical_fraction(&a.cx, context, e)?.ok_or_else(|| no_value(e, span))?;
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
    let x = variable(a, 2)?;
    let context = Context::of(&a.cx, &[a.expr(0)?, a.expr(1)?])?;
    let (f, g) = (read_in_one(a, 0, context, x)?, read_in_one(a, 1, context, x)?);
    let v = Generator::of_symbol(x).0;
    let run = || -> Budgeted<Expr> {
        let above = reduce(&a.cx, f.numerator.resultant(&a.cx, &g.numerator, v)?)?;
        let below = (f.denominator.pow(&a.cx, g.numerator.degree_in(v))?)
            .mul(&a.cx, &g.denominator.pow(&a.cx, f.numerator.degree_in(v))?)?;
        Ok(polynomial_expr(&above) / polynomial_expr(&below))
    };
    let found = a.cx.within(share::SEARCH, run)?;
    Ok(Value::from(Answer::new("resultant").main(found)))
}

fn discriminant(a: &Arguments) -> Fallible<Value> {
    let x = variable(a, 1)?;
    let context = Context::of(&a.cx, &[a.expr(0)?])?;
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
        let above = reduce(&a.cx, f.numerator.discriminant(&a.cx, v)?)?;
        // Homogeneous of degree 2n − 2 in the coefficients.
        Ok(polynomial_expr(&above) / polynomial_expr(&f.denominator.pow(&a.cx, 2 * n - 2)?))
    };
    let found = a.cx.within(share::SEARCH, run)?;
    Ok(Value::from(Answer::new("discriminant").main(found)))
}
