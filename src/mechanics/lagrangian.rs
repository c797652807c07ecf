//! Lagrangians of any order r, and what is derived from one without solving anything: momenta in
//! Ostrogradsky's sense, the Euler–Lagrange form, the Cartan form, the Hessian.
//!
//! All of it comes from one reverse pass for the gradient of L and one memoised total derivative:
//! the momenta satisfy the recursion
//!
//! ```text
//! p_σ^{r−1} = ∂L/∂q_r^σ,     p_σ^{i−1} = ∂L/∂q_i^σ − d/dt p_σ^i,     E_σ = ∂L/∂q^σ − d/dt p_σ^0
//! ```
//!
//! which is Krupková, Remark 8.8, read from the top: p_σ^i = Σ_k (−1)^k d^k/dt^k ∂L/∂q_{i+k+1}^σ.

use super::dynamical_form::DynamicalForm;
use super::{Answered, jet, tidy};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::derive::{Direction, gradient, symmetric_jacobian};
use crate::algebra::expr::Condition;
use crate::algebra::expr::post_order;
use crate::algebra::{Expr, Rational, Symbol};
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, total_derivative};

/// A horizontal 1-form L dt on J^rY, with r the order after simplification.
#[derive(Clone, Debug)]
pub struct Lagrangian {
    manifold: FiberedManifold,
    function: Expr,
    order: u32,
}

/// p_σ^i for i = 0 … r−1 at `momenta[i][σ]`, and what remains of the recursion one step lower, E_σ.
#[derive(Clone, Debug)]
pub struct Ostrogradsky {
    pub momenta: Vec<Vec<Expr>>,
    pub euler_lagrange: Vec<Expr>,
}

/// A Lagrangian's equations in the form mass · q″ = a.
#[derive(Clone, Debug)]
pub struct Motion {
    /// ∂²L/∂q′∂q′ = −B, symmetric entry by entry.
    pub mass: Vec<Vec<Expr>>,
    pub a: Vec<Expr>,
}

impl Lagrangian {
    /// The Lagrangian L dt. Refused if it cannot be decided on which jets L depends.
    pub fn new(cx: &Inquiry, manifold: &FiberedManifold, function: Expr) -> Answered<Lagrangian> {
        let manifold = manifold.unfolded();
        let order = super::decided_order(cx, &manifold, &[function])?;
        let function = super::project_all(cx, &manifold, &[function], order)[0];
        Ok(Lagrangian { manifold, function, order })
    }

    pub fn manifold(&self) -> &FiberedManifold {
        &self.manifold
    }

    pub fn function(&self) -> Expr {
        self.function
    }

    /// Where L and its equations of motion have a value. The equations alone may have one elsewhere: those of log x contain 1/x.
    pub fn bounds(&self, cx: &Inquiry) -> Vec<Condition> {
        let equations = self.dynamical_form(cx).map(|form| form.components().to_vec()).unwrap_or_default();
        conditions::bounds(cx, [self.function].into_iter().chain(equations))
    }

    /// r, the highest jet on which L depends.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// λ = L dt.
    pub fn form(&self) -> Form {
        Form::term(self.function, &[self.manifold.base()])
    }

    /// Another Lagrangian on the same manifold.
    pub fn with_function(&self, cx: &Inquiry, function: Expr) -> Answered<Lagrangian> {
        Lagrangian::new(cx, &self.manifold, function)
    }

    /// The recursion of the module essay, from the top jet down. A Lagrangian without jets has no momenta.
    pub fn ostrogradsky(&self, cx: &Inquiry) -> Ostrogradsky {
        let m = self.manifold.n_coordinates();
        let momenta = self.momenta(cx);
        let positions: Vec<Symbol> = (0..m).map(|sigma| jet(&self.manifold, sigma, 0)).collect();
        let slopes = gradient(cx, self.function, &positions);
        let euler_lagrange = match momenta.first() {
            Some(p) => slopes.into_iter().zip(p).map(|(slope, p)| slope - total_derivative(cx, *p)).collect(),
            None => slopes,
        };
        Ostrogradsky { momenta, euler_lagrange }
    }

    /// E_σ = Σ_k (−1)^k d^k/dt^k ∂L/∂q_k^σ.
    pub fn euler_lagrange(&self, cx: &Inquiry) -> Vec<Expr> {
        self.ostrogradsky(cx).euler_lagrange
    }

    /// The Euler–Lagrange form with its true order.
    ///
    /// Where the Hessian does not vanish, s = 2r and E is affine in q_s with B = (−1)^r ∂²L/∂q_r∂q_r: nothing
    /// has to be tested. Then E = A + B q_s is put together from its parts,
    ///
    /// ```text
    /// A_σ = ∂L/∂q^σ − d′p_σ^0/dt,       d′/dt the total derivative without the terms in q_s,
    /// ```
    ///
    /// so that a large Lagrangian is differentiated once and nothing is substituted.
    pub fn dynamical_form(&self, cx: &Inquiry) -> Answered<DynamicalForm> {
        let (m, r) = (self.manifold.n_coordinates(), self.order);
        super::room_for_matrices(cx, m)?;
        if r > 0 {
            let momenta = self.momenta(cx);
            let hessian = self.hessian_of(cx, &momenta[r as usize - 1]);
            // The diagonal from its end: chains grow along it, and one entry that is not zero is enough.
            let diagonal = (0..m).rev().map(|i| hessian[i][i]);
            if diagonal.chain(hessian.iter().flatten().copied()).any(|e| super::vanishes(cx, e).is_no()) {
                let sign = if r.is_multiple_of(2) { Rational::ONE } else { Rational::MINUS_ONE };
                let (s, base) = (2 * r, self.manifold.base());
                let below = Direction::new(move |x: Symbol| match x.as_jet() {
                    Some((q, k)) if k + 1 < s => Expr::symbol(q.jet(k + 1)),
                    None if x == base => Expr::one(),
                    _ => Expr::zero(),
                });
                let positions: Vec<Symbol> = (0..m).map(|sigma| jet(&self.manifold, sigma, 0)).collect();
                let slopes = gradient(cx, self.function, &positions);
                let a = slopes.into_iter().zip(&momenta[0]).map(|(slope, p)| slope - below.apply(cx, *p)).collect();
                return Ok(DynamicalForm::from_hessian(&self.manifold, s, a, &hessian, &sign).derived_from(self));
            }
        }
        Ok(DynamicalForm::new(cx, &self.manifold, self.euler_lagrange(cx))?.derived_from(self))
    }

    /// p_σ^i for i = 0 … r−1.
    fn momenta(&self, cx: &Inquiry) -> Vec<Vec<Expr>> {
        let (m, r) = (self.manifold.n_coordinates(), self.order);
        let jets: Vec<Symbol> =
            (1..=r).flat_map(|k| (0..m).map(move |s| (s, k))).map(|(s, k)| jet(&self.manifold, s, k)).collect();
        let slopes = gradient(cx, self.function, &jets);
        let mut momenta: Vec<Vec<Expr>> = Vec::new();
        for k in (0..r as usize).rev() {
            let next = |s: usize| match momenta.last() {
                Some(above) => slopes[k * m + s] - total_derivative(cx, above[s]),
                None => slopes[k * m + s],
            };
            let row = (0..m).map(next).collect();
            momenta.push(row);
        }
        momenta.reverse();
        momenta
    }

    /// The equations of motion A + B q″ of a Lagrangian of first order as they go to compiled code: B = −∂²L/∂q′∂q′
    /// and A = ∂L/∂q − ∂/∂t ∂L/∂q′ − q′·∂/∂q ∂L/∂q′, nothing written out or simplified. `None` for other orders.
    ///
    /// The transport of the momenta along q′ uses one memo for all of them, so what they share is
    /// differentiated once.
    pub fn motion(&self, cx: &Inquiry) -> Option<Motion> {
        if self.order != 1 {
            return None;
        }
        let m = self.manifold.n_coordinates();
        let jets = |k: u32| (0..m).map(|s| jet(&self.manifold, s, k)).collect::<Vec<Symbol>>();
        let (q, v) = (jets(0), jets(1));
        let mut slopes = gradient(cx, self.function, &[q, v.clone()].concat());
        let momenta = slopes.split_off(m);
        let mass = symmetric_jacobian(cx, &momenta, &v);
        let base = self.manifold.base();
        let transport = Direction::new(move |s| match s.as_jet() {
            Some((coordinate, 0)) => Expr::symbol(coordinate.jet(1)),
            None if s == base => Expr::one(),
            _ => Expr::zero(),
        });
        let a = slopes.into_iter().zip(&momenta).map(|(force, p)| force - transport.apply(cx, *p)).collect();
        Some(Motion { mass, a })
    }

    /// The Cartan form, Krupková Remark 8.8:
    ///
    /// ```text
    /// θ_λ = L dt + Σ_{i=0}^{r−1} p_σ^i ω_i^σ
    /// ```
    ///
    /// hθ_λ = λ, and p₁dθ_λ = E_σ ω^σ∧dt.
    pub fn cartan_form(&self, cx: &Inquiry) -> Form {
        let momenta = self.ostrogradsky(cx).momenta;
        let mut terms = vec![self.form()];
        for (i, row) in momenta.iter().enumerate() {
            for (sigma, p) in row.iter().enumerate() {
                terms.push(Form::omega(jet(&self.manifold, sigma, i as u32)).scale(*p));
            }
        }
        Form::sum(1, &terms)
    }

    /// ∂²L/∂q_r^σ∂q_r^ν, the matrix g_L or W of the textbooks.
    pub fn hessian(&self, cx: &Inquiry) -> Vec<Vec<Expr>> {
        self.hessian_of(cx, &gradient(cx, self.function, &self.top_jets()))
    }

    /// The Hessian from ∂L/∂q_r. Large ones stay as they were derived.
    fn hessian_of(&self, cx: &Inquiry, slopes: &[Expr]) -> Vec<Vec<Expr>> {
        const MAX_NODES: usize = 300;
        let rows = symmetric_jacobian(cx, slopes, &self.top_jets());
        let entries: Vec<Expr> = rows.iter().flatten().copied().collect();
        if post_order(&entries).len() > MAX_NODES {
            return rows;
        }
        let tidied = |x: Expr| if x.is_number() { x } else { tidy(cx, x) };
        rows.into_iter().map(|row| row.into_iter().map(tidied).collect()).collect()
    }

    fn top_jets(&self) -> Vec<Symbol> {
        (0..self.manifold.n_coordinates()).map(|s| jet(&self.manifold, s, self.order)).collect()
    }
}
