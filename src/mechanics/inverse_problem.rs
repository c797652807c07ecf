//! The inverse problem of the calculus of variations: which equations come from a Lagrangian, from
//! which one, and which Lagrangians give the same equations. Krupková §8.
//!
//! Variationality is a property of E as it is given, not of its zero set: the damped oscillator
//! q″ + 2bq′ + ω²q is not variational, e^{2bt} times it is. The search for such multipliers is
//! [`integrating_factor`].

use super::dynamical_form::DynamicalForm;
use super::lagrangian::Lagrangian;
use super::{Answered, jet, jet_expr, tidy, undecided, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::antiderivative::{antiderivative, has_integral, unit_integral};
use crate::algebra::derive::partial;
use crate::algebra::function::Elementary;
use crate::algebra::substitute::{substitute, substitute_all};
use crate::algebra::{Expr, Rational, Symbol, Verdict, conditions};
use crate::geometry::jet::{FiberedManifold, total_derivative, total_derivatives};
use rustc_hash::FxHashMap;

/// The Helmholtz conditions (8.1) of a dynamical form.
#[derive(Clone, Debug)]
pub struct Helmholtz {
    /// All of them, zero or not.
    pub residuals: Vec<Residual>,
    pub variational: Verdict,
}

/// R_{l,σν}: must vanish identically.
#[derive(Clone, Debug)]
pub struct Residual {
    pub l: u32,
    pub sigma: usize,
    pub nu: usize,
    pub value: Expr,
    pub vanishes: Verdict,
}

/// Every Helmholtz condition, Krupková (8.1). With n the jet order of E, for 0 ≤ l ≤ n and all σ, ν:
///
/// ```text
/// R_{l,σν} = ∂E_σ/∂q_l^ν − (−1)^l ∂E_ν/∂q_l^σ − Σ_{k=l+1}^n (−1)^k C(k,l) d^{k−l}/dt^{k−l} ∂E_ν/∂q_k^σ
/// ```
pub fn helmholtz(cx: &Inquiry, form: &DynamicalForm) -> Helmholtz {
    let (m, n, y) = (form.manifold().n_coordinates(), form.jet_order(), form.manifold());
    let slope = |sigma: usize, nu: usize, k: u32| partial(cx, form.components()[sigma], jet(y, nu, k));
    let mut residuals = Vec::new();
    for l in 0..=n {
        for sigma in 0..m {
            for nu in 0..m {
                let value = tidy(cx, slope(sigma, nu, l) + transposed(cx, y, form.components()[nu], sigma, l, n));
                residuals.push(Residual { l, sigma, nu, value, vanishes: vanishes(cx, value) });
            }
        }
    }
    let variational = match form.lagrangian() {
        Some(_) => Verdict::yes("it is the Euler–Lagrange form of a Lagrangian"),
        None => Verdict::all(residuals.iter().map(|r| r.vanishes.clone()), "there are no conditions"),
    };
    Helmholtz { residuals, variational }
}

/// What R_{l,σν} has of E_ν: −(−1)^l ∂E_ν/∂q_l^σ − Σ_{k>l} (−1)^k C(k,l) d^{k−l}/dt^{k−l} ∂E_ν/∂q_k^σ.
fn transposed(cx: &Inquiry, y: &FiberedManifold, e: Expr, sigma: usize, l: u32, n: u32) -> Expr {
    let mut parts = vec![signed(partial(cx, e, jet(y, sigma, l)), l + 1)];
    for k in l + 1..=n {
        let term = total_derivatives(cx, partial(cx, e, jet(y, sigma, k)), k - l);
        parts.push(signed(term, k + 1).scale(&Rational::from(binomial(k, l))));
    }
    Expr::add_all(parts)
}

/// Whether E is locally variational, without the residuals where a Lagrangian is known.
pub fn is_variational(cx: &Inquiry, form: &DynamicalForm) -> Verdict {
    match form.lagrangian() {
        Some(_) => Verdict::yes("it is the Euler–Lagrange form of a Lagrangian"),
        None => helmholtz(cx, form).variational,
    }
}

impl Helmholtz {
    /// Those that are not shown to vanish.
    pub fn nonzero(&self) -> impl Iterator<Item = &Residual> {
        self.residuals.iter().filter(|r| !r.vanishes.is_yes())
    }
}

/// (−1)^k e.
fn signed(e: Expr, k: u32) -> Expr {
    if k.is_multiple_of(2) { e } else { -e }
}

/// C(n, k).
pub(crate) fn binomial(n: u32, k: u32) -> i64 {
    (0..k).fold(1i64, |c, i| c * i64::from(n - i) / i64::from(i + 1))
}

/// The fibre dilation about a constant section q = centre: q ↦ centre + u(q − centre), q_k ↦ u q_k.
pub(crate) struct Dilation<'a> {
    manifold: &'a FiberedManifold,
    centre: Vec<Expr>,
    /// Jets below this order stay as they are (χ′ of (8.9) dilates the higher ones only).
    from: u32,
    to: u32,
}

impl<'a> Dilation<'a> {
    pub(crate) fn new(manifold: &'a FiberedManifold, centre: &[Expr], from: u32, to: u32) -> Dilation<'a> {
        Dilation { manifold, centre: centre.to_vec(), from, to }
    }

    /// q_k − centre_k.
    pub(crate) fn displacement(&self, sigma: usize, k: u32) -> Expr {
        let q = jet_expr(self.manifold, sigma, k);
        if k == 0 { q - self.centre[sigma] } else { q }
    }

    /// The jets of the centre.
    fn at_centre(&self) -> FxHashMap<Symbol, Expr> {
        let jets = (0..self.manifold.n_coordinates()).flat_map(|sigma| (self.from..=self.to).map(move |k| (sigma, k)));
        jets.map(|(sigma, k)| {
            let value = if k == 0 { self.centre[sigma] } else { Expr::zero() };
            (jet(self.manifold, sigma, k), value)
        })
        .collect()
    }

    /// ∫₀¹ (e∘χ_u) u^weight du.
    pub(crate) fn integral(&self, cx: &Inquiry, e: Expr, weight: u32) -> Expr {
        if e.is_zero() {
            return e;
        }
        let u = Symbol::bound("u");
        let eu = Expr::symbol(u);
        let mut map = FxHashMap::default();
        for sigma in 0..self.manifold.n_coordinates() {
            for k in self.from..=self.to {
                let moved = eu * self.displacement(sigma, k);
                let moved = if k == 0 { self.centre[sigma] + moved } else { moved };
                map.insert(jet(self.manifold, sigma, k), moved);
            }
        }
        unit_integral(cx, tidy(cx, substitute(e, &map) * eu.pow(i64::from(weight))), u)
    }
}

/// A constant section about which the functions are defined: the zero section if possible, else a few
/// others with small integers. A form that is singular at q = 0 has its Lagrangian expanded elsewhere.
pub(crate) fn centre_for(manifold: &FiberedManifold, functions: &[Expr], top: u32) -> Option<Vec<Expr>> {
    let m = manifold.n_coordinates();
    let single = (0..m).map(|i| (0..m).map(|j| i64::from(i == j)).collect::<Vec<i64>>());
    let candidates = std::iter::once(vec![0; m]).chain(single).chain([vec![1; m], (1..=m as i64).collect()]);
    candidates.map(|c| c.into_iter().map(Expr::number).collect::<Vec<_>>()).find(|centre| {
        let mut map = FxHashMap::default();
        for (sigma, c) in centre.iter().enumerate() {
            map.insert(jet(manifold, sigma, 0), *c);
            map.extend((1..=top).map(|k| (jet(manifold, sigma, k), Expr::zero())));
        }
        substitute_all(functions, &map).iter().all(|e| e.as_undefined().is_none())
    })
}

/// A Lagrangian found for a dynamical form.
#[derive(Clone, Debug)]
pub struct Tonti {
    pub lagrangian: Lagrangian,
    /// The constant section about which the form was dilated; the zero section unless E is singular there.
    pub centre: Vec<Expr>,
}

/// The Vainberg–Tonti Lagrangian, Krupková (8.4):
///
/// ```text
/// L = q^σ ∫₀¹ E_σ(t, uq, uq_1, …, uq_n) du
/// ```
///
/// Its Euler–Lagrange form is E exactly when E is variational, so it is refused otherwise.
pub fn tonti(cx: &Inquiry, form: &DynamicalForm) -> Answered<Tonti> {
    let variational = is_variational(cx, form);
    if !super::decided(&variational, "these equations are variational")? {
        return Err(not_variational(cx, form));
    }
    let (function, centre) = tonti_function(cx, form)?;
    let lagrangian = Lagrangian::new(cx, form.manifold(), function)?;
    Ok(Tonti { lagrangian, centre })
}

/// (8.4) as a function, variational or not.
pub(crate) fn tonti_function(cx: &Inquiry, form: &DynamicalForm) -> Answered<(Expr, Vec<Expr>)> {
    let (y, n) = (form.manifold(), form.jet_order());
    let centre = centre_for(y, form.components(), n).ok_or_else(|| {
        undecided(
            "a Lagrangian of the form q ∫ E(uq) du exists",
            "the equations are singular at every constant section that was tried as centre",
        )
    })?;
    let dilation = Dilation::new(y, &centre, 0, n);
    // The factor q cancels the denominators of the closed forms, so nothing is lost where q = 0.
    let (function, _) = conditions::collect(cx, |cx| {
        let parts = form.components().iter().enumerate();
        tidy(cx, Expr::add_all(parts.map(|(sigma, e)| dilation.displacement(sigma, 0) * dilation.integral(cx, *e, 0))))
    });
    let given = form.lagrangian().filter(|_| has_integral(function));
    let function = given.and_then(|l| by_first_variation(cx, l, &centre)).unwrap_or(function);
    Ok((function, centre))
}

/// (8.4) for the equations of a Lagrangian, where that can be integrated: along the dilation χ_u the first variation is
/// dL∘χ_u/du = q^σ E_σ∘χ_u + d/dt Σ_i q_i^σ p_σ^i∘χ_u, hence
///
/// ```text
/// q^σ ∫₀¹ E_σ∘χ_u du = L − L∘χ₀ − d/dt Σ_i q_i^σ ∫₀¹ p_σ^i∘χ_u du.
/// ```
fn by_first_variation(cx: &Inquiry, lagrangian: &Lagrangian, centre: &[Expr]) -> Option<Expr> {
    let y = lagrangian.manifold();
    let dilation = Dilation::new(y, centre, 0, 2 * lagrangian.order());
    let (function, _) = conditions::collect(cx, |cx| {
        let momenta = lagrangian.ostrogradsky(cx).momenta;
        let entries = momenta.iter().zip(0..).flat_map(|(row, i)| row.iter().enumerate().map(move |(s, p)| (s, i, *p)));
        let boundary = entries.map(|(sigma, i, p)| dilation.displacement(sigma, i) * dilation.integral(cx, p, 0));
        let boundary = tidy(cx, Expr::add_all(boundary.collect::<Vec<_>>()));
        let at_rest = substitute(lagrangian.function(), &dilation.at_centre());
        tidy(cx, lagrangian.function() - at_rest - total_derivative(cx, boundary))
    });
    (!has_integral(function) && function.as_undefined().is_none()).then_some(function)
}

pub(crate) fn not_variational(cx: &Inquiry, form: &DynamicalForm) -> Box<crate::diagnostic::Diagnostic> {
    use crate::diagnostic::{Diagnostic, codes};
    let helmholtz = helmholtz(cx, form);
    let name = |i: usize| form.manifold().fibres()[i].coordinate.name();
    let mut diagnostic = Diagnostic::error(&codes::NOT_VARIATIONAL, "these equations have no Lagrangian as they stand");
    for r in helmholtz.nonzero().take(3) {
        diagnostic =
            diagnostic.note(format!("Helmholtz residual [{}, {}, {}] = {}", r.l, name(r.sigma), name(r.nu), r.value));
    }
    let help = match integrating_factor(cx, form) {
        Ok(Some(found)) => format!("multiplied by {} they have one", found.text(form.manifold())),
        _ => "integrating_factor(S) searches for a multiplier that makes them variational".into(),
    };
    Box::new(diagnostic.help(help))
}

/// Two Lagrangians compared: whether they have the same equations, and why.
#[derive(Clone, Debug)]
pub struct Equivalence {
    pub equivalent: Verdict,
    /// E_σ(L₁ − L₂).
    pub euler_lagrange: Vec<Expr>,
    /// f with df/dt = L₁ − L₂, where it could be integrated.
    pub primitive: Option<Expr>,
}

/// λ₁ ~ λ₂ ⇔ E(λ₁ − λ₂) = 0 ⇔ locally L₁ − L₂ = df/dt.
pub fn equivalent(cx: &Inquiry, left: &Lagrangian, right: Expr) -> Answered<Equivalence> {
    let difference = left.with_function(cx, tidy(cx, left.function() - right))?;
    let euler_lagrange: Vec<Expr> = difference.euler_lagrange(cx).into_iter().map(|x| tidy(cx, x)).collect();
    let equivalent = Verdict::all(euler_lagrange.iter().map(|e| vanishes(cx, *e)), "there are no coordinates");
    let primitive = if equivalent.is_yes() { primitive(cx, &difference)? } else { None };
    Ok(Equivalence { equivalent, euler_lagrange, primitive })
}

/// f with df/dt = L, for a null Lagrangian L.
///
/// Such an L is affine in its top jets, L = a + b_ν q_r^ν with ∂b_ν/∂q_{r−1}^σ symmetric. Integrating b over
/// q_{r−1} gives f₁, and L − df₁/dt has a lower order; at order 0 only a function of t is left.
pub fn primitive(cx: &Inquiry, null: &Lagrangian) -> Answered<Option<Expr>> {
    let y = null.manifold();
    let (mut rest, mut parts) = (null.clone(), Vec::new());
    while rest.order() > 0 {
        let r = rest.order();
        let b: Vec<Expr> =
            (0..y.n_coordinates()).map(|nu| tidy(cx, partial(cx, rest.function(), jet(y, nu, r)))).collect();
        let below: Vec<Symbol> = (0..y.n_coordinates()).map(|nu| jet(y, nu, r - 1)).collect();
        let Some(f) = potential(cx, &b, &below) else { return Ok(None) };
        let lower = tidy(cx, rest.function() - total_derivative(cx, f));
        parts.push(f);
        rest = rest.with_function(cx, lower)?;
        if rest.order() >= r {
            return Ok(None);
        }
    }
    let t = y.base();
    let last = antiderivative(cx, rest.function(), t).unwrap_or_else(|| {
        let u = Symbol::bound("u");
        let scaled = substitute(rest.function(), &FxHashMap::from_iter([(t, Expr::symbol(u) * Expr::symbol(t))]));
        Expr::symbol(t) * unit_integral(cx, scaled, u)
    });
    parts.push(last);
    Ok(Some(tidy(cx, Expr::add_all(parts))))
}

/// F with ∂F/∂x_i = b_i, for a closed Σ b_i dx_i: coordinate by coordinate where the antiderivatives are
/// known, else by the homotopy formula F = Σ x_i ∫₀¹ b_i(ux) du.
pub(crate) fn potential(cx: &Inquiry, b: &[Expr], x: &[Symbol]) -> Option<Expr> {
    let stepwise = |cx: &Inquiry, order: &[usize]| -> Option<Expr> {
        let mut f = Expr::zero();
        for (done, i) in order.iter().enumerate() {
            let rest = tidy(cx, b[*i] - partial(cx, f, x[*i]));
            // What is left does not depend on the coordinates that have been dealt with.
            let dealt = order[..done].iter().map(|j| x[*j]);
            let rest = dealt.fold(rest, |e, s| crate::geometry::jet::without_symbol(cx, e, s));
            f = f + antiderivative(cx, rest, x[*i])?;
        }
        x.iter().zip(b).all(|(xi, bi)| vanishes(cx, partial(cx, f, *xi) - *bi).is_yes()).then(|| tidy(cx, f))
    };
    // One that holds everywhere comes first: ∫ x dy/(x² + y²) has one condition where y comes first, another where x does.
    let forward: Vec<usize> = (0..x.len()).collect();
    let backward: Vec<usize> = (0..x.len()).rev().collect();
    let mut found = None;
    for order in [forward, backward] {
        if let (Some(f), recorded) = conditions::collect_all(cx, |cx| stepwise(cx, &order)) {
            let holds_everywhere = recorded.nonzero.is_empty();
            if found.is_none() || holds_everywhere {
                found = Some((f, recorded));
            }
            if holds_everywhere || x.len() == 1 {
                break;
            }
        }
    }
    if let Some((f, recorded)) = found {
        conditions::record_all(cx, &recorded);
        return Some(f);
    }
    let u = Symbol::bound("u");
    let map = FxHashMap::from_iter(x.iter().map(|s| (*s, Expr::symbol(u) * Expr::symbol(*s))));
    let scaled = substitute_all(b, &map);
    let at_centre = substitute_all(&scaled, &FxHashMap::from_iter([(u, Expr::zero())]));
    if at_centre.iter().any(|e| e.as_undefined().is_some()) {
        return None;
    }
    let parts = scaled.into_iter().zip(x).map(|(e, s)| Expr::symbol(*s) * unit_integral(cx, tidy(cx, e), u));
    Some(tidy(cx, Expr::add_all(parts)))
}

/// Multipliers that make equations variational: μ_σ E_σ (not summed) has a Lagrangian.
#[derive(Clone, Debug)]
pub struct IntegratingFactor {
    pub multipliers: Vec<Expr>,
    pub variational: Verdict,
}

impl IntegratingFactor {
    /// The factor, if it is the same for all equations.
    pub fn common(&self) -> Option<Expr> {
        let first = *self.multipliers.first()?;
        self.multipliers.iter().all(|m| *m == first).then_some(first)
    }

    fn text(&self, manifold: &FiberedManifold) -> String {
        match self.common() {
            Some(factor) => factor.to_string(),
            None => {
                let list = self.multipliers.iter().zip(manifold.fibres());
                let list: Vec<String> = list.map(|(m, f)| format!("{}: {m}", f.coordinate.name())).collect();
                format!("{{ {} }}", list.join("; "))
            }
        }
    }
}

/// A search, not a decision: multipliers k_σ e^{c_σ t} with constants k_σ, c_σ, and for one equation of second
/// order exp of a function of t and q. `None` means that there is none of these kinds.
pub fn integrating_factor(cx: &Inquiry, form: &DynamicalForm) -> Answered<Option<IntegratingFactor>> {
    let y = form.manifold();
    let m = y.n_coordinates();
    let attempt = |multipliers: Vec<Expr>| -> Answered<Option<IntegratingFactor>> {
        let components = form.components().iter().zip(&multipliers).map(|(e, k)| *e * *k).collect();
        let form = DynamicalForm::new(cx, y, components)?;
        let variational = helmholtz(cx, &form).variational;
        Ok(variational.is_yes().then_some(IntegratingFactor { multipliers, variational }))
    };
    if let Some(found) = attempt(vec![Expr::one(); m])? {
        return Ok(Some(found));
    }
    let t = Expr::symbol(y.base());
    let factors: Vec<Expr> =
        exponential_rates(cx, form).into_iter().map(|c| Expr::apply(Elementary::Exp, &[tidy(cx, c * t)])).collect();
    let weights = balancing_weights(cx, form, &factors);
    if let Some(found) = attempt(weights.iter().zip(&factors).map(|(k, f)| *k * *f).collect())? {
        return Ok(Some(found));
    }
    match last_multiplier(cx, form) {
        Some(factor) => attempt(vec![factor]),
        None => Ok(None),
    }
}

/// c_σ such that the conditions R_{l,σσ} of e^{ct} E_σ by itself hold; they are linear in c where they ask for anything.
/// Zero where they do not.
fn exponential_rates(cx: &Inquiry, form: &DynamicalForm) -> Vec<Expr> {
    let (y, n) = (form.manifold(), form.jet_order());
    let c = Symbol::helper("c");
    let factor = Expr::apply(Elementary::Exp, &[Expr::symbol(c) * Expr::symbol(y.base())]);
    let rate = |sigma: usize| -> Option<Expr> {
        let scaled = factor * form.components()[sigma];
        (0..=n).rev().find_map(|l| {
            let residual = partial(cx, scaled, jet(y, sigma, l)) + transposed(cx, y, scaled, sigma, l, n);
            let value = tidy(cx, residual / factor);
            let slope = tidy(cx, partial(cx, value, c));
            if slope.contains(c) || !vanishes(cx, slope).is_no() {
                return None;
            }
            let offset = substitute(value, &FxHashMap::from_iter([(c, Expr::zero())]));
            let rate = tidy(cx, -offset / slope);
            rate.symbols().iter().all(|s| s.is_parameter()).then_some(rate)
        })
    };
    (0..y.n_coordinates()).map(|sigma| rate(sigma).unwrap_or_else(Expr::zero)).collect()
}

/// Constants k_σ for which R_{l,σν} = k_σ ∂E_σ/∂q_l^ν + k_ν (…) can vanish, for E with the factors; 1 where nothing is
/// asked. Each coupling of two equations fixes one ratio.
fn balancing_weights(cx: &Inquiry, form: &DynamicalForm, factors: &[Expr]) -> Vec<Expr> {
    let (y, n) = (form.manifold(), form.jet_order());
    let m = y.n_coordinates();
    let e: Vec<Expr> = form.components().iter().zip(factors).map(|(e, f)| *e * *f).collect();
    // k_ν / k_σ, from the highest condition in which both sides appear.
    let ratio = |sigma: usize, nu: usize| -> Option<Expr> {
        (0..=n).rev().find_map(|l| {
            let left = tidy(cx, partial(cx, e[sigma], jet(y, nu, l)));
            let right = tidy(cx, transposed(cx, y, e[nu], sigma, l, n));
            if !vanishes(cx, left).is_no() || !vanishes(cx, right).is_no() {
                return None;
            }
            let ratio = tidy(cx, -left / right);
            ratio.symbols().iter().all(|s| s.is_parameter()).then_some(ratio)
        })
    };
    let mut weights: Vec<Option<Expr>> = vec![None; m];
    for start in 0..m {
        if weights[start].is_some() {
            continue;
        }
        weights[start] = Some(Expr::one());
        let mut queue = vec![start];
        while let Some(i) = queue.pop() {
            let base = weights[i].unwrap_or_else(Expr::one);
            for j in 0..m {
                if weights[j].is_none()
                    && let Some(ratio) = ratio(i, j)
                {
                    weights[j] = Some(tidy(cx, base * ratio));
                    queue.push(j);
                }
            }
        }
    }
    weights.into_iter().map(|w| w.unwrap_or_else(Expr::one)).collect()
}

/// One equation q″ = F of second order: μ B is a multiplier of q″ − F if dμ/dt + μ ∂F/∂q′ = 0 (Jacobi's last
/// multiplier). With ∂F/∂q′ = α(t, q) + β(t, q) q′ this asks for a potential of α dt + β dq.
fn last_multiplier(cx: &Inquiry, form: &DynamicalForm) -> Option<Expr> {
    let y = form.manifold();
    if y.n_coordinates() != 1 || form.order() != 2 || !vanishes(cx, form.b()[0][0]).is_no() {
        return None;
    }
    let (t, q, v) = (y.base(), jet(y, 0, 0), jet(y, 0, 1));
    let b = form.b()[0][0];
    let slope = tidy(cx, partial(cx, -form.a()[0] / b, v));
    let beta = tidy(cx, partial(cx, slope, v));
    let alpha = tidy(cx, slope - beta * Expr::symbol(v));
    if alpha.contains(v) || beta.contains(v) || !vanishes(cx, partial(cx, alpha, q) - partial(cx, beta, t)).is_yes() {
        return None;
    }
    let exponent = potential(cx, &[alpha, beta], &[t, q])?;
    Some(tidy(cx, Expr::apply(Elementary::Exp, &[-exponent]) / b))
}
