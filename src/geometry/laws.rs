//! Laws of the calculus on random instances: up to four coordinates, order four and every degree.
//!
//! The zero test here is not the one of the algebra but exact evaluation at random rational points, so
//! that one does not vouch for the other: sin w and cos w are the coordinates of a rational point of the circle, one for
//! every angle w, and exp w is a rational number; sums of angles rotate. That they are independent of w itself makes
//! it a test of polynomial identities. `LEPAGE_LAWS=5000 cargo test geometry::laws` runs thousands,
//! `LEPAGE_LAW_SEED=48` one of them.

use super::contact::*;
use super::jet::*;
use super::map::Map;
use super::section::Section;
use super::{Form, Tensor, VectorField};
use crate::algebra::Inquiry;
use crate::algebra::expr::{Node, post_order};
use crate::algebra::function::Elementary;
use crate::algebra::{Coordinate, Expr, Rational, Symbol};
use rustc_hash::FxHashMap;

mod inverses;
mod maps;

/// A reproducible source of instances (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn rational(&mut self) -> Rational {
        Rational::ratio(self.below(19) as i64 - 9, self.below(5) as i64 + 1)
    }

    /// A sum of a few monomials, sometimes over 1 + x².
    fn function(&mut self, symbols: &[Symbol]) -> Expr {
        let mut e = Expr::number(self.rational());
        for _ in 0..1 + self.below(3) {
            let mut monomial = Expr::number(self.rational());
            for _ in 0..self.below(4) {
                monomial = monomial * Expr::symbol(self.pick(symbols)).pow(1 + self.below(2) as i64);
            }
            e = e + monomial;
        }
        if self.below(6) == 0 {
            e = e / (1 + Expr::symbol(self.pick(symbols)).pow(2));
        }
        e
    }

    /// A few terms along different axes, in any order; `degree` is at most the dimension.
    fn form(&mut self, symbols: &[Symbol], degree: usize) -> Form {
        let terms: Vec<Form> = (0..1 + self.below(4)).map(|_| self.term(symbols, degree)).collect();
        Form::sum(degree, &terms)
    }

    /// f dx¹ ∧ … ∧ dxᵏ.
    fn term(&mut self, symbols: &[Symbol], degree: usize) -> Form {
        let mut rest = symbols.to_vec();
        let axes: Vec<Symbol> = (0..degree).map(|_| rest.swap_remove(self.below(rest.len()))).collect();
        Form::term(self.function(symbols), &axes)
    }

    fn field(&mut self, symbols: &[Symbol]) -> VectorField {
        VectorField::new(
            (0..1 + self.below(5)).map(|_| (self.pick(symbols), self.function(symbols))).collect::<Vec<_>>(),
        )
    }

    fn projectable_field(&mut self, manifold: &FiberedManifold) -> VectorField {
        let base = manifold.base();
        let symbols = manifold.jets(0).symbols();
        let mut components = vec![(base, self.function(&[base]))];
        components.extend(symbols[1..].iter().map(|s| (*s, self.function(&symbols))));
        VectorField::new(components)
    }

    fn manifold(&mut self, m: usize) -> FiberedManifold {
        self.manifold_over(Symbol::base("t"), m)
    }

    fn manifold_over(&mut self, base: Symbol, m: usize) -> FiberedManifold {
        let names = ["x", "y", "z", "w"];
        let coordinates: Vec<Coordinate> = names[..m].iter().map(|n| Coordinate::declare(n, false)).collect();
        FiberedManifold::new("Y", base, &coordinates)
    }

    fn vanish(&mut self, expressions: &[Expr]) -> bool {
        let nodes = post_order(expressions);
        // A point at which a denominator vanishes says nothing: another one is taken.
        (0..2).all(|_| (0..8).find_map(|_| self.values_vanish(&nodes, expressions)).expect("a point in the domain"))
    }

    /// Whether the expressions vanish at a random point; `None` if they have no value there.
    fn values_vanish(&mut self, nodes: &[Expr], expressions: &[Expr]) -> Option<bool> {
        let mut values: FxHashMap<Expr, Rational> = FxHashMap::default();
        let mut points: FxHashMap<Expr, Rational> = FxHashMap::default();
        // e^w is a positive number, whatever point of the circle w is.
        let mut powers: FxHashMap<Expr, Rational> = FxHashMap::default();
        for &e in nodes {
            let value = match e.node() {
                Node::Number(n) => n.clone(),
                Node::Symbol(_) => &self.rational() + &Rational::ratio(1, 7),
                Node::Sum { constant, terms } => {
                    terms.iter().fold(constant.clone(), |sum, (term, c)| &sum + &(&values[term] * c))
                }
                Node::Product(factors) => {
                    let mut product = Rational::ONE;
                    for (base, n) in factors.iter() {
                        let n = n.to_i64().expect("whole exponents");
                        if n < 0 && values[base].is_zero() {
                            return None;
                        }
                        product = &product * &values[base].pow(n).ok()?;
                    }
                    product
                }
                Node::Apply(f @ (Elementary::Sin | Elementary::Cos), w) => {
                    let (mut cos, mut sin) = (Rational::ONE, Rational::ZERO);
                    for (angle, n) in multiples(w[0]) {
                        let tau = points.entry(angle).or_insert_with(|| self.rational());
                        let one = &Rational::ONE + &(&*tau * &*tau);
                        let c = &(&Rational::ONE - &(&*tau * &*tau)) / &one;
                        let s = &(&*tau + &*tau) / &one;
                        let s = if n < 0 { -&s } else { s };
                        for _ in 0..n.abs() {
                            (cos, sin) = (&(&cos * &c) - &(&sin * &s), &(&sin * &c) + &(&cos * &s));
                        }
                    }
                    if *f == Elementary::Sin { sin } else { cos }
                }
                Node::Apply(Elementary::Exp, w) => {
                    let mut product = Rational::ONE;
                    for (of, n) in multiples(w[0]) {
                        let power = powers.entry(of).or_insert_with(|| &self.rational().abs() + &Rational::ratio(1, 3));
                        product = &product * &power.pow(n).ok()?;
                    }
                    product
                }
                _ => panic!("no rational value of {e}"),
            };
            values.insert(e, value);
        }
        Some(expressions.iter().all(|e| values[e].is_zero()))
    }

    fn same(&mut self, a: &Form, b: &Form) -> bool {
        a.degree() == b.degree() && self.vanish(&(a - b).coefficients())
    }

    fn same_tensor(&mut self, a: &Tensor, b: &Tensor) -> bool {
        let difference: Vec<Expr> = (a - b).rows().flat_map(|(_, row)| row.coefficients()).collect();
        self.vanish(&difference)
    }

    fn same_field(&mut self, a: &VectorField, b: &VectorField) -> bool {
        let difference: Vec<Expr> = (a - b).components().into_iter().map(|(_, c)| c).collect();
        self.vanish(&difference)
    }
}

/// Σ nᵢ wᵢ with whole numbers nᵢ: functions of angles add up.
fn multiples(e: Expr) -> Vec<(Expr, i64)> {
    match e.node() {
        Node::Sum { constant, terms } => {
            assert!(constant.is_zero(), "an angle without a constant");
            terms.iter().map(|(w, n)| (*w, n.to_i64().expect("whole multiples"))).collect()
        }
        _ => vec![(e, 1)],
    }
}

/// A space and what lives on it.
struct Stage {
    random: Random,
    space: JetSpace,
    symbols: Vec<Symbol>,
    degree: usize,
}

fn cases() -> u64 {
    std::env::var("LEPAGE_LAWS").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

/// Checks a law on random stages; a failure names its seed.
fn for_all(law: impl Fn(&mut Stage) -> bool) {
    for_some(cases(), law);
}

/// The same for laws that take long.
fn for_some(n: u64, law: impl Fn(&mut Stage) -> bool) {
    let one = std::env::var("LEPAGE_LAW_SEED").ok().and_then(|n| n.parse().ok());
    for seed in one.map_or(0..n, |seed: u64| seed..seed + 1) {
        let mut random = Random(seed);
        let m = 1 + random.below(4);
        let manifold = random.manifold(m);
        let space = manifold.jets(random.below(5) as u32);
        let symbols = space.symbols();
        let degree = random.below(symbols.len() + 1);
        let mut stage = Stage { random, space, symbols, degree };
        assert!(law(&mut stage), "seed {seed}, {} of dimension {}, degree {}", stage.space, m, stage.degree);
    }
}

/// The same, on J¹(JʳY) too, in the coordinates of the space that was chosen.
fn on_all_spaces(law: impl Fn(&mut Stage) -> bool) {
    for_all(|s| {
        if s.random.below(3) == 0 {
            s.space = s.space.manifold().jets(s.space.order().min(2)).free();
            s.symbols = s.space.symbols();
            s.degree = s.random.below(s.symbols.len() + 1);
        }
        law(s)
    });
}

impl Stage {
    fn form(&mut self) -> Form {
        self.form_of(self.degree)
    }

    fn form_of(&mut self, degree: usize) -> Form {
        self.random.form(&self.symbols, degree)
    }

    fn field(&mut self) -> VectorField {
        self.random.field(&self.symbols)
    }
}

#[test]
fn the_second_exterior_derivative_is_zero() {
    let cx = &Inquiry::free();
    on_all_spaces(|s| {
        let eta = s.form();
        s.random.vanish(&eta.d(cx).d(cx).coefficients())
    });
}

#[test]
fn wedge_is_associative_and_graded_commutative_and_d_an_antiderivation() {
    let cx = &Inquiry::free();
    on_all_spaces(|s| {
        let (p, q) = (s.random.below(3).min(s.symbols.len()), s.random.below(3));
        let (a, b, c) = (s.form_of(p), s.form_of(q), s.form_of(1));
        let associative = s.random.same(&a.wedge(&b).wedge(&c), &a.wedge(&b.wedge(&c)));
        let sign = |n: usize| Expr::number(if n.is_multiple_of(2) { 1 } else { -1 });
        let commutative = s.random.same(&a.wedge(&b), &b.wedge(&a).scale(sign(p * q)));
        let leibniz = &a.d(cx).wedge(&b) + &a.wedge(&b.d(cx)).scale(sign(p));
        associative && commutative && s.random.same(&a.wedge(&b).d(cx), &leibniz)
    });
}

#[test]
fn cartans_formula() {
    let cx = &Inquiry::free();
    on_all_spaces(|s| {
        let (eta, xi) = (s.form(), s.field());
        let inside = if s.degree == 0 { Form::zero(0) } else { eta.interior(&xi).d(cx) };
        s.random.same(&eta.lie(cx, &xi), &(&eta.d(cx).interior(&xi) + &inside))
    });
}

#[test]
fn interior_products_anticommute_and_lie_derivatives_represent_the_bracket() {
    let cx = &Inquiry::free();
    on_all_spaces(|s| {
        s.degree = 1 + s.random.below(s.symbols.len().min(3));
        let (eta, xi, zeta) = (s.form(), s.field(), s.field());
        let anticommute =
            s.degree < 2 || s.random.same(&eta.interior(&xi).interior(&zeta), &-&eta.interior(&zeta).interior(&xi));
        let commutator = &eta.lie(cx, &zeta).lie(cx, &xi) - &eta.lie(cx, &xi).lie(cx, &zeta);
        let lie_of_bracket = eta.lie(cx, &xi.bracket(cx, &zeta));
        let contracted = &eta.interior(&zeta).lie(cx, &xi) - &eta.lie(cx, &xi).interior(&zeta);
        anticommute
            && s.random.same(&commutator, &lie_of_bracket)
            && s.random.same(&contracted, &eta.interior(&xi.bracket(cx, &zeta)))
    });
}

#[test]
fn brackets_obey_jacobi() {
    let cx = &Inquiry::free();
    on_all_spaces(|s| {
        let (a, b, c) = (s.field(), s.field(), s.field());
        let sum = &(&a.bracket(cx, &b.bracket(cx, &c)) + &b.bracket(cx, &c.bracket(cx, &a)))
            + &c.bracket(cx, &a.bracket(cx, &b));
        s.random.same_field(&sum, &VectorField::zero())
    });
}

#[test]
fn a_form_is_the_sum_of_its_contact_parts() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let eta = s.form();
        let parts: Vec<Form> = (0..=s.degree).map(|k| k_contact_part(&eta, k, Prolongation::Holonomic)).collect();
        let sum = Form::sum(s.degree, &parts);
        // Each part is its own part, and has none of the others.
        let projectors = parts.iter().enumerate().all(|(k, part)| {
            (0..=s.degree).all(|l| {
                let again = k_contact_part(part, l, Prolongation::Holonomic);
                s.random.same(&again, &if k == l { part.clone() } else { Form::zero(s.degree) })
            })
        });
        let split = s.degree != 1 || {
            let (h, p) = (horizontal_part(&eta), contact_part(&eta));
            is_horizontal(cx, &h).verdict.is_yes() && s.random.same(&(&h + &p), &eta) && s.random.same(&p, &parts[1])
        };
        let back = in_contact_basis(&eta, ContactBasis::Adapted(s.space.clone())).to_form();
        projectors && split && s.random.same(&sum, &eta) && s.random.same(&back, &eta)
    });
}

#[test]
fn horizontalisation_of_a_differential_is_the_total_derivative() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let f = s.random.function(&s.symbols.clone());
        let dt = Form::differential(s.space.manifold().base());
        s.random.same(&horizontal_part(&Form::function(f).d(cx)), &dt.scale(total_derivative(cx, f)))
    });
}

#[test]
fn contact_parts_respect_the_free_prolongation_too() {
    for_all(|s| {
        s.symbols = s.space.free_prolongation().symbols().to_vec();
        let eta = s.form();
        let parts: Vec<Form> = (0..=s.degree).map(|k| k_contact_part(&eta, k, Prolongation::Free)).collect();
        s.random.same(&Form::sum(s.degree, &parts), &eta)
    });
}

#[test]
fn prolongation_is_a_morphism_of_lie_algebras() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let space = s.space.clone();
        let (xi, zeta) = (s.random.projectable_field(space.manifold()), s.random.projectable_field(space.manifold()));
        let of_bracket = xi.bracket(cx, &zeta).prolong(cx, &space).unwrap();
        let bracket = xi.prolong(cx, &space).unwrap().bracket(cx, &zeta.prolong(cx, &space).unwrap());
        s.random.same_field(&of_bracket, &bracket)
    });
}

#[test]
fn prolonged_fields_leave_contact_forms_among_themselves() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let space = s.space.clone();
        let xi = s.random.projectable_field(space.manifold()).prolong(cx, &space).unwrap();
        space.contact_jets().into_iter().all(|q| {
            let image = Form::omega(q).lie(cx, &xi);
            s.random.vanish(&horizontal_part(&image).coefficients())
        })
    });
}

#[test]
fn contact_forms_vanish_along_prolonged_sections() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let base = s.space.manifold().base();
        let manifold = s.space.manifold().clone();
        let components: Vec<(Symbol, Expr)> =
            manifold.jets(0).symbols()[1..].iter().map(|x| (*x, s.random.function(&[base]))).collect();
        let gamma = Section::new(&manifold.jets(0), components).unwrap();
        let prolonged = gamma.prolong(cx, s.space.order()).unwrap();
        let vanish = s.space.lift(5).contact_jets().into_iter().all(|q| {
            let along = gamma.pullback(cx, &Form::omega(q)).unwrap();
            s.random.vanish(&along.coefficients())
        });
        let eta = s.form_of(1);
        let (along, of_h) =
            (prolonged.pullback(cx, &eta).unwrap(), gamma.pullback(cx, &horizontal_part(&eta)).unwrap());
        let residuals = prolonged.is_holonomic(cx);
        vanish && s.random.same(&along, &of_h) && !residuals.verdict.is_no()
    });
}

#[test]
fn tensors_obey_leibniz_and_nijenhuis_is_its_bracket_formula() {
    let cx = &Inquiry::free();
    on_all_spaces(|s| {
        let (eta, theta) = (s.form_of(1), s.form_of(1));
        let t = &Tensor::product(&eta, &s.field()) + &Tensor::product(&theta, &s.field());
        let (xi, zeta) = (s.field(), s.field());
        // L_ξ(T(ζ)) = (L_ξT)(ζ) + T([ξ, ζ])
        let left = xi.bracket(cx, &t.apply(&zeta));
        let right = &t.lie(cx, &xi).apply(&zeta) + &t.apply(&xi.bracket(cx, &zeta));
        let n = t.nijenhuis(cx).interior(&xi).apply(&zeta);
        let (tx, tz) = (t.apply(&xi), t.apply(&zeta));
        let plus = &tx.bracket(cx, &tz) + &t.after(&t).apply(&xi.bracket(cx, &zeta));
        let minus = &t.apply(&tx.bracket(cx, &zeta)) + &t.apply(&xi.bracket(cx, &tz));
        let transpose = s.random.same(&t.apply_to_form(&theta).interior(&xi), &theta.interior(&t.apply(&xi)));
        transpose && s.random.same_field(&left, &right) && s.random.same_field(&n, &(&plus - &minus))
    });
}

/// Mixed systems §2 and §3: (L_ΓS)² = I − Γ ⊗ dt − N, Ψ = i_Γ N_N, for random right sides.
#[test]
fn the_connection_of_a_mixed_system_satisfies_its_identities() {
    let cx = &Inquiry::free();
    for seed in 0..cases().min(40) {
        let mut random = Random(seed);
        let (k, m) = (1 + random.below(2), 1 + random.below(2));
        let below = random.manifold(k);
        let own: Vec<Coordinate> = ["a", "b"][..m].iter().map(|n| Coordinate::declare(n, false)).collect();
        let e = FiberedManifold::over_manifold("E", &below, &own);
        let (chart, t) = (e.mixed_phase_space(), e.base());
        let second: Vec<Coordinate> = below.fibres().iter().map(|f| f.coordinate).collect();
        let v = |alpha: usize| second[alpha].jet(1);
        let f: Vec<Expr> = second.iter().map(|_| random.function(chart.symbols())).collect();
        let g: Vec<Expr> = own.iter().map(|_| random.function(chart.symbols())).collect();
        let derivative = |e: Expr, s: Symbol| crate::algebra::derive::partial(cx, e, s);
        let gamma = VectorField::new(
            [(t, Expr::one())]
                .into_iter()
                .chain((0..k).map(|a| (second[a].jet(0), Expr::symbol(v(a)))))
                .chain((0..m).map(|a| (own[a].jet(0), g[a])))
                .chain((0..k).map(|a| (v(a), f[a]))),
        );
        let theta = |a: usize| Form::omega(second[a].jet(0));
        let eta = |a: usize| {
            let b0 = g[a] - Expr::add_all((0..k).map(|c| Expr::symbol(v(c)) * derivative(g[a], v(c))));
            let components = (0..k).map(|c| (second[c].jet(0), -derivative(g[a], v(c))));
            Form::one_form(components.chain([(own[a].jet(0), Expr::one()), (t, -b0)]))
        };
        let n = Tensor::from_rows(1, (0..m).map(|a| (own[a].jet(0), eta(a))));
        let s = Tensor::from_rows(1, (0..k).map(|a| (v(a), theta(a))));
        let lie = s.lie(cx, &gamma);
        let rest = &(&Tensor::identity(&chart) - &Tensor::product(&Form::differential(t), &gamma)) - &n;
        assert!(random.same_tensor(&lie.after(&lie), &rest), "seed {seed}");
        let half = Expr::ratio(1, 2);
        let p_v = (&lie + &rest).scale(half);
        let p_h = &Tensor::identity(&chart) - &p_v;
        assert!(random.same_tensor(&p_v.after(&p_v), &p_v) && random.same_tensor(&p_h.after(&p_h), &p_h));
        // C^a_β = Γ(B^a_β) − X_β(g^a)
        let psi = Tensor::from_rows(
            1,
            (0..m).map(|a| {
                let c = |beta: usize| {
                    let x = (0..m).map(|b| (own[b].jet(0), derivative(g[b], v(beta))));
                    let x = VectorField::new(x.chain([(second[beta].jet(0), Expr::one())]));
                    theta(beta).scale(gamma.apply(cx, derivative(g[a], v(beta))) - x.apply(cx, g[a]))
                };
                (own[a].jet(0), Form::sum(1, &(0..k).map(c).collect::<Vec<_>>()))
            }),
        );
        assert!(random.same_tensor(&n.nijenhuis(cx).interior(&gamma), &psi), "seed {seed}");
    }
}

/// E_σ = Σ (−1)ᵏ dᵏ/dtᵏ ∂L/∂q_k^σ as a dynamical form, by the formula.
fn euler_lagrange(cx: &Inquiry, manifold: &FiberedManifold, lagrangian: Expr) -> Form {
    let order = written_order(lagrangian);
    let component = |q: Coordinate| {
        Expr::add_all((0..=order).map(|k| {
            let p = total_derivatives(cx, crate::algebra::derive::partial(cx, lagrangian, q.jet(k)), k);
            if k % 2 == 0 { p } else { -p }
        }))
    };
    let base = manifold.base();
    let terms: Vec<Form> =
        manifold.fibres().iter().map(|f| Form::term(component(f.coordinate), &[f.coordinate.jet(0), base])).collect();
    Form::sum(2, &terms)
}

#[test]
fn total_derivatives_are_null_lagrangians() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let space = s.space.clone();
        let f = s.random.function(&space.symbols());
        s.random.vanish(&euler_lagrange(cx, space.manifold(), total_derivative(cx, f)).coefficients())
    });
}

/// J¹ξ on J¹(JʳY): a morphism of Lie algebras, under which contact forms of that space stay contact forms; of a
/// prolongation it is tangent to J^{r+1}Y.
#[test]
fn free_prolongation_is_a_morphism_of_lie_algebras() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let space = s.space.manifold().jets(s.space.order().min(3));
        let free = space.free();
        let (base, symbols) = (space.manifold().base(), space.symbols());
        let field = |random: &mut Random| {
            let time = random.function(&[base]);
            let rest = random.field(&symbols);
            let rest = rest.components().into_iter().filter(|(s, _)| *s != base);
            VectorField::new(rest.chain([(base, time)]).collect::<Vec<_>>())
        };
        let (xi, zeta) = (field(&mut s.random), field(&mut s.random));
        let prolong = |x: &VectorField| x.prolong_freely(cx, &free).unwrap();
        let morphism =
            s.random.same_field(&prolong(&xi.bracket(cx, &zeta)), &prolong(&xi).bracket(cx, &prolong(&zeta)));
        let contact = symbols[1..].iter().all(|q| {
            let omega = &Form::differential(*q) - &Form::differential(base).scale(Expr::symbol(Symbol::velocity(*q)));
            let image = k_contact_part(&omega.lie(cx, &prolong(&xi)), 0, Prolongation::Free);
            s.random.vanish(&image.coefficients())
        });
        // Along vel(q_k) = q_{k+1} it is Jʳ⁺¹ξ.
        let below = s.random.projectable_field(space.manifold());
        let lifted = prolong(&below.prolong(cx, &space).unwrap());
        let higher = below.prolong(cx, &space.lift(space.order() + 1)).unwrap();
        let holonomic = symbols[1..].iter().all(|q| {
            let (velocity, (coordinate, k)) = (Symbol::velocity(*q), q.as_jet().unwrap());
            let e = lifted.component(velocity);
            let along = crate::algebra::substitute::substitute(e, &holonomic_values(&e.symbols()));
            s.random.vanish(&[along - higher.component(coordinate.jet(k + 1))])
        });
        morphism && contact && holonomic
    });
}

/// Projectors of (1,1) tensors: P = η ⊗ ξ with η(ξ) = 1, its complement, and L_ξ of both; N_P = N_{I−P}.
#[test]
fn projectors_and_their_nijenhuis_tensors() {
    let cx = &Inquiry::free();
    on_all_spaces(|s| {
        let k = s.random.below(s.symbols.len());
        let axis = s.symbols[k];
        // η = dx_k + …, ξ = ∂_k with η(ξ) = 1.
        let rest: Vec<Symbol> = s.symbols.iter().copied().filter(|q| *q != axis).collect();
        let eta = match rest.is_empty() {
            true => Form::differential(axis),
            false => &Form::differential(axis) + &Form::term(s.random.function(&s.symbols), &[s.random.pick(&rest)]),
        };
        let p = Tensor::product(&eta, &VectorField::coordinate(axis));
        let chart = Chart::new(s.symbols.iter().copied());
        let q = &Tensor::identity(&chart) - &p;
        let (xi, zeta) = (s.field(), s.field());
        let idempotent = s.random.same_tensor(&p.after(&p), &p) && s.random.same_tensor(&q.after(&q), &q);
        let lie = p.lie(cx, &xi);
        // (L_ξP)P + P(L_ξP) = L_ξP, and L_ξI = 0.
        let derivative = s.random.same_tensor(&(&lie.after(&p) + &p.after(&lie)), &lie)
            && s.random.same_tensor(&q.lie(cx, &xi), &(&Tensor::zero(1) - &lie));
        let n = |t: &Tensor| t.nijenhuis(cx).interior(&xi).apply(&zeta);
        idempotent && derivative && s.random.same_field(&n(&p), &n(&q))
    });
}
