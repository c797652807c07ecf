//! Laws that hold for every system, tried on random ones of several orders: α_E is closed and equals dθ_λ,
//! Hamilton's equations reproduce E, the Vainberg–Tonti Lagrangian gives E back, the minimal Lagrangian is
//! minimal. The formulas under test are those of any order s; here s = 1, 2, 3, 4, 6 and up to three
//! coordinates.

use super::dynamical_form::DynamicalForm;
use super::hamilton::{canonical, hamilton_form};
use super::inverse_problem::{equivalent, helmholtz, tonti};
use super::lagrangian::Lagrangian;
use super::lepage_class::{closed_representative, lepage, with_f, without_f};
use super::{jet, jet_expr, tidy, vanishes};
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::number::Rational;
use crate::algebra::substitute::substitute;
use crate::algebra::{Coordinate, Expr, Symbol};
use crate::geometry::contact::{horizontal_part, is_closed, one_contact_part};
use crate::geometry::form::Form;
use crate::geometry::jet::{FiberedManifold, total_derivative};
use rustc_hash::FxHashMap;

/// A fixed sequence of small numbers (a linear congruence), so that every run tries the same systems.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn coefficient(&mut self) -> Rational {
        let n = self.below(9) as i64 - 4;
        Rational::ratio(if n == 0 { 5 } else { n }, 1 + self.below(3) as i64)
    }
}

fn manifold(m: usize) -> FiberedManifold {
    let coordinates: Vec<Coordinate> = (1..=m).map(|i| Coordinate::declare(&format!("q{i}"), false)).collect();
    FiberedManifold::new("Y", Symbol::base("t"), &coordinates)
}

/// A sum of a few monomials of degree up to three in the jets up to `order`, some with a factor t.
fn random_polynomial(dice: &mut Dice, y: &FiberedManifold, order: u32, n_terms: u64) -> Expr {
    let m = y.n_coordinates() as u64;
    let terms = (0..n_terms).map(|_| {
        let mut term = Expr::number(dice.coefficient());
        for _ in 0..1 + dice.below(3) {
            term = term * jet_expr(y, dice.below(m) as usize, dice.below(u64::from(order) + 1) as u32);
        }
        if dice.below(4) == 0 { term * Expr::symbol(y.base()) } else { term }
    });
    Expr::add_all(terms.collect::<Vec<_>>())
}

/// A random Lagrangian whose equations have the true order s.
fn random_lagrangian(cx: &Inquiry, dice: &mut Dice, s: u32, m: usize) -> Lagrangian {
    let y = manifold(m);
    let r = s.div_ceil(2);
    let lower = random_polynomial(dice, &y, r - 1, 4);
    let leading = if s.is_multiple_of(2) {
        let mass = Expr::one() + random_polynomial(dice, &y, r - 1, 1).pow(2);
        let q = |i: usize| jet_expr(&y, i, r);
        Expr::add_all((0..m).map(|i| mass * q(i).pow(2))).scale(&Rational::HALF)
            + q(0) * random_polynomial(dice, &y, r - 1, 2)
    } else {
        // Affine in the top jets, not a total derivative: b_ν q_r^ν.
        Expr::add_all((0..m).map(|i| random_polynomial(dice, &y, r - 1, 2) * jet_expr(&y, i, r)))
    };
    Lagrangian::new(cx, &y, leading + lower).expect("a polynomial has an order")
}

/// s, m, and how many systems of the kind are tried.
const KINDS: [(u32, usize, usize); 13] = [
    (1, 2, 3),
    (1, 3, 2),
    (2, 1, 3),
    (2, 2, 3),
    (2, 3, 1),
    (3, 2, 2),
    (3, 3, 1),
    (4, 1, 2),
    (4, 2, 1),
    (4, 3, 1),
    (6, 1, 1),
    (6, 2, 1),
    (6, 3, 1),
];

fn for_each_system(cx: &Inquiry, check: impl Fn(&Lagrangian, &DynamicalForm)) {
    let mut dice = Dice(20);
    for (s, m, times) in KINDS {
        for _ in 0..times {
            let lagrangian = random_lagrangian(cx, &mut dice, s, m);
            let form = lagrangian.dynamical_form(cx).expect("decided");
            check(&lagrangian, &form);
        }
    }
}

fn assert_zero(cx: &Inquiry, e: Expr, what: &str) {
    assert!(vanishes(cx, e).is_yes(), "{what}: {e}");
}

#[test]
fn the_cartan_form_is_a_lepage_equivalent() {
    let cx = &Inquiry::free();
    for_each_system(cx, |lagrangian, form| {
        let theta = lagrangian.cartan_form(cx);
        assert!(horizontal_part(&theta).equals(cx, &lagrangian.form()).is_yes());
        assert!(one_contact_part(&theta.d(cx)).equals(cx, &form.form()).is_yes());
    });
}

#[test]
fn the_closed_representative_is_closed_and_is_the_derivative_of_the_cartan_form() {
    let cx = &Inquiry::free();
    for_each_system(cx, |lagrangian, form| {
        let alpha = closed_representative(cx, form);
        assert!(is_closed(cx, &alpha.form(cx)).verdict.is_yes());
        assert!(alpha.form(cx).equals(cx, &lagrangian.cartan_form(cx).d(cx)).is_yes());
        assert!(one_contact_part(&alpha.form(cx)).equals(cx, &form.form()).is_yes());
    });
}

#[test]
fn euler_lagrange_forms_satisfy_the_helmholtz_conditions() {
    let cx = &Inquiry::free();
    for_each_system(cx, |_, form| {
        assert!(helmholtz(cx, form).residuals.iter().all(|r| r.vanishes.is_yes()));
    });
}

#[test]
fn the_vainberg_tonti_lagrangian_gives_the_equations_back() {
    let cx = &Inquiry::free();
    for_each_system(cx, |lagrangian, form| {
        let found = tonti(cx, form).expect("variational").lagrangian;
        for (a, b) in found.euler_lagrange(cx).into_iter().zip(form.components()) {
            assert_zero(cx, a - *b, "E(L_VT) − E");
        }
        let equivalence = equivalent(cx, &found, lagrangian.function()).expect("decided");
        assert!(equivalence.equivalent.is_yes());
        let f = equivalence.primitive.expect("a polynomial has a primitive");
        assert_zero(cx, total_derivative(cx, f) - (found.function() - lagrangian.function()), "df/dt − (L₁ − L₂)");
    });
}

/// Krupková (8.5), (8.12), (8.14), (8.15), Remark 8.14.
#[test]
fn momenta_hamiltonian_and_minimal_lagrangian_fit_together() {
    let cx = &Inquiry::free();
    for_each_system(cx, |_, form| {
        let y = form.manifold();
        let s = form.order();
        let c = canonical(cx, form, None).expect("variational");
        assert!(c.minimal.order() <= s.div_ceil(2));
        for (a, b) in c.minimal.euler_lagrange(cx).into_iter().zip(form.components()) {
            assert_zero(cx, a - *b, "E(L_min) − E");
        }
        let legendre =
            c.momenta.iter().enumerate().flat_map(|(k, row)| row.iter().enumerate().map(move |(nu, p)| (k, nu, *p)));
        let sum = Expr::add_all(legendre.map(|(k, nu, p)| p * jet_expr(y, nu, k as u32 + 1)));
        assert_zero(cx, c.hamiltonian + c.minimal.function() - sum, "(8.15)");
        let ostrogradsky = c.minimal.ostrogradsky(cx).momenta;
        for (k, row) in ostrogradsky.iter().enumerate() {
            for (nu, p) in row.iter().enumerate() {
                assert_zero(cx, *p - c.momenta[k][nu], "p of (8.15)");
            }
        }
        assert!(c.is_canonical_form_of(cx, &closed_representative(cx, form)).is_yes());
        let power = Expr::add_all(form.components().iter().enumerate().map(|(i, e)| *e * jet_expr(y, i, 1)));
        let explicit = partial(cx, c.hamiltonian, y.base());
        if form.is_autonomous(cx).is_yes() {
            assert_zero(cx, total_derivative(cx, c.hamiltonian) + power, "dH/dt + q′E");
            assert_zero(cx, explicit, "∂H/∂t");
        }
    });
}

/// Along holonomic curves the Hamilton form is E: its other components vanish. Krupková, Proposition 4.3.
#[test]
fn hamilton_equations_reproduce_the_equations_on_prolonged_curves() {
    let cx = &Inquiry::free();
    for_each_system(cx, |_, form| {
        for alpha in [closed_representative(cx, form), without_f(cx, form)] {
            let h = hamilton_form(cx, &alpha);
            let holonomic: FxHashMap<Symbol, Expr> =
                h.jets.iter().map(|q| (Symbol::velocity(*q), total_derivative(cx, Expr::symbol(*q)))).collect();
            let m = form.manifold().n_coordinates();
            for (row, e) in h.components.iter().enumerate() {
                let along = substitute(*e, &holonomic);
                let expected = if row < m { form.components()[row] } else { Expr::zero() };
                assert_zero(cx, along - expected, "H∘Jγ");
            }
        }
    });
}

/// The closed formulas (3.7), (5.5) against contraction of α.
#[test]
fn generators_of_the_distributions_are_contractions() {
    let cx = &Inquiry::free();
    use crate::geometry::field::VectorField;
    let mut dice = Dice(5);
    for (s, m) in [(1, 2), (2, 2), (3, 1), (3, 2), (4, 1)] {
        let y = manifold(m);
        let components = (0..m)
            .map(|sigma| {
                let top = if s == 1 {
                    // antisymmetric B
                    match sigma {
                        0 => jet_expr(&y, 0, 0) * jet_expr(&y, 1, 1),
                        _ => -(jet_expr(&y, 0, 0) * jet_expr(&y, 0, 1)),
                    }
                } else {
                    Expr::add_all((0..m).map(|nu| random_polynomial(&mut dice, &y, s - 1, 2) * jet_expr(&y, nu, s)))
                };
                top + random_polynomial(&mut dice, &y, s - 1, 2)
            })
            .collect();
        let form = DynamicalForm::new(cx, &y, components).expect("decided");
        if form.order() != s {
            continue;
        }
        let alpha = if s >= 3 {
            let omega = |k: u32| Form::omega(jet(&y, 0, k));
            let eta = omega(0).wedge(&omega(1)).scale(random_polynomial(&mut dice, &y, s - 1, 2));
            with_f(cx, &form, &eta).expect("2-contact")
        } else {
            without_f(cx, &form)
        };
        for (q, row) in form.phase_jets().iter().zip(alpha.rows(cx)) {
            assert!(alpha.form(cx).interior(&VectorField::coordinate(*q)).equals(cx, &row).is_yes(), "∂/∂{q}");
        }
        let time = -&alpha.form(cx).interior(&VectorField::coordinate(y.base()));
        assert!(time.equals(cx, &alpha.time_row(cx)).is_yes());
        assert!(one_contact_part(&alpha.form(cx)).equals(cx, &form.form()).is_yes());
    }
}

#[test]
fn a_gauge_function_changes_momenta_but_not_the_form() {
    let cx = &Inquiry::free();
    let y = manifold(1);
    let q = |k| jet_expr(&y, 0, k);
    let a = Expr::symbol(Symbol::parameter("a"));
    let form = DynamicalForm::new(cx, &y, vec![q(4) + a * q(2) + q(0)]).expect("decided");
    let gauge = (a * q(0) * q(1)).scale(&Rational::HALF);
    let plain = canonical(cx, &form, None).expect("variational");
    let gauged = canonical(cx, &form, Some(gauge)).expect("variational");
    assert_zero(cx, plain.momenta[1][0] - (q(2) + (a * q(0)).scale(&Rational::HALF)), "p¹ with φ = 0");
    assert_zero(cx, gauged.momenta[1][0] - q(2), "p¹ with the usual gauge");
    let alpha = lepage(cx, &form).expect("decided");
    assert!(plain.is_canonical_form_of(cx, &alpha).is_yes() && gauged.is_canonical_form_of(cx, &alpha).is_yes());
    assert!(canonical(cx, &form, Some(q(2))).is_err(), "φ may not depend on q″ for s = 4");
}

#[test]
fn tidied_components_are_small() {
    let cx = &Inquiry::free();
    let y = manifold(1);
    let q = |k| jet_expr(&y, 0, k);
    assert_eq!(tidy(cx, (q(1) + q(0)).pow(2) - q(0).pow(2) - 2 * (q(0) * q(1))), q(1).pow(2));
}
