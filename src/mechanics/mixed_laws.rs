//! Laws of mixed systems, tried on random ones: every number k and m of coordinates up to three and the edges k = 0 and m = 0, right
//! sides that are not linear in the velocities and depend on t. The constraints of the last test are linear, affine and not
//! affine.

use super::adjoint_symmetry::{adjoint_symmetry, consequence, find_potential};
use super::connection::Connection;
use super::curvature::{Curvature, curvature};
use super::direct::direct;
use super::jacobi_field::jacobi_equation;
use super::mixed_form::{mixed_form, solve_constraints};
use super::mixed_symmetry::symmetry;
use super::mixed_system::{AdaptedField, AdaptedForm, MixedSystem};
use super::{tidy, vanishes};
use crate::algebra::derive::partial;
use crate::algebra::function::Elementary;
use crate::algebra::{Coordinate, Expr, Inquiry, Symbol, Verdict};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::FiberedManifold;
use crate::mechanics::lagrangian::Lagrangian;
use std::rc::Rc;

/// A fixed sequence of small numbers, so that every run tries the same systems.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    /// A sum of a few products of up to three of the symbols, sometimes with a sine.
    fn function(&mut self, symbols: &[Symbol]) -> Expr {
        let terms = (0..2).map(|_| {
            let mut term = Expr::from(self.below(5) as i64 - 2);
            for _ in 0..1 + self.below(3) {
                term = term * Expr::symbol(symbols[self.below(symbols.len())]);
            }
            if self.below(5) == 0 {
                term = term * Expr::apply(Elementary::Sin, &[Expr::symbol(symbols[self.below(symbols.len())])]);
            }
            term
        });
        Expr::add_all(terms.collect::<Vec<_>>())
    }
}

fn coordinates(names: &[&str]) -> Vec<Coordinate> {
    names.iter().map(|n| Coordinate::declare(n, false)).collect()
}

/// A random system on a tower with k coordinates below and m above.
fn random_system(cx: &Inquiry, dice: &mut Dice, k: usize, m: usize) -> Rc<MixedSystem> {
    let second = coordinates(&["x", "y", "w"][..k]);
    let first = coordinates(&["a", "b", "c"][..m]);
    let all: Vec<Coordinate> = second.iter().chain(&first).copied().collect();
    let t = Symbol::base("t");
    let y = FiberedManifold::new("Y", t, &all);
    let mut symbols = vec![t];
    symbols.extend(all.iter().map(|q| q.jet(0)));
    symbols.extend(second.iter().map(|q| q.jet(1)));
    let second = second.into_iter().map(|q| (q, dice.function(&symbols))).collect::<Vec<_>>();
    // At least one right side is not linear in the velocities.
    let mut first = first.into_iter().map(|q| (q, dice.function(&symbols))).collect::<Vec<_>>();
    if let (Some((q, _)), Some((_, g))) = (second.first(), first.first_mut()) {
        *g = *g + Expr::symbol(q.jet(1)).pow(2);
    }
    Rc::new(MixedSystem::new(cx, &y, second, first).expect("functions on J"))
}

/// All pairs but (0, 0).
fn sizes() -> impl Iterator<Item = (usize, usize)> {
    (0..=3).flat_map(|k| (0..=3).map(move |m| (k, m))).filter(|size| *size != (0, 0))
}

fn curvature_of(cx: &Inquiry, system: &Rc<MixedSystem>) -> Curvature {
    curvature(cx, &Connection::new(cx, system))
}

/// (L_ΓS)² = I − Γ ⊗ dt − N, projectors of the right ranks, Ψ = i_ΓN_N, and the three brackets that define ∇, Φ and Ψ.
#[test]
fn the_identities_hold_for_every_k_and_m() {
    let cx = &Inquiry::free();
    for (k, m) in sizes() {
        let system = random_system(cx, &mut Dice(7 + (10 * k + m) as u64), k, m);
        let found = curvature_of(cx, &system);
        let tensors = found.connection().tensors(cx);
        assert!(tensors.identity_holds(cx).is_yes(), "{k} {m}");
        assert!(tensors.are_projectors(cx).is_yes(), "{k} {m}");
        assert!(vanishes(cx, tensors.vertical.trace() - Expr::from(k as i64)).is_yes(), "the rank of P_V is k");
        assert!(found.psi_is_the_nijenhuis_tensor(cx).is_yes(), "{k} {m}");
        assert!(found.brackets_hold(cx).is_yes(), "{k} {m}");
    }
}

/// The frame (Γ, X_α, ∂/∂q^a, ∂/∂v^α) and the coframe (dt, θ^α, η^a, ω^α) are dual, Γ is annihilated by θ and η, and every function
/// has dh = Γ(h) dt + X_α(h) θ^α + (∂h/∂q^a) η^a + (∂h/∂v^α) ω^α.
#[test]
fn frame_and_coframe_are_dual() {
    let cx = &Inquiry::free();
    for (k, m) in sizes() {
        let mut dice = Dice(300 + (10 * k + m) as u64);
        let system = random_system(cx, &mut dice, k, m);
        let connection = Connection::new(cx, &system);
        let fields: Vec<VectorField> = std::iter::once(system.gamma())
            .chain((0..k).map(|i| connection.x(i)))
            .chain(system.first_symbols().into_iter().chain(system.velocities()).map(VectorField::coordinate))
            .collect();
        let forms: Vec<Form> = std::iter::once(Form::differential(system.time()))
            .chain((0..k).map(|i| system.theta(i)))
            .chain((0..m).map(|i| connection.eta(i)))
            .chain((0..k).map(|i| connection.force_form(i)))
            .collect();
        for (i, x) in fields.iter().enumerate() {
            for (j, form) in forms.iter().enumerate() {
                let value = form.interior(x).as_function().expect("a function");
                assert!(vanishes(cx, value - Expr::from(i64::from(i == j))).is_yes(), "{k} {m}: {i} {j}");
            }
        }
        let h = dice.function(system.chart().symbols());
        let parts: Vec<Form> = fields.iter().zip(&forms).map(|(x, f)| f.scale(x.apply(cx, h))).collect();
        let difference = &Form::function(h).d(cx) - &Form::sum(1, &parts);
        assert!(difference.is_zero(cx).is_yes(), "{k} {m}");
    }
}

/// L_ΓS = ω^α ⊗ ∂/∂v^α − θ^α ⊗ X_α − (∂f^β/∂v^α) θ^α ⊗ ∂/∂v^β, applied to the frame: Γ and ∂/∂q^a go to 0, X_α to −X_α − (∂f^β/∂v^α) ∂/∂v^β,
/// ∂/∂v^α to itself. Horizontal lifts: T to Γ, X_α to X_α − Γ^β_α ∂/∂v^β, ∂/∂q^a to itself.
#[test]
fn the_derivative_of_s_and_the_lifts_are_those_of_the_paper() {
    let cx = &Inquiry::free();
    for (k, m) in sizes() {
        let system = random_system(cx, &mut Dice(400 + (10 * k + m) as u64), k, m);
        let connection = Connection::new(cx, &system);
        let gamma = system.gamma();
        let s = connection.tensors(cx).s;
        // (L_ΓS)(Y) = [Γ, S Y] − S [Γ, Y].
        let moved = |y: &VectorField| &gamma.bracket(cx, &s.apply(y)) - &s.apply(&gamma.bracket(cx, y));
        let slopes = |alpha: usize| {
            let v = system.velocities();
            VectorField::new(v.iter().zip(system.f()).map(|(w, f)| (*w, partial(cx, *f, v[alpha]))))
        };
        assert!(moved(&gamma).is_zero(cx).is_yes(), "{k} {m}");
        for q in system.first_symbols() {
            assert!(moved(&VectorField::coordinate(q)).is_zero(cx).is_yes(), "{k} {m} {q}");
        }
        for (alpha, v) in system.velocities().into_iter().enumerate() {
            let x = connection.x(alpha);
            let expected = &(&VectorField::new([]) - &x) - &slopes(alpha);
            assert!(moved(&x).equals(cx, &expected).is_yes(), "{k} {m} X_{alpha}");
            let vertical = VectorField::coordinate(v);
            assert!(moved(&vertical).equals(cx, &vertical).is_yes(), "{k} {m} {v}");
            let half = slopes(alpha).map_components(|e| e / 2);
            assert!(connection.x_horizontal(alpha).equals(cx, &(&x + &half)).is_yes(), "{k} {m} lift {alpha}");
        }
        let t = AdaptedField {
            time: Expr::one(),
            second: vec![Expr::zero(); k],
            first: vec![Expr::zero(); m],
            vertical: None,
        };
        assert!(connection.lift(cx, &t).equals(cx, &gamma).is_yes(), "{k} {m}");
    }
}

/// ⟨∇X, α⟩ + ⟨X, ∇α⟩ = Γ⟨X, α⟩ for fields and forms with any components.
#[test]
fn the_covariant_derivatives_of_fields_and_forms_are_dual() {
    let cx = &Inquiry::free();
    for (k, m) in sizes() {
        let mut dice = Dice(500 + (10 * k + m) as u64);
        let system = random_system(cx, &mut dice, k, m);
        let curvature = curvature_of(cx, &system);
        let symbols = system.chart().symbols().to_vec();
        let mut list = |n: usize| (0..n).map(|_| dice.function(&symbols)).collect::<Vec<_>>();
        let x = AdaptedField { time: list(1)[0], second: list(k), first: list(m), vertical: None };
        let alpha = AdaptedForm { time: list(1)[0], theta: list(k), eta: list(m), omega: None };
        let paired = |x: &AdaptedField, a: &AdaptedForm| {
            let second = x.second.iter().zip(&a.theta).map(|(x, a)| *x * *a);
            let first = x.first.iter().zip(&a.eta).map(|(x, c)| *x * *c);
            x.time * a.time + Expr::add_all(second.chain(first).collect::<Vec<_>>())
        };
        let rate = system.gamma().apply(cx, paired(&x, &alpha));
        let sum =
            paired(&curvature.covariant_field(cx, &x), &alpha) + paired(&x, &curvature.covariant_form(cx, &alpha));
        assert!(vanishes(cx, rate - sum).is_yes(), "{k} {m}");
    }
}

/// Z = X^H + Y^V for any field on J, φ = φ∘P_H + φ∘P_V for any form, with the parts that the projectors cut out; and the pairing of the
/// parts is that of the whole.
#[test]
fn fields_and_forms_are_the_sums_of_their_parts() {
    let cx = &Inquiry::free();
    for (k, m) in sizes() {
        let mut dice = Dice(900 + (10 * k + m) as u64);
        let system = random_system(cx, &mut dice, k, m);
        let connection = Connection::new(cx, &system);
        let symbols = system.chart().symbols().to_vec();
        let z = VectorField::new(symbols.iter().map(|s| (*s, dice.function(&symbols))).collect::<Vec<_>>());
        let phi = Form::one_form(symbols.iter().map(|s| (*s, dice.function(&symbols))).collect::<Vec<_>>());
        let (x, y) = connection.decompose_field(cx, &z).expect("on J");
        let (alpha, e) = connection.decompose_form(cx, &phi).expect("on J");
        let sum = &connection.lift(cx, &x) + &connection.vertical_lift(&y);
        assert!(sum.equals(cx, &z).is_yes(), "{k} {m}");
        assert!(connection.decomposes_field(cx, &z, &x, &y).is_yes(), "{k} {m}");
        assert!(connection.decomposes_form(cx, &phi, &alpha, &e).is_yes(), "{k} {m}");
        let pairs = |a: &[Expr], b: &[Expr]| Expr::add_all(a.iter().zip(b).map(|(a, b)| *a * *b).collect::<Vec<_>>());
        let paired = x.time * alpha.time + pairs(&x.second, &alpha.theta) + pairs(&x.first, &alpha.eta) + pairs(&y, &e);
        let whole = Expr::add_all(symbols.iter().map(|s| z.component(*s) * phi.coefficient(&[*s])).collect::<Vec<_>>());
        assert!(vanishes(cx, paired - whole).is_yes(), "{k} {m}");
    }
}

/// The equation of Jacobi fields, made of Φ, Ψ and ∇, is that of the linearised field, made of partial derivatives; with another
/// Ψ or Φ it is not.
#[test]
fn jacobi_fields_are_variations() {
    let cx = &Inquiry::free();
    for (k, m) in sizes() {
        let system = random_system(cx, &mut Dice(600 + (10 * k + m) as u64), k, m);
        let curvature = curvature_of(cx, &system);
        assert!(jacobi_equation(cx, &curvature).agrees(cx).is_yes(), "{k} {m}");
        let mut broken = vec![];
        if k > 0 {
            let mut other = curvature.clone();
            other.phi[0][0] = other.phi[0][0] + 1;
            broken.push(other);
        }
        if k > 0 && m > 0 {
            let mut other = curvature.clone();
            other.psi[0][0] = other.psi[0][0] + 1;
            broken.push(other);
        }
        for other in broken {
            assert!(jacobi_equation(cx, &other).agrees(cx).is_no(), "{k} {m}");
        }
    }
}

/// For constraints that are linear in the velocities C^a_β has no f in it, and vanishes when z = F(x, y) is the integral of them.
#[test]
fn the_curvature_of_linear_constraints_does_not_know_the_forces() {
    let cx = &Inquiry::free();
    let q = coordinates(&["x", "y", "z"]);
    let y = FiberedManifold::new("Y", Symbol::base("t"), &q);
    let s = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
    let psi = |g: Expr, f: [Expr; 2]| {
        let second = vec![(q[0], f[0]), (q[1], f[1])];
        curvature_of(cx, &Rc::new(MixedSystem::new(cx, &y, second, vec![(q[2], g)]).expect("on J"))).psi
    };
    let g = s(1, 0).pow(2) * s(0, 1) + s(2, 0) * s(0, 0) * s(1, 1);
    let forced = [s(0, 1) * s(1, 1), s(2, 0) * s(0, 0) - s(1, 1)];
    assert_eq!(psi(g, [Expr::zero(), Expr::zero()]), psi(g, forced));
    // By hand for g = y² x′: C_x = 2y y′, C_y = −2y x′.
    let by_hand = [s(1, 0) * s(1, 1) * 2, s(1, 0) * s(0, 1) * -2];
    let found = psi(s(1, 0).pow(2) * s(0, 1), forced);
    for (c, expected) in found[0].iter().zip(by_hand) {
        assert!(vanishes(cx, *c - expected).is_yes());
    }
    // z = x y².
    let integrable = s(1, 0).pow(2) * s(0, 1) + s(0, 0) * s(1, 0) * s(1, 1) * 2;
    assert!(psi(integrable, forced)[0].iter().all(|c| vanishes(cx, *c).is_yes()));
}

/// The differential of a first integral is an adjoint symmetry whose potential it is, and with φ so is hφ for a first integral h. For
/// ẍ = 0, ÿ = 0, ż = yẋ − xẏ there are by hand ẋ, tẋ − x, xẏ − yẋ and z + t(xẏ − yẋ).
#[test]
fn first_integrals_are_adjoint_symmetries_and_back() {
    let cx = &Inquiry::free();
    let q = coordinates(&["x", "y", "z"]);
    let t = Symbol::base("t");
    let y = FiberedManifold::new("Y", t, &q);
    let s = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
    let area = s(0, 0) * s(1, 1) - s(1, 0) * s(0, 1);
    let second = vec![(q[0], Expr::zero()), (q[1], Expr::zero())];
    let system = Rc::new(MixedSystem::new(cx, &y, second, vec![(q[2], -area)]).expect("on J"));
    let curvature = curvature_of(cx, &system);
    let integrals = [s(0, 1), Expr::symbol(t) * s(0, 1) - s(0, 0), area, s(2, 0) + Expr::symbol(t) * area];
    let of = |f: Expr| AdaptedForm {
        time: Expr::zero(),
        theta: system.velocities().iter().map(|v| partial(cx, f, *v)).collect(),
        eta: system.first_symbols().iter().map(|q| partial(cx, f, *q)).collect(),
        omega: None,
    };
    for f in integrals {
        assert!(vanishes(cx, system.gamma().apply(cx, f)).is_yes(), "{f}");
        let alpha = of(f);
        let verdict = adjoint_symmetry(cx, &curvature, &alpha).expect("it vanishes on the motion").verdict;
        assert!(verdict.is_yes(), "{f}");
        let potential = find_potential(cx, &system, &alpha.theta, &alpha.eta).expect("a potential");
        let back = consequence(cx, &system, &verdict, potential).expect("decided").integral.expect("an integral");
        assert!(vanishes(cx, system.gamma().apply(cx, back)).is_yes() && of(back).theta == alpha.theta, "{f}: {back}");
        let scaled = AdaptedForm {
            theta: alpha.theta.iter().map(|e| *e * s(1, 1)).collect(),
            eta: alpha.eta.iter().map(|e| *e * s(1, 1)).collect(),
            ..alpha
        };
        let again = adjoint_symmetry(cx, &curvature, &scaled).expect("it vanishes on the motion").verdict;
        assert!(again.is_yes(), "{f} with the first integral y′");
    }
}

/// [Γ, Z] has the residual of (S2) along ∂/∂q^a, that of (S1) along ∂/∂v^α, and nothing else; whatever X is.
#[test]
fn the_equations_of_symmetries_are_the_components_of_the_bracket() {
    let cx = &Inquiry::free();
    for (k, m) in sizes() {
        let mut dice = Dice(100 + (10 * k + m) as u64);
        let system = random_system(cx, &mut dice, k, m);
        let symbols = system.chart().symbols().to_vec();
        let mut list = |n: usize| (0..n).map(|_| dice.function(&symbols)).collect::<Vec<_>>();
        let x = AdaptedField { time: Expr::zero(), second: list(k), first: list(m), vertical: None };
        let found = symmetry(cx, &curvature_of(cx, &system), &x);
        for (s, e) in found.bracket.components() {
            let place = |list: Vec<Symbol>| list.iter().position(|x| *x == s);
            let expected = match (place(system.first_symbols()), place(system.velocities())) {
                (Some(a), _) => found.first[a],
                (_, Some(alpha)) => found.second[alpha],
                _ => Expr::zero(),
            };
            assert!(vanishes(cx, e + expected).is_yes(), "{k} {m}, along {s}");
        }
    }
}

/// L_Γφ is minus the θ-part and minus the η-part of the adjoint equation; whatever α is.
#[test]
fn the_equations_of_adjoint_symmetries_are_the_components_of_the_lie_derivative() {
    let cx = &Inquiry::free();
    for (k, m) in sizes() {
        let mut dice = Dice(200 + (10 * k + m) as u64);
        let system = random_system(cx, &mut dice, k, m);
        let symbols = system.chart().symbols().to_vec();
        let mut list = |n: usize| (0..n).map(|_| dice.function(&symbols)).collect::<Vec<_>>();
        let alpha = AdaptedForm { time: Expr::zero(), theta: list(k), eta: list(m), omega: None };
        let curvature = curvature_of(cx, &system);
        let found = adjoint_symmetry(cx, &curvature, &alpha).expect("it vanishes on the motion");
        let theta = (0..k).map(|i| system.theta(i).scale(found.theta[i]));
        let eta = (0..m).map(|i| curvature.connection().eta(i).scale(found.eta[i]));
        let parts: Vec<Form> = theta.chain(eta).chain([found.lie.clone()]).collect();
        assert!(Form::sum(1, &parts).is_zero(cx).is_yes(), "{k} {m}");
    }
}

fn oscillator(cx: &Inquiry, force: Expr) -> Rc<MixedSystem> {
    let x = coordinates(&["x"]);
    let y = FiberedManifold::new("Y", Symbol::base("t"), &x);
    let values = if force.is_zero() { force } else { -Expr::symbol(x[0].jet(0)) };
    Rc::new(MixedSystem::new(cx, &y, vec![(x[0], values)], vec![]).expect("a function on J"))
}

/// Two computations are compared and not one with itself: with the curvature of another system the equations say something
/// else than the bracket, and then nothing is claimed. ∂/∂x is a symmetry of ẍ = 0 and none of ẍ = −x.
#[test]
fn a_contradiction_of_equations_and_brackets_is_no_verdict() {
    let cx = &Inquiry::free();
    let (free, bound) =
        (curvature_of(cx, &oscillator(cx, Expr::zero())), curvature_of(cx, &oscillator(cx, Expr::one())));
    let x = AdaptedField { time: Expr::zero(), second: vec![Expr::one()], first: vec![], vertical: None };
    let alpha = AdaptedForm { time: Expr::zero(), theta: vec![Expr::one()], eta: vec![], omega: None };
    let verdicts = |c: &Curvature| {
        let form = adjoint_symmetry(cx, c, &alpha).expect("it vanishes on the motion");
        (symmetry(cx, c, &x).verdict, form.verdict)
    };
    let (one, two) = verdicts(&free);
    assert!(one.is_yes() && two.is_yes());
    let (one, two) = verdicts(&bound);
    assert!(one.is_no() && two.is_no());
    // The equations of one system, the bracket of the other, in turn.
    for (own, other) in [(&free, &bound), (&bound, &free)] {
        let mut crossed = own.clone();
        crossed.phi = other.phi.clone();
        let (one, two) = verdicts(&crossed);
        assert!(one.is_unknown() && two.is_unknown(), "{one:?} {two:?}");
    }
}

/// The same for the equations of first order. ẍ = 0, ÿ = 0, ż = yẋ has the symmetries ∂/∂x and ∂/∂z and the adjoint symmetry of its
/// integral ẋ; each tensor is changed in turn, and then the system itself.
#[test]
fn a_wrong_tensor_of_the_first_order_part_is_noticed() {
    let cx = &Inquiry::free();
    let q = coordinates(&["x", "y", "z"]);
    let y = FiberedManifold::new("Y", Symbol::base("t"), &q);
    let s = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
    let (zero, one) = (Expr::zero(), Expr::one());
    let of = |g: Expr| {
        let second = vec![(q[0], zero), (q[1], zero)];
        curvature_of(cx, &Rc::new(MixedSystem::new(cx, &y, second, vec![(q[2], g)]).expect("on J")))
    };
    let own = of(s(1, 0) * s(0, 1));
    let system = own.connection().system().clone();
    let x = system.adapted_field(cx, &VectorField::coordinate(q[0].jet(0))).expect("on E");
    let alpha = AdaptedForm { time: zero, theta: vec![one, zero], eta: vec![zero], omega: None };
    let up = system.adapted_field(cx, &VectorField::coordinate(q[2].jet(0))).expect("on E");
    let verdicts = |c: &Curvature| {
        let form = adjoint_symmetry(cx, c, &alpha).expect("it vanishes on the motion");
        [symmetry(cx, c, &x).verdict, symmetry(cx, c, &up).verdict, form.verdict]
    };
    assert!(verdicts(&own).iter().all(Verdict::is_yes));
    let mut broken = own.clone();
    broken.psi[0][0] = broken.psi[0][0] + 1;
    assert!(verdicts(&broken)[0].is_unknown(), "Ψ stands in (S2)");
    let mut broken = own.clone();
    broken.nabla_first[0][0] = broken.nabla_first[0][0] + 1;
    assert!(verdicts(&broken)[1].is_unknown(), "∇∂/∂z stands in (S2)");
    let mut broken = own.clone();
    broken.phi_eta[0][0] = broken.phi_eta[0][0] + 1;
    let [_, up, form] = verdicts(&broken);
    assert!(up.is_unknown() && form.is_unknown(), "∂f/∂z stands in (S1) and in (A2)");
    // The bracket of another system: the equations are satisfied, and it is not.
    let mut crossed = of(s(1, 0) * s(0, 1) + s(2, 0));
    (crossed.psi, crossed.nabla_first) = (own.psi.clone(), own.nabla_first.clone());
    assert!(verdicts(&crossed)[1].is_unknown());
}

/// Potentials of adjoint symmetries of ẍ = 0, ÿ = 0, by hand: F = ẋ is an integral; of F = tẋ it is tẋ − x, after the gauge h = x; F =
/// xẋ + yẏ has Γ(F) = ẋ² + ẏ², a Lagrangian; F = xẋ has Γ(F) = ẋ², a singular one.
#[test]
fn what_follows_from_a_potential() {
    let cx = &Inquiry::free();
    let q = coordinates(&["x", "y"]);
    let t = Symbol::base("t");
    let y = FiberedManifold::new("Y", t, &q);
    let zero = Expr::zero();
    let system = MixedSystem::new(cx, &y, vec![(q[0], zero), (q[1], zero)], vec![]).expect("functions on J");
    let curvature = curvature_of(cx, &Rc::new(system.clone()));
    let s = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
    let cases = [
        (vec![Expr::one(), zero], "first_integral", Some(s(0, 1))),
        (vec![Expr::symbol(t), zero], "first_integral_after_gauge", Some(Expr::symbol(t) * s(0, 1) - s(0, 0))),
        (vec![s(0, 0), s(1, 0)], "lagrangian_for_second_order_part", None),
        (vec![s(0, 0), zero], "singular_lagrangian", None),
        (vec![s(0, 0).pow(2), zero], "not_adjoint_symmetry", None),
    ];
    for (a, kind, integral) in cases {
        let alpha = AdaptedForm { time: zero, theta: a.clone(), eta: vec![], omega: None };
        let verdict = adjoint_symmetry(cx, &curvature, &alpha).expect("it vanishes on the motion").verdict;
        let f = find_potential(cx, &system, &a, &[]).expect("a potential");
        let found = consequence(cx, &system, &verdict, f).expect("decided");
        assert_eq!(found.kind, kind);
        if let Some(integral) = integral {
            assert!(vanishes(cx, found.integral.expect("an integral") - integral).is_yes(), "{kind}");
        }
    }
}

/// i_ΓΩ = 0 and E_α + B^a_αE_a = 0 have the same solution, for linear, affine and other constraints, with forces and with t.
#[test]
fn the_direct_construction_agrees_with_the_equations() {
    let cx = &Inquiry::free();
    let q = coordinates(&["x", "y", "z"]);
    let t = Symbol::base("t");
    let y = FiberedManifold::new("Y", t, &q);
    let s = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
    let kinetic = Expr::add_all((0..3).map(|i| s(i, 1).pow(2))) / 2;
    let l = kinetic + s(0, 0) * s(2, 0) + Expr::symbol(t) * s(1, 1) * s(0, 1) / 3;
    let force = [s(0, 1), Expr::zero(), -s(2, 1)];
    let lagrangian = Lagrangian::new(cx, &y, l).expect("of first order");
    let constraints = [
        s(1, 0) * s(0, 1),
        s(2, 0) * s(0, 1) + Expr::symbol(t) * s(1, 1) + s(0, 0),
        s(0, 1).pow(2) + s(2, 0) * s(1, 1),
    ];
    for g in constraints {
        let solved = solve_constraints(cx, &y, &[s(2, 1) - g], &[q[2]]).expect("solved already");
        let components: Vec<Expr> = lagrangian.euler_lagrange(cx).iter().zip(&force).map(|(e, f)| *e + *f).collect();
        let by_equations = mixed_form(cx, &components, &solved).expect("regular");
        let found = direct(cx, l, &solved, &force).expect("of first order");
        assert!(found.regular.is_yes());
        let motion = found.motion.expect("regular");
        assert!(motion.verified(cx).is_yes());
        for (f, other) in motion.system.f().iter().zip(by_equations.f()) {
            assert!(vanishes(cx, tidy(cx, *f - *other)).is_yes(), "{g}");
        }
    }
}

/// The counterexamples to the regularity condition of the paper, both ways.
#[test]
fn regular_means_that_p_is() {
    let cx = &Inquiry::free();
    let q = coordinates(&["x", "y"]);
    let y = FiberedManifold::new("Y", Symbol::base("t"), &q);
    let s = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
    let found = |l: Expr, g: Expr| {
        let solved = solve_constraints(cx, &y, &[s(1, 1) - g], &[q[1]]).expect("solved already");
        direct(cx, l, &solved, &[]).expect("of first order")
    };
    let speed = found((s(0, 1).pow(2) + s(1, 1).pow(2)) / 2 - s(1, 0), (Expr::one() - s(0, 1).pow(2)).sqrt());
    assert!(speed.hessian.is_zero(cx).is_yes() && speed.regular.is_yes() && speed.motion.is_ok());
    let other = found((Expr::one() + s(0, 0)) * s(1, 1) - s(0, 0).pow(2), s(0, 1).pow(2) / 2);
    assert!(matches!(other.hessian.is_zero(cx), Verdict::No(_)) && other.regular.is_no() && other.motion.is_err());
}

/// A blade on the plane, ẏ = ẋ tan θ, with L = (ẋ² + ẏ² + θ̇²)/2. By hand p_y = ẋ tan θ, and the forces are p_y (1 + tan²θ) θ̇ for x and
/// −p_y (1 + tan²θ) ẋ for θ.
#[test]
fn the_equations_of_chaplygin_are_those_of_the_base() {
    use super::chaplygin::{chaplygin, is_chaplygin};
    let cx = &Inquiry::free();
    let q = coordinates(&["x", "theta", "y"]);
    let y = FiberedManifold::new("Y", Symbol::base("t"), &q);
    let s = |i: usize, k: u32| Expr::symbol(q[i].jet(k));
    let tan = Expr::apply(Elementary::Tan, &[s(1, 0)]);
    let l = (s(0, 1).pow(2) + s(2, 1).pow(2) + s(1, 1).pow(2)) / 2;
    let solved = solve_constraints(cx, &y, &[s(2, 1) - tan * s(0, 1)], &[q[2]]).expect("solved already");
    let found = chaplygin(cx, l, &solved);
    assert!(found.verdict.is_yes());
    let curl = s(0, 1) * tan * (Expr::one() + tan.pow(2));
    for (force, expected) in found.forces.iter().zip([curl * s(1, 1), -curl * s(0, 1)]) {
        assert!(vanishes(cx, *force - expected).is_yes(), "{force}");
    }
    let components = Lagrangian::new(cx, &y, l).expect("of first order").euler_lagrange(cx);
    let system = mixed_form(cx, &components, &solved).expect("regular");
    assert!(is_chaplygin(cx, &system).is_yes() && found.verified(cx, &system).is_yes());
    // With a force along y the base does not stand alone, and a force of another size is noticed.
    let other = solve_constraints(cx, &y, &[s(2, 1) - s(2, 0) * s(0, 1)], &[q[2]]).expect("solved already");
    assert!(is_chaplygin(cx, &mixed_form(cx, &components, &other).expect("regular")).is_no());
    let wrong = super::chaplygin::Chaplygin { forces: vec![curl, curl], ..found };
    assert!(wrong.verified(cx, &system).is_no());
}
