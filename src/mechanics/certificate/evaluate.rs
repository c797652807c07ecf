//! Expressions along a curve through an exact point.
//!
//! A point gives a rational value to every coordinate and parameter, with two exceptions that keep the arithmetic rational. An
//! angle that stands inside sines and cosines only needs no value: every rational point (c, s) of the unit circle is
//! (cos h, sin h) for some h, and along a curve sin(h + δ) = s cos δ + c sin δ. In the same way e^h may be any positive
//! rational number. And an unspecified function V has, with its derivatives, values of its own at a point, which are chosen.

use super::series::{Exact, Gap, Poly, Series, no_value};
use crate::algebra::function::{Elementary, Reading, Side, Slope};
use crate::algebra::{Expr, Function, Inquiry, Node, Rational, Symbol};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The place of an unspecified function: which derivative, and where.
pub(super) type Place = (Function, Vec<u32>, Vec<Rational>);

/// Unknowns from here on are values of unspecified functions.
pub(super) const FUNCTION_VALUES: u32 = 1_000_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub values: FxHashMap<Symbol, Rational>,
    pub turns: FxHashMap<Symbol, Turn>,
    pub functions: RefCell<BTreeMap<Place, Rational>>,
}

/// What is known of an argument h without its value: (cos h, sin h), e^h, or both, as at h = 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    circle: Option<(Rational, Rational)>,
    exponential: Option<Rational>,
}

impl Turn {
    pub fn circle(cos: Rational, sin: Rational) -> Turn {
        Turn { circle: Some((cos, sin)), exponential: None }
    }

    pub fn exponential(e: Rational) -> Turn {
        Turn { circle: None, exponential: Some(e) }
    }

    fn none() -> Turn {
        Turn { circle: Some((Rational::ONE, Rational::ZERO)), exponential: Some(Rational::ONE) }
    }

    fn plus(&self, other: &Turn) -> Turn {
        let circle = self.circle.as_ref().zip(other.circle.as_ref());
        let exponential = self.exponential.as_ref().zip(other.exponential.as_ref());
        Turn {
            circle: circle.map(|((c, s), (d, t))| (&(c * d) - &(s * t), &(c * t) + &(s * d))),
            exponential: exponential.map(|(a, b)| a * b),
        }
    }

    fn times(&self, n: &Rational) -> Option<Turn> {
        if *self == Turn::none() {
            return Some(self.clone());
        }
        let n = n.to_i64().filter(|n| n.abs() <= 16)?;
        let back = Turn {
            circle: self.circle.as_ref().map(|(c, s)| (c.clone(), -s)),
            exponential: self.exponential.as_ref().and_then(Rational::recip),
        };
        let step = if n < 0 { &back } else { self };
        Some((0..n.abs()).fold(Turn::none(), |sum, _| sum.plus(step)))
    }

    fn text(&self, of: Symbol) -> Option<String> {
        match (&self.circle, &self.exponential) {
            (Some((c, s)), _) => Some(format!("cos({of}) = {c}, sin({of}) = {s}")),
            (None, Some(e)) => Some(format!("exp({of}) = {e}")),
            (None, None) => None,
        }
    }
}

impl Point {
    /// `t = 0, x = 1, cos(h) = 3/5, sin(h) = 4/5`, the coordinates in their order.
    pub fn text(&self, symbols: &[Symbol]) -> String {
        let value = |s: &Symbol| match self.values.get(s) {
            Some(x) => Some(format!("{s} = {x}")),
            None => self.turns.get(s).and_then(|turn| turn.text(*s)),
        };
        symbols.iter().filter_map(value).collect::<Vec<_>>().join(", ")
    }

    /// The values of plain coordinates, in their order.
    pub fn coordinates(&self, symbols: &[Symbol]) -> Vec<(Symbol, Rational)> {
        symbols.iter().filter_map(|s| Some((*s, self.values.get(s)?.clone()))).collect()
    }
}

/// Evaluates expressions with a series for each symbol; a symbol that has a turn has the series of its change.
pub(super) struct Evaluator<'a> {
    cx: &'a Inquiry,
    point: &'a Point,
    degree: usize,
    series: FxHashMap<Symbol, Series>,
    /// Where values of unspecified functions are unknowns, the places of these.
    places: Option<&'a RefCell<Vec<Place>>>,
    known: RefCell<FxHashMap<Expr, Exact<Rc<Series>>>>,
}

impl<'a> Evaluator<'a> {
    /// Symbols without a series of their own stay where they are.
    pub fn new(cx: &'a Inquiry, point: &'a Point, degree: usize, series: FxHashMap<Symbol, Series>) -> Evaluator<'a> {
        Evaluator { cx, point, degree, series, places: None, known: RefCell::default() }
    }

    pub fn with_places(self, places: &'a RefCell<Vec<Place>>) -> Evaluator<'a> {
        Evaluator { places: Some(places), ..self }
    }

    pub fn of(&self, e: Expr) -> Exact<Series> {
        self.shared(e).map(|series| (*series).clone())
    }

    /// The same, not copied.
    pub fn shared(&self, e: Expr) -> Exact<Rc<Series>> {
        // What is known is not gone through again.
        let mut stack = vec![(e, false)];
        while let Some((x, are_parts_known)) = stack.pop() {
            if self.known.borrow().contains_key(&x) {
                continue;
            }
            if !are_parts_known {
                stack.push((x, true));
                stack.extend(x.children().into_iter().map(|part| (part, false)));
                continue;
            }
            let value = self.node(x);
            if let Err(stop @ Gap::Stopped(_)) = value {
                return Err(stop);
            }
            self.known.borrow_mut().insert(x, value.map(Rc::new));
        }
        self.get(e)
    }

    fn get(&self, e: Expr) -> Exact<Rc<Series>> {
        self.known.borrow().get(&e).cloned().unwrap_or_else(|| no_value("a part that was not evaluated"))
    }

    fn node(&self, e: Expr) -> Exact<Series> {
        self.cx.check()?;
        match e.node() {
            Node::Number(n) => Ok(Series::number(n.clone(), self.degree)),
            Node::Symbol(s) if self.point.turns.contains_key(s) => no_value(&format!("{s} outside of its sine")),
            Node::Symbol(s) => self.symbol(*s),
            Node::Sum { constant, terms } => {
                let mut sum = Series::number(constant.clone(), self.degree);
                for (term, c) in terms.iter() {
                    sum.add_scaled(&*self.get(*term)?, c);
                }
                Ok(sum)
            }
            Node::Product(factors) => {
                let mut product: Option<Series> = None;
                for (base, exponent) in factors.iter() {
                    let base = self.get(*base)?;
                    product = Some(match product {
                        None => base.pow(self.cx, exponent)?,
                        Some(product) if exponent.is_one() => product.mul(self.cx, &base)?,
                        Some(product) => product.mul(self.cx, &base.pow(self.cx, exponent)?)?,
                    });
                }
                Ok(product.unwrap_or_else(|| Series::number(Rational::ONE, self.degree)))
            }
            Node::Power(base, exponent) => {
                let exponent = self.get(*exponent)?;
                match exponent.tail().is_zero() {
                    true => self.get(*base)?.pow(self.cx, &exponent.head()?),
                    false => no_value("a power that moves"),
                }
            }
            Node::Apply(function, arguments) => self.apply(*function, arguments),
            Node::Unknown { function, orders, arguments } => self.unspecified(*function, orders, arguments),
            Node::Piecewise { condition, then, otherwise } => {
                let left = self.get(condition.left)?;
                let head = left.head()?;
                if head.is_zero() && !left.is_zero() {
                    return no_value("the edge of a case");
                }
                self.get(if condition.relation.holds(&head) { *then } else { *otherwise }).map(|s| (*s).clone())
            }
            Node::Pi => no_value("pi"),
            Node::Integral { .. } => no_value("an integral"),
            Node::Undefined(_) => no_value("what is not defined"),
        }
    }

    fn symbol(&self, s: Symbol) -> Exact<Series> {
        match (self.series.get(&s), self.point.values.get(&s)) {
            (Some(series), _) => Ok(series.to_degree(self.degree)),
            (None, Some(value)) => Ok(Series::number(value.clone(), self.degree)),
            (None, None) => no_value(&s.to_string()),
        }
    }

    fn apply(&self, function: Elementary, arguments: &[Expr]) -> Exact<Series> {
        let cx = self.cx;
        let row = function.row();
        let half = |a: &Series, b: &Series, sign: i64| a.add(&b.scale(&Rational::from(sign))).scale(&Rational::HALF);
        match row.reading {
            Reading::Circular(side) => {
                let (c, s) = self.circle(arguments[0])?;
                match side {
                    Side::Sine => Ok(s),
                    Side::Cosine => Ok(c),
                    Side::Tangent => Ok(s.mul(cx, &c.pow(cx, &Rational::MINUS_ONE)?)?),
                }
            }
            Reading::Hyperbolic(side) => {
                let (a, b) = self.exponentials(arguments[0])?;
                match side {
                    Side::Sine => Ok(half(&a, &b, -1)),
                    Side::Cosine => Ok(half(&a, &b, 1)),
                    Side::Tangent => Ok(half(&a, &b, -1).mul(cx, &half(&a, &b, 1).pow(cx, &Rational::MINUS_ONE)?)?),
                }
            }
            Reading::Exponential => Ok(self.exponentials(arguments[0])?.0),
            Reading::CubeRoot => {
                let u = self.get(arguments[0])?;
                let third = Rational::ratio(1, 3);
                match u.head()?.is_negative() {
                    true => Ok(u.scale(&Rational::MINUS_ONE).pow(cx, &third)?.scale(&Rational::MINUS_ONE)),
                    false => u.pow(cx, &third),
                }
            }
            Reading::Absolute | Reading::Sign => {
                let u = self.get(arguments[0])?;
                let sign = Rational::from(i64::from(u.head()?.signum()));
                match (sign.is_zero(), row.reading) {
                    (true, _) => no_value("the kink of an absolute value"),
                    (false, Reading::Absolute) => Ok(u.scale(&sign)),
                    (false, _) => Ok(Series::number(sign, self.degree)),
                }
            }
            Reading::Logarithm | Reading::Opaque { .. } => match row.slope {
                Slope::Reciprocal => self.primitive(function, arguments[0], |u| u.pow(cx, &Rational::MINUS_ONE)),
                Slope::OverQuadratic { constant, square, root, negative } => {
                    let (power, sign) = (if root { Rational::ratio(-1, 2) } else { Rational::MINUS_ONE }, !negative);
                    self.primitive(function, arguments[0], |u| {
                        let d = Series::number(Rational::from(i64::from(constant)), u.degree());
                        let d = d.add(&u.mul(cx, u)?.scale(&Rational::from(i64::from(square)))).pow(cx, &power)?;
                        Ok(if sign { d } else { d.scale(&Rational::MINUS_ONE) })
                    })
                }
                Slope::Extreme => self.extreme(function, arguments),
                // Their slopes are no rational numbers, or not known by one argument.
                Slope::Partner { .. } | Slope::Riccati { .. } | Slope::Itself | Slope::CubeRoot => {
                    no_value(function.name())
                }
                Slope::Gauss | Slope::Kink | Slope::Jump | Slope::Angle => no_value(function.name()),
            },
        }
    }

    /// The least or greatest of the arguments, where there is one only.
    fn extreme(&self, function: Elementary, arguments: &[Expr]) -> Exact<Series> {
        let mut list = arguments.iter().map(|a| self.get(*a)).collect::<Exact<Vec<_>>>()?;
        let heads = list.iter().map(|u| u.head()).collect::<Exact<Vec<_>>>()?;
        let best = if function == Elementary::Min { heads.iter().min() } else { heads.iter().max() };
        let mut places = (0..list.len()).filter(|i| Some(&heads[*i]) == best);
        match (places.next(), places.next()) {
            (Some(i), None) => Ok((*list.swap_remove(i)).clone()),
            _ => no_value("the kink of a minimum"),
        }
    }

    /// cos and sin of an argument.
    fn circle(&self, argument: Expr) -> Exact<(Series, Series)> {
        let (turn, change) = self.argument(argument)?;
        let Some((c, s)) = turn.circle else { return no_value("the sine of an exponent") };
        let (dc, ds) = change.turn_of_tail(self.cx)?;
        Ok((dc.scale(&c).add(&ds.scale(&-&s)), dc.scale(&s).add(&ds.scale(&c))))
    }

    /// e^u and e^(−u).
    fn exponentials(&self, argument: Expr) -> Exact<(Series, Series)> {
        let (turn, change) = self.argument(argument)?;
        let Some((e, inverse)) = turn.exponential.and_then(|e| e.recip().map(|r| (e, r))) else {
            return no_value("the exponential of an angle");
        };
        let back = change.scale(&Rational::MINUS_ONE).exp_of_tail(self.cx)?.scale(&inverse);
        Ok((change.exp_of_tail(self.cx)?.scale(&e), back))
    }

    /// An argument as its turn at the point and its change along the curve.
    fn argument(&self, e: Expr) -> Exact<(Turn, Series)> {
        match e.node() {
            Node::Symbol(s) if self.point.turns.contains_key(s) => {
                Ok((self.point.turns[s].clone(), self.symbol_change(*s)))
            }
            Node::Sum { constant, terms } if self.has_turn(e) => {
                if !constant.is_zero() {
                    return no_value("an angle beside a number");
                }
                let (mut turn, mut change) = (Turn::none(), Series::number(Rational::ZERO, self.degree));
                for (term, c) in terms.iter() {
                    let (t, d) = self.argument(*term)?;
                    let Some(multiple) = t.times(c) else { return no_value("a fraction of an angle") };
                    turn = turn.plus(&multiple);
                    change = change.add(&d.scale(c));
                }
                Ok((turn, change))
            }
            _ => {
                let u = self.get(e)?;
                match u.head()?.is_zero() {
                    true => Ok((Turn::none(), (*u).clone())),
                    false => no_value("a transcendental value"),
                }
            }
        }
    }

    fn has_turn(&self, e: Expr) -> bool {
        self.point.turns.keys().any(|s| e.contains(*s))
    }

    fn symbol_change(&self, s: Symbol) -> Series {
        let rest = Series::number(Rational::ZERO, self.degree);
        self.series.get(&s).map_or(rest, |u| u.to_degree(self.degree).tail())
    }

    /// f(u) from its derivative f′(u): only where f has a rational value.
    fn primitive(
        &self,
        function: Elementary,
        argument: Expr,
        slope: impl Fn(&Series) -> Exact<Series>,
    ) -> Exact<Series> {
        let u = self.get(argument)?;
        let value = function.row().value_at(&u.head()?);
        let Some(value) = value.and_then(|value| value.as_number().cloned()) else {
            return no_value("a transcendental value");
        };
        if self.degree == 0 {
            return Ok(Series::number(value, 0));
        }
        let short = u.to_degree(self.degree - 1);
        Ok(u.derivative().mul(self.cx, &slope(&short)?)?.integral(value))
    }

    /// V(u) = Σ_α ∂^α V(u₀) (u − u₀)^α / α!, with values of V and its derivatives at u₀.
    fn unspecified(&self, function: Function, orders: &[u32], arguments: &[Expr]) -> Exact<Series> {
        let list = arguments.iter().map(|a| self.get(*a)).collect::<Exact<Vec<_>>>()?;
        let heads = list.iter().map(|u| u.head()).collect::<Exact<Vec<_>>>()?;
        let tails: Vec<Series> = list.iter().map(|u| u.tail()).collect();
        let mut sum = Series::number(Rational::ZERO, self.degree);
        // Multi-indices with the product that belongs to each, the first argument's exponents first.
        let mut stack = vec![(orders.to_vec(), 0, 0, Series::number(Rational::ONE, self.degree))];
        while let Some((at, first, total, product)) = stack.pop() {
            let value = self.function_value((function, at.clone(), heads.clone()));
            let mut term = product.clone();
            for c in &mut term.0 {
                *c = c.mul(self.cx, &value)?;
            }
            sum = sum.add(&term);
            if total == self.degree {
                continue;
            }
            for i in first..list.len() {
                let mut next = at.clone();
                next[i] += 1;
                let order = i64::from(next[i] - orders[i]);
                let more = product.mul(self.cx, &tails[i])?.scale(&Rational::ratio(1, order));
                if !more.is_zero() {
                    stack.push((next, i, total + 1, more));
                }
            }
        }
        Ok(sum)
    }

    fn function_value(&self, place: Place) -> Poly {
        if let Some(value) = self.point.functions.borrow().get(&place) {
            return Poly::number(value.clone());
        }
        if let Some(places) = self.places {
            let mut places = places.borrow_mut();
            let i = places.iter().position(|p| *p == place).unwrap_or_else(|| {
                places.push(place);
                places.len() - 1
            });
            return Poly::unknown(FUNCTION_VALUES + i as u32);
        }
        // Anything will do that is the same every time.
        let mut known = self.point.functions.borrow_mut();
        let value = Rational::ratio([3, -2, 5, 1, -4][known.len() % 5], 1 + (known.len() % 3) as i64);
        known.insert(place, value.clone());
        Poly::number(value)
    }
}
