//! Laws of constrained systems, on systems drawn at random: orders s up to 4, constraints of orders 0 to s, mass matrices that
//! are symmetric or not, and time wherever it may occur. docs/theory/nonholonomic.md §17, by number.

use super::cases::{Stage, assert_equal};
use super::constrained_form::{ConstrainedForm, ConstrainedMotion, level_of};
use super::constraint_legendre::constraint_legendre;
use super::constraint_structure::{ConstraintStructure, Declared, Equation, NormalForm};
use super::constraint_type::{self, Kind};
use super::dynamical_form::DynamicalForm;
use super::lagrangian::Lagrangian;
use super::{differentiation_index, jet, legendre, rank_condition};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::stratum::Branch;
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Symbol};
use crate::geometry::form::Form;
use crate::geometry::jet::total_derivative;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Small numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn number(&mut self) -> i64 {
        self.roll(5) as i64 - 2
    }

    fn nonzero(&mut self) -> i64 {
        [-2, -1, 1, 2, 3][self.roll(5) as usize]
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];

fn jet_name(name: &str, k: u32) -> String {
    if k == 0 { name.into() } else { format!("{name}_{k}") }
}

/// A sum of a few monomials in the jets of orders up to k.
fn polynomial(dice: &mut Dice, m: usize, k: u32, terms: usize) -> String {
    let mut sum = vec![format!("({}) + ({})*t", dice.number(), dice.number())];
    for _ in 0..terms {
        let factor =
            |dice: &mut Dice| jet_name(NAMES[dice.roll(m as u64) as usize], dice.roll(u64::from(k) + 1) as u32);
        let (a, b) = (factor(dice), factor(dice));
        sum.push(format!("({})*{a}*{b}", dice.number()));
    }
    sum.join(" + ")
}

/// E_σ = Σ B_σν q_s^ν + a_σ with a constant B that is diagonally dominant, and symmetric if that is wanted.
fn equations(
    cx: &Inquiry,
    stage: &mut Stage,
    dice: &mut Dice,
    (m, s): (usize, u32),
    symmetric: bool,
) -> Rc<DynamicalForm> {
    let mut list = vec![];
    let mut b = vec![vec![0; m]; m];
    for i in 0..m {
        for j in 0..m {
            let drawn = if i == j { -5 - dice.number() } else { dice.number() };
            b[i][j] = if symmetric && j < i { b[j][i] } else { drawn };
        }
    }
    for row in &b {
        let inertia: Vec<String> =
            row.iter().enumerate().map(|(j, b)| format!("({b})*{}", jet_name(NAMES[j], s))).collect();
        list.push(format!("{} + {}", inertia.join(" + "), polynomial(dice, m, s - 1, 2)));
    }
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    Rc::new(stage.equations(cx, &list))
}

/// q_r^last = Σ c_l q_r^l + a, with coefficients that depend on positions for r > 0.
fn constraint(stage: &mut Stage, dice: &mut Dice, m: usize, r: u32) -> Expr {
    let top = jet_name(NAMES[m - 1], r);
    if r == 0 {
        let (a, b) = (dice.nonzero(), dice.number());
        return stage.read(&format!("{top} - ({a})*x^2 - ({b})*x - t"));
    }
    let moved: Vec<String> = (0..m - 1)
        .map(|l| format!("(({}) + ({})*x)*{}", dice.nonzero(), dice.number(), jet_name(NAMES[l], r)))
        .collect();
    let rest = polynomial(dice, m, r - 1, 1);
    stage.read(&format!("{top} - ({}) - ({rest})", moved.join(" + ")))
}

fn declared(stage: &Stage, functions: &[Expr], dependent: &[Symbol]) -> Declared {
    let equations = functions.iter().map(|f| Equation { function: *f, span: Span::default() }).collect();
    Declared { manifold: stage.manifold.clone(), equations, dependent: dependent.to_vec(), branch: vec![] }
}

fn constrained(cx: &Inquiry, form: &Rc<DynamicalForm>, declared: &Declared) -> Rc<ConstrainedForm> {
    let structure = ConstraintStructure::new(cx, declared, level_of(cx, form)).expect("a structure");
    Rc::new(ConstrainedForm::new(cx, form.clone(), Rc::new(structure)).expect("a constrained system"))
}

fn assert_on_q(cx: &Inquiry, q: &ConstraintStructure, e: Expr) {
    assert!(q.vanishes_on_q(cx, e).is_yes(), "{e} does not vanish on Q");
}

/// The highest derivatives of the motion put in.
fn along(q: &ConstraintStructure, motion: &ConstrainedMotion, e: Expr) -> Expr {
    let tops = motion.accelerations.iter().enumerate();
    substitute(e, &tops.map(|(s, x)| (jet(q.manifold(), s, motion.order), *x)).collect())
}

/// Laws 1 and 11: the reduced motion solves the saddle system, E_σ = λ_i ∂f^i/∂q_r^σ and df/dt = 0, for every order.
#[test]
fn the_reduced_motion_solves_the_multiplier_equations() {
    let cx = &Inquiry::free();
    let mut dice = Dice(2024);
    let sizes = [(2, 2), (3, 2), (2, 3), (3, 3), (2, 4)];
    for ((m, s), symmetric) in sizes.into_iter().flat_map(|size| [(size, true), (size, false)]) {
        for r in 0..=s {
            let mut stage = Stage::new(&NAMES[..m]);
            let form = equations(cx, &mut stage, &mut dice, (m, s), symmetric);
            let f = constraint(&mut stage, &mut dice, m, r);
            let system = constrained(cx, &form, &declared(&stage, &[f], &[]));
            let q = system.structure();
            let motion = system.motion(cx).expect("a regular system");
            assert_eq!(motion.order, s);
            // Law 4: B′ is symmetric if B is.
            assert!(!symmetric || system.b().is_symmetric(cx).is_yes());
            let lambda = system.multipliers(cx, &motion).expect("multipliers");
            for sigma in 0..m {
                let reaction = lambda[0] * q.chetaev()[(0, sigma)];
                let balance = along(q, &motion, form.components()[sigma]) - along(q, &motion, reaction);
                assert_on_q(cx, q, q.on_q(cx, balance));
            }
            let top = q.tower().last().expect("a constraint").function;
            let rate = if r < s { total_derivative(cx, top) } else { top };
            assert_on_q(cx, q, q.on_q(cx, along(q, &motion, rate)));
        }
    }
}

/// Laws 2 and 3: other dependents, and f replaced by a f, give the same motion and the same forces; the determinant of the
/// saddle matrix is that of B′ up to (det F_D)² and a sign.
#[test]
fn the_motion_does_not_depend_on_how_the_constraint_is_written() {
    let cx = &Inquiry::free();
    let mut dice = Dice(7);
    for (m, s, r) in [(2, 2, 1), (3, 2, 1), (2, 3, 1), (2, 3, 2), (2, 4, 2), (2, 4, 3)] {
        let mut stage = Stage::new(&NAMES[..m]);
        let form = equations(cx, &mut stage, &mut dice, (m, s), m == 3);
        let f = constraint(&mut stage, &mut dice, m, r);
        let factor = stage.read("3 + x^2 + t");
        let (first, last) = (stage.symbol("x"), stage.symbol(NAMES[m - 1]));
        let one = constrained(cx, &form, &declared(&stage, &[f], &[last]));
        let other = constrained(cx, &form, &declared(&stage, &[f * factor], &[first]));
        let (a, b) = (one.motion(cx).expect("regular"), other.motion(cx).expect("regular"));
        let q = one.structure();
        for (x, y) in a.accelerations.iter().zip(&b.accelerations) {
            assert_on_q(cx, q, q.on_q(cx, *x - *y));
        }
        let (l1, l2) = (one.multipliers(cx, &a).expect(""), other.multipliers(cx, &b).expect(""));
        assert_on_q(cx, q, q.on_q(cx, l1[0] - factor * l2[0]));
        let (r1, r2) = (one.reactions(cx, &a, &l1), other.reactions(cx, &b, &l2));
        for (x, y) in r1.iter().zip(&r2) {
            assert_on_q(cx, q, q.on_q(cx, *x - *y));
        }
        let saddle = one.equations_of_motion(cx).expect("a saddle system");
        let det = Matrix::from_rows(saddle.b).det(cx).expect("small");
        let expected = q.det().pow(2) * one.det_b(cx).expect("small");
        assert_on_q(cx, q, q.on_q(cx, det.pow(2) - expected.pow(2)));
    }
}

/// Laws 4, 5 and 6 for a nonlinear constraint ż = h(ẋ, ẏ): −B̄ = ∂²L̄ − p ∂²g, (4.4) is (4.13), and the momenta move with η.
#[test]
fn constraint_momenta_move_with_the_energy_form() {
    let cx = &Inquiry::free();
    for (g, has_momenta) in [("x_1^2/2", true), ("x_1^3 + y", true), ("x_1*y_1", false), ("y*x_1 + x*y_1 + t", true)] {
        let mut stage = Stage::new(&NAMES);
        let lagrangian = stage.lagrangian(cx, "(x_1^2 + y_1^2 + z_1^2)/2 + x*y_1 - x*z");
        let form = Rc::new(lagrangian.dynamical_form(cx).expect("decided"));
        let (g, z) = (stage.read(g), stage.symbol("z"));
        let f = stage.read("z_1") - g;
        let system = constrained(cx, &form, &declared(&stage, &[f], &[z]));
        let q = system.structure();
        let velocities = q.independent_jets(1);
        let restricted = q.on_q(cx, lagrangian.function());
        let p = q.on_q(cx, partial(cx, lagrangian.function(), jet(q.manifold(), 2, 1)));
        for (l, a) in velocities.iter().enumerate() {
            for (s, b) in velocities.iter().enumerate() {
                let second = |e: Expr| partial(cx, partial(cx, e, *a), *b);
                assert_equal(cx, -system.b()[(l, s)], second(restricted) - p * second(g));
            }
        }
        let slopes: Vec<Expr> = velocities.iter().map(|v| partial(cx, p, *v)).collect();
        let second = |a: usize, b: usize| partial(cx, partial(cx, g, velocities[a]), velocities[b]);
        let holds = (0..2).all(|a| super::vanishes(cx, slopes[0] * second(1, a) - slopes[1] * second(0, a)).is_yes());
        assert_eq!(holds, has_momenta);
        let found = constraint_legendre(cx, system.clone(), Some(&lagrangian)).expect("first order");
        assert_eq!(found.condition.is_yes(), has_momenta, "(4.4) for {g}");
        let Ok(momenta) = found.momenta(cx) else { continue };
        let motion = system.motion(cx).expect("regular");
        let field = system.semispray(cx, &motion);
        for (a, momentum) in momenta.momenta.iter().enumerate() {
            assert_on_q(cx, q, field.apply(cx, *momentum) - momenta.eta[a]);
            for (l, v) in velocities.iter().enumerate() {
                assert_equal(cx, partial(cx, *momentum, *v), -system.b()[(a, l)]);
            }
        }
    }
}

/// Law 7: under z = h(x, t) the motion is that of the Lagrangian pulled back, for s = 2 and s = 4.
#[test]
fn holonomic_constraints_are_pullbacks() {
    let cx = &Inquiry::free();
    for (l, s) in [("(x_1^2 + y_1^2 + z_1^2)/2 - x*z - z^2", 2), ("(x_2^2 + y_2^2 + z_2^2)/2 - x*z_1", 4)] {
        let mut stage = Stage::new(&NAMES);
        let lagrangian = stage.lagrangian(cx, l);
        let form = Rc::new(lagrangian.dynamical_form(cx).expect("decided"));
        let h = stage.read("2*x + x^2/2 + t");
        let (u, z) = (stage.read("z") - h, stage.symbol("z"));
        let system = constrained(cx, &form, &declared(&stage, &[u], &[z]));
        let motion = system.motion(cx).expect("regular");
        let mut map: FxHashMap<Symbol, Expr> = FxHashMap::default();
        let mut value = h;
        for k in 0..=s {
            map.insert(jet(&stage.manifold, 2, k), value);
            value = total_derivative(cx, value);
        }
        let below = Stage::new(&NAMES[..2]);
        let names: FxHashMap<Symbol, Expr> = (0..2)
            .flat_map(|i| (0..=s).map(move |k| (i, k)))
            .map(|(i, k)| (jet(&stage.manifold, i, k), Expr::symbol(jet(&below.manifold, i, k))))
            .chain([(stage.manifold.base(), Expr::symbol(below.manifold.base()))])
            .collect();
        let there = |e: Expr| substitute(substitute(e, &map), &names);
        let pulled = Lagrangian::new(cx, &below.manifold, there(lagrangian.function())).expect("decided");
        let regular = super::regular::regular(cx, &pulled.dynamical_form(cx).expect("decided")).expect("regular");
        for (x, y) in motion.accelerations.iter().zip(regular.accelerations()) {
            assert_equal(cx, there(*x), *y);
        }
    }
}

/// Law 8: the integral of a semiholonomic constraint is one of the motion. Law 9: ι*φ vanishes on the semispray.
#[test]
fn integrals_of_constraints_are_integrals_of_the_motion() {
    let cx = &Inquiry::free();
    for f in ["x*z_1 - z*x_1", "x*x_1 + y*y_1 + z*z_1", "z_1 - y*x_1 - x*y_1 - t", "z_1 - y*x_1"] {
        let mut stage = Stage::new(&NAMES);
        let lagrangian = stage.lagrangian(cx, "(x_1^2 + y_1^2 + z_1^2)/2 - x*y");
        let form = Rc::new(lagrangian.dynamical_form(cx).expect("decided"));
        let function = stage.read(f);
        let declared = declared(&stage, &[function], &[]);
        let system = constrained(cx, &form, &declared);
        let q = system.structure();
        let motion = system.motion(cx).expect("regular");
        let field = system.semispray(cx, &motion);
        for form in q.forms_on_q(cx) {
            let value = form.interior(&field).as_function().unwrap_or_else(Expr::zero);
            assert_on_q(cx, q, q.on_q(cx, value));
        }
        let found = constraint_type::constraint_type(cx, &declared, q).expect("decided");
        let expected = if f == "z_1 - y*x_1" { Kind::AffineNonholonomic } else { Kind::Semiholonomic };
        assert_eq!(found.kind().expect("decided"), expected, "{f}");
        assert_eq!(found.integrals.len(), usize::from(expected == Kind::Semiholonomic), "{f}");
        for u in found.integrals {
            assert_on_q(cx, q, field.apply(cx, u));
        }
    }
}

/// Law 10: the energy changes by the power of the reactions alone.
#[test]
fn the_energy_changes_by_the_power_of_the_reactions() {
    let cx = &Inquiry::free();
    for f in ["z_1 - y*x_1", "z_1 - y*x_1 - 1", "z_1 - x_1^2/2", "z - x*y - t"] {
        let mut stage = Stage::new(&NAMES);
        let lagrangian = stage.lagrangian(cx, "(x_1^2 + y_1^2 + z_1^2)/2 - x*z");
        let form = Rc::new(lagrangian.dynamical_form(cx).expect("decided"));
        let function = stage.read(f);
        let system = constrained(cx, &form, &declared(&stage, &[function], &[]));
        let q = system.structure();
        let motion = system.motion(cx).expect("regular");
        let lambda = system.multipliers(cx, &motion).expect("");
        let reactions = system.reactions(cx, &motion, &lambda);
        let power = Expr::add_all(
            reactions.iter().enumerate().map(|(s, x)| *x * Expr::symbol(jet(q.manifold(), s, 1))).collect::<Vec<_>>(),
        );
        let energy = legendre::energy(cx, &form).expect("a Lagrangian");
        let rate = along(q, &motion, total_derivative(cx, energy));
        assert_on_q(cx, q, q.on_q(cx, rate - power));
        assert!(matches!(q.normal_form(), NormalForm::Explicit(_)));
    }
}

/// Law 9: ζ ⌟ α_Q vanishes on the vertical vectors of C, for α = A_σ ω^σ∧dt + B_σν ω^σ∧dq_1^ν and a B that is not symmetric.
#[test]
fn the_semispray_annihilates_the_class_on_the_canonical_distribution() {
    let cx = &Inquiry::free();
    let mut dice = Dice(41);
    for m in [2, 3] {
        let mut stage = Stage::new(&NAMES[..m]);
        let form = equations(cx, &mut stage, &mut dice, (m, 2), false);
        let f = constraint(&mut stage, &mut dice, m, 1);
        let system = constrained(cx, &form, &declared(&stage, &[f], &[]));
        let q = system.structure();
        let y = q.manifold();
        let terms: Vec<Form> = (0..m)
            .map(|sigma| {
                let along = (0..m).map(|nu| (jet(y, nu, 1), form.b()[sigma][nu]));
                let factor = Form::one_form([(y.base(), form.a()[sigma])].into_iter().chain(along));
                Form::omega(jet(y, sigma, 0)).wedge(&factor)
            })
            .collect();
        let alpha = Form::sum(2, &terms);
        let motion = system.motion(cx).expect("regular");
        let field = crate::geometry::field::VectorField::semispray(&y.jets(1), &motion.accelerations);
        let contracted = alpha.interior(&field);
        for l in 0..q.independent().len() {
            let components = (0..m).map(|sigma| (jet(y, sigma, 0), q.tangent_matrix()[(sigma, l)]));
            let vertical = crate::geometry::field::VectorField::new(components);
            let value = contracted.interior(&vertical).as_function().unwrap_or_else(Expr::zero);
            assert_on_q(cx, q, q.on_q(cx, value));
        }
    }
}

/// The index by orders is the index by the array of derivatives: 3 for positions, 2 for velocities, 1 for accelerations.
#[test]
fn the_differentiation_index_is_that_of_the_array_of_derivatives() {
    let cx = &Inquiry::free();
    for (f, expected) in [("z - x^2 - t", 3), ("z_1 - y*x_1", 2), ("z_2 - x_2 - y", 1)] {
        let mut stage = Stage::new(&NAMES);
        let lagrangian = stage.lagrangian(cx, "(x_1^2 + y_1^2 + z_1^2)/2 - x*z");
        let form = Rc::new(lagrangian.dynamical_form(cx).expect("decided"));
        let function = stage.read(f);
        let system = constrained(cx, &form, &declared(&stage, &[function], &[]));
        let q = system.structure();
        assert_eq!(differentiation_index::of_regular(cx, &system).index, expected, "{f}");
        let motion = system.motion(cx).expect("regular");
        let mu: Vec<Expr> = system.multipliers(cx, &motion).expect("determined").iter().map(|l| -*l).collect();
        let lambda = Coordinate::declare("lambda", false);
        let push = |sigma: usize| Expr::symbol(lambda.jet(0)) * q.chetaev()[(0, sigma)];
        let balance = form.components().iter().enumerate().map(|(sigma, e)| *e + push(sigma));
        let equations: Vec<Expr> = balance.chain([function]).collect();
        let surface = system.equations_of_motion(cx).expect("linear").surface;
        let branch = Branch { equations: surface.iter().map(|e| e.function).collect(), nonzero: vec![] };
        let space = q.manifold().jets(1);
        let motion = differentiation_index::MotionOnSet {
            space: &space,
            branch: &branch,
            accelerations: &motion.accelerations,
            multipliers: &mu,
        };
        let found = differentiation_index::on_set(cx, &equations, &[lambda], &motion).expect("small");
        assert_eq!(found, Some(expected), "{f}");
    }
}

/// Redundant bars: the rank is the same on all of Q, its kernel is TQ, and the least multipliers exert the same force.
#[test]
fn parallel_bars_are_overconstrained_and_move() {
    let cx = &Inquiry::free();
    let mut stage = Stage::new(&NAMES);
    // A platform at (x, y), turned by z = tan(half the angle), on bars of length 1 at the distances −1, 0 and 1.
    let bar = |s: i64| format!("(x*(1 + z^2) - 2*({s})*z^2)^2 + (y*(1 + z^2) + 2*({s})*z)^2 - (1 + z^2)^2");
    let functions: Vec<Expr> = [-1, 0, 1].iter().map(|s| stage.read(&bar(*s))).collect();
    let declared = declared(&stage, &functions, &[]);
    let found = rank_condition::rank_condition(cx, &declared).expect("decided");
    assert_eq!(found.kind, rank_condition::Kind::Overconstrained, "{found:?}");
    assert_eq!((found.generic_rank, found.independent.len()), (3, 2));
}
