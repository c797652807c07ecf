//! Symmetries and first integrals, for Lagrangians and equations of any order.
//!
//! A vector field X = ξ⁰∂_t + ξ^σ∂_{q^σ} acts on motions through its characteristic Q^σ = ξ^σ − q_1^σ ξ⁰, whatever
//! jets its components depend on. With the momenta p_σ^i of the Lagrangian,
//!
//! ```text
//! L_{JX} λ = (pr_Q L + d(L ξ⁰)/dt) dt,        pr_Q L = Σ_k (d^kQ^σ/dt^k) ∂L/∂q_k^σ
//! ```
//!
//! and where this is a total derivative dF/dt, the first variation formula gives Noether's integral
//!
//! ```text
//! Φ = Σ_i p_σ^i d^iQ^σ/dt^i + L ξ⁰ − F,       dΦ/dt = −Q^σ E_σ
//! ```
//!
//! For a projectable X this is i_{JX}θ_λ − F, Krupková Remark 8.8.

use super::constraint_algorithm::{Dynamics, Problem, run};
use super::dynamical_form::DynamicalForm;
use super::inverse_problem;
use super::lagrangian::Lagrangian;
use super::lepage_class::LepageTwoForm;
use super::mixed_symmetry::{agreed, told};
use super::regular::{RegularForm, regular, semispray};
use super::{Answered, exhausted, jet, jet_expr, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::vanishes_on;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, Verdict, conditions};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::jet::{FiberedManifold, total_derivative, total_derivatives};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The first integral that belongs to a symmetry of a Lagrangian.
#[derive(Clone, Debug)]
pub struct NoetherIntegral {
    /// Φ, constant along every motion.
    pub integral: Expr,
    /// F with L_{JX}λ = dF; zero for a symmetry in the strict sense.
    pub primitive: Expr,
    /// Q^σ = ξ^σ − q_1^σ ξ⁰.
    pub characteristic: Vec<Expr>,
    /// Whether dΦ/dt = −Q^σE_σ, checked.
    pub verified: Verdict,
}

/// Q^σ = ξ^σ − q_1^σ ξ⁰.
pub fn characteristic(cx: &Inquiry, manifold: &FiberedManifold, x: &VectorField) -> Vec<Expr> {
    let xi0 = x.component(manifold.base());
    (0..manifold.n_coordinates())
        .map(|sigma| tidy(cx, x.component(jet(manifold, sigma, 0)) - jet_expr(manifold, sigma, 1) * xi0))
        .collect()
}

/// pr_Q f = Σ_k (d^kQ^σ/dt^k) ∂f/∂q_k^σ.
pub fn prolonged_derivative(cx: &Inquiry, manifold: &FiberedManifold, q: &[Expr], f: Expr) -> Expr {
    let terms = f.symbols().into_iter().filter_map(|s| {
        let (coordinate, k) = s.as_jet()?;
        let sigma = manifold.fibres().iter().position(|fibre| fibre.coordinate == coordinate)?;
        Some(total_derivatives(cx, q[sigma], k) * partial(cx, f, s))
    });
    Expr::add_all(terms)
}

/// The integral of Noether's theorem; refused if X is not a symmetry of λ up to a total derivative.
pub fn noether(cx: &Inquiry, lagrangian: &Lagrangian, x: &VectorField) -> Answered<NoetherIntegral> {
    let y = lagrangian.manifold();
    let l = lagrangian.function();
    let q = characteristic(cx, y, x);
    let xi0 = x.component(y.base());
    let variation = tidy(cx, prolonged_derivative(cx, y, &q, l) + total_derivative(cx, l * xi0));
    let primitive = if vanishes(cx, variation).is_yes() {
        Expr::zero()
    } else {
        let variation = lagrangian.with_function(cx, variation)?;
        let residual: Vec<Expr> = variation.euler_lagrange(cx).into_iter().map(|x| tidy(cx, x)).collect();
        let is_null = Verdict::all(residual.iter().map(|e| vanishes(cx, *e)), "");
        if !super::decided(&is_null, "the change of the Lagrangian is a total derivative")? {
            return Err(not_a_symmetry(cx, y, &residual));
        }
        inverse_problem::primitive(cx, &variation)?.ok_or_else(|| {
            super::undecided(
                "this symmetry has an integral in closed form",
                "the change of the Lagrangian is a total derivative, but no closed form of its primitive was found",
            )
        })?
    };
    let parts = lagrangian.ostrogradsky(cx);
    let mut terms = vec![l * xi0 - primitive];
    for (i, row) in parts.momenta.iter().enumerate() {
        terms.extend(row.iter().zip(&q).map(|(p, q)| *p * total_derivatives(cx, *q, i as u32)));
    }
    let integral = tidy(cx, Expr::add_all(terms));
    let rate = Expr::add_all(parts.euler_lagrange.iter().zip(&q).map(|(e, q)| *e * *q));
    let verified = vanishes(cx, tidy(cx, total_derivative(cx, integral) + rate));
    Ok(NoetherIntegral { integral, primitive, characteristic: q, verified })
}

fn not_a_symmetry(cx: &Inquiry, manifold: &FiberedManifold, residual: &[Expr]) -> Box<Diagnostic> {
    let mut diagnostic = Diagnostic::error(&codes::NOT_A_SYMMETRY, "this field is no symmetry of the Lagrangian");
    for (fibre, e) in manifold.fibres().iter().zip(residual) {
        if !vanishes(cx, *e).is_yes() {
            let name = fibre.coordinate.name();
            diagnostic = diagnostic.note(format!("the change of L has the Euler–Lagrange expression {e} for {name}"));
        }
    }
    Box::new(diagnostic.help("the change of L along the prolonged field must be a total derivative df/dt"))
}

/// Whether a function is constant along every motion.
#[derive(Clone, Debug)]
pub struct FirstIntegral {
    pub verdict: Verdict,
    /// df/dt, on the motions where the highest derivatives are determined by the equations.
    pub rate: Expr,
}

/// Whether f is constant along every motion, for regular and singular systems.
///
/// A regular system has one semispray Γ, and the question is Γ(f) = 0. In general df/dt = Λ^σE_σ is looked for
/// first; where there are no such multipliers the motions are found by the constraint algorithm, and
/// every tangent semispray of every branch is applied to f. Those `motions` are asked for where they are needed.
pub fn first_integral(
    cx: &Inquiry,
    alpha: &LepageTwoForm,
    f: Expr,
    motions: impl FnOnce(&Inquiry) -> Answered<Rc<Dynamics>>,
) -> Answered<FirstIntegral> {
    let form = alpha.dynamical_form();
    let space = form.phase_space();
    let order = form.manifold().order_of(cx, f).order;
    let rate = tidy(cx, total_derivative(cx, f));
    if vanishes(cx, rate).is_yes() {
        return Ok(FirstIntegral { verdict: Verdict::yes("its total derivative vanishes identically"), rate });
    }
    if let Ok(regular) = regular(cx, form) {
        let rate = on_shell(cx, &regular, rate);
        return Ok(FirstIntegral { verdict: vanishes(cx, rate), rate });
    }
    if order > space.order() {
        return Err(super::undecided(
            "this function is constant along every motion",
            format!(
                "it depends on derivatives of order {order}, and its rate of change was not reduced by the equations"
            ),
        ));
    }
    if let Some(verdict) = combination_of_equations(cx, form, rate)? {
        return Ok(FirstIntegral { verdict, rate });
    }
    let motions = motions(cx)?;
    if motions.branches.is_empty() && motions.empty.is_yes() {
        motions.generic.iter().for_each(|e| conditions::record_nonzero(cx, *e));
        return Err(Box::new(
            Diagnostic::error(&codes::NO_MOTION, "this system has no motion")
                .note("its equations contradict each other, so every function is constant along its motions")
                .help("`explain dynamics(S)` shows every step"),
        ));
    }
    let mut verdict = Verdict::yes("it is constant along every tangent semispray");
    let mut shown = rate;
    for branch in &motions.branches {
        for field in &branch.fields {
            let change = tidy(cx, field.apply(cx, f));
            let here = vanishes_on(cx, &space.symbols(), change, &branch.branch).map_err(exhausted)?;
            if here.is_no() {
                shown = change;
            }
            verdict = verdict.and(here);
        }
    }
    if !motions.complete.is_yes() {
        verdict = verdict.and(Verdict::unknown("the motions are not all known"));
    }
    Ok(FirstIntegral { verdict, rate: shown })
}

/// df/dt = Λ^σE_σ with multipliers on the phase space: then f is constant wherever E = 0.
fn combination_of_equations(cx: &Inquiry, form: &DynamicalForm, rate: Expr) -> Answered<Option<Verdict>> {
    let y = form.manifold();
    let (m, s) = (y.n_coordinates(), form.order());
    let slopes: Vec<Expr> = (0..m).map(|nu| tidy(cx, partial(cx, rate, jet(y, nu, s)))).collect();
    let zeros = FxHashMap::from_iter((0..m).map(|nu| (jet(y, nu, s), Expr::zero())));
    let rest = substitute(rate, &zeros);
    let rows = Matrix::from_fn(m + 1, m, |i, sigma| if i < m { form.b()[sigma][i] } else { form.a()[sigma] });
    let right: Vec<Expr> = slopes.into_iter().chain([rest]).collect();
    let (solution, recorded) = conditions::collect(cx, |cx| rows.solve(cx, &right));
    let solution = solution.map_err(exhausted)?;
    let holds = solution.residuals.is_empty() && solution.verdict.is_yes() && recorded.is_empty();
    Ok(holds.then(|| Verdict::yes("its rate of change is a combination of the equations")))
}

/// A function of jets with the derivatives from order s on replaced by what the equations say.
pub fn on_shell(cx: &Inquiry, regular: &RegularForm, f: Expr) -> Expr {
    let space = regular.space();
    let y = space.manifold();
    let gamma = semispray(regular);
    let mut values: Vec<Expr> = regular.accelerations().to_vec();
    let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
    let highest = f.symbols().into_iter().filter_map(|s| y.order_of_symbol(s)).max().unwrap_or(0);
    for k in space.order() + 1..=highest {
        for (nu, value) in values.iter().enumerate() {
            map.insert(jet(y, nu, k), *value);
        }
        if k < highest {
            values = values.iter().map(|e| tidy(cx, gamma.apply(cx, *e))).collect();
        }
    }
    tidy(cx, substitute(f, &map))
}

/// Whether a field carries motions to motions.
#[derive(Clone, Debug)]
pub struct Symmetry {
    pub verdict: Verdict,
    /// What is left of the linearised equations along the characteristic, by coordinate.
    pub residuals: Vec<Expr>,
    /// J^{s−1}X, for a projectable field.
    pub prolonged: Option<VectorField>,
    /// [J^{s−1}X, Γ].
    pub bracket: Option<VectorField>,
}

/// Whether X is a symmetry, for regular and singular equations.
///
/// Where the equations cannot be solved for the highest derivatives, X is one if it is a symmetry of the Lagrangian up to
/// a total derivative, or if the change of each equation is a combination of the equations:
///
/// ```text
/// pr_Q E_σ + ξ⁰ dE_σ/dt = Λ_σ^ν E_ν
/// ```
///
/// Otherwise the motions are found by the constraint algorithm, and the change of the equations is followed along them: a motion
/// along which it does not vanish is the witness that X is none; and X is one if J^{s−1}X is tangent to
/// every final submanifold N and the distribution Δ of motions on N is kept, [J^{s−1}X, Δ] ⊂ Δ.
pub fn symmetry_of(cx: &Inquiry, form: &DynamicalForm, x: &VectorField) -> Answered<Symmetry> {
    if let Ok(regular) = regular(cx, form) {
        return symmetry(cx, &regular, x);
    }
    let y = form.manifold();
    let q = characteristic(cx, y, x);
    let xi0 = x.component(y.base());
    let change = |e: &Expr| tidy(cx, prolonged_derivative(cx, y, &q, *e) + xi0 * total_derivative(cx, *e));
    let residuals: Vec<Expr> = form.components().iter().map(change).collect();
    let mut verdict = Verdict::yes("the equations change into combinations of themselves");
    for r in &residuals {
        let here = match vanishes(cx, *r) {
            Verdict::Yes(ground) => Verdict::Yes(ground),
            _ if y.order_of(cx, *r).order <= form.order() => combination_of_equations(cx, form, *r)?
                .unwrap_or_else(|| Verdict::unknown(format!("the change {r} is no combination of the equations"))),
            _ => Verdict::unknown(format!("the change {r} has derivatives that the equations do not determine")),
        };
        verdict = verdict.and(here);
    }
    if !verdict.is_yes() && form.lagrangian().is_some_and(|l| noether(cx, l, x).is_ok()) {
        verdict = Verdict::yes("a symmetry of the Lagrangian up to a total derivative");
    }
    let prolonged = x.prolong(cx, &form.phase_space()).ok();
    if verdict.is_unknown()
        && let Ok(alpha) = super::lepage_class::lepage(cx, form)
        && let Some(decided) = along_the_motions(cx, form, &alpha, &residuals, prolonged.as_ref())?
    {
        verdict = decided;
    }
    Ok(Symmetry { verdict, residuals, prolonged, bracket: None })
}

/// What the motions of a singular system say about a symmetry; `None` if nothing certain.
fn along_the_motions(
    cx: &Inquiry,
    form: &DynamicalForm,
    alpha: &LepageTwoForm,
    residuals: &[Expr],
    prolonged: Option<&VectorField>,
) -> Answered<Option<Verdict>> {
    let space = form.phase_space();
    let symbols = space.symbols();
    let motions = run(cx, alpha, Problem::Proper)?;
    // A witness: a semispray tangent to N, so that its integral curves are motions, along which the equations change.
    for branch in &motions.branches {
        let Some((first, free)) = branch.fields.split_first() else { continue };
        let shifted = free.iter().flat_map(|w| [first + w, first - w]);
        for gamma in std::iter::once(first.clone()).chain(shifted) {
            if !vanishes(cx, gamma.component(form.manifold().base()) - 1).is_yes() {
                continue;
            }
            for r in residuals {
                let change = along(cx, form, &gamma, *r);
                if vanishes_on(cx, &symbols, change, &branch.branch).map_err(exhausted)?.is_no() {
                    let equations = branch.branch.equations.iter().map(|g| format!("{g} = 0")).collect::<Vec<_>>();
                    let on = if equations.is_empty() { String::new() } else { format!(" on {}", equations.join(", ")) };
                    return Ok(Some(Verdict::no(format!(
                        "along the motions {gamma}{on} the equations change by {change}, which is not zero everywhere there"
                    ))));
                }
            }
        }
    }
    // A proof: N and the distribution of motions on it are carried along; prolonged fields keep semisprays.
    let (true, Some(x)) = (motions.complete.is_yes() && !motions.branches.is_empty(), prolonged) else {
        return Ok(None);
    };
    let mut verdict = Verdict::yes("it is tangent to every final constraint submanifold and keeps the motions there");
    for branch in &motions.branches {
        if branch.rank.values.len() != 1 || !branch.conditions.is_empty() {
            return Ok(None);
        }
        let leaves = branch.branch.equations.iter().map(|g| x.apply(cx, *g));
        let turned = branch.fields.iter().flat_map(|f| {
            let bracket = x.bracket(cx, f);
            branch.forms.iter().filter_map(move |eta| eta.interior(&bracket).as_function())
        });
        for e in leaves.chain(turned).collect::<Vec<_>>() {
            verdict = verdict.and(vanishes_on(cx, &symbols, tidy(cx, e), &branch.branch).map_err(exhausted)?);
        }
    }
    Ok(verdict.is_yes().then_some(verdict))
}

/// A function of jets along a semispray of the phase space: q_s = Γ(q_{s−1}), q_{s+1} = Γ(Γ(q_{s−1})), ….
fn along(cx: &Inquiry, form: &DynamicalForm, gamma: &VectorField, f: Expr) -> Expr {
    let (y, s) = (form.manifold(), form.order());
    let highest = f.symbols().into_iter().filter_map(|q| y.order_of_symbol(q)).max().unwrap_or(0);
    let mut values: Vec<Expr> = (0..y.n_coordinates()).map(|nu| gamma.component(jet(y, nu, s - 1))).collect();
    let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
    for k in s..=highest {
        for (nu, value) in values.iter().enumerate() {
            map.insert(jet(y, nu, k), *value);
        }
        values = values.iter().map(|e| tidy(cx, gamma.apply(cx, *e))).collect();
    }
    tidy(cx, substitute(f, &map))
}

/// What is left of the linearised equations along X, by coordinate, on the motions.
pub fn residuals(cx: &Inquiry, regular: &RegularForm, x: &VectorField) -> Vec<Expr> {
    let space = regular.space();
    let y = space.manifold();
    let gamma = semispray(regular);
    let s = space.order() + 1;
    let m = y.n_coordinates();
    let mut levels: Vec<Vec<Expr>> =
        vec![characteristic(cx, y, x).into_iter().map(|q| on_shell(cx, regular, q)).collect()];
    for _ in 0..s {
        let next = levels[levels.len() - 1].iter().map(|q| tidy(cx, gamma.apply(cx, *q))).collect();
        levels.push(next);
    }
    (0..m)
        .map(|sigma| {
            let f = regular.accelerations()[sigma];
            let linear = (0..s)
                .flat_map(|k| (0..m).map(move |nu| (k, nu)))
                .map(|(k, nu)| partial(cx, f, jet(y, nu, k)) * levels[k as usize][nu]);
            tidy(cx, levels[s as usize][sigma] - Expr::add_all(linear))
        })
        .collect()
}

/// Whether X is a symmetry of regular equations q_s = F: with the characteristic Q of X,
///
/// ```text
/// Γ^s(Q^σ) − Σ_{k<s} (∂F^σ/∂q_k^ν) Γ^k(Q^ν) = 0
/// ```
///
/// For a projectable X this says [J^{s−1}X, Γ] = −(dξ⁰/dt) Γ.
pub fn symmetry(cx: &Inquiry, regular: &RegularForm, x: &VectorField) -> Answered<Symmetry> {
    let residuals = residuals(cx, regular, x);
    let (space, gamma) = (regular.space(), semispray(regular));
    let y = space.manifold();
    let mut verdict = Verdict::all(residuals.iter().map(|e| vanishes(cx, *e)), "there are no equations");
    let prolonged = x.prolong(cx, &space).ok();
    let bracket = prolonged.as_ref().map(|p| p.bracket(cx, &gamma).map_components(|x| tidy(cx, x)));
    // [X, Γ] = −Γ(ξ⁰) Γ says the same, and is computed without the linearised equations.
    if let Some(bracket) = &bracket {
        let slowed = gamma.map_components(|e| e * gamma.apply(cx, x.component(y.base())));
        verdict = agreed(verdict, (bracket + &slowed).is_zero(cx));
    }
    let left = residuals.iter().enumerate().map(|(sigma, e)| (jet(y, sigma, 0), *e));
    let verdict = told(cx, verdict, left);
    Ok(Symmetry { verdict, residuals, prolonged, bracket })
}

#[cfg(test)]
mod tests {
    use super::super::cases::{Stage, assert_equal};
    use super::super::lepage_class::lepage;
    use super::*;

    fn field(stage: &mut Stage, components: &[(&str, &str)]) -> VectorField {
        VectorField::new(components.iter().map(|(x, c)| (stage.symbol(x), stage.read(c))).collect::<Vec<_>>())
    }

    fn check_noether(cx: &Inquiry, names: &[&str], l: &str, x: &[(&str, &str)], expected: &str) {
        let mut stage = Stage::new(names);
        let lagrangian = stage.lagrangian(cx, l);
        let x = field(&mut stage, x);
        let found = noether(cx, &lagrangian, &x).expect("a symmetry");
        assert!(found.verified.is_yes());
        let expected = stage.read(expected);
        assert_equal(cx, found.integral, expected);
    }

    #[test]
    fn noether_integrals() {
        let cx = &Inquiry::free();
        // Rotation, translation, time, and a boost, which changes L by a total derivative.
        check_noether(cx, &["x", "y"], "(x_1^2 + y_1^2)/2", &[("x", "-y"), ("y", "x")], "x*y_1 - y*x_1");
        check_noether(cx, &["x"], "x_1^2/2", &[("x", "1")], "x_1");
        check_noether(cx, &["x"], "x_1^2/2 - x^2/2", &[("t", "1")], "-(x_1^2 + x^2)/2");
        check_noether(cx, &["x"], "x_1^2/2", &[("x", "t")], "t*x_1 - x");
        // Order two: p⁰ = −q‴, p¹ = q″, so the energy is p⁰q′ + p¹q″ − L, taken negative for ∂_t.
        check_noether(cx, &["q"], "q_2^2/2", &[("t", "1")], "q_3*q_1 - q_2^2/2");
        check_noether(cx, &["q"], "q_2^2/2", &[("q", "1")], "-q_3");
        // The Runge–Lenz component of the planar oscillator belongs to a field with velocities.
        check_noether(cx, &["x", "y"], "(x_1^2 + y_1^2 - x^2 - y^2)/2", &[("x", "y_1"), ("y", "x_1")], "x_1*y_1 + x*y");
    }

    #[test]
    fn what_is_no_symmetry_is_refused() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x"]);
        let l = stage.lagrangian(cx, "x_1^2/2 - x^2/2");
        let x = field(&mut stage, &[("x", "1")]);
        assert_eq!(noether(cx, &l, &x).unwrap_err().code.name, "not_a_symmetry");
    }

    #[test]
    fn first_integrals_of_regular_and_singular_systems() {
        let cx = &Inquiry::free();
        let check = |names: &[&str], l: &str, f: &str, expected: bool| {
            let mut stage = Stage::new(names);
            let form = stage.lagrangian(cx, l).dynamical_form(cx).expect("decided");
            let f = stage.read(f);
            let alpha = lepage(cx, &form).expect("decided");
            let motions = |cx: &Inquiry| Ok(Rc::new(run(cx, &alpha, Problem::Proper)?));
            let found = first_integral(cx, &alpha, f, motions).expect("an answer");
            super::super::cases::assert_verdict(&found.verdict, expected, "first integral");
        };
        check(&["x", "y"], "(x_1^2 + y_1^2)/2 - (x^2 + y^2)^2", "x*y_1 - y*x_1", true);
        check(&["x"], "x_1^2/2 - x^2/2", "x_1", false);
        // Krupková 9.2: q̇³ is a first integral.
        check(&["q1", "q2", "q3"], "q1_1*q3_1 + q2^2*q3/2", "q3_1", true);
        check(&["q1", "q2", "q3"], "q1_1*q3_1 + q2^2*q3/2", "q1_1", false);
        // On the pendulum with a multiplier q3 the multiplier is constant: no combination of the equations says so.
        check(&["q1", "q2", "q3"], "(q1_1^2+q2_1^2)/2 + q3*(q1^2+q2^2-1)", "q3", true);
    }

    /// Singular systems: yes by the motions on N, no with a motion that is carried away.
    #[test]
    fn symmetries_of_singular_systems() {
        let cx = &Inquiry::free();
        let check = |names: &[&str], l: &str, x: &[(&str, &str)], expected: bool| {
            let mut stage = Stage::new(names);
            let form = stage.lagrangian(cx, l).dynamical_form(cx).expect("decided");
            let x = field(&mut stage, x);
            let found = symmetry_of(cx, &form, &x).expect("an answer");
            super::super::cases::assert_verdict(&found.verdict, expected, l);
        };
        // x″ = −x, y = x with a multiplier z = 0 … : translations of x leave N, scalings of everything do not.
        check(&["x", "y"], "x_1^2/2 - x^2/2 - (x - y)^2/2", &[("x", "1"), ("y", "1")], false);
        check(&["x", "y"], "x_1^2/2 - x^2/2 - (x - y)^2/2", &[("x", "x"), ("y", "y")], true);
        check(&["x", "y"], "x_1^2/2 - x^2/2 - (x - y)^2/2", &[("y", "1")], false);
        // Krupková 9.1: q1 = 0, q2 free. ∂/∂q1 leaves the set; ∂/∂q2 stays in it although it changes L.
        check(&["q1", "q2"], "(q1_1^2 + q1^2*q2)/2", &[("q1", "1")], false);
        check(&["q1", "q2"], "(q1_1^2 + q1^2*q2)/2", &[("q2", "1")], true);
        // A pendulum with a multiplier: rotations, but no translation.
        check(&["a", "b", "l"], "(a_1^2+b_1^2)/2 + l*(a^2+b^2-1)", &[("a", "-b"), ("b", "a")], true);
        check(&["a", "b", "l"], "(a_1^2+b_1^2)/2 + l*(a^2+b^2-1)", &[("a", "1")], false);
    }

    #[test]
    fn symmetries_of_equations() {
        let cx = &Inquiry::free();
        let check = |e: &[&str], x: &[(&str, &str)], expected: bool| {
            let mut stage = Stage::new(&["x", "y"]);
            let form = stage.equations(cx, e);
            let x = field(&mut stage, x);
            let regular = regular(cx, &form).expect("regular");
            let found = symmetry(cx, &regular, &x).expect("an answer");
            super::super::cases::assert_verdict(&found.verdict, expected, "symmetry");
        };
        let oscillator = ["-x_2 - x", "-y_2 - y"];
        check(&oscillator, &[("x", "-y"), ("y", "x")], true);
        check(&oscillator, &[("x", "x")], true);
        check(&oscillator, &[("x", "1")], false);
        check(&oscillator, &[("x", "cos(t)")], true);
        // The scaling of Kepler's equations: t ↦ λ³t, q ↦ λ²q.
        let kepler = ["-x_2 - x/(x^2+y^2)^(3/2)", "-y_2 - y/(x^2+y^2)^(3/2)"];
        check(&kepler, &[("t", "3*t"), ("x", "2*x"), ("y", "2*y")], true);
        check(&kepler, &[("t", "2*t"), ("x", "2*x"), ("y", "2*y")], false);
    }
}
