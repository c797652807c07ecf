//! Dynamical forms: equations of motion as one geometric object, with their true order.
//!
//! ```text
//! E = E_σ dq^σ ∧ dt = (A_σ + B_σν q_s^ν) ω^σ ∧ dt            Krupková (3.1), (3.3)
//! ```
//!
//! The equations E_σ = 0 may be of any order, affine in the highest derivatives or not. A form that is
//! not affine in its highest jets q_n is one of order s = n + 1 with B = 0, and so is a first-order form
//! whose B is not antisymmetric (Remarks 3.1 and 3.3): each E then has exactly one order s for which a
//! Lepage class on J^{s−1}Y exists, its *true order*.

use super::lagrangian::Lagrangian;
use super::{Answered, decided, jet, jet_expr, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::{jacobian, partial};
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute_all;
use crate::algebra::{Expr, Rational, Symbol, Verdict};
use crate::budget::Budgeted;
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, JetSpace};
use rustc_hash::FxHashMap;

/// A 1-contact, π_{s,0}-horizontal 2-form, affine in q_s.
///
/// Invariant: `components[σ] = a[σ] + Σ_ν b[σ][ν] q_s^ν`, and `a`, `b` are functions on J^{s−1}Y.
#[derive(Clone, Debug)]
pub struct DynamicalForm {
    manifold: FiberedManifold,
    components: Vec<Expr>,
    jet_order: u32,
    affine: Verdict,
    order: u32,
    a: Vec<Expr>,
    b: Vec<Vec<Expr>>,
    lagrangian: Option<Lagrangian>,
}

impl DynamicalForm {
    /// The form with the given components E_σ, one for each fibre coordinate. Refused if its order cannot
    /// be decided.
    pub fn new(cx: &Inquiry, manifold: &FiberedManifold, components: Vec<Expr>) -> Answered<DynamicalForm> {
        let manifold = &manifold.unfolded();
        let n = super::decided_order(cx, manifold, &components)?;
        let components = super::project_all(cx, manifold, &components, n);
        let m = manifold.n_coordinates();
        super::room_for_matrices(cx, m)?;
        if n == 0 {
            let affine = Verdict::yes("the equations contain no derivatives");
            return Ok(DynamicalForm::without_b(manifold, components, 0, affine, 1));
        }
        let top: Vec<Symbol> = (0..m).map(|nu| jet(manifold, nu, n)).collect();
        let b: Vec<Vec<Expr>> = jacobian(cx, &components, &top)
            .into_iter()
            .map(|row| row.into_iter().map(|x| tidy(cx, x)).collect())
            .collect();
        let affine = is_free_of(cx, &b, &top);
        if !decided(&affine, format!("the equations are affine in {}", names(&top)))? {
            return Ok(DynamicalForm::without_b(manifold, components, n, affine, n + 1));
        }
        if n == 1 && !decided(&is_antisymmetric(cx, &b), "∂E_σ/∂q′^ν is antisymmetric")? {
            return Ok(DynamicalForm::without_b(manifold, components, 1, affine, 2));
        }
        Ok(DynamicalForm { affine, ..DynamicalForm::affine(cx, manifold, components, n, b) })
    }

    /// A form that is known to be affine in q_s with the given coefficients B ≠ 0, s being its true order.
    pub(crate) fn affine(
        cx: &Inquiry,
        manifold: &FiberedManifold,
        components: Vec<Expr>,
        s: u32,
        b: Vec<Vec<Expr>>,
    ) -> DynamicalForm {
        let m = manifold.n_coordinates();
        let zeros = FxHashMap::from_iter((0..m).map(|nu| (jet(manifold, nu, s), Expr::zero())));
        let at_zero = substitute_all(&components, &zeros);
        let a = (0..m)
            .map(|sigma| match at_zero[sigma].as_undefined() {
                None => at_zero[sigma],
                // q_s = 0 is outside the domain of the expression as written: subtract instead.
                Some(_) => tidy(cx, components[sigma] - contract(&b[sigma], |nu| jet_expr(manifold, nu, s))),
            })
            .collect();
        let affine = Verdict::yes("the derivatives by the highest jets do not depend on them");
        let manifold = manifold.clone();
        DynamicalForm { manifold, components, jet_order: s, affine, order: s, a, b, lagrangian: None }
    }

    /// E = A + B q_s put together from its parts, B = ±(a symmetric matrix); s is its true order.
    pub(crate) fn from_hessian(
        manifold: &FiberedManifold,
        s: u32,
        a: Vec<Expr>,
        hessian: &[Vec<Expr>],
        sign: &Rational,
    ) -> DynamicalForm {
        let top: Vec<Expr> = (0..manifold.n_coordinates()).map(|nu| jet_expr(manifold, nu, s)).collect();
        let inertia = |row: &[Expr]| -> Vec<(Expr, Rational)> {
            let entries = row.iter().zip(&top).filter(|(e, _)| !e.is_zero());
            entries.map(|(e, q)| (*e * *q, sign.clone())).collect()
        };
        let component =
            |a: &Expr, row: &[Expr]| Expr::sum(Rational::ZERO, inertia(row).into_iter().chain([(*a, Rational::ONE)]));
        let components = a.iter().zip(hessian).map(|(a, row)| component(a, row)).collect();
        let mut b: Vec<Vec<Expr>> = Vec::with_capacity(hessian.len());
        for (i, row) in hessian.iter().enumerate() {
            let mut entries: Vec<Expr> = b.iter().map(|above| above[i]).collect();
            entries.extend(row[i..].iter().map(|e| e.scale(sign)));
            b.push(entries);
        }
        let affine = Verdict::yes("the derivatives by the highest jets do not depend on them");
        let manifold = manifold.clone();
        DynamicalForm { manifold, components, jet_order: s, affine, order: s, a, b, lagrangian: None }
    }

    /// B = 0 and A = E.
    fn without_b(m: &FiberedManifold, components: Vec<Expr>, n: u32, affine: Verdict, s: u32) -> DynamicalForm {
        let b = vec![vec![Expr::zero(); m.n_coordinates()]; m.n_coordinates()];
        let a = components.clone();
        DynamicalForm { manifold: m.clone(), components, jet_order: n, affine, order: s, a, b, lagrangian: None }
    }

    /// The same equations, considered of a higher order than they have: B = 0 there. Used when a Lepage
    /// 2-form that lives on a higher jet space than necessary is given.
    pub(crate) fn raised_to(&self, order: u32) -> DynamicalForm {
        if order <= self.order {
            return self.clone();
        }
        let mut raised = DynamicalForm::without_b(
            &self.manifold,
            self.components.clone(),
            self.jet_order,
            self.affine.clone(),
            order,
        );
        raised.lagrangian = self.lagrangian.clone();
        raised
    }

    /// Remembers the Lagrangian whose Euler–Lagrange form this is.
    pub(crate) fn derived_from(mut self, lagrangian: &Lagrangian) -> DynamicalForm {
        self.lagrangian = Some(lagrangian.clone());
        self
    }

    pub fn manifold(&self) -> &FiberedManifold {
        &self.manifold
    }

    /// E_σ, "force minus inertia".
    pub fn components(&self) -> &[Expr] {
        &self.components
    }

    /// The true order s.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// The highest jet that occurs.
    pub fn jet_order(&self) -> u32 {
        self.jet_order
    }

    /// Whether E is affine in its highest jets.
    pub fn is_affine(&self) -> &Verdict {
        &self.affine
    }

    /// A_σ of (3.3).
    pub fn a(&self) -> &[Expr] {
        &self.a
    }

    /// B_σν = ∂E_σ/∂q_s^ν of (3.3); rows are equations, columns unknowns.
    pub fn b(&self) -> &[Vec<Expr>] {
        &self.b
    }

    /// B as a matrix.
    pub fn b_matrix(&self) -> Matrix {
        Matrix::from_rows(self.b.clone())
    }

    /// det B.
    pub fn det_b(&self, cx: &Inquiry) -> Budgeted<Expr> {
        self.b_matrix().det(cx)
    }

    /// The Lagrangian it was derived from, if it was.
    pub fn lagrangian(&self) -> Option<&Lagrangian> {
        self.lagrangian.as_ref()
    }

    /// J^{s−1}Y, on which the Lepage class lives.
    pub fn phase_space(&self) -> JetSpace {
        self.manifold.jets(self.order - 1)
    }

    /// The fibre coordinates of the phase space: q^σ, q_1^σ, …, q_{s−1}^σ. Entry iσ stands at i·m + σ.
    pub fn phase_jets(&self) -> Vec<Symbol> {
        let m = self.manifold.n_coordinates();
        (0..self.order).flat_map(|k| (0..m).map(move |s| (s, k))).map(|(s, k)| jet(&self.manifold, s, k)).collect()
    }

    /// ms, the number of phase-space coordinates besides t.
    pub fn size(&self) -> usize {
        self.manifold.n_coordinates() * self.order as usize
    }

    /// E = E_σ dq^σ ∧ dt.
    pub fn form(&self) -> Form {
        let t = self.manifold.base();
        let terms: Vec<Form> = self
            .components
            .iter()
            .enumerate()
            .map(|(sigma, e)| Form::term(*e, &[jet(&self.manifold, sigma, 0), t]))
            .collect();
        Form::sum(2, &terms)
    }

    /// f·E. The zero set is the same where f ≠ 0; variationality need not be.
    pub fn scaled(&self, cx: &Inquiry, factor: Expr) -> Answered<DynamicalForm> {
        DynamicalForm::new(cx, &self.manifold, self.components.iter().map(|e| factor * *e).collect())
    }

    /// E + Φ: forces are added to E, component by component.
    pub fn with_force(&self, cx: &Inquiry, force: &[Expr]) -> Answered<DynamicalForm> {
        let sum = self.components.iter().zip(force).map(|(e, f)| *e + *f).collect();
        DynamicalForm::new(cx, &self.manifold, sum)
    }

    /// Whether t does not occur.
    pub fn is_autonomous(&self, cx: &Inquiry) -> Verdict {
        let t = self.manifold.base();
        Verdict::all(self.components.iter().map(|e| vanishes(cx, partial(cx, *e, t))), "there are no equations")
    }
}

/// Σ_ν row_ν x_ν.
pub(crate) fn contract(row: &[Expr], x: impl Fn(usize) -> Expr) -> Expr {
    Expr::add_all(row.iter().enumerate().filter(|(_, e)| !e.is_zero()).map(|(nu, e)| *e * x(nu)))
}

/// Whether no entry depends on any of the symbols.
fn is_free_of(cx: &Inquiry, entries: &[Vec<Expr>], symbols: &[Symbol]) -> Verdict {
    let mut verdict = Verdict::yes("the derivatives by the highest jets do not depend on them");
    for entry in entries.iter().flatten() {
        for symbol in symbols.iter().filter(|s| entry.contains(**s)) {
            verdict = verdict.and(vanishes(cx, partial(cx, *entry, *symbol)));
            if verdict.is_yes() {
                // The derivative of sign(q′) vanishes, and yet |q′| is not affine in q′.
                verdict = Verdict::no(format!("{entry} depends on {symbol}, by steps"));
            }
            if verdict.is_no() {
                return verdict;
            }
        }
    }
    verdict
}

fn is_antisymmetric(cx: &Inquiry, b: &[Vec<Expr>]) -> Verdict {
    let sums =
        (0..b.len()).flat_map(|i| (i..b.len()).map(move |j| (i, j))).map(|(i, j)| vanishes(cx, b[i][j] + b[j][i]));
    Verdict::all(sums, "there are no entries")
}

fn names(symbols: &[Symbol]) -> String {
    symbols.iter().map(Symbol::to_string).collect::<Vec<_>>().join(", ")
}
