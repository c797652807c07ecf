//! The Hamiltonian side, for equations of any order. Krupková §4, §8.
//!
//! Two constructions stand here. The *Hamilton form* of any Lepage 2-form α gives first-order equations
//! for curves in the phase space J^{s−1}Y, holonomic or not: it needs neither a Lagrangian nor
//! regularity. For variational equations the closed form α_E has the canonical shape
//!
//! ```text
//! α_E = −dH ∧ dt + Σ dp_ν^k ∧ dq_k^ν,        k = 0 … s−c−1,  c = ⌊s/2⌋                (8.5)
//! ```
//!
//! with momenta, a Hamiltonian and a Lagrangian of the minimal order ⌈s/2⌉. They are determined up to a
//! gauge function φ(t, q, …, q_{s−c−1}), zero unless one is given; α_E does not depend on it.

use super::dynamical_form::DynamicalForm;
use super::inverse_problem::{self, Dilation, centre_for, is_variational};
use super::lagrangian::Lagrangian;
use super::lepage_class::{LepageTwoForm, closed_representative};
use super::{Answered, jet, jet_expr, tidy};
use crate::algebra::Inquiry;
use crate::algebra::antiderivative::has_integral;
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
use crate::geometry::form::Form;
use crate::geometry::jet::total_derivative;

/// The Hamilton form p̃₁α on J¹(J^{s−1}Y).
#[derive(Clone, Debug)]
pub struct HamiltonForm {
    /// The phase-space coordinates q_i^σ, in the order of `components`.
    pub jets: Vec<Symbol>,
    /// H_σ^i, the coefficients of dq_i^σ ∧ dt, in `vel(q_k)`.
    pub components: Vec<Expr>,
    base: Symbol,
}

/// The Hamilton form, Krupková (4.2), (4.4). With v_k = vel(q_k):
///
/// ```text
/// H_σ^i = δ^{i0} A_σ + Σ_{k=0}^{s−2} G^{ik}_σν (v_k^ν − q_{k+1}^ν) + G^{i,s−1}_σν v_{s−1}^ν
/// ```
///
/// Departure: (4.4) is printed with a sum up to s−1−i, which is right for α_E only, and with E_σ, whose q_s
/// is no coordinate here and cancels against k = s−1.
pub fn hamilton_form(cx: &Inquiry, alpha: &LepageTwoForm) -> HamiltonForm {
    let form = alpha.dynamical_form();
    let y = form.manifold();
    let m = y.n_coordinates();
    let jets = form.phase_jets();
    let inner = form.size() - m;
    let a = alpha.column_a();
    let components = alpha
        .matrix()
        .iter()
        .zip(a)
        .map(|(row, a)| {
            let moving = row.iter().enumerate().filter(|(_, g)| !g.is_zero()).map(|(column, g)| {
                let velocity = Expr::symbol(Symbol::velocity(jets[column]));
                let speed =
                    if column < inner { velocity - jet_expr(y, column % m, (column / m) as u32 + 1) } else { velocity };
                *g * speed
            });
            tidy(cx, a + Expr::add_all(moving))
        })
        .collect();
    HamiltonForm { jets, components, base: y.base() }
}

impl HamiltonForm {
    pub fn form(&self) -> Form {
        let terms: Vec<Form> =
            self.jets.iter().zip(&self.components).map(|(q, h)| Form::term(*h, &[*q, self.base])).collect();
        Form::sum(2, &terms)
    }
}

/// Momenta, Hamiltonian and minimal Lagrangian of a variational form.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// p_ν^k at `momenta[k][ν]`, conjugate to q_k^ν; k = 0 … s−c−1.
    pub momenta: Vec<Vec<Expr>>,
    pub hamiltonian: Expr,
    /// f of (8.9), gauge function included.
    pub f: Expr,
    /// The Lagrangian of minimal order.
    pub minimal: Lagrangian,
    /// Whether E is independent of time; then H is unique up to a constant.
    pub autonomous: Verdict,
}

/// Momenta, Hamiltonian, f and L_min, with a gauge function φ(t, q, …, q_{s−c−1}): by the homotopy formulas (8.9)–(8.14) about
/// the zero section, or, where those integrals are singular or have no closed form, from the given Lagrangian, freed of the top
/// jets in which it is affine by subtracting total derivatives (docs/theory/odes.md §10.5), and (8.15).
pub fn canonical(cx: &Inquiry, form: &DynamicalForm, gauge: Option<Expr>) -> Answered<Canonical> {
    let variational = is_variational(cx, form);
    if !super::decided(&variational, "these equations are variational")? {
        return Err(inverse_problem::not_variational(cx, form));
    }
    let phi = gauge.unwrap_or_else(Expr::zero);
    check_gauge(cx, form, phi)?;
    let (homotopy, _) = conditions::collect(cx, |cx| by_homotopy(cx, form, phi));
    match homotopy? {
        Some(found) => Ok(found),
        None => match form.lagrangian() {
            Some(lagrangian) => from_lagrangian(cx, form, lagrangian, phi),
            None => {
                let tonti = inverse_problem::tonti(cx, form)?;
                from_lagrangian(cx, form, &tonti.lagrangian, phi)
            }
        },
    }
}

/// c = ⌊s/2⌋.
fn half(form: &DynamicalForm) -> u32 {
    form.order() / 2
}

fn check_gauge(cx: &Inquiry, form: &DynamicalForm, phi: Expr) -> Answered<()> {
    let top = form.order() - half(form) - 1;
    let space = form.manifold().jets(top);
    crate::geometry::jet::project(cx, phi, &space).map(|_| ()).map_err(|r| Box::new(r.into()))
}

/// The formulas of Krupková §8, about the zero section:
///
/// ```text
/// P_ν^k = Σ_{j=0}^{s−1−k} q_j^σ ∫₀¹ (G^{jk}_σν ∘ χ_u) u du                               (8.6)
/// f     = Σ_{k=s−c}^{s−1} q_k^ν ∫₀¹ (P_ν^k ∘ χ′_v) dv + φ                               (8.9)
/// p_ν^k = P_ν^k − ∂f/∂q_k^ν      (k = 0 … s−c−1)                                        (8.10)
/// H     = −L_VT + Σ_{k=0}^{s−1} P_ν^k q_{k+1}^ν + ∂f/∂t                                  (8.11)
/// L_min = L_VT − df/dt                                                                  (8.14)
/// ```
///
/// `None` if an integrand is singular at the zero section or an integral has no closed form.
fn by_homotopy(cx: &Inquiry, form: &DynamicalForm, phi: Expr) -> Answered<Option<Canonical>> {
    let y = form.manifold();
    let (m, s, c) = (y.n_coordinates(), form.order(), half(form));
    let g = closed_representative(cx, form);
    let g = g.matrix();
    let zero = vec![Expr::zero(); m];
    let functions: Vec<Expr> = form.components().iter().chain(g.iter().flatten()).copied().collect();
    if centre_for(y, &functions, form.jet_order()).is_none_or(|centre| centre != zero) {
        return Ok(None);
    }
    let (tonti, _) = inverse_problem::tonti_function(cx, form)?;
    let all = Dilation::new(y, &zero, 0, s - 1);
    let mut big_p: Vec<Vec<Expr>> = Vec::new();
    for k in 0..s {
        let mut row = Vec::new();
        for nu in 0..m {
            let parts = (0..s - k).flat_map(|j| (0..m).map(move |sigma| (j, sigma))).map(|(j, sigma)| {
                jet_expr(y, sigma, j) * all.integral(cx, g[j as usize * m + sigma][k as usize * m + nu], 1)
            });
            row.push(tidy(cx, Expr::add_all(parts)));
        }
        big_p.push(row);
    }
    let upper = Dilation::new(y, &zero, s - c, s - 1);
    let f = (s - c..s)
        .flat_map(|k| (0..m).map(move |nu| (k, nu)))
        .map(|(k, nu)| jet_expr(y, nu, k) * upper.integral(cx, big_p[k as usize][nu], 0));
    let f = tidy(cx, Expr::add_all(f.chain([phi])));
    let momenta: Vec<Vec<Expr>> = (0..s - c)
        .map(|k| (0..m).map(|nu| tidy(cx, big_p[k as usize][nu] - partial(cx, f, jet(y, nu, k)))).collect())
        .collect();
    let sum = (0..s)
        .flat_map(|k| (0..m).map(move |nu| (k, nu)))
        .map(|(k, nu)| big_p[k as usize][nu] * jet_expr(y, nu, k + 1));
    let hamiltonian = tidy(cx, Expr::add_all(sum) - tonti + partial(cx, f, y.base()));
    let minimal = tidy(cx, tonti - total_derivative(cx, f));
    let all = momenta.iter().flatten().chain([&f, &hamiltonian, &minimal]);
    if all.into_iter().any(|e| has_integral(*e) || e.as_undefined().is_some()) {
        return Ok(None);
    }
    let minimal = Lagrangian::new(cx, y, minimal)?;
    let hamiltonian = super::project_all(cx, y, &[hamiltonian], s - 1)[0];
    let autonomous = form.is_autonomous(cx);
    Ok(Some(Canonical { momenta, hamiltonian, f, minimal, autonomous }))
}

/// L_min from a Lagrangian of E by removing the top jets in which it is affine, then (8.15):
///
/// ```text
/// p_ν^k = Σ_j (−1)^j d^j/dt^j ∂L_min/∂q_{k+1+j}^ν,       H = −L_min + Σ p_ν^k q_{k+1}^ν
/// ```
pub(super) fn from_lagrangian(
    cx: &Inquiry,
    form: &DynamicalForm,
    lagrangian: &Lagrangian,
    phi: Expr,
) -> Answered<Canonical> {
    let y = form.manifold();
    let (m, s, c) = (y.n_coordinates(), form.order(), half(form));
    let mut f = phi;
    let mut minimal = lagrangian.with_function(cx, tidy(cx, lagrangian.function() - total_derivative(cx, phi)))?;
    while minimal.order() > s - c {
        let r = minimal.order();
        let below: Vec<Symbol> = (0..m).map(|nu| jet(y, nu, r - 1)).collect();
        let b: Vec<Expr> = (0..m).map(|nu| tidy(cx, partial(cx, minimal.function(), jet(y, nu, r)))).collect();
        let Some(f1) = inverse_problem::potential(cx, &b, &below) else {
            return Err(super::undecided(
                "the Lagrangian can be brought to its minimal order",
                format!("no closed form was found for the potential that removes the jets of order {r}"),
            ));
        };
        f = f + f1;
        minimal = minimal.with_function(cx, tidy(cx, minimal.function() - total_derivative(cx, f1)))?;
        if minimal.order() >= r {
            return Err(super::undecided(
                "the Lagrangian can be brought to its minimal order",
                format!("removing the jets of order {r} did not lower the order"),
            ));
        }
    }
    let mut momenta = minimal.ostrogradsky(cx).momenta;
    momenta.resize(s as usize - c as usize, vec![Expr::zero(); m]);
    let momenta: Vec<Vec<Expr>> =
        momenta.into_iter().map(|row| row.into_iter().map(|x| tidy(cx, x)).collect()).collect();
    let sum = momenta.iter().enumerate().flat_map(|(k, row)| row.iter().enumerate().map(move |(nu, p)| (k, nu, *p)));
    let sum = sum.map(|(k, nu, p)| p * jet_expr(y, nu, k as u32 + 1));
    let hamiltonian = tidy(cx, Expr::add_all(sum) - minimal.function());
    let hamiltonian = super::project_all(cx, y, &[hamiltonian], s - 1)[0];
    let autonomous = form.is_autonomous(cx);
    Ok(Canonical { momenta, hamiltonian, f: tidy(cx, f), minimal, autonomous })
}

impl Canonical {
    /// Whether α_E = −dH∧dt + Σ dp_ν^k∧dq_k^ν, Krupková (8.5).
    pub fn is_canonical_form_of(&self, cx: &Inquiry, alpha: &LepageTwoForm) -> Verdict {
        self.canonical_form(cx).equals(cx, &alpha.form(cx))
    }

    /// −dH∧dt + Σ dp_ν^k∧dq_k^ν, Krupková (8.5).
    pub fn canonical_form(&self, cx: &Inquiry) -> Form {
        let y = self.minimal.manifold();
        let t = Form::differential(y.base());
        let mut terms = vec![-&Form::function(self.hamiltonian).d(cx).wedge(&t)];
        for (k, row) in self.momenta.iter().enumerate() {
            for (nu, p) in row.iter().enumerate() {
                terms.push(Form::function(*p).d(cx).wedge(&Form::differential(jet(y, nu, k as u32))));
            }
        }
        Form::sum(2, &terms)
    }
}
