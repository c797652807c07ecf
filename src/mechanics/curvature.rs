//! The curvatures of a mixed system and its covariant derivative. Sarlet, section 4.
//!
//! ```text
//! C^a_β = Γ(B^a_β) − X_β(g^a),                            Ψ = C^a_β θ^β ⊗ ∂/∂q^a = i_Γ N_N
//! Φ^β_α = −X_α(f^β) − Γ^γ_αΓ^β_γ − Γ(Γ^β_α),              Φ = Φ^β_α θ^α ⊗ X_β − (∂f^β/∂q^a) η^a ⊗ X_β
//! ∇X_α = Γ^β_α X_β,   ∇∂/∂q^a = −(∂g^b/∂q^a) ∂/∂q^b,      ∇θ^α = −Γ^α_β θ^β,   ∇η^a = (∂g^a/∂q^b) η^b,   ∇F = Γ(F)
//! ```
//!
//! They are what the bracket with Γ leaves of a lift, and that is how they are checked, by brackets of fields on J in which no
//! formula of this file occurs:
//!
//! ```text
//! [Γ, X_α^H] = (∇X_α)^H + Ψ(X_α)^H + Φ(X_α)^V
//! [Γ, (∂/∂q^a)^H] = (∇∂/∂q^a)^H + Φ(∂/∂q^a)^V
//! [Γ, X_α^V] = −X_α^H + (∇X_α)^V
//! ```

use super::connection::Connection;
use super::mixed_system::{AdaptedField, AdaptedForm};
use super::{tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Symbol, Verdict};
use crate::geometry::Tensor;
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;

/// Ψ, Φ and the coefficients of ∇.
#[derive(Clone, Debug)]
pub struct Curvature {
    connection: Connection,
    /// C^a_β, by a and then β.
    pub psi: Vec<Vec<Expr>>,
    /// Φ^β_α, by β and then α.
    pub phi: Vec<Vec<Expr>>,
    /// −∂f^β/∂q^a, by β and then a.
    pub phi_eta: Vec<Vec<Expr>>,
    /// −∂g^b/∂q^a, by a and then b: the row of ∇∂/∂q^a.
    pub nabla_first: Vec<Vec<Expr>>,
}

pub fn curvature(cx: &Inquiry, connection: &Connection) -> Curvature {
    let system = connection.system();
    let (k, m) = (system.second().len(), system.first().len());
    let gamma = system.gamma().derivation();
    let x: Vec<_> = (0..k).map(|alpha| connection.x(alpha).derivation()).collect();
    let (b, g, f) = (connection.b(), system.g(), system.f());
    let coefficients = connection.coefficients();
    let psi = (0..m)
        .map(|a| (0..k).map(|beta| tidy(cx, gamma.apply(cx, b[a][beta]) - x[beta].apply(cx, g[a]))).collect())
        .collect();
    let phi_entry = |beta: usize, alpha: usize| {
        let squared = (0..k).map(|c| coefficients[c][alpha] * coefficients[beta][c]);
        let rest = x[alpha].apply(cx, f[beta]) + gamma.apply(cx, coefficients[beta][alpha]);
        tidy(cx, -(rest + Expr::add_all(squared)))
    };
    let phi = (0..k).map(|beta| (0..k).map(|alpha| phi_entry(beta, alpha)).collect()).collect();
    let own = system.first_symbols();
    let phi_eta = f.iter().map(|f| own.iter().map(|q| tidy(cx, -partial(cx, *f, *q))).collect()).collect();
    let nabla_first = own.iter().map(|q| g.iter().map(|g| tidy(cx, -partial(cx, *g, *q))).collect()).collect();
    Curvature { connection: connection.clone(), psi, phi, phi_eta, nabla_first }
}

impl Curvature {
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Ψ = 0: the connection of the constraints has no curvature along the motion.
    pub fn is_flat(&self, cx: &Inquiry) -> Verdict {
        let verdict = Verdict::all(self.psi.iter().flatten().map(|c| vanishes(cx, *c)), "there are no components");
        let system = self.connection.system();
        let row = |(z, list): (Symbol, &Vec<Expr>)| {
            let named = move |(x, c): (Symbol, &Expr)| (format!("Psi[{z}, {x}]"), *c);
            system.second_symbols().into_iter().zip(list).map(named).collect::<Vec<_>>()
        };
        let all = system.first_symbols().into_iter().zip(&self.psi).flat_map(row);
        with_components(cx, verdict, all)
    }

    /// N_N = 0: the constraints are integrable. For linear ones that is Ψ = 0; nonlinear ones never are.
    pub fn is_integrable(&self, cx: &Inquiry) -> Verdict {
        let nijenhuis = self.connection.tensors(cx).n.nijenhuis(cx);
        let row = |(s, form): (Symbol, &Form)| {
            let named = form.terms_in_reading_order().into_iter().map(|(basis, c)| {
                let axes: Vec<String> = basis.iter().map(|a| format!("@{}", a.symbol())).collect();
                (format!("d{s}(N_N({}))", axes.join(", ")), c)
            });
            named.collect::<Vec<_>>()
        };
        with_components(cx, nijenhuis.is_zero(cx), nijenhuis.rows().flat_map(row))
    }

    /// Ψ as a tensor on J.
    pub fn psi_tensor(&self) -> Tensor {
        let system = self.connection.system();
        let row = |a: usize| {
            let parts: Vec<Form> = self.psi[a].iter().enumerate().map(|(b, c)| system.theta(b).scale(*c)).collect();
            (system.first()[a].jet(0), Form::sum(1, &parts))
        };
        Tensor::from_rows(1, (0..system.first().len()).map(row).collect::<Vec<_>>())
    }

    /// Ψ = i_Γ N_N, with the Nijenhuis tensor of N.
    pub fn psi_is_the_nijenhuis_tensor(&self, cx: &Inquiry) -> Verdict {
        let n = self.connection.tensors(cx).n;
        n.nijenhuis(cx).interior(&self.connection.system().gamma()).equals(cx, &self.psi_tensor())
    }

    /// The three brackets with Γ that define ∇, Ψ and Φ.
    pub fn brackets_hold(&self, cx: &Inquiry) -> Verdict {
        let connection = &self.connection;
        let system = connection.system();
        let (k, m) = (system.second().len(), system.first().len());
        let gamma = system.gamma();
        let unit = |n: usize, i: usize| (0..n).map(|j| Expr::from(i64::from(i == j))).collect::<Vec<_>>();
        let mut verdict = Verdict::yes("the brackets of the lifts with the field of motion");
        for alpha in 0..k {
            let basis = AdaptedField {
                time: Expr::zero(),
                second: unit(k, alpha),
                first: vec![Expr::zero(); m],
                vertical: None,
            };
            let nabla = self.covariant_field(cx, &basis);
            let horizontal = AdaptedField {
                first: nabla.first.iter().enumerate().map(|(a, e)| *e + self.psi[a][alpha]).collect(),
                ..nabla.clone()
            };
            let phi: Vec<Expr> = (0..k).map(|beta| self.phi[beta][alpha]).collect();
            let expected = &connection.lift(cx, &horizontal) + &connection.vertical_lift(&phi);
            verdict = verdict.and(gamma.bracket(cx, &connection.x_horizontal(alpha)).equals(cx, &expected));
            let vertical = connection.vertical_lift(&unit(k, alpha));
            let expected = &connection.vertical_lift(&nabla.second) - &connection.x_horizontal(alpha);
            verdict = verdict.and(gamma.bracket(cx, &vertical).equals(cx, &expected));
        }
        for (a, q) in system.first_symbols().into_iter().enumerate() {
            let basis =
                AdaptedField { time: Expr::zero(), second: vec![Expr::zero(); k], first: unit(m, a), vertical: None };
            let phi: Vec<Expr> = (0..k).map(|beta| self.phi_eta[beta][a]).collect();
            let expected = &connection.lift(cx, &self.covariant_field(cx, &basis)) + &connection.vertical_lift(&phi);
            verdict = verdict.and(gamma.bracket(cx, &VectorField::coordinate(q)).equals(cx, &expected));
        }
        verdict
    }

    /// Φ(X)^β = Φ^β_α μ^α − (∂f^β/∂q^a) μ^a.
    pub fn phi_of(&self, x: &AdaptedField) -> Vec<Expr> {
        let sum = |row: &[Expr], mu: &[Expr]| Expr::add_all(row.iter().zip(mu).map(|(c, mu)| *c * *mu));
        self.phi.iter().zip(&self.phi_eta).map(|(row, own)| sum(row, &x.second) + sum(own, &x.first)).collect()
    }

    /// Ψ(X)^a = C^a_β μ^β.
    pub fn psi_of(&self, x: &AdaptedField) -> Vec<Expr> {
        self.psi.iter().map(|row| Expr::add_all(row.iter().zip(&x.second).map(|(c, mu)| *c * *mu))).collect()
    }

    /// The Jacobi endomorphism Φ + Ψ in the frame (X_α, ∂/∂q^a).
    pub fn jacobi(&self) -> Vec<Vec<Expr>> {
        let m = self.psi.len();
        let upper = self.phi.iter().zip(&self.phi_eta).map(|(phi, own)| phi.iter().chain(own).copied().collect());
        let lower = self.psi.iter().map(|row| row.iter().copied().chain(vec![Expr::zero(); m]).collect());
        upper.chain(lower).collect()
    }

    /// ∇X = Γ(ξ⁰) T + (Γ(μ^β) + Γ^β_αμ^α) X_β + (Γ(μ^b) − μ^a ∂g^b/∂q^a) ∂/∂q^b.
    pub fn covariant_field(&self, cx: &Inquiry, x: &AdaptedField) -> AdaptedField {
        let gamma = self.connection.system().gamma().derivation();
        let coefficients = self.connection.coefficients();
        let second = x.second.iter().zip(coefficients).map(|(mu, row)| {
            let turned = row.iter().zip(&x.second).map(|(c, mu)| *c * *mu);
            tidy(cx, gamma.apply(cx, *mu) + Expr::add_all(turned))
        });
        let first = x.first.iter().enumerate().map(|(b, mu)| {
            let turned = x.first.iter().enumerate().map(|(a, mu)| *mu * self.nabla_first[a][b]);
            tidy(cx, gamma.apply(cx, *mu) + Expr::add_all(turned))
        });
        let time = tidy(cx, gamma.apply(cx, x.time));
        AdaptedField { time, second: second.collect(), first: first.collect(), vertical: None }
    }

    /// ∇α = Γ(α_0) dt + (Γ(a_β) − a_αΓ^α_β) θ^β + (Γ(c_b) + c_a ∂g^a/∂q^b) η^b.
    pub fn covariant_form(&self, cx: &Inquiry, alpha: &AdaptedForm) -> AdaptedForm {
        let gamma = self.connection.system().gamma().derivation();
        let coefficients = self.connection.coefficients();
        let theta = alpha.theta.iter().enumerate().map(|(beta, a)| {
            let turned = alpha.theta.iter().zip(coefficients).map(|(a, row)| *a * row[beta]);
            tidy(cx, gamma.apply(cx, *a) - Expr::add_all(turned))
        });
        let eta = alpha.eta.iter().zip(&self.nabla_first).map(|(c, row)| {
            let turned = alpha.eta.iter().zip(row).map(|(c, n)| *c * *n);
            tidy(cx, gamma.apply(cx, *c) - Expr::add_all(turned))
        });
        let time = tidy(cx, gamma.apply(cx, alpha.time));
        AdaptedForm { time, theta: theta.collect(), eta: eta.collect(), omega: None }
    }
}

/// A proved no that names the components that are not zero.
fn with_components(cx: &Inquiry, verdict: Verdict, components: impl Iterator<Item = (String, Expr)>) -> Verdict {
    const SHOWN: usize = 6;
    if !matches!(&verdict, Verdict::No(ground) if ground.is_proved()) {
        return verdict;
    }
    let nonzero = components.filter(|(_, c)| !vanishes(cx, *c).is_yes());
    let mut list: Vec<String> = nonzero.map(|(name, c)| format!("{name} = {}", tidy(cx, c))).collect();
    if list.len() > SHOWN {
        list.truncate(SHOWN);
        list.push("…".into());
    }
    if list.is_empty() { verdict } else { Verdict::no(list.join(", ")) }
}

/// α_0 dt + a_α θ^α + c_a η^a as an ordinary form.
pub fn form_of(cx: &Inquiry, connection: &Connection, alpha: &AdaptedForm) -> Form {
    let system = connection.system();
    let time = Form::differential(system.time()).scale(alpha.time);
    let theta = alpha.theta.iter().enumerate().map(|(i, a)| system.theta(i).scale(*a));
    let eta = alpha.eta.iter().enumerate().map(|(i, c)| connection.eta(i).scale(*c));
    let parts: Vec<Form> = std::iter::once(time).chain(theta).chain(eta).collect();
    Form::sum(1, &parts).map_coefficients(|e| tidy(cx, e))
}
