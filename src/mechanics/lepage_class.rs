//! The Lepage class of a dynamical form, its members, and the distributions they generate. Krupková §3, §5, §8.
//!
//! For s ≥ 2 the class of E consists of the 2-forms on J^{s−1}Y
//!
//! ```text
//! α = ω^σ ∧ (A_σ dt + B_σν dq_{s−1}^ν) + Σ_{i,j ≤ s−2} F^{ij}_σν ω_i^σ ∧ ω_j^ν            (3.5), (3.6)
//! ```
//!
//! with arbitrary antisymmetric functions F. Choosing a member is choosing how motions that are not
//! holonomic are extended; the motions themselves do not depend on it. A variational E has exactly one
//! closed member (Theorem 8.1), with 2F = G given by (8.3); it is dθ_λ for every Lagrangian of E.

use super::dynamical_form::DynamicalForm;
use super::inverse_problem::{binomial, is_variational};
use super::{Answered, jet, jet_expr, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Rational, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::contact::{ContactBasis, Covector, in_contact_basis, is_closed, one_contact_part};
use crate::geometry::form::Form;
use crate::geometry::jet::{Prolongation, project, total_derivatives};

/// A member α of the Lepage class of E.
///
/// Invariant: `g` is the antisymmetric ms × ms matrix of (5.9), row and column iσ at i·m + σ:
///
/// ```text
/// G[i,k] = 2F^{ik} for i, k ≤ s−2,    G[0,s−1] = B,    G[s−1,0] = −Bᵀ,    0 elsewhere;    G = B for s = 1
/// ```
#[derive(Clone, Debug)]
pub struct LepageTwoForm {
    dynamical_form: DynamicalForm,
    g: Vec<Vec<Expr>>,
    closed: Verdict,
}

/// The member asked for when none is named: the closed one if E is variational, otherwise F = 0.
pub fn lepage(cx: &Inquiry, form: &DynamicalForm) -> Answered<LepageTwoForm> {
    if is_variational(cx, form).is_yes() { Ok(closed_representative(cx, form)) } else { Ok(without_f(cx, form)) }
}

/// F = 0.
pub fn without_f(cx: &Inquiry, form: &DynamicalForm) -> LepageTwoForm {
    with_block(cx, form, |_, _, _, _| Expr::zero())
}

/// F chosen as a 2-contact form in ω_0, …, ω_{s−2} with coefficients on J^{s−1}Y; refused if it is not one.
pub fn with_f(cx: &Inquiry, form: &DynamicalForm, eta: &Form) -> Answered<LepageTwoForm> {
    let (y, s) = (form.manifold(), form.order());
    if eta.degree() != 2 {
        return Err(Box::new(crate::geometry::Refusal::WrongDegree { expected: 2, found: eta.degree() }.into()));
    }
    let (eta, _) = eta.simplified(cx);
    let contact = in_contact_basis(&eta, ContactBasis::Full(Prolongation::Holonomic));
    for component in contact.components() {
        let fits = |c: &Covector| match c {
            Covector::Contact(q) => y.order_of_symbol(*q).is_some_and(|k| k + 2 <= s),
            Covector::Differential(_) => false,
        };
        if !component.basis.iter().all(fits) && !vanishes(cx, component.coefficient).is_yes() {
            let factors: Vec<String> = component.basis.iter().map(covector_text).collect();
            let diagnostic =
                Diagnostic::error(&codes::NOT_CONTACT, "F must be made of the contact forms below the top")
                    .note(format!("it has the component {} along {}", component.coefficient, factors.join(" /\\ ")))
                    .note(format!(
                        "the equations have order {s}, so F is a combination of ω_i ∧ ω_j with i, j ≤ {}",
                        s as i64 - 2
                    ));
            return Err(Box::new(diagnostic));
        }
        project(cx, component.coefficient, &form.phase_space()).map_err(|r| Box::new(Diagnostic::from(r)))?;
    }
    let entry = |i: u32, sigma: usize, k: u32, nu: usize| {
        let key = [Covector::Contact(jet(y, sigma, i)), Covector::Contact(jet(y, nu, k))];
        contact.coefficient(&key).unwrap_or_else(Expr::zero)
    };
    Ok(with_block(cx, form, entry))
}

/// The closed member of the class of a variational form, Krupková (8.2), (8.3):
///
/// ```text
/// G^{jk}_σν = Σ_{l=0}^{s−j−k−1} (−1)^{j+l} C(j+l, l) d^l/dt^l ∂E_σ/∂q_{j+k+l+1}^ν      for j + k ≤ s − 1, else 0
/// ```
pub fn closed_representative(cx: &Inquiry, form: &DynamicalForm) -> LepageTwoForm {
    let (y, s) = (form.manifold(), form.order());
    let m = y.n_coordinates();
    let size = form.size();
    let mut g = vec![vec![Expr::zero(); size]; size];
    for j in 0..s {
        for k in j..s.saturating_sub(j) {
            for sigma in 0..m {
                for nu in 0..m {
                    if j == k && nu < sigma {
                        continue;
                    }
                    let mut parts = Vec::new();
                    for l in 0..s - j - k {
                        let slope = partial(cx, form.components()[sigma], jet(y, nu, j + k + l + 1));
                        let sign = if (j + l) % 2 == 0 { 1 } else { -1 };
                        parts.push(total_derivatives(cx, slope, l).scale(&Rational::from(sign * binomial(j + l, l))));
                    }
                    let value = tidy(cx, Expr::add_all(parts));
                    let (row, column) = (j as usize * m + sigma, k as usize * m + nu);
                    if row == column {
                        continue;
                    }
                    g[row][column] = value;
                    g[column][row] = -value;
                }
            }
        }
    }
    LepageTwoForm { dynamical_form: form.clone(), g, closed: Verdict::yes("Krupková, Theorem 8.1") }
}

/// A given 2-form as a member of the class of its 1-contact part, which must be dynamical.
pub fn from_form(cx: &Inquiry, manifold: &crate::geometry::FiberedManifold, alpha: &Form) -> Answered<LepageTwoForm> {
    let finding = crate::geometry::contact::is_lepage(cx, alpha, manifold);
    if !super::decided(&finding.verdict, "the 1-contact part of this form is dynamical")? {
        let mut diagnostic = Diagnostic::error(&codes::NOT_LEPAGE, "this is not a Lepage 2-form");
        if let Some(component) = finding.evidence {
            let factors: Vec<String> = component.basis.iter().map(covector_text).collect();
            diagnostic = diagnostic.note(format!(
                "its 1-contact part has the component {} along {}",
                component.coefficient,
                factors.join(" /\\ ")
            ));
        }
        return Err(Box::new(diagnostic));
    }
    let (alpha, _) = alpha.simplified(cx);
    let order = alpha.order_on(cx, manifold).order;
    let e = one_contact_part(&alpha);
    let m = manifold.n_coordinates();
    let t = manifold.base();
    let components = (0..m).map(|sigma| tidy(cx, e.coefficient(&[jet(manifold, sigma, 0), t]))).collect();
    let form = DynamicalForm::new(cx, manifold, components)?;
    if form.order() == 1 && order == 0 {
        return Ok(with_block(cx, &form, |_, _, _, _| Expr::zero()));
    }
    let form = form.raised_to(order + 1);
    let contact = in_contact_basis(&alpha, ContactBasis::Full(Prolongation::Holonomic));
    let entry = |i: u32, sigma: usize, k: u32, nu: usize| {
        let key = [Covector::Contact(jet(manifold, sigma, i)), Covector::Contact(jet(manifold, nu, k))];
        tidy(cx, contact.coefficient(&key).unwrap_or_else(Expr::zero))
    };
    Ok(with_block(cx, &form, entry))
}

/// The member with the given coefficients 2F^{ik}_σν for i, k ≤ s−2; the rest of G follows from B.
fn with_block(cx: &Inquiry, form: &DynamicalForm, entry: impl Fn(u32, usize, u32, usize) -> Expr) -> LepageTwoForm {
    let (m, s, size) = (form.manifold().n_coordinates(), form.order(), form.size());
    let mut g = vec![vec![Expr::zero(); size]; size];
    let last = (s as usize - 1) * m;
    for sigma in 0..m {
        for nu in 0..m {
            let b = form.b()[sigma][nu];
            if s == 1 {
                g[sigma][nu] = b;
            } else {
                g[sigma][last + nu] = b;
                g[last + nu][sigma] = -b;
            }
        }
    }
    // For s = 1 there is no inner block: `last` is 0.
    for row in 0..last {
        for column in row + 1..last {
            let value = entry((row / m) as u32, row % m, (column / m) as u32, column % m);
            g[row][column] = value;
            g[column][row] = -value;
        }
    }
    let mut alpha = LepageTwoForm { dynamical_form: form.clone(), g, closed: Verdict::unknown("not asked") };
    alpha.closed = is_closed(cx, &alpha.form(cx)).verdict;
    alpha
}

fn covector_text(covector: &Covector) -> String {
    match covector {
        Covector::Differential(s) => format!("d({s})"),
        Covector::Contact(s) => format!("omega({s})"),
    }
}

impl LepageTwoForm {
    pub fn dynamical_form(&self) -> &DynamicalForm {
        &self.dynamical_form
    }

    /// The order of the space on which the class lives: s − 1; 0 means a form on Y.
    pub fn order(&self) -> u32 {
        self.dynamical_form.order() - 1
    }

    pub fn is_closed(&self) -> &Verdict {
        &self.closed
    }

    /// The full matrix G, the matrix F of (5.9).
    pub fn matrix(&self) -> &[Vec<Expr>] {
        &self.g
    }

    /// The column of (F|A): A_σ in the rows i = 0, zero below.
    pub fn column_a(&self) -> Vec<Expr> {
        let form = &self.dynamical_form;
        let mut column = vec![Expr::zero(); form.size()];
        column[..form.a().len()].copy_from_slice(form.a());
        column
    }

    /// α itself.
    pub fn form(&self, cx: &Inquiry) -> Form {
        let form = &self.dynamical_form;
        let t = form.manifold().base();
        let jets = form.phase_jets();
        let mut terms: Vec<Form> = Vec::new();
        let covectors: Vec<Form> = jets.iter().map(|q| self.covector(*q)).collect();
        for (row, list) in self.g.iter().enumerate() {
            for (column, value) in list.iter().enumerate().skip(row + 1) {
                if !value.is_zero() {
                    terms.push(covectors[row].wedge(&covectors[column]).scale(*value));
                }
            }
        }
        for (sigma, a) in form.a().iter().enumerate() {
            terms.push(Form::term(*a, &[jets[sigma], t]));
        }
        Form::sum(2, &terms).map_coefficients(|x| tidy(cx, x))
    }

    /// The 2-contact part F^{ij}_σν ω_i^σ ∧ ω_j^ν, i, j ≤ s−2, that was chosen.
    pub fn f(&self, cx: &Inquiry) -> Form {
        let jets = self.dynamical_form.phase_jets();
        let m = self.dynamical_form.manifold().n_coordinates();
        let inner = jets.len() - m;
        let mut terms = Vec::new();
        for row in 0..inner {
            for column in row + 1..inner {
                if !self.g[row][column].is_zero() {
                    terms.push(Form::omega(jets[row]).wedge(&Form::omega(jets[column])).scale(self.g[row][column]));
                }
            }
        }
        Form::sum(2, &terms).map_coefficients(|x| tidy(cx, x))
    }

    /// ω_k for k ≤ s−2, dq_{s−1} for the top.
    fn covector(&self, q: Symbol) -> Form {
        match q.as_jet() {
            Some((_, k)) if k + 1 < self.dynamical_form.order() => Form::omega(q),
            _ => Form::differential(q),
        }
    }

    /// The 1-forms i_ξ α for ξ = ∂/∂q_i^σ, in the order ∂/∂q, ∂/∂q_1, …: they annihilate the dynamical
    /// distribution Δ_α. Krupková (3.4), (3.7), (5.5).
    ///
    /// ```text
    /// η_σ^i = δ^{i0} A_σ dt + Σ_{k ≤ s−2} G^{ik}_σν ω_k^ν + G^{i,s−1}_σν dq_{s−1}^ν
    /// ```
    ///
    /// Departure: the second family of (3.7) is printed with B transposed. The row of ∂/∂q_{s−1}^ν is
    /// −B_σν ω^σ, column ν of B; it matters for B that is not symmetric.
    pub fn rows(&self, cx: &Inquiry) -> Vec<Form> {
        let form = &self.dynamical_form;
        let t = form.manifold().base();
        let jets = form.phase_jets();
        let covectors: Vec<Form> = jets.iter().map(|q| self.covector(*q)).collect();
        let a = self.column_a();
        self.g
            .iter()
            .zip(a)
            .map(|(row, a)| {
                let mut terms = vec![Form::term(a, &[t])];
                terms.extend(row.iter().zip(&covectors).filter(|(g, _)| !g.is_zero()).map(|(g, c)| c.scale(*g)));
                Form::sum(1, &terms).map_coefficients(|x| tidy(cx, x))
            })
            .collect()
    }

    /// −i_{∂_t} α, which together with [`LepageTwoForm::rows`] annihilates the characteristic distribution D_α:
    ///
    /// ```text
    /// η_0 = (A_σ − Σ_{k ≤ s−2} G^{0k}_σν q_{k+1}^ν) dq^σ − Σ_{i ≥ 1} Σ_{k ≤ s−2} G^{ik}_σν q_{k+1}^ν dq_i^σ      (5.5)
    /// ```
    pub fn time_row(&self, cx: &Inquiry) -> Form {
        let form = &self.dynamical_form;
        let y = form.manifold();
        let m = y.n_coordinates();
        let a = self.column_a();
        let components = form.phase_jets().into_iter().enumerate().map(|(row, q)| {
            let moving = (0..form.size() - m)
                .map(|column| self.g[row][column] * jet_expr(y, column % m, (column / m) as u32 + 1));
            (q, tidy(cx, a[row] - Expr::add_all(moving)))
        });
        Form::one_form(components)
    }

    /// The generators of the characteristic distribution D_α ⊂ Δ_α.
    pub fn characteristic_rows(&self, cx: &Inquiry) -> Vec<Form> {
        let mut rows = self.rows(cx);
        rows.push(self.time_row(cx));
        rows
    }

    /// The bordered matrix [[G, A], [−Aᵀ, 0]], with rank D_α = 1 + ms − its rank. (5.11)
    pub fn bordered_matrix(&self) -> Vec<Vec<Expr>> {
        let a = self.column_a();
        let mut rows: Vec<Vec<Expr>> = self.g.iter().zip(&a).map(|(row, a)| [row.as_slice(), &[*a]].concat()).collect();
        rows.push(a.iter().map(|a| -*a).chain([Expr::zero()]).collect());
        rows
    }
}
