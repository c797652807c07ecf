//! Differential forms of any degree on jet spaces of any order.
//!
//! A [`Form`] is a finite sum Σ c_I dx^I over ascending sets I of coordinates; only the components that
//! are there are stored. Coordinates are symbols: jets of any order, velocities of J¹(JʳY), momenta and
//! multipliers, and t. Parameters are constants, so their differentials are zero.
//!
//! ```text
//! d(q²·dq′) = 2q dq ∧ dq′         i_ξ contracts the first slot:  i_{∂q}(dq ∧ dt) = dt
//! ```
//!
//! Coefficients are not expanded and not tested while forms are computed: a component may be zero for
//! a deep reason. Whoever asks a question calls [`Form::simplified`], which drops what is shown to
//! vanish and says on what ground.

use super::Refusal;
use super::axis::{Axis, Basis, sort_axes, wedge_bases};
use super::field::VectorField;
use super::jet::{FiberedManifold, JetSpace, Order, needless, project};
use crate::algebra::Inquiry;
use crate::algebra::decide::is_zero;
use crate::algebra::derive::gradient;
use crate::algebra::expr::symbols_of;
use crate::algebra::substitute::substitute_all;
use crate::algebra::{Expr, Ground, Rational, Symbol, Verdict};
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A homogeneous differential form. No stored coefficient is the number 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    degree: usize,
    /// Shared, since a form is handed from hand to hand and seldom changed.
    terms: Rc<BTreeMap<Basis, Expr>>,
}

/// Adds up contributions to a form: each coefficient becomes one sum, however many parts it has.
pub(crate) struct FormBuilder {
    degree: usize,
    parts: BTreeMap<Basis, Vec<Expr>>,
}

impl FormBuilder {
    pub(crate) fn new(degree: usize) -> FormBuilder {
        FormBuilder { degree, parts: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, basis: Basis, odd: bool, coefficient: Expr) {
        if !coefficient.is_zero() {
            self.parts.entry(basis).or_default().push(if odd { -coefficient } else { coefficient });
        }
    }

    /// a dx^I ∧ η.
    fn add_product(&mut self, left: &Basis, a: Expr, other: &Form) {
        for (right, b) in other.terms() {
            if let Some((basis, odd)) = wedge_bases(left, right) {
                self.add(basis, odd, a * b);
            }
        }
    }

    pub(crate) fn finish(self) -> Form {
        let sum = |(basis, parts): (Basis, Vec<Expr>)| {
            let c = if parts.len() == 1 { parts[0] } else { Expr::add_all(parts) };
            (!c.is_zero()).then_some((basis, c))
        };
        Form { degree: self.degree, terms: Rc::new(self.parts.into_iter().filter_map(sum).collect()) }
    }
}

impl Form {
    pub fn zero(degree: usize) -> Form {
        Form { degree, terms: Rc::default() }
    }

    /// A function, as a form of degree 0.
    pub fn function(e: Expr) -> Form {
        Form::term(e, &[])
    }

    /// dx; zero if x is a parameter.
    pub fn differential(symbol: Symbol) -> Form {
        Form::term(Expr::one(), &[symbol])
    }

    /// ω_q = dq − q₁ dt, Krupková (2.1).
    pub fn omega(jet: Symbol) -> Form {
        super::contact::contact_form(jet)
    }

    /// c · dx ∧ dy ∧ … in the order given.
    pub fn term(coefficient: Expr, symbols: &[Symbol]) -> Form {
        let mut builder = FormBuilder::new(symbols.len());
        let axes: Option<Vec<Axis>> = symbols.iter().map(|s| Axis::of(*s)).collect();
        if let Some((basis, odd)) = axes.and_then(|axes| sort_axes(&axes)) {
            builder.add(basis, odd, coefficient);
        }
        builder.finish()
    }

    /// Σ c dx: a 1-form from its components.
    pub fn one_form(components: impl IntoIterator<Item = (Symbol, Expr)>) -> Form {
        let mut builder = FormBuilder::new(1);
        for (symbol, c) in components {
            if let Some(axis) = Axis::of(symbol) {
                builder.add(Basis::from_slice(&[axis]), false, c);
            }
        }
        builder.finish()
    }

    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The components in their canonical order.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&Basis, Expr)> {
        self.terms.iter().map(|(basis, c)| (basis, *c))
    }

    /// The components as people write them: those along dt first.
    pub fn terms_in_reading_order(&self) -> Vec<(&Basis, Expr)> {
        let mut terms: Vec<(&Basis, Expr)> = self.terms().collect();
        terms.sort_by_cached_key(|(basis, _)| basis.iter().map(|a| a.reading_order()).collect::<Vec<_>>());
        terms
    }

    /// Whether it has no components at all. A form whose coefficients vanish for a deeper reason is not
    /// seen here; ask [`Form::is_zero`].
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The coefficient of dx ∧ dy ∧ …, with the sign of the order given.
    pub fn coefficient(&self, symbols: &[Symbol]) -> Expr {
        let axes: Option<Vec<Axis>> = symbols.iter().map(|s| Axis::of(*s)).collect();
        match axes.and_then(|axes| sort_axes(&axes)) {
            Some((basis, odd)) => match self.terms.get(&basis) {
                Some(&c) if odd => -c,
                Some(&c) => c,
                None => Expr::zero(),
            },
            None => Expr::zero(),
        }
    }

    /// The function that a form of degree 0 is.
    pub fn as_function(&self) -> Option<Expr> {
        (self.degree == 0).then(|| self.coefficient(&[]))
    }

    pub fn coefficients(&self) -> Vec<Expr> {
        self.terms.values().copied().collect()
    }

    /// Every axis along which some component lies, ascending.
    pub fn axes(&self) -> Vec<Axis> {
        let mut axes: Vec<Axis> = self.terms.keys().flatten().copied().collect();
        axes.sort();
        axes.dedup();
        axes
    }

    /// Every symbol in a coefficient or a differential.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut symbols = symbols_of(&self.coefficients());
        symbols.extend(self.axes().into_iter().map(Axis::symbol));
        symbols.sort();
        symbols.dedup();
        symbols
    }

    /// The form with every coefficient replaced; those that become 0 are gone.
    pub fn map_coefficients(&self, f: impl Fn(Expr) -> Expr) -> Form {
        self.keep(|_, c| Some(f(c)))
    }

    /// The part of the form on basis elements for which `keep` gives a coefficient.
    pub fn keep(&self, keep: impl Fn(&Basis, Expr) -> Option<Expr>) -> Form {
        let terms = self.terms.iter().filter_map(|(basis, c)| {
            let c = keep(basis, *c)?;
            (!c.is_zero()).then(|| (basis.clone(), c))
        });
        Form { degree: self.degree, terms: Rc::new(terms.collect()) }
    }

    pub fn scale(&self, factor: Expr) -> Form {
        self.map_coefficients(|c| factor * c)
    }

    /// The sum, if the degrees agree.
    pub fn checked_add(&self, other: &Form) -> Result<Form, Refusal> {
        if self.degree != other.degree {
            return Err(Refusal::WrongDegree { expected: self.degree, found: other.degree });
        }
        Ok(Form::sum(self.degree, [self, other]))
    }

    /// The sum of forms of one degree; each coefficient is one sum.
    pub fn sum<'a>(degree: usize, forms: impl IntoIterator<Item = &'a Form>) -> Form {
        let mut builder = FormBuilder::new(degree);
        for form in forms {
            debug_assert_eq!(form.degree, degree, "a sum of forms of different degrees");
            for (basis, c) in form.terms() {
                builder.add(basis.clone(), false, c);
            }
        }
        builder.finish()
    }

    /// self ∧ other.
    pub fn wedge(&self, other: &Form) -> Form {
        let mut builder = FormBuilder::new(self.degree + other.degree);
        for (left, a) in self.terms() {
            builder.add_product(left, a, other);
        }
        builder.finish()
    }

    /// The same for forms that someone typed, which may have very many terms.
    pub fn try_wedge(&self, cx: &Inquiry, other: &Form) -> Budgeted<Form> {
        let mut builder = FormBuilder::new(self.degree + other.degree);
        for (left, a) in self.terms() {
            cx.check()?;
            builder.add_product(left, a, other);
        }
        Ok(builder.finish())
    }

    /// The exterior derivative, d(c dx^I) = Σ ∂c/∂x dx ∧ dx^I.
    pub fn d(&self, cx: &Inquiry) -> Form {
        let mut builder = FormBuilder::new(self.degree + 1);
        for (basis, c) in self.terms() {
            let axes: Vec<Axis> = c.symbols().into_iter().filter_map(Axis::of).collect();
            let by: Vec<Symbol> = axes.iter().map(|a| a.symbol()).collect();
            for (axis, partial) in axes.into_iter().zip(gradient(cx, c, &by)) {
                if let Some((product, odd)) = wedge_bases(&Basis::from_slice(&[axis]), basis) {
                    builder.add(product, odd, partial);
                }
            }
        }
        builder.finish()
    }

    /// i_ξ η, contraction with the first slot; zero for a function. The elaborator refuses a function
    /// before it comes to this: see [`Refusal::ContractsFunction`].
    pub fn interior(&self, field: &VectorField) -> Form {
        let mut builder = FormBuilder::new(self.degree.saturating_sub(1));
        for (basis, c) in self.terms() {
            for (i, axis) in basis.iter().enumerate() {
                let component = field.along(*axis);
                if component.is_zero() {
                    continue;
                }
                let mut rest = basis.clone();
                rest.remove(i);
                builder.add(rest, i % 2 == 1, component * c);
            }
        }
        builder.finish()
    }

    /// The Lie derivative, L_ξ(c dx^I) = ξ(c) dx^I + Σ_i c dx ∧ … ∧ dξ^i ∧ …
    pub fn lie(&self, cx: &Inquiry, field: &VectorField) -> Form {
        let derivation = field.derivation();
        let mut differentials: FxHashMap<Axis, Form> = FxHashMap::default();
        let mut builder = FormBuilder::new(self.degree);
        for (basis, c) in self.terms() {
            builder.add(basis.clone(), false, derivation.apply(cx, c));
            for (i, axis) in basis.iter().enumerate() {
                let d = differentials.entry(*axis).or_insert_with(|| Form::function(field.along(*axis)).d(cx));
                let mut rest = basis.clone();
                rest.remove(i);
                for (inserted, coefficient) in d.terms() {
                    if let Some((product, odd)) = wedge_bases(inserted, &rest) {
                        builder.add(product, odd ^ (i % 2 == 1), coefficient * c);
                    }
                }
            }
        }
        builder.finish()
    }

    /// The pullback by the map that sends each symbol to its image; symbols that are not mentioned go to
    /// themselves.
    pub fn pullback(&self, cx: &Inquiry, map: &FxHashMap<Symbol, Expr>) -> Form {
        let bases: Vec<&Basis> = self.terms.keys().collect();
        let coefficients = substitute_all(&self.coefficients(), map);
        let differentials: FxHashMap<Axis, Form> = self
            .axes()
            .into_iter()
            .map(|axis| match map.get(&axis.symbol()) {
                Some(image) => (axis, Form::function(*image).d(cx)),
                None => (axis, Form::differential(axis.symbol())),
            })
            .collect();
        // Terms with a common beginning share the product of its differentials.
        let mut prefixes: Vec<Form> = vec![Form::function(Expr::one())];
        let mut current: Basis = Basis::new();
        let mut builder = FormBuilder::new(self.degree);
        for (basis, c) in bases.into_iter().zip(coefficients) {
            let common = basis.iter().zip(&current).take_while(|(a, b)| a == b).count();
            prefixes.truncate(common + 1);
            for axis in &basis[common..] {
                let next = prefixes[prefixes.len() - 1].wedge(&differentials[axis]);
                prefixes.push(next);
            }
            current = basis.clone();
            for (product, factor) in prefixes[prefixes.len() - 1].terms() {
                builder.add(product.clone(), false, c * factor);
            }
        }
        builder.finish()
    }

    /// The coefficients with values in place of some symbols; the differentials stay.
    pub fn at(&self, point: &FxHashMap<Symbol, Expr>) -> Form {
        let coefficients = substitute_all(&self.coefficients(), point);
        let mut values = coefficients.into_iter();
        self.keep(|_, _| None).with_terms(self.terms.keys().cloned().zip(values.by_ref()))
    }

    fn with_terms(mut self, terms: impl Iterator<Item = (Basis, Expr)>) -> Form {
        self.terms = Rc::new(terms.filter(|(_, c)| !c.is_zero()).collect());
        self
    }

    /// The form without the components that vanish, and the ground on which they were dropped. What
    /// is undecided stays.
    pub fn simplified(&self, cx: &Inquiry) -> (Form, Ground) {
        let mut ground = Ground::proved("");
        let mut form = self.clone();
        Rc::make_mut(&mut form.terms).retain(|_, c| stays(cx, *c, &mut ground));
        (form, ground)
    }

    /// Whether every component vanishes.
    pub fn is_zero(&self, cx: &Inquiry) -> Verdict {
        Verdict::all(self.terms.values().map(|c| is_zero(cx, *c)), "there are no components")
    }

    /// Whether the forms are equal. Forms of different degrees are equal when both are zero.
    pub fn equals(&self, cx: &Inquiry, other: &Form) -> Verdict {
        if self.degree == other.degree { (self - other).is_zero(cx) } else { self.is_zero(cx).and(other.is_zero(cx)) }
    }

    /// The lowest manifold on which the form lives; `None` if any will do.
    pub fn manifold(&self) -> Result<Option<FiberedManifold>, Refusal> {
        FiberedManifold::of_symbols(&self.symbols())
    }

    /// The smallest r such that the form lives on JʳY: after simplification, and counting differentials.
    pub fn order_on(&self, cx: &Inquiry, manifold: &FiberedManifold) -> Order {
        let (form, dropped) = self.simplified(cx);
        let mut order = manifold.order_of_all(cx, &form.coefficients());
        order.ground = order.ground.weaker(dropped);
        let of_axis = |a: &Axis| manifold.order_of_symbol(a.symbol());
        let differentials = form.axes().iter().filter_map(of_axis).max().unwrap_or(0);
        if differentials > order.order {
            order = Order { order: differentials, ground: order.ground, undecided: vec![] };
        }
        order
    }

    /// The form as one on JʳY, written without higher jets; refused with a coordinate that does not fit. What fits
    /// stays as it is written.
    pub fn project(&self, cx: &Inquiry, space: &JetSpace) -> Result<(Form, Ground), Refusal> {
        if self.degree > space.dimension() {
            return Err(Refusal::PastDimension { degree: self.degree, space: space.clone() });
        }
        let mut ground = Ground::proved("");
        let mut builder = FormBuilder::new(self.degree);
        for (basis, c) in self.terms() {
            if let Some(axis) = basis.iter().find(|a| !space.contains(a.symbol())) {
                ground = ground.weaker(needless(space, axis.symbol(), is_zero(cx, c))?);
                continue;
            }
            let (projected, g) = project(cx, c, space)?;
            builder.add(basis.clone(), false, projected);
            ground = ground.weaker(g);
        }
        Ok((builder.finish(), ground))
    }
}

/// Whether a component stays when those that vanish are dropped; one that does not weakens the ground. What is undecided stays.
pub(super) fn stays(cx: &Inquiry, component: Expr, ground: &mut Ground) -> bool {
    let Verdict::Yes(why) = is_zero(cx, component) else { return true };
    *ground = std::mem::replace(ground, Ground::proved("")).weaker(why);
    false
}

impl std::ops::Add for &Form {
    type Output = Form;
    /// Of forms of one degree; [`Form::checked_add`] is for forms that come from outside.
    fn add(self, other: &Form) -> Form {
        Form::sum(self.degree, [self, other])
    }
}

impl std::ops::Sub for &Form {
    type Output = Form;
    fn sub(self, other: &Form) -> Form {
        Form::sum(self.degree, [self, &-other])
    }
}

impl std::ops::Neg for &Form {
    type Output = Form;
    fn neg(self) -> Form {
        self.map_coefficients(|c| c.scale(&Rational::MINUS_ONE))
    }
}
