//! Forces as covectors with values in the contact bundle. Lewis §3.2, §4; docs/theory/forces.md §1–2.
//!
//! A *k-force* assigns to every k-jet a combination of the contact forms θ^i = dq^i − v^i dt,
//!
//! ```text
//! Φ = Φ_i(t, q, v, …, q_k) θ^i
//! ```
//!
//! External forces are 1-forces. The inertia of a Lagrangian is a 2-force, the Euler–Lagrange 2-force
//!
//! ```text
//! Φ_L = (L_{v^i v^j} a^j + L_{v^i q^j} v^j + L_{v^i t} − L_{q^i}) θ^i = g_L a + ξ_L                    Lewis 4.2(1)
//! ```
//!
//! which is −E in the convention of the house. Departure: the formula in a chart of Lewis §4 is printed with −D₁L, the
//! derivative in time, where 4.2(1) and the Euler–Lagrange equations need −D₂L.

use super::lagrangian::Lagrangian;
use super::poincare_cartan::PoincareCartan;
use super::{Answered, decided_order, jet, jet_expr, tidy, vanishes};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;
use crate::geometry::jet::FiberedManifold;

/// Φ_i θ^i, of any order k.
#[derive(Clone, Debug)]
pub struct ContactForce {
    manifold: FiberedManifold,
    components: Vec<Expr>,
}

/// A 2-force that is affine in the accelerations: Φ_i = g_ij a^j + ξ_i.
#[derive(Clone, Debug)]
pub struct Inertia {
    manifold: FiberedManifold,
    /// g_ij, a function on J¹Y.
    pub mass: Matrix,
    /// ξ_i.
    pub rest: Vec<Expr>,
}

impl ContactForce {
    pub fn new(manifold: &FiberedManifold, components: Vec<Expr>) -> ContactForce {
        ContactForce { manifold: manifold.clone(), components }
    }

    pub fn manifold(&self) -> &FiberedManifold {
        &self.manifold
    }

    /// Φ_i, in the order of the fibre coordinates.
    pub fn components(&self) -> &[Expr] {
        &self.components
    }

    /// Φ_i θ^i.
    pub fn form(&self) -> Form {
        contact_form(&self.manifold, &self.components)
    }

    /// k: the highest jet on which a component depends.
    pub fn order(&self, cx: &Inquiry) -> Answered<u32> {
        decided_order(cx, &self.manifold, &self.components)
    }
}

/// c_i θ^i.
pub(crate) fn contact_form(manifold: &FiberedManifold, components: &[Expr]) -> Form {
    let terms: Vec<Form> =
        components.iter().enumerate().map(|(i, c)| Form::omega(jet(manifold, i, 0)).scale(*c)).collect();
    Form::sum(1, &terms)
}

/// The Euler–Lagrange 2-force of a Lagrangian of first order, Lewis 4.2(1), written out; for higher orders −E, a
/// 2r-force.
pub fn euler_lagrange_two_force(cx: &Inquiry, l: &Lagrangian) -> ContactForce {
    let y = l.manifold();
    let n = y.n_coordinates();
    if l.order() > 1 {
        return ContactForce::new(y, l.euler_lagrange(cx).into_iter().map(|e| -e).collect());
    }
    let component = |i: usize| {
        let momentum = partial(cx, l.function(), jet(y, i, 1));
        let inertia = (0..n).map(|j| partial(cx, momentum, jet(y, j, 1)) * jet_expr(y, j, 2));
        let transport = (0..n).map(|j| partial(cx, momentum, jet(y, j, 0)) * jet_expr(y, j, 1));
        let rest = partial(cx, momentum, y.base()) - partial(cx, l.function(), jet(y, i, 0));
        tidy(cx, Expr::add_all(inertia.chain(transport).chain([rest])))
    };
    ContactForce::new(y, (0..n).map(component).collect())
}

impl Inertia {
    /// The inertia of a Lagrangian of first order, read off the Poincaré–Cartan form: Φ_L∘X = −X⌟Ω_L for every
    /// second-order field X, Lewis Theorem 6.1.
    pub fn of_lagrangian(cx: &Inquiry, l: &Lagrangian) -> Answered<Inertia> {
        let forms = PoincareCartan::new(cx, l, &vec![Expr::zero(); l.manifold().n_coordinates()])?;
        Inertia::of_two_force(cx, &ContactForce::new(l.manifold(), forms.balance(cx)))
    }

    /// A 2-force split into its mass matrix and the rest; refused unless it is affine in the accelerations.
    pub fn of_two_force(cx: &Inquiry, force: &ContactForce) -> Answered<Inertia> {
        let y = force.manifold();
        let n = y.n_coordinates();
        let order = force.order(cx)?;
        if order > 2 {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::NOT_APPLICABLE,
                    "the balance of forces is stated for equations of second order",
                )
                .note(format!("these equations contain derivatives of order {order}")),
            ));
        }
        let accelerations: Vec<Symbol> = (0..n).map(|i| jet(y, i, 2)).collect();
        let mass = Matrix::from_fn(n, n, |i, j| tidy(cx, partial(cx, force.components[i], accelerations[j])));
        let entries: Vec<Expr> = mass.entries().collect();
        let bends = entries.iter().flat_map(|e| accelerations.iter().map(|a| partial(cx, *e, *a)));
        let affine = Verdict::all(bends.map(|e| vanishes(cx, e)), "there are no accelerations");
        if !super::decided(&affine, "the equations are affine in the accelerations")? {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, "these equations are not affine in the accelerations")
                    .help("solve them for the accelerations first"),
            ));
        }
        let none = accelerations.iter().map(|a| (*a, Expr::zero())).collect();
        let mass = mass.substitute(&none);
        let rest = force.components.iter().map(|e| tidy(cx, substitute(*e, &none))).collect();
        Ok(Inertia { manifold: y.clone(), mass, rest })
    }

    pub fn manifold(&self) -> &FiberedManifold {
        &self.manifold
    }
}
