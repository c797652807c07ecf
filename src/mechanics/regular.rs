//! Regular systems: equations that can be solved for the highest derivatives. Krupková §5–6.
//!
//! ```text
//! ζ = ∂/∂t + Σ_{i=0}^{s−2} q_{i+1}^σ ∂/∂q_i^σ − B^{σρ} A_ρ ∂/∂q_{s−1}^σ                     (5.15)
//! q_s^σ = −B^{σρ} A_ρ                                                                    (6.2)
//! ```
//!
//! The existence of a [`RegularForm`] proves that det B does not vanish identically; where it does is kept as a
//! condition. Numerical runs do not need it: they factorise the matrix B of the
//! [`DynamicalForm`] at every step.

use super::dynamical_form::DynamicalForm;
use super::{Answered, exhausted, jet, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::Branch;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::JetSpace;

/// A dynamical form whose matrix B is invertible where `conditions` do not vanish.
#[derive(Clone, Debug)]
pub struct RegularForm {
    form: DynamicalForm,
    /// The order of the derivatives solved for.
    order: u32,
    accelerations: Vec<Expr>,
    conditions: Vec<Expr>,
}

/// Solves E = 0 for the highest derivatives; refused with `degenerate` if that is possible nowhere.
///
/// First-order equations whose B is not antisymmetric have true order 2 and B = 0 there, yet are solved for
/// q′ by everybody; so are they here.
pub fn regular(cx: &Inquiry, form: &DynamicalForm) -> Answered<RegularForm> {
    let (matrix, right, order) = leading_part(cx, form);
    let mut accelerations = vec![Expr::zero(); right.len()];
    let mut conditions = Vec::new();
    for (rows, columns) in matrix.blocks() {
        if rows.len() != columns.len() {
            return Err(degenerate(cx, form, &matrix));
        }
        let part: Vec<Expr> = rows.iter().map(|i| right[*i]).collect();
        let (solution, mut recorded) = conditions::collect(cx, |cx| matrix.minor(&rows, &columns).solve(cx, &part));
        let solution = solution.map_err(exhausted)?;
        if !solution.free.is_empty() {
            if let Verdict::Unknown(why) = &solution.verdict {
                return Err(super::undecided("the equations can be solved for the highest derivatives", why.clone()));
            }
            return Err(degenerate(cx, form, &matrix));
        }
        recorded.extend(solution.conditions);
        columns.into_iter().zip(solution.particular).for_each(|(j, value)| accelerations[j] = value);
        for c in recorded {
            if !conditions.contains(&c) {
                conditions.push(c);
            }
        }
    }
    Ok(RegularForm { form: form.clone(), order, accelerations, conditions })
}

/// The matrix in front of the highest derivatives, minus the rest, and their order: B and −A unless B = 0.
pub(crate) fn leading_part(cx: &Inquiry, form: &DynamicalForm) -> (Matrix, Vec<Expr>, u32) {
    let n = form.jet_order();
    if form.order() == n || n == 0 || !form.is_affine().is_yes() {
        let right = form.a().iter().map(|a| -*a).collect();
        return (form.b_matrix(), right, form.order());
    }
    let y = form.manifold();
    let m = y.n_coordinates();
    let top: Vec<Symbol> = (0..m).map(|nu| jet(y, nu, n)).collect();
    let b = Matrix::from_fn(m, m, |sigma, nu| tidy(cx, partial(cx, form.components()[sigma], top[nu])));
    let zeros = top.iter().map(|s| (*s, Expr::zero())).collect();
    let right = (0..m).map(|sigma| {
        let component = form.components()[sigma];
        let rest = tidy(cx, Expr::add_all((0..m).map(|nu| b[(sigma, nu)] * Expr::symbol(top[nu]))) - component);
        // Beside quotients the highest derivatives may stay without cancelling; where they are 0 the same is left.
        if top.iter().any(|s| rest.contains(*s)) { tidy(cx, -substitute(component, &zeros)) } else { rest }
    });
    let right = right.collect();
    (b, right, n)
}

fn degenerate(cx: &Inquiry, form: &DynamicalForm, matrix: &Matrix) -> Box<Diagnostic> {
    let mut diagnostic =
        Diagnostic::error(&codes::DEGENERATE, "these equations cannot be solved for the highest derivatives");
    if let Ok(rank) = matrix.rank(cx) {
        let m = form.manifold().n_coordinates();
        diagnostic = diagnostic.note(format!("the matrix B in front of them has rank {} of {m}", rank.value));
    }
    Box::new(diagnostic.help("ask `dynamics` instead: it says where there is motion, and how far it is determined"))
}

impl RegularForm {
    pub fn form(&self) -> &DynamicalForm {
        &self.form
    }

    /// The order of the derivatives solved for: s, or 1 for first-order equations whose B is not antisymmetric.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// q_s^σ as functions on J^{s−1}Y.
    pub fn accelerations(&self) -> &[Expr] {
        &self.accelerations
    }

    /// The jets solved for, in the order of [`RegularForm::accelerations`].
    pub fn top_jets(&self) -> Vec<Symbol> {
        let y = self.form.manifold();
        (0..y.n_coordinates()).map(|nu| jet(y, nu, self.order)).collect()
    }

    /// The space on which the vector field lives.
    pub fn space(&self) -> JetSpace {
        self.form.manifold().jets(self.order - 1)
    }

    /// Factors of det B that vanish somewhere.
    pub fn conditions(&self) -> &[Expr] {
        &self.conditions
    }

    /// Where B is singular.
    pub fn locus(&self, cx: &Inquiry) -> Answered<Vec<Branch>> {
        super::classify::singular_set(cx, &self.form)
    }
}

/// The semispray of a regular form, Krupková (5.15).
pub fn semispray(e: &RegularForm) -> VectorField {
    VectorField::semispray(&e.space(), &e.accelerations)
}

/// Whether the matrix B is invertible generically.
pub fn is_generically_regular(cx: &Inquiry, form: &DynamicalForm) -> Verdict {
    match form.det_b(cx) {
        Ok(det) => vanishes(cx, det).negate(),
        Err(why) => Verdict::unknown(why.to_string()),
    }
}
