//! Questions about polynomial equations: factors, Gröbner bases, elimination, branches.
//!
//! Functions that are not polynomials enter as generators with their relations: sin q and cos q with
//! sin² + cos² = 1, e^u, roots, unspecified functions V(q). Coordinates move; parameters are generic, and what was
//! taken to be nonzero is said. A computation that reaches its budget answers with what it has, marked incomplete.

use super::{Argument, Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::expr::{Condition, Relation, symbols_of};
use crate::algebra::factor::factor as factorisation;
use crate::algebra::generator::{Generator, Kind, reduce};
use crate::algebra::ideal::{self, Basis, Order};
use crate::algebra::normal::write::polynomial_expr;
use crate::algebra::normal::{self, Context, canonical_fraction};
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::cell::Frame;
use crate::algebra::stratum::components::components;
use crate::algebra::stratum::sample::{Witness, witness};
use crate::algebra::stratum::solve::{SystemBranch, solve_system};
use crate::algebra::stratum::{Branch, Cell, basis, set, tangent};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Rational, Symbol, Verdict, conditions};
use crate::budget::{Budgeted, Exhausted, clear_interrupt, is_interrupted, share};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::model::kind::*;
use crate::model::operate;
use crate::model::set::PointSet;
use crate::model::value::{Answer, Claim, Fallible, Point, PointEntry, Value};
use crate::source::Span;
use smallvec::smallvec;
use std::cmp::Reverse;
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "factor",
        parameters: &[one("e", FUNCTION)],
        help: "a product of irreducible factors over the rational numbers, above and below",
        options: &[],
        gives: Gives::Kinds(FUNCTION),
        parts: &[
            part("factors", LIST, "the distinct irreducible factors"),
            part("multiplicities", LIST, "how often each occurs; negative below"),
            part("unit", FUNCTION, "the number in front"),
            part("complete", VERDICT, "every factor is proved irreducible"),
        ],
        run: factor,
    },
    Question {
        name: "groebner",
        parameters: &[one("equations", EQUATIONS), rest("x", COORDINATE.or(LIST))],
        help: "a reduced Gröbner basis: lexicographic in the variables listed, graded by degree without a list",
        options: &[],
        gives: Gives::Kinds(LIST),
        parts: &[
            part("complete", VERDICT, "the computation came to its end"),
            part("variables", LIST, "in decreasing order"),
            part("dimension", INTEGER, "of the complex zero set"),
            part("relations", LIST, "of the functions that occur, taken into the ideal"),
        ],
        run: groebner,
    },
    Question {
        name: "eliminate",
        parameters: &[one("equations", EQUATIONS), many("x", COORDINATE.or(LIST))],
        help: "what follows from the equations without these variables: the closure of the projection",
        options: &[],
        gives: Gives::Kinds(LIST),
        parts: &[part("complete", VERDICT, "the computation came to its end")],
        run: eliminate,
    },
    Question {
        name: "branches",
        parameters: &[many("equations", EQUATIONS)],
        help: "the real zero set, split into branches; `fork` lists parameters that are not taken to be generic",
        options: &[option("fork", "[a]", COORDINATE.or(LIST), "parameters that are not taken to be generic")],
        gives: Gives::Kinds(SET),
        parts: &[
            part("branches", LIST, "each with equations, nonzero, dim, singular_locus, point, configuration"),
            part("empty", VERDICT, "there is no real point"),
            part("complete", VERDICT, "nothing is left to split, and every branch has a point"),
            part("undecided", LIST, "branches that were not split to the end, or on which no point was found"),
            part("dim", INTEGER, "the largest dimension"),
        ],
        run: branches,
    },
];

// ----- reading the arguments ----------------------------------------------------------------------

/// Equations and inequations with the places where they were written.
#[derive(Default)]
pub(super) struct System {
    equations: Vec<(Expr, Span)>,
    nonzero: Vec<(Expr, Span)>,
}

impl System {
    pub(super) fn read(cx: &Inquiry, arguments: &[Argument]) -> Fallible<System> {
        let mut system = System::default();
        for argument in arguments {
            let mut pending = vec![argument.value.clone()];
            while let Some(value) = pending.pop() {
                system.take(cx, &value, argument.span, &mut pending)?;
            }
        }
        Ok(system)
    }

    fn take(&mut self, cx: &Inquiry, value: &Value, span: Span, pending: &mut Vec<Value>) -> Fallible<()> {
        match value.main() {
            Value::Claim(claim) => self.claim(cx, &claim, pending)?,
            Value::List(items) => pending.extend(items.iter().rev().cloned()),
            Value::Family(family) => pending.extend(family.entries.values().rev().cloned()),
            Value::Matrix(m) => self.equations.extend(m.matrix.entries().map(|e| (e, span))),
            Value::Point(point) => {
                for entry in &point.entries {
                    let [symbol] = entry.symbols.as_slice() else {
                        return Err(Box::new(
                            Diagnostic::error(&codes::AMBIGUOUS_NAME, format!("`{}` has several meanings", entry.text))
                                .label(span, "which one?"),
                        ));
                    };
                    self.equations.push((Expr::symbol(*symbol) - entry.value, span));
                }
            }
            Value::Set(s) if s.branches().len() == 1 => {
                let branch = &s.branches()[0];
                self.equations.extend(branch.equations.iter().map(|e| (*e, span)));
                self.nonzero.extend(branch.nonzero.iter().map(|e| (*e, span)));
            }
            other => {
                let e = operate::as_expr(cx, &other).map_err(|_| {
                    Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, "equations are needed here")
                            .label(span, format!("this is {}", operate::describe(&other)))
                            .help("write `x*y = 0`, or a list `[x*y = 0, x != 1]`"),
                    )
                })?;
                self.equations.push((e, span));
            }
        }
        Ok(())
    }

    fn claim(&mut self, cx: &Inquiry, claim: &Rc<Claim>, pending: &mut Vec<Value>) -> Fallible<()> {
        // Lists are compared entry by entry.
        if let (Value::List(left), Value::List(right)) = (claim.left.main(), claim.right.main())
            && left.len() == right.len()
        {
            let entry = |(l, r): (&Value, &Value)| {
                Value::Claim(Rc::new(Claim { left: l.clone(), right: r.clone(), within: None, ..**claim }))
            };
            pending.extend(left.iter().zip(right.iter()).map(entry).collect::<Vec<_>>().into_iter().rev());
            return Ok(());
        }
        let side = |value: &Value, span: Span| {
            operate::as_expr(cx, value)
                .map_err(|d| Box::new(d.or_at(span, format!("this is {}", operate::describe(value)))))
        };
        let left = side(&claim.left, claim.left_span)? - side(&claim.right, claim.right_span)?;
        let span = claim.left_span.to(claim.right_span);
        match claim.relation {
            Relation::Equal => self.equations.push((left, span)),
            Relation::NotEqual => self.nonzero.push((left, span)),
            _ => {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "only `=` and `!=` cut out a branch")
                        .label(span, "a comparison of sizes")
                        .help("state it as a fact: `assume a > 0`"),
                ));
            }
        }
        Ok(())
    }

    /// Both systems, the equations of the other last.
    pub(super) fn and(mut self, other: System) -> System {
        self.equations.extend(other.equations);
        self.nonzero.extend(other.nonzero);
        self
    }

    pub(super) fn equations(&self) -> Vec<Expr> {
        self.equations.iter().map(|(e, _)| *e).collect()
    }

    fn nonzero(&self) -> Vec<Expr> {
        self.nonzero.iter().map(|(e, _)| *e).collect()
    }

    fn functions(&self) -> Vec<Expr> {
        self.equations.iter().chain(&self.nonzero).map(|(e, _)| *e).collect()
    }

    /// The numerators of the equations. Refuses what has no polynomial meaning, and names it.
    fn polynomials(&self, cx: &Inquiry, context: Context) -> Fallible<Vec<Polynomial>> {
        let mut list = Vec::new();
        for (e, span) in &self.equations {
            let (n, _) = canonical_fraction(cx, context, *e)?.ok_or_else(|| no_value(*e, *span))?;
            for v in n.variables() {
                let generator = Generator(*v);
                let help = match generator.kind() {
                    Kind::Absolute { of, .. } => format!("distinguish the signs of {of}, or square the equation"),
                    Kind::Indicator => "ask about each piece of `piecewise` by itself".to_string(),
                    Kind::Opaque if is_unspecified(generator.meaning()) => continue,
                    Kind::Opaque => format!("give {} a name of its own with `param`", generator.meaning()),
                    _ => continue,
                };
                return Err(Box::new(
                    Diagnostic::error(
                        &codes::WRONG_KIND,
                        format!("{} is not polynomial, nor sin, cos, exp or a root", generator.meaning()),
                    )
                    .label(*span, "only polynomials have a basis")
                    .help(help),
                ));
            }
            list.push(n);
        }
        Ok(list)
    }
}

fn is_unspecified(e: Expr) -> bool {
    matches!(e.node(), crate::algebra::Node::Unknown { .. })
}

pub(super) fn no_value(e: Expr, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::DIVISION_BY_ZERO, "this has no value anywhere").label(span, format!("{e}")))
}

/// The symbols listed in the arguments from the given one on.
fn symbols(a: &Arguments, from: usize) -> Fallible<Vec<Symbol>> {
    let mut found = Vec::new();
    for argument in &a.positional[from..] {
        let items = match argument.value.main() {
            Value::List(items) => items.to_vec(),
            other => vec![other],
        };
        for item in items {
            match operate::as_expr(&a.cx, &item).ok().and_then(|e| e.as_symbol()) {
                Some(s) => found.push(s),
                None => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::WRONG_KIND, "a coordinate or parameter is needed here")
                            .label(argument.span, format!("this is {}", operate::describe(&item)))
                            .help(format!("it is written `{}`", a.question.signature())),
                    ));
                }
            }
        }
    }
    Ok(found)
}

/// Reads `verb(equations, x, y)`: the first argument, and the symbols after it.
fn equations_and_symbols(a: &Arguments) -> Fallible<(System, Vec<Symbol>)> {
    Ok((System::read(&a.cx, &a.positional[..1])?, symbols(a, 1)?))
}

/// What a computation that did not come to its end is called. An interrupt was meant for it: what was found is shown, and the
/// session goes on.
fn incomplete(stop: Option<Exhausted>) -> Verdict {
    let was_interrupted = is_interrupted() && clear_interrupt();
    match stop {
        _ if was_interrupted => Verdict::unknown(format!("incomplete: {}", Exhausted::Interrupted)),
        Some(stop) => Verdict::unknown(format!("incomplete: {stop}")),
        None => Verdict::unknown("incomplete: the budget ended before the computation did"),
    }
}

/// The sign a reader would choose: the term of highest degree, first in the order of declaration, is positive.
fn presented(p: &Polynomial) -> Polynomial {
    let moves = |v: &u32| Generator(*v).meaning().symbols().iter().any(|s| !s.is_parameter());
    let has_moving = p.variables().iter().any(moves);
    let counts = |v: &u32| !has_moving || moves(v);
    let mut variables: Vec<u32> = p.variables().to_vec();
    variables.sort_by_key(|v| (!counts(v), reading_place(*v)));
    let lead = p.terms().max_by_key(|(monomial, _)| {
        let exponent = |v: &u32| monomial.iter().find(|(w, _)| w == v).map_or(0, |(_, e)| *e);
        let degree: u32 = variables.iter().filter(|v| counts(v)).map(exponent).sum();
        (degree, variables.iter().map(exponent).collect::<Vec<u32>>())
    });
    if lead.is_some_and(|(_, c)| c.is_negative()) { p.scale(&Rational::from(-1)) } else { p.clone() }
}

/// Highest derivatives first, then as declared; functions behind symbols.
fn reading_place(v: u32) -> (u8, Reverse<u32>, u32) {
    match Generator(v).kind() {
        Kind::Symbol(s) => match s.as_jet() {
            Some((c, order)) => (0, Reverse(order), c.index()),
            None => (1, Reverse(0), s.index()),
        },
        _ => (2, Reverse(0), v),
    }
}

// ----- factor -------------------------------------------------------------------------------------

fn factor(a: &Arguments) -> Fallible<Value> {
    let e = a.expr(0)?;
    let context = Context::of(&a.cx, &[e])?;
    let (n, d) = canonical_fraction(&a.cx, context, e)?.ok_or_else(|| no_value(e, a.positional[0].span))?;
    let (above, below) = a.cx.within(share::SEARCH, || (factorisation(&a.cx, &n), factorisation(&a.cx, &d)));
    let mut unit = &above.unit / &below.unit;
    let signed = (above.factors.iter().map(|(f, k)| (f, i64::from(*k))))
        .chain(below.factors.iter().map(|(f, k)| (f, -i64::from(*k))));
    let mut parts: Vec<(Expr, i64)> = Vec::new();
    for (f, k) in signed {
        let positive = presented(f);
        if positive != *f && k % 2 != 0 {
            unit = -&unit;
        }
        parts.push((polynomial_expr(&positive), k));
    }
    let product = parts.iter().fold(Expr::number(unit.clone()), |product, (f, k)| product * f.pow(*k));
    let complete = if above.complete && below.complete {
        Verdict::yes("every factor is irreducible over the rational numbers")
    } else {
        incomplete(None)
    };
    Ok(Value::from(
        Answer::new("factor")
            .main(product)
            .verbatim()
            .lazy("factors", {
                let factors: Vec<Expr> = parts.iter().map(|(f, _)| *f).collect();
                move |_| Ok(Value::exprs(factors.clone()))
            })
            .lazy("multiplicities", move |_| Ok(Value::list(parts.iter().map(|(_, k)| Value::number(*k)))))
            .lazy("unit", move |_| Ok(Value::number(unit.clone())))
            .optional_part("complete", complete),
    ))
}

// ----- groebner, eliminate ------------------------------------------------------------------------

/// The ring in which a system is read: moving generators in decreasing order, parameters, relations.
pub(super) struct Ideal {
    pub generators: Vec<Polynomial>,
    relations: Vec<Polynomial>,
    pub moving: Vec<u32>,
    pub parameters: Vec<u32>,
}

impl Ideal {
    /// `listed` are the variables by name. Without names coordinates move, or everything if there are none.
    pub(super) fn read(cx: &Inquiry, system: &System, listed: &[Symbol]) -> Fallible<Ideal> {
        let functions = system.equations();
        let context = Context::of(cx, &functions)?;
        let generators = system.polynomials(cx, context)?;
        let relations = basis::relations(&generators);
        let mut variables: Vec<u32> =
            generators.iter().chain(&relations).flat_map(|g| g.variables().iter().copied()).collect();
        variables.sort_unstable();
        variables.dedup();
        let symbols = symbols_of(&functions);
        let has_coordinates = symbols.iter().any(|s| !s.is_parameter());
        let moves = |s: &Symbol| listed.contains(s) || !has_coordinates || !s.is_parameter();
        let is_moving = |v: &u32| {
            let generator = Generator(*v);
            generator.relation().is_some() || generator.meaning().symbols().iter().any(moves)
        };
        let (moving, parameters): (Vec<u32>, Vec<u32>) = variables.into_iter().partition(is_moving);
        Ok(Ideal { generators, relations, moving, parameters })
    }

    pub(super) fn all(&self) -> Vec<Polynomial> {
        self.generators.iter().chain(&self.relations).cloned().collect()
    }

    pub(super) fn graded(&self) -> Order {
        let mut moving = self.moving.clone();
        moving.sort_by_key(|v| reading_place(*v));
        Order::grevlex(&moving)
    }

    /// Lexicographic in the listed symbols, each with the functions of it; what is not listed comes last.
    fn lexicographic(&self, listed: &[Symbol]) -> Order {
        let place = |v: &u32| {
            let symbols = Generator(*v).meaning().symbols();
            listed.iter().position(|s| symbols.contains(s)).unwrap_or(listed.len())
        };
        let mut moving = self.moving.clone();
        moving.sort_by_key(|v| (place(v), *v));
        Order::lex(&moving)
    }
}

/// The generators of a basis, without the consequences of relations alone.
pub(super) fn written(cx: &Inquiry, basis: &Basis) -> Vec<Expr> {
    let says_something = |g: &&Polynomial| !reduce(cx, (*g).clone()).is_ok_and(|r| r.is_zero());
    basis.generators.iter().filter(says_something).map(|g| polynomial_expr(&presented(g))).collect()
}

pub(super) fn no_inequations(a: &Arguments, system: &System) -> Fallible<()> {
    match system.nonzero.first() {
        None => Ok(()),
        Some((_, span)) => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("`{}` is about equations", a.question.name))
                .label(*span, "an inequation")
                .help("ask for `branches(…)`, which takes both"),
        )),
    }
}

pub(super) fn basis_complete(basis: &Basis) -> Verdict {
    if basis.complete { Verdict::yes("every S-polynomial reduces to zero") } else { incomplete(None) }
}

fn groebner(a: &Arguments) -> Fallible<Value> {
    let (system, listed) = equations_and_symbols(a)?;
    no_inequations(a, &system)?;
    let ideal = Ideal::read(&a.cx, &system, &listed)?;
    let order = if listed.is_empty() { ideal.graded() } else { ideal.lexicographic(&listed) };
    let all = ideal.all();
    let basis = a.cx.within(share::SEARCH, || ideal::groebner(&a.cx, &all, &order, &ideal.parameters));
    let complete = basis_complete(&basis);
    let variables: Vec<Expr> = basis.order.variables().iter().map(|v| Generator(*v).meaning()).collect();
    let relations: Vec<Expr> = ideal.relations.iter().map(polynomial_expr).collect();
    let conditions: Vec<Expr> = basis.conditions.iter().map(polynomial_expr).collect();
    let list = written(&a.cx, &basis);
    Ok(Value::from(
        Answer::new("groebner")
            .main(Value::exprs(list))
            .verbatim()
            .optional_part("complete", complete)
            .lazy("variables", move |_| Ok(Value::exprs(variables.clone())))
            .lazy("dimension", move |cx: &Inquiry| match basis.dimension(cx)? {
                Some(n) if basis.is_proper() == Some(true) => Ok(Value::count(n)),
                Some(_) => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "the zero set is empty"))),
                None => Err(Box::new(Diagnostic::error(&codes::BUDGET, "the basis is incomplete"))),
            })
            .lazy("relations", move |_| Ok(Value::exprs(relations.clone())))
            .valid_where(conditions),
    ))
}

fn eliminate(a: &Arguments) -> Fallible<Value> {
    let (system, listed) = equations_and_symbols(a)?;
    no_inequations(a, &system)?;
    let ideal = Ideal::read(&a.cx, &system, &listed)?;
    let eliminated: Vec<u32> = (ideal.moving.iter().copied())
        .filter(|v| Generator(*v).meaning().symbols().iter().any(|s| listed.contains(s)))
        .collect();
    let all = ideal.all();
    let basis = a.cx.within(share::SEARCH, || ideal::eliminate(&a.cx, &all, &eliminated, &ideal.parameters));
    let ended = basis_complete(&basis);
    let conditions: Vec<Expr> = basis.conditions.iter().map(polynomial_expr).collect();
    // An angle and its sine have no polynomial relation: what they say together is not all found here.
    let coupled = listed.iter().find(|s| {
        let is_plain = eliminated.contains(&Generator::of_symbol(**s).0);
        is_plain && eliminated.iter().filter(|v| Generator(**v).meaning().contains(**s)).count() > 1
    });
    let complete = match coupled {
        Some(s) if basis.complete => {
            Verdict::unknown(format!("{s} stands by itself and inside a function: more may follow from both"))
        }
        _ => ended,
    };
    Ok(Value::from(
        Answer::new("eliminate")
            .main(Value::exprs(written(&a.cx, &basis)))
            .verbatim()
            .optional_part("complete", complete)
            .valid_where(conditions),
    ))
}

// ----- branches -----------------------------------------------------------------------------------

fn branches(a: &Arguments) -> Fallible<Value> {
    // A union is intersected with the other conditions, branch by branch.
    let mut unions: Vec<Vec<Branch>> = Vec::new();
    let mut plain = Vec::new();
    for argument in &a.positional {
        match argument.value.main() {
            Value::Set(s) => unions.push(s.branches().to_vec()),
            _ => plain.push(argument.clone()),
        }
    }
    let system = System::read(&a.cx, &plain)?;
    // x²/x has no zero: what was cancelled must not vanish.
    let moves = |e: &Expr| e.symbols().iter().any(|s| !s.is_parameter());
    let excluded = a.cancelled.iter().copied().chain(conditions::cancelled(&a.cx, &system.equations()));
    let excluded: Vec<Expr> = excluded.filter(moves).collect();
    let nonzero: Vec<Expr> = system.nonzero().into_iter().chain(excluded.iter().copied()).collect();
    let mut list = vec![Branch { equations: system.equations(), nonzero }];
    for union in &unions {
        let both = |(l, r): (&Branch, &Branch)| Branch {
            equations: l.equations.iter().chain(&r.equations).copied().collect(),
            nonzero: l.nonzero.iter().chain(&r.nonzero).copied().collect(),
        };
        list = list.iter().flat_map(|l| union.iter().map(move |r| both((l, r)))).collect();
    }
    let mut functions = system.functions();
    functions.extend(excluded);
    functions.extend(unions.iter().flatten().flat_map(|b| b.equations.iter().chain(&b.nonzero)));
    let fork = match a.option("fork") {
        Some(option) => symbols_of_option(&a.cx, option)?,
        None => vec![],
    };
    let place = Place::of(a, &functions, &fork)?;
    let frame = Rc::new(Frame::new(&a.cx, &place.symbols, &functions)?);
    let Found { cells, open, stopped: stop } = a.cx.within(share::SEARCH, || split_all(&a.cx, &frame, &list))?;
    // Before anything else is computed: an interrupt ends here.
    let cut_off = stop.map(|stop| incomplete(Some(stop)));
    let whole = place.set(cells.iter().map(|c| branch_of(&a.cx, &frame, c)).chain(open.clone()).collect());
    let mut answers: Vec<Value> = cells.iter().map(|cell| branch_answer(&a.cx, &frame, cell, &place)).collect();
    answers.extend(open.iter().map(|b| Value::from(place.set(vec![b.clone()]))));
    let undecided: Vec<Value> = open.iter().map(|b| Value::from(place.set(vec![b.clone()]))).collect();
    let mut answer = Answer::new("branches").main(Value::from(whole)).lazy("branches", {
        let answers = answers.clone();
        move |_| Ok(Value::list(answers.clone()))
    });
    if let Some(cut_off) = cut_off {
        answer = answer.part("complete", cut_off).part("undecided", Value::list(undecided));
    } else {
        let (f, c, p) = (frame.clone(), cells.clone(), place.clone());
        answer = answer
            .lazy("complete", {
                let (frame, cells) = (frame.clone(), cells.clone());
                move |cx| Ok(Value::from(all_inhabited(cx, &frame, &cells)?))
            })
            .lazy("undecided", move |cx: &Inquiry| {
                let mut list = Vec::new();
                for cell in &c {
                    if set::is_empty(cx, &f, cell)?.is_unknown() {
                        list.push(branch_answer(cx, &f, cell, &p));
                    }
                }
                Ok(Value::list(list))
            });
    }
    let (f, c) = (frame.clone(), cells.clone());
    answer = answer.lazy("dim", move |cx: &Inquiry| {
        let dimensions = c.iter().map(|cell| real_dimension(cx, &f, cell)).collect::<Fallible<Vec<_>>>();
        match dimensions?.into_iter().max() {
            Some(n) => Ok(Value::count(n)),
            None => Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "the set is empty"))),
        }
    });
    if place.is_jets {
        answer = answer.on(place.space.manifold());
    }
    Ok(Value::from(answer.valid_where(frame.generic_conditions())))
}

fn symbols_of_option(cx: &Inquiry, option: &Argument) -> Fallible<Vec<Symbol>> {
    let items = match option.value.main() {
        Value::List(items) => items.to_vec(),
        other => vec![other],
    };
    let symbol = |item: &Value| match operate::as_expr(cx, item).ok().and_then(|e| e.as_symbol()) {
        Some(s) => Ok(s),
        None => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "a parameter is needed here")
                .label(option.span, format!("this is {}", operate::describe(item))),
        )),
    };
    items.iter().map(symbol).collect()
}

/// Where a set lives: the symbols that move, and their manifold if they have one.
#[derive(Clone)]
struct Place {
    symbols: Vec<Symbol>,
    space: JetSpace,
    /// Whether the coordinates of the space are meant, and not symbols without a manifold.
    is_jets: bool,
}

impl Place {
    /// The coordinates of the manifold of the functions; all symbols if none of them is a coordinate.
    fn of(a: &Arguments, functions: &[Expr], fork: &[Symbol]) -> Fallible<Place> {
        let occurring = symbols_of(functions);
        let manifold = FiberedManifold::of_symbols(&occurring)?.or_else(|| {
            let has_time = occurring.iter().any(|s| !s.is_parameter());
            a.on.clone().or(a.latest()).filter(|_| has_time)
        });
        let mut place = match manifold {
            Some(m) => {
                let space = m.jets(m.order_of_all(&a.cx, functions).order);
                Place { symbols: space.symbols(), space, is_jets: true }
            }
            None => {
                // Parameters alone: all of them move. A set needs a space to be in, whichever.
                let nowhere = || FiberedManifold::new("parameters", Symbol::base("t"), &[]);
                let space = a.on.clone().or(a.latest()).unwrap_or_else(nowhere).jets(0);
                Place { symbols: occurring, space, is_jets: false }
            }
        };
        for s in fork {
            if !place.symbols.contains(s) {
                place.symbols.push(*s);
            }
        }
        Ok(place)
    }

    fn set(&self, branches: Vec<Branch>) -> PointSet {
        PointSet::new(&self.space, branches).moving(&self.symbols)
    }
}

struct Found {
    cells: Vec<Cell>,
    /// What was not split to its end.
    open: Vec<Branch>,
    stopped: Option<Exhausted>,
}

fn split_all(cx: &Inquiry, frame: &Frame, list: &[Branch]) -> Budgeted<Found> {
    let mut found = Found { cells: vec![], open: vec![], stopped: None };
    for branch in list {
        let read = |list: &[Expr]| list.iter().map(|e| frame.read_numerator(cx, *e)).collect::<Budgeted<Vec<_>>>();
        let splitting = frame.split_as_far_as_possible(cx, &read(&branch.equations)?, &read(&branch.nonzero)?);
        found.cells.extend(splitting.pieces);
        let write = |p: &Polynomial| frame.write(p);
        found.open.extend(splitting.open.iter().map(|equations| Branch {
            equations: equations.iter().map(write).collect(),
            nonzero: branch.nonzero.clone(),
        }));
        if splitting.stopped.is_some() {
            found.stopped = splitting.stopped;
        }
    }
    if found.stopped.is_none() {
        let mut apart = Vec::new();
        for cell in &found.cells {
            match components(cx, frame, cell) {
                Ok(cells) => apart.extend(cells),
                Err(stop) => {
                    apart.push(cell.clone());
                    found.stopped = Some(stop).filter(|s| *s == Exhausted::Interrupted).or(found.stopped);
                }
            }
        }
        found.cells = apart;
    }
    if found.stopped.is_none() {
        // What no rule of SPLIT showed to be empty may still be.
        let is_empty =
            |cell: &Cell| cx.within(share::SIDE, || set::is_empty(cx, frame, cell)).is_ok_and(|v| v.is_yes());
        found.cells.retain(|cell| !is_empty(cell));
    }
    if found.stopped.is_none() && found.cells.len() > 1 {
        let before = found.cells.clone();
        match set::merged(cx, frame, before) {
            Ok(cells) => found.cells = cells,
            Err(Exhausted::Interrupted) => found.stopped = Some(Exhausted::Interrupted),
            // Longer than need be, and right.
            Err(_) => {}
        }
    }
    Ok(found)
}

/// Whether every cell is known to have a point.
fn all_inhabited(cx: &Inquiry, frame: &Frame, cells: &[Cell]) -> Budgeted<Verdict> {
    let mut verdict = Verdict::yes("every branch has a point");
    for cell in cells {
        if let Verdict::Unknown(why) = set::is_empty(cx, frame, cell)? {
            verdict = verdict.and(Verdict::unknown(why));
        }
    }
    Ok(verdict)
}

/// The dimension of the real points near a regular one; refused where no regular one is found, because there may be none.
fn real_dimension(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Fallible<usize> {
    let (n, is_known) = cx.within(share::SEARCH, || tangent::real_dimension(cx, frame, cell))?;
    match is_known {
        Verdict::Yes(_) => Ok(n),
        Verdict::No(_) | Verdict::Unknown(_) => Err(Box::new(super::parts::at_most(n, &is_known))),
    }
}

/// One branch as an answer of its own.
fn branch_answer(cx: &Inquiry, frame: &Rc<Frame>, cell: &Cell, place: &Place) -> Value {
    let branch = branch_of(cx, frame, cell);
    let (equations, nonzero) = (branch.equations.clone(), branch.nonzero.clone());
    let parts = || (frame.clone(), cell.clone(), place.clone());
    let mut answer = Answer::new("branch")
        .main(Value::from(place.set(vec![branch])))
        .lazy("equations", move |_| Ok(Value::exprs(equations.clone())))
        .lazy("nonzero", move |_| Ok(Value::exprs(nonzero.clone())))
        .lazy("dim", {
            let (frame, cell, _) = parts();
            move |cx| Ok(Value::count(real_dimension(cx, &frame, &cell)?))
        })
        .lazy("singular_locus", {
            let (frame, cell, place) = parts();
            move |cx| {
                let locus = tangent::singular_locus(cx, &frame, &cell)?;
                let branches = locus.iter().map(|c| frame.branch(cx, c)).collect::<Budgeted<Vec<_>>>();
                Ok(Value::from(place.set(branches?)))
            }
        })
        .lazy("point", {
            let (frame, cell, _) = parts();
            move |cx| sample(cx, &frame, &cell)
        });
    if place.is_jets {
        answer = answer.on(place.space.manifold());
        let (frame, cell, _) = parts();
        answer = answer.lazy("configuration", move |cx: &Inquiry| {
            let keep = |s: Symbol| s.as_jet().is_none_or(|(_, order)| order == 0);
            let equations = tangent::projection(cx, &frame, &cell, keep)?;
            Ok(Value::exprs(equations.iter().map(|p| frame.write(p))))
        });
    }
    Value::from(answer)
}

/// The cell in expressions; with all equations of its basis where time does not suffice to find out which are needed.
fn branch_of(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Branch {
    let write = |list: &[Polynomial]| list.iter().map(|p| frame.write(&presented(p))).collect();
    let equations = cell.generators(cx, frame).unwrap_or_else(|_| cell.equations().to_vec());
    Branch { equations: write(&equations), nonzero: write(cell.nonzero()) }
}

/// A point of the cell, with rational or algebraic coordinates; refused if none is found. A coordinate without closed form
/// comes with its polynomial and an interval.
fn sample(cx: &Inquiry, frame: &Frame, cell: &Cell) -> Fallible<Value> {
    let entry =
        |s: Symbol, value: Expr| PointEntry { symbols: smallvec![s], text: Symbol::name(s), value, of_run: false };
    let point = |entries: Vec<PointEntry>| Value::Point(Rc::new(Point { entries }));
    match witness(cx, frame, cell)? {
        Witness::Point(found) => {
            Ok(point(found.symbols().into_iter().map(|(s, x)| entry(s, Expr::number(x))).collect()))
        }
        Witness::Algebraic(found) => {
            let branch = found.description(cx);
            if !branch.equations.is_empty() {
                return Ok(solution(cx, &branch));
            }
            Ok(point(branch.values.into_iter().map(|(s, e)| entry(s, e)).collect()))
        }
        Witness::Exists(why) | Witness::Unknown(why) => {
            Err(Box::new(Diagnostic::error(&codes::UNDECIDED, "no point was found here").note(why)))
        }
    }
}

// ----- solutions of systems -----------------------------------------------------------------------

/// The answer to `solve` by way of real branches. `None` if that says no more than the rules for single equations.
pub(super) fn solved_by_branches(
    cx: &Inquiry,
    equations: &[Expr],
    conditions: &[Condition],
    unknowns: &[Symbol],
    is_beyond: bool,
) -> Fallible<Option<Value>> {
    let (nonzero, given): (Vec<Condition>, Vec<Condition>) =
        conditions.iter().partition(|c| c.relation == Relation::NotEqual);
    let nonzero: Vec<Expr> = nonzero.iter().map(|c| c.left).collect();
    let search = || cx.within(share::SEARCH, || solve_system(cx, equations, &nonzero, &given, unknowns));
    // What other ways have used up does not keep this one from saying what is known.
    let found = match if cx.is_over() { cx.grace(search) } else { search() } {
        Ok(found) => found,
        Err(Exhausted::Interrupted) => return Err(Exhausted::Interrupted.into()),
        Err(_) => return Ok(None),
    };
    if found.complete.is_unknown() {
        clear_interrupt();
    }
    // A family that is not resolved further says something if others of the unknowns have values, or if it was split.
    let is_split = found.branches.len() != 1 || found.branches.iter().any(|b| !b.values.is_empty());
    let is_useful = match (is_beyond, found.complete.is_yes()) {
        (true, true) => !found.explicit.is_unknown() || is_split,
        // What is known when a budget ends.
        (true, false) => true,
        (false, complete) => complete && found.explicit.is_yes(),
    };
    if !is_useful {
        return Ok(None);
    }
    let branches: Vec<Value> = found.branches.iter().map(|x| solution(cx, x)).collect();
    let main =
        found.branches.iter().zip(&branches).map(|(branch, answer)| match (unknowns, branch.values.as_slice()) {
            ([_], [(_, value)]) => Value::Expr(*value),
            _ if branch.values.is_empty() => answer.clone(),
            (_, values) => {
                let entry = |(s, e): &(Symbol, Expr)| PointEntry {
                    symbols: smallvec![*s],
                    text: s.name(),
                    value: *e,
                    of_run: false,
                };
                Value::Point(Rc::new(Point { entries: values.iter().map(entry).collect() }))
            }
        });
    let mut answer = Answer::new("solve").main(Value::list(main)).stands_for_only_entry();
    if let [only] = found.branches.as_slice() {
        answer = answer.keyed(only.values.iter().map(|(s, e)| (*s, Value::Expr(*e))));
    }
    let is_plain = |b: &SystemBranch| b.conditions.is_empty() && b.free.is_empty() && b.equations.is_empty();
    let is_complete = found.complete.is_yes();
    let has_members = |b: &SystemBranch| b.equations.is_empty() || !found.explicit.is_unknown();
    // An interval says which root is meant, and is no condition.
    let is_interval = |b: &SystemBranch, c: &Condition| {
        let at_zero = |s: &Symbol| substitute(c.left, &std::iter::once((*s, Expr::zero())).collect());
        let root = |s: &Symbol| at_zero(s).is_number() && !b.values.iter().any(|(t, _)| t == s);
        !b.equations.is_empty() && matches!(c.relation, Relation::Less | Relation::Greater) && unknowns.iter().any(root)
    };
    let is_solution = |b: &SystemBranch| {
        b.conditions.iter().all(|c| is_interval(b, c)) && (is_complete || !b.values.is_empty()) && has_members(b)
    };
    let empty = match (found.branches.is_empty(), found.branches.iter().any(is_solution)) {
        _ if !is_complete && !found.branches.iter().any(is_solution) => found.complete.clone(),
        (true, _) => Verdict::yes("every branch is contradictory"),
        (false, true) => Verdict::no("there is a solution"),
        (false, false) if found.branches.iter().all(has_members) => {
            Verdict::unknown("that depends on the conditions of the branches")
        }
        (false, false) => Verdict::unknown("whether the equations that are left have a common solution"),
    };
    let is_shown = found.branches.iter().any(|b| b.values.is_empty());
    answer = if is_shown || found.branches.iter().all(is_plain) {
        answer.lazy("branches", move |_| Ok(Value::list(branches.clone())))
    } else {
        answer.part("branches", Value::list(branches))
    };
    answer = answer.optional_part("complete", found.complete);
    answer = answer.optional_part("explicit", found.explicit).lazy("empty", move |_| Ok(Value::from(empty.clone())));
    Ok(Some(Value::from(answer.valid_where(found.generic))))
}

/// What is known of the solutions when the search is interrupted before any was found: what they satisfy.
pub(super) fn interrupted_solve(cx: &Inquiry, equations: &[Expr], conditions: &[Condition]) -> Value {
    let complete = incomplete(Some(Exhausted::Interrupted));
    let branch =
        SystemBranch { equations: equations.to_vec(), conditions: conditions.to_vec(), ..SystemBranch::default() };
    let unknown = complete.clone();
    let answer = Answer::new("solve").main(Value::list([solution(cx, &branch)])).stands_for_only_entry();
    let answer = answer.optional_part("complete", complete);
    Value::from(answer.lazy("empty", move |_| Ok(Value::from(unknown.clone()))))
}

/// One family of solutions: the unknowns by name, then what else is known.
fn solution(cx: &Inquiry, branch: &SystemBranch) -> Value {
    let condition = |c: &Condition| {
        let left = normal::simplify(cx, c.left).unwrap_or(c.left);
        Value::from(Condition { relation: c.relation, left })
    };
    let mut answer = Answer::new("solution");
    if !branch.values.is_empty() {
        answer = answer.keyed(branch.values.iter().map(|(s, e)| (*s, Value::Expr(*e))));
    }
    let lists = [
        ("free", Value::exprs(branch.free.iter().map(|s| Expr::symbol(*s))), branch.free.is_empty()),
        ("equations", Value::exprs(branch.equations.clone()), branch.equations.is_empty()),
        ("conditions", Value::list(branch.conditions.iter().map(condition)), branch.conditions.is_empty()),
    ];
    for (name, list, is_empty) in lists {
        answer = if is_empty { answer.lazy(name, move |_| Ok(list.clone())) } else { answer.part(name, list) };
    }
    Value::from(answer)
}
