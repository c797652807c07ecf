//! Restriction to a branch {equations = 0, inequations ≠ 0}: functions, forms and fields along a submanifold.
//!
//! Equations that give a coordinate outright, s = f, are put in: they are a parametrisation by the other
//! coordinates, and a form is pulled back along it. What remains is implicit. There the differential of an equation
//! expresses one differential through the others, where its coefficient is not zero, which is recorded:
//!
//! ```text
//! x² + y² = 1:     dy = −(x/y) dx   where y ≠ 0,        x dx + y dy  restricts to  0
//! ```
//!
//! and coefficients are reduced modulo the equations. So two functions, or two forms, that agree along the set
//! become one. A result without denominators holds in the limit too, where y = 0 on a thin part of the set.

use super::Refusal;
use super::distribution::is_regular;
use super::field::VectorField;
use super::form::Form;
use super::jet::Chart;
use super::submanifold::{Submanifold, vanishes_on};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::derive::partial;
use crate::algebra::expr::{Node, symbols_of};
use crate::algebra::normal::simplify;
use crate::algebra::stratum::{Branch, Cell, Frame};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Rational, Symbol};
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// How objects are restricted to one branch.
#[derive(Clone, Debug)]
pub struct Restriction {
    chart: Chart,
    branch: Branch,
    /// Coordinates that the equations give outright, as functions of the others.
    solved: FxHashMap<Symbol, Expr>,
    /// The equations that remain, and a description of where they hold.
    implicit: Vec<Expr>,
}

impl Restriction {
    /// The coordinates that the equations give, in the order of the chart.
    pub fn dependent(&self) -> Vec<(Symbol, Expr)> {
        self.chart.symbols().iter().filter_map(|s| Some((*s, *self.solved.get(s)?))).collect()
    }

    /// The equations that are not solved for a coordinate.
    pub fn implicit(&self) -> &[Expr] {
        &self.implicit
    }

    /// To a branch in the coordinates of the chart. The branch should be written shortly: radicals taken.
    pub fn new(cx: &Inquiry, chart: &Chart, branch: &Branch) -> Budgeted<Restriction> {
        let mut open = branch.equations.clone();
        let mut solved: FxHashMap<Symbol, Expr> = FxHashMap::default();
        while let Some((i, symbol, value)) = explicit(cx, chart, &open) {
            cx.check()?;
            open.remove(i);
            let step = FxHashMap::from_iter([(symbol, value)]);
            for e in &mut open {
                *e = substitute(*e, &step);
            }
            for e in solved.values_mut() {
                *e = substitute(*e, &step);
            }
            solved.insert(symbol, value);
        }
        for value in solved.values_mut() {
            *value = simplify(cx, *value)?;
        }
        Ok(Restriction { chart: chart.clone(), branch: branch.clone(), solved, implicit: open })
    }

    /// The frame of the implicit equations together with some functions, and the cells where they hold.
    fn cells(&self, cx: &Inquiry, functions: &[Expr]) -> Budgeted<(Frame, Vec<Cell>)> {
        let nonzero = self.branch.nonzero.iter().map(|e| substitute(*e, &self.solved)).collect();
        let branch = Branch { equations: self.implicit.clone(), nonzero };
        let set = Submanifold::new(&self.chart, vec![branch]);
        let frame = set.frame(cx, functions)?;
        let cells = set.cells(cx, &frame)?;
        Ok((frame, cells))
    }

    /// The function along the branch.
    pub fn function(&self, cx: &Inquiry, e: Expr) -> Budgeted<Expr> {
        let e = substitute(e, &self.solved);
        if self.implicit.is_empty() {
            return simplify(cx, e);
        }
        let (frame, cells) = self.cells(cx, &[e])?;
        reduce(cx, &frame, &cells, e)
    }

    /// The form pulled back to the branch, written without the differentials that the equations express.
    pub fn form(&self, cx: &Inquiry, form: &Form) -> Result<Form, Refusal> {
        let form = form.pullback(cx, &self.parametrisation(&form.symbols()));
        if self.implicit.is_empty() {
            return Ok(form.simplified(cx).0);
        }
        let (restricted, divisors) = conditions::collect(cx, |cx| self.along_implicit(cx, form));
        let restricted = restricted?;
        let regular = restricted.coefficients().into_iter().all(|x| is_regular(cx, x));
        for e in divisors {
            if !regular || !self.is_thin(cx, e)? {
                conditions::record_nonzero(cx, e);
            }
        }
        Ok(restricted)
    }

    /// The form without the differentials that the implicit equations express, where their coefficients are not zero.
    fn along_implicit(&self, cx: &Inquiry, mut form: Form) -> Result<Form, Refusal> {
        let mut functions = form.coefficients();
        let differentials: Vec<Form> = self.implicit.iter().map(|e| Form::function(*e).d(cx)).collect();
        functions.extend(differentials.iter().flat_map(Form::coefficients));
        let (frame, cells) = self.cells(cx, &functions)?;
        let mut replaced: Vec<(Symbol, Form)> = vec![];
        for df in differentials {
            let df = replaced.iter().fold(df, |df, (s, by)| replace_differential(&df, *s, by));
            let Some((symbol, slope)) = pivot(cx, &frame, &cells, &df)? else { continue };
            if !slope.is_number() {
                conditions::record_nonzero(cx, without_factor(slope));
            }
            let rest = df.keep(|basis, c| (basis[0].symbol() != symbol).then_some(-c / slope));
            for (_, by) in &mut replaced {
                *by = replace_differential(by, symbol, &rest);
            }
            replaced.push((symbol, rest));
        }
        for (symbol, by) in &replaced {
            form = replace_differential(&form, *symbol, by);
        }
        let mut terms = vec![];
        for (basis, c) in form.terms() {
            let axes: Vec<Symbol> = basis.iter().map(|a| a.symbol()).collect();
            terms.push(Form::term(self.function(cx, c)?, &axes));
        }
        Ok(Form::sum(form.degree(), &terms))
    }

    /// Whether the zeros of a function are a smaller part of the implicit set.
    fn is_thin(&self, cx: &Inquiry, e: Expr) -> Budgeted<bool> {
        // e = n/d vanishes where n does.
        let (numerator, denominator) = fraction(cx, e)?;
        let dimension = |more: &[Expr]| {
            let equations = [&self.implicit[..], more].concat();
            let branch = Branch { equations, nonzero: vec![] };
            Submanifold::new(&self.chart, vec![branch]).dimension(cx)
        };
        let whole = dimension(&[])?;
        Ok(dimension(&[numerator])? < whole && dimension(&[denominator])? < whole)
    }

    /// The field along the branch: its components there.
    pub fn field(&self, cx: &Inquiry, field: &VectorField) -> Budgeted<VectorField> {
        let components = field.components().into_iter().map(|(s, c)| Ok((s, self.function(cx, c)?)));
        Ok(VectorField::new(components.collect::<Budgeted<Vec<_>>>()?))
    }

    /// The solved coordinates by their values, all others by themselves.
    fn parametrisation(&self, symbols: &[Symbol]) -> FxHashMap<Symbol, Expr> {
        symbols.iter().map(|s| (*s, self.solved.get(s).copied().unwrap_or_else(|| Expr::symbol(*s)))).collect()
    }
}

/// An equation c·s + r = 0 with a number c and r free of s: its place, s, and −r/c. The last coordinate of the
/// chart that will do is taken, so that derivatives are expressed by what they are derivatives of.
fn explicit(cx: &Inquiry, chart: &Chart, equations: &[Expr]) -> Option<(usize, Symbol, Expr)> {
    for (i, e) in equations.iter().enumerate() {
        let symbols = symbols_of(&[*e]);
        for &s in chart.symbols().iter().rev().filter(|s| symbols.contains(s)) {
            let slope = partial(cx, *e, s);
            if let Some(c) = slope.as_number().filter(|c| !c.is_zero()) {
                let rest = substitute(*e, &FxHashMap::from_iter([(s, Expr::zero())]));
                return Some((i, s, -(rest / Expr::number(c.clone()))));
            }
        }
    }
    None
}

/// The numerator and the denominator of an expression.
fn fraction(cx: &Inquiry, e: Expr) -> Budgeted<(Expr, Expr)> {
    let simple = simplify(cx, e)?;
    let Node::Product(factors) = without_factor(simple).node() else { return Ok((simple, Expr::one())) };
    let (below, above): (Vec<_>, Vec<_>) = factors.iter().cloned().partition(|(_, n)| n.is_negative());
    let below = below.into_iter().map(|(base, n)| (base, -&n));
    Ok((Expr::product(Rational::ONE, above), Expr::product(Rational::ONE, below)))
}

/// The axis along which a 1-form has a coefficient that does not vanish on the cells; numbers are preferred.
fn pivot(cx: &Inquiry, frame: &Frame, cells: &[Cell], form: &Form) -> Budgeted<Option<(Symbol, Expr)>> {
    let mut found = None;
    for (basis, c) in form.terms() {
        if c.is_number() {
            return Ok(Some((basis[0].symbol(), c)));
        }
        if found.is_none() && vanishes_on(cx, frame, cells, c)?.is_no() {
            found = Some((basis[0].symbol(), c));
        }
    }
    Ok(found)
}

/// 2x and x vanish together.
pub(super) fn without_factor(e: Expr) -> Expr {
    match e.node() {
        Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => terms[0].0,
        _ => e,
    }
}

/// η with a 1-form in the place of ds: dsʹs part of η is ds ∧ i_{∂s}η.
fn replace_differential(form: &Form, symbol: Symbol, by: &Form) -> Form {
    let rest = form.keep(|basis, c| basis.iter().all(|a| a.symbol() != symbol).then_some(c));
    if rest == *form {
        return rest;
    }
    let part = form.interior(&VectorField::coordinate(symbol));
    &rest + &by.wedge(&part)
}

/// The normal form of a function where the cells are; a set of several cells leaves it as it is unless all agree.
fn reduce(cx: &Inquiry, frame: &Frame, cells: &[Cell], e: Expr) -> Budgeted<Expr> {
    let Some((numerator, denominator)) = frame.read(cx, e)? else { return Ok(e) };
    let mut common = None;
    for cell in cells {
        let (n, d) = (cell.value(cx, frame, &numerator)?, cell.value(cx, frame, &denominator)?);
        let here = if d.is_zero() { e } else { n / d };
        match common {
            None => common = Some(here),
            Some(other) if other == here => {}
            Some(_) => return Ok(e),
        }
    }
    simplify(cx, common.unwrap_or(e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Coordinate;
    use crate::geometry::FiberedManifold;

    #[test]
    fn functions_and_forms_that_agree_along_a_set_become_one() {
        let cx = &Inquiry::free();
        let (x, y, z) =
            (Coordinate::declare("x", false), Coordinate::declare("y", false), Coordinate::declare("z", false));
        let manifold = FiberedManifold::new("Y", Symbol::base("t"), &[x, y, z]);
        let chart = manifold.jets(1).chart();
        let j = |c: Coordinate, k: u32| Expr::symbol(c.jet(k));
        let branch = |equations: &[Expr]| Branch { equations: equations.to_vec(), nonzero: vec![] };
        // A graph: z = x², z' = 2 x x'.
        let graph = [j(z, 0) - j(x, 0).pow(2), j(z, 1) - 2 * (j(x, 0) * j(x, 1))];
        let along = Restriction::new(cx, &chart, &branch(&graph)).unwrap();
        assert_eq!(along.function(cx, j(z, 0) * j(z, 1)).unwrap().to_string(), "2*x^3*x'");
        let dz = along.form(cx, &Form::differential(z.jet(0))).unwrap();
        assert!(dz.equals(cx, &Form::term(2 * j(x, 0), &[x.jet(0)])).is_yes());
        // The contact form of z restricts to a multiple of that of x.
        let omega = along.form(cx, &Form::omega(z.jet(0))).unwrap();
        assert!(omega.equals(cx, &Form::omega(x.jet(0)).scale(2 * j(x, 0))).is_yes());
        // 2z = 1: the value of z is a fraction.
        let half = Restriction::new(cx, &chart, &branch(&[2 * j(z, 0) - 1, 3 * j(z, 1) - j(x, 0)])).unwrap();
        assert_eq!(half.function(cx, j(z, 0) + j(z, 1)).unwrap(), Expr::ratio(1, 2) + j(x, 0) / 3);
        // The circle is implicit.
        let circle = Restriction::new(cx, &chart, &branch(&[j(x, 0).pow(2) + j(y, 0).pow(2) - 1])).unwrap();
        assert_eq!(circle.function(cx, j(x, 0).pow(2) + j(y, 0).pow(2)).unwrap(), Expr::one());
        let radial = Form::one_form([(x.jet(0), j(x, 0)), (y.jet(0), j(y, 0))]);
        assert!(circle.form(cx, &radial).unwrap().is_zero(cx).is_yes());
        let area = Form::term(Expr::one(), &[x.jet(0), y.jet(0)]);
        assert!(circle.form(cx, &area).unwrap().is_zero(cx).is_yes());
        let angle = Form::one_form([(y.jet(0), j(x, 0)), (x.jet(0), -j(y, 0))]);
        assert!(circle.form(cx, &angle).unwrap().is_zero(cx).is_no());
    }
}
