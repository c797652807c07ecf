//! Laws of constraint forces, tried on small systems: Theorem 6.1 for Lagrangians that need not be regular, the rolling disk of
//! Lewis §7, and what Barone et al. §7 leave free: the basis of the constraints and of the reactions.

use super::constraint_set::{ConstraintSet, Sheet};
use super::dalembert::{DalembertSystem, Pair};
use super::force::{Inertia, euler_lagrange_two_force};
use super::force_balance::ForceBalance;
use super::ideal_constraint::{Beta, GeneralConstraint};
use super::lagrangian::Lagrangian;
use super::poincare_cartan::PoincareCartan;
use super::{jet, jet_expr, vanishes};
use crate::algebra::derive::gradient;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::function::Elementary;
use crate::algebra::{Coordinate, Expr, Inquiry, Symbol};
use crate::geometry::form::Form;
use crate::geometry::jet::FiberedManifold;

fn manifold(names: &[&str]) -> FiberedManifold {
    let coordinates: Vec<Coordinate> = names.iter().map(|n| Coordinate::declare(n, false)).collect();
    FiberedManifold::new("Y", Symbol::base("t"), &coordinates)
}

fn lagrangian(cx: &Inquiry, y: &FiberedManifold, l: Expr) -> Lagrangian {
    Lagrangian::new(cx, y, l).expect("a Lagrangian")
}

/// dL at fixed time.
fn theta(cx: &Inquiry, y: &FiberedManifold, l: Expr) -> Form {
    let symbols: Vec<Symbol> =
        (0..2).flat_map(|k| (0..y.n_coordinates()).map(move |i| (i, k))).map(|(i, k)| jet(y, i, k)).collect();
    Form::one_form(symbols.iter().copied().zip(gradient(cx, l, &symbols)))
}

fn same(cx: &Inquiry, a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| vanishes(cx, *x - *y).is_yes())
}

#[test]
fn theorem_6_1_needs_no_regularity() {
    let cx = &Inquiry::free();
    let y = manifold(&["x", "y"]);
    let (t, q, v) = (Expr::symbol(y.base()), |i| jet_expr(&y, i, 0), |i| jet_expr(&y, i, 1));
    let singular = v(0).pow(2) / 2 + q(0) * q(1) + t * v(1) * q(0).pow(3);
    let quartic = v(0).pow(4) * q(1) - v(0) * v(1) * t.pow(2) + q(0) * v(1);
    for l in [singular, quartic] {
        let l = lagrangian(cx, &y, l);
        let force = [v(0) * q(1) + t, -v(1).pow(3)];
        let forms = PoincareCartan::new(cx, &l, &force).expect("of first order");
        assert!(forms.is_verified(cx).is_yes());
        assert!(forms.is_closed(cx).is_yes() && forms.is_forced_closed(cx).is_no());
        // −X⌟Ω_{L,Φ} is Φ_L − Φ, and Φ_L is −E.
        let minus_e: Vec<Expr> = l.euler_lagrange(cx).into_iter().map(|e| -e).collect();
        assert!(same(cx, euler_lagrange_two_force(cx, &l).components(), &minus_e));
        let balance: Vec<Expr> = minus_e.iter().zip(&force).map(|(e, f)| *e - *f).collect();
        assert!(same(cx, &forms.balance(cx), &balance));
    }
}

/// φ̈ = (r cosθ Φ_x + r sinθ Φ_y + Φ_φ)/(I₂ + mr²), θ̈ = Φ_θ/I₁, Lewis §7, by both routes.
#[test]
fn the_disk_of_section_7_rolls_as_printed() {
    let cx = &Inquiry::free();
    let y = manifold(&["x", "y", "theta", "phi"]);
    let parameter = |name: &str| Expr::symbol(Symbol::parameter(name));
    let [m, i1, i2, r] = ["m", "I1", "I2", "r"].map(parameter);
    let force = ["Fx", "Fy", "Ft", "Fp"].map(parameter);
    let (q, v) = (|i| jet_expr(&y, i, 0), |i| jet_expr(&y, i, 1));
    let (sin, cos) = (Expr::apply(Elementary::Sin, &[q(2)]), Expr::apply(Elementary::Cos, &[q(2)]));
    let l = m * (v(0).pow(2) + v(1).pow(2)) / 2 + i1 * v(2).pow(2) / 2 + i2 * v(3).pow(2) / 2;
    let equations = vec![v(0) - r * cos * v(3), v(1) - r * sin * v(3)];
    let dependent = [jet(&y, 0, 1), jet(&y, 1, 1)];
    let set = ConstraintSet::new(cx, &y.jets(1), equations.clone(), &dependent, &Sheet::default()).expect("a set");
    let forms = equations.iter().map(|b| Beta::differential(cx, &y, *b)).collect();
    let constraint = GeneralConstraint { set: set.clone(), forms };
    assert!(constraint.ideal_conditions(cx).expect("ranks").is_ideal().is_yes());
    let inertia = Inertia::of_lagrangian(cx, &lagrangian(cx, &y, l)).expect("regular");
    let balance = ForceBalance::new(cx, &inertia, &force, &constraint).expect("regular");
    let by_forces = balance.motion(cx).expect("nondegenerate");
    assert!(balance.is_verified(cx, &by_forces).is_yes());
    let expected = (r * cos * force[0] + r * sin * force[1] + force[3]) / (i2 + m * r.pow(2));
    assert!(same(cx, &by_forces.accelerations[2..], &[force[2] / i1, expected]));

    let positions: Vec<Symbol> = (0..4).map(|i| jet(&y, i, 0)).collect();
    let applied = Form::one_form(positions.into_iter().zip(force));
    let velocities: Vec<Symbol> = (0..4).map(|i| jet(&y, i, 1)).collect();
    let pair = |b: &Expr| Pair { equation: *b, reaction: Some(gradient(cx, *b, &velocities)) };
    let pairs = equations.iter().map(pair).collect();
    let system = DalembertSystem::new(cx, Form::sum(1, &[theta(cx, &y, l), applied]), pairs, set);
    let reduction = system.reduction(cx).expect("regular");
    let by_pairs = system.motion(cx, &reduction).expect("reducible");
    assert!(same(cx, &by_pairs.accelerations, &by_forces.accelerations));
    assert!(same(cx, &by_pairs.multipliers, &by_forces.multipliers));
    assert!(system.is_chetaev(cx).expect("ranks").is_yes());
}

/// B ↦ KB and A ↦ KA with invertible K leave Γ on C alone; the multipliers change.
#[test]
fn the_motion_does_not_depend_on_how_constraints_and_reactions_are_written() {
    let cx = &Inquiry::free();
    let y = manifold(&["x", "y", "z"]);
    let (q, v) = (|i| jet_expr(&y, i, 0), |i| jet_expr(&y, i, 1));
    let l = (v(0).pow(2) + v(1).pow(2) + v(2).pow(2)) / 2 - q(2);
    let zero = Expr::zero();
    let field = |factor: Expr, scale: Expr| {
        let b = v(2) - q(1) * v(0);
        let reaction = vec![scale * q(0), zero, scale * Expr::one()];
        let equation = factor * b;
        let sheet = Sheet::default();
        let set = ConstraintSet::new(cx, &y.jets(1), vec![equation], &[jet(&y, 2, 1)], &sheet).expect("a set");
        let pairs = vec![Pair { equation, reaction: Some(reaction) }];
        let system = DalembertSystem::new(cx, theta(cx, &y, l), pairs, set);
        let motion = system.motion(cx, &system.reduction(cx).expect("regular")).expect("reducible");
        (motion.accelerations, motion.multipliers)
    };
    let (plain, lambda) = field(Expr::one(), Expr::one());
    let (other, mu) = field(q(1).pow(2) + 1 + v(0).pow(2), Expr::one());
    assert!(same(cx, &plain, &other) && same(cx, &lambda, &mu));
    let (other, mu) = field(Expr::one(), q(2).pow(2) + 2);
    assert!(same(cx, &plain, &other));
    assert!(same(cx, &lambda, &[mu[0] * (q(2).pow(2) + 2)]));
}

#[test]
fn the_sheet_of_a_nonlinear_constraint_is_chosen_by_sign_or_by_a_point() {
    let cx = &Inquiry::free();
    let y = manifold(&["x", "y"]);
    let v = |i| jet_expr(&y, i, 1);
    let equation = v(0).pow(2) + v(1).pow(2) - 1;
    let dependent = [jet(&y, 1, 1)];
    let set = |sheet: &Sheet| ConstraintSet::new(cx, &y.jets(1), vec![equation], &dependent, sheet).expect("a set");
    let above = Sheet { conditions: vec![Condition { relation: Relation::Greater, left: v(1) }], points: vec![] };
    let upper = set(&above).restrict(cx, v(1));
    let point = [(jet(&y, 0, 1), Expr::zero()), (jet(&y, 1, 1), -Expr::one())].into_iter().collect();
    let lower = set(&Sheet { conditions: vec![], points: vec![point] }).restrict(cx, v(1));
    assert!(vanishes(cx, upper + lower).is_yes() && vanishes(cx, upper).is_no());
    // Without a choice both sheets are meant, and functions stay functions of both velocities.
    let both = set(&Sheet::default());
    assert!(!both.is_explicit() && vanishes(cx, both.restrict(cx, v(1)) - v(1)).is_yes());
    assert!(both.vanishes(cx, v(0).pow(4) - (v(1).pow(2) - 1).pow(2)).is_yes());
}
