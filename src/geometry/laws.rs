//! Laws of the calculus on random instances: up to four coordinates, order four and every degree.
//!
//! The zero test here is not the one of the algebra but exact evaluation at random rational points, so
//! that one does not vouch for the other. `LEPAGE_LAWS=5000 cargo test geometry::laws` runs thousands.

use super::contact::*;
use super::jet::*;
use super::{Form, Map, Section, Tensor, VectorField};
use crate::algebra::substitute::substitute_all;
use crate::algebra::{Coordinate, Expr, Rational, Symbol};
use rustc_hash::FxHashMap;

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
        let terms: Vec<Form> = (0..1 + self.below(4))
            .map(|_| {
                let mut rest = symbols.to_vec();
                let axes: Vec<Symbol> = (0..degree).map(|_| rest.swap_remove(self.below(rest.len()))).collect();
                Form::term(self.function(symbols), &axes)
            })
            .collect();
        Form::sum(degree, &terms)
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
        let names = ["x", "y", "z", "w"];
        let coordinates: Vec<Coordinate> = names[..m].iter().map(|n| Coordinate::declare(n, false)).collect();
        FiberedManifold::new("Y", Symbol::base("t"), &coordinates)
    }

    fn vanish(&mut self, expressions: &[Expr]) -> bool {
        let symbols = crate::algebra::expr::symbols_of(expressions);
        (0..2).all(|_| {
            let point: FxHashMap<Symbol, Expr> =
                symbols.iter().map(|s| (*s, Expr::number(&self.rational() + &Rational::ratio(1, 7)))).collect();
            substitute_all(expressions, &point).into_iter().all(Expr::is_zero)
        })
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
    for seed in 0..cases() {
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
    for_all(|s| {
        let eta = s.form();
        s.random.vanish(&eta.d().d().coefficients())
    });
}

#[test]
fn wedge_is_associative_and_graded_commutative_and_d_an_antiderivation() {
    for_all(|s| {
        let (p, q) = (s.random.below(3).min(s.symbols.len()), s.random.below(3));
        let (a, b, c) = (s.form_of(p), s.form_of(q), s.form_of(1));
        let associative = s.random.same(&a.wedge(&b).wedge(&c), &a.wedge(&b.wedge(&c)));
        let sign = |n: usize| Expr::number(if n.is_multiple_of(2) { 1 } else { -1 });
        let commutative = s.random.same(&a.wedge(&b), &b.wedge(&a).scale(sign(p * q)));
        let leibniz = &a.d().wedge(&b) + &a.wedge(&b.d()).scale(sign(p));
        associative && commutative && s.random.same(&a.wedge(&b).d(), &leibniz)
    });
}

#[test]
fn cartans_formula() {
    for_all(|s| {
        let (eta, xi) = (s.form(), s.field());
        let inside = if s.degree == 0 { Form::zero(0) } else { eta.interior(&xi).d() };
        s.random.same(&eta.lie(&xi), &(&eta.d().interior(&xi) + &inside))
    });
}

#[test]
fn interior_products_anticommute_and_lie_derivatives_represent_the_bracket() {
    for_all(|s| {
        s.degree = 1 + s.random.below(s.symbols.len().min(3));
        let (eta, xi, zeta) = (s.form(), s.field(), s.field());
        let anticommute =
            s.degree < 2 || s.random.same(&eta.interior(&xi).interior(&zeta), &-&eta.interior(&zeta).interior(&xi));
        let commutator = &eta.lie(&zeta).lie(&xi) - &eta.lie(&xi).lie(&zeta);
        let lie_of_bracket = eta.lie(&xi.bracket(&zeta));
        let contracted = &eta.interior(&zeta).lie(&xi) - &eta.lie(&xi).interior(&zeta);
        anticommute
            && s.random.same(&commutator, &lie_of_bracket)
            && s.random.same(&contracted, &eta.interior(&xi.bracket(&zeta)))
    });
}

#[test]
fn brackets_obey_jacobi() {
    for_all(|s| {
        let (a, b, c) = (s.field(), s.field(), s.field());
        let sum = &(&a.bracket(&b.bracket(&c)) + &b.bracket(&c.bracket(&a))) + &c.bracket(&a.bracket(&b));
        s.random.same_field(&sum, &VectorField::zero())
    });
}

#[test]
fn a_form_is_the_sum_of_its_contact_parts() {
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
            is_horizontal(&h).verdict.is_yes() && s.random.same(&(&h + &p), &eta) && s.random.same(&p, &parts[1])
        };
        let back = in_contact_basis(&eta, ContactBasis::Adapted(s.space.clone())).to_form();
        projectors && split && s.random.same(&sum, &eta) && s.random.same(&back, &eta)
    });
}

#[test]
fn horizontalisation_of_a_differential_is_the_total_derivative() {
    for_all(|s| {
        let f = s.random.function(&s.symbols.clone());
        let dt = Form::differential(s.space.manifold().base());
        s.random.same(&horizontal_part(&Form::function(f).d()), &dt.scale(total_derivative(f)))
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
    for_all(|s| {
        let space = s.space.clone();
        let (xi, zeta) = (s.random.projectable_field(space.manifold()), s.random.projectable_field(space.manifold()));
        let of_bracket = xi.bracket(&zeta).prolong(&space).unwrap();
        let bracket = xi.prolong(&space).unwrap().bracket(&zeta.prolong(&space).unwrap());
        s.random.same_field(&of_bracket, &bracket)
    });
}

#[test]
fn prolonged_fields_leave_contact_forms_among_themselves() {
    for_all(|s| {
        let space = s.space.clone();
        let xi = s.random.projectable_field(space.manifold()).prolong(&space).unwrap();
        space.contact_jets().into_iter().all(|q| {
            let image = Form::omega(q).lie(&xi);
            s.random.vanish(&horizontal_part(&image).coefficients())
        })
    });
}

#[test]
fn pullback_commutes_with_d_and_wedge_and_prolonged_maps_respect_contact_forms() {
    for_all(|s| {
        let n = 1 + s.random.below(3);
        let source = s.random.manifold(n);
        let target = s.space.manifold().clone();
        let from = source.jets(0).symbols();
        let images: Vec<(Symbol, Expr)> =
            target.jets(0).symbols()[1..].iter().map(|x| (*x, s.random.function(&from))).collect();
        let map = Map::new(&source.jets(0), &target.jets(0), images).unwrap();
        // Forms of order at most 2, or the images grow beyond what is worth evaluating.
        s.space = target.jets(s.space.order().min(2));
        s.symbols = s.space.symbols();
        let (p, q) = (s.random.below(s.symbols.len().min(4)), s.random.below(3));
        let (eta, theta) = (s.form_of(p), s.form_of(q));
        let pull = |f: &Form| map.pullback(f).unwrap();
        let contact = s.space.contact_jets().into_iter().all(|q| {
            let image = pull(&Form::omega(q));
            s.random.vanish(&horizontal_part(&image).coefficients())
        });
        contact
            && s.random.same(&pull(&eta.d()), &pull(&eta).d())
            && s.random.same(&pull(&eta.wedge(&theta)), &pull(&eta).wedge(&pull(&theta)))
    });
}

/// A map u ↦ x whose images stay small at every order: coordinates exchanged and scaled, a function of the time added, and one
/// of them bent, x_k = c u_j + a tⁿ (+ b u_i²).
fn gentle_map(random: &mut Random, target: &FiberedManifold) -> Map {
    let source = random.manifold(target.n_coordinates());
    let (from, to) = (source.jets(0).symbols(), target.jets(0).symbols());
    let mut free: Vec<Symbol> = from[1..].to_vec();
    let bent = 1 + random.below(to.len() - 1);
    let mut used: Vec<Symbol> = vec![];
    let images: Vec<(Symbol, Expr)> = (1..to.len())
        .map(|k| {
            let u = free.swap_remove(random.below(free.len()));
            let slope = Expr::ratio(1 + random.below(5) as i64, 1 + random.below(3) as i64);
            let shift = Expr::number(random.rational()) * Expr::symbol(from[0]).pow(random.below(4) as i64);
            let bend = match used.last() {
                Some(other) if k >= bent => Expr::number(random.rational()) * Expr::symbol(*other).pow(2),
                _ => Expr::zero(),
            };
            used.push(u);
            (to[k], slope * Expr::symbol(u) + shift + if k == bent.max(2) { bend } else { Expr::zero() })
        })
        .collect();
    Map::new(&source.jets(0), &target.jets(0), images).unwrap()
}

/// d, ∧, contact forms, the inverse and E, up to order four, four coordinates and every degree.
#[test]
fn pullback_and_transform_in_every_degree() {
    for_all(|s| {
        let target = s.space.manifold().clone();
        let map = gentle_map(&mut s.random, &target);
        let source = map.source().manifold().clone();
        let inverse = map.inverse().unwrap();
        let pull = |f: &Form| map.pullback(f).unwrap();
        let (eta, theta) = (s.form(), s.form_of(1));
        let contact = s.space.contact_jets().into_iter().all(|q| {
            let image = pull(&Form::omega(q));
            s.random.vanish(&horizontal_part(&image).coefficients())
        });
        let there = pull(&eta);
        let laws = contact
            && s.random.same(&pull(&eta.d()), &there.d())
            && s.random.same(&pull(&eta.wedge(&theta)), &there.wedge(&pull(&theta)))
            && s.random.same(&inverse.pullback(&there).unwrap(), &eta)
            && s.random.same(&inverse.pullback(&there.d()).unwrap(), &eta.d());
        let lagrangian = s.random.function(&s.symbols);
        let pulled = euler_lagrange(&source, map.pullback_function(lagrangian).unwrap());
        laws && s.random.same(&pulled, &pull(&euler_lagrange(&target, lagrangian)))
    });
}

#[test]
fn maps_may_change_the_time() {
    for_all(|s| {
        let target = s.space.manifold().clone();
        let source = s.random.manifold(1);
        let from = source.jets(0).symbols();
        let mut images: Vec<(Symbol, Expr)> =
            target.jets(0).symbols()[1..].iter().map(|x| (*x, s.random.function(&from))).collect();
        let t = Expr::symbol(source.base());
        images.push((target.base(), t.pow(3) + 3 * t));
        let map = Map::new(&source.jets(0), &target.jets(0), images).unwrap();
        target.jets(2).contact_jets().into_iter().all(|q| {
            let image = map.pullback(&Form::omega(q)).unwrap();
            s.random.vanish(&horizontal_part(&image).coefficients())
        })
    });
}

#[test]
fn contact_forms_vanish_along_prolonged_sections() {
    for_all(|s| {
        let base = s.space.manifold().base();
        let manifold = s.space.manifold().clone();
        let components: Vec<(Symbol, Expr)> =
            manifold.jets(0).symbols()[1..].iter().map(|x| (*x, s.random.function(&[base]))).collect();
        let gamma = Section::new(&manifold.jets(0), components).unwrap();
        let prolonged = gamma.prolong(s.space.order()).unwrap();
        let vanish = s.space.lift(5).contact_jets().into_iter().all(|q| {
            let along = gamma.pullback(&Form::omega(q)).unwrap();
            s.random.vanish(&along.coefficients())
        });
        let eta = s.form_of(1);
        let (along, of_h) = (prolonged.pullback(&eta).unwrap(), gamma.pullback(&horizontal_part(&eta)).unwrap());
        let residuals = prolonged.is_holonomic();
        vanish && s.random.same(&along, &of_h) && !residuals.verdict.is_no()
    });
}

#[test]
fn tensors_obey_leibniz_and_nijenhuis_is_its_bracket_formula() {
    for_all(|s| {
        let (eta, theta) = (s.form_of(1), s.form_of(1));
        let t = &Tensor::product(&eta, &s.field()) + &Tensor::product(&theta, &s.field());
        let (xi, zeta) = (s.field(), s.field());
        // L_ξ(T(ζ)) = (L_ξT)(ζ) + T([ξ, ζ])
        let left = xi.bracket(&t.apply(&zeta));
        let right = &t.lie(&xi).apply(&zeta) + &t.apply(&xi.bracket(&zeta));
        let n = t.nijenhuis().interior(&xi).apply(&zeta);
        let (tx, tz) = (t.apply(&xi), t.apply(&zeta));
        let plus = &tx.bracket(&tz) + &t.after(&t).apply(&xi.bracket(&zeta));
        let minus = &t.apply(&tx.bracket(&zeta)) + &t.apply(&xi.bracket(&tz));
        let transpose = s.random.same(&t.apply_to_form(&theta).interior(&xi), &theta.interior(&t.apply(&xi)));
        transpose && s.random.same_field(&left, &right) && s.random.same_field(&n, &(&plus - &minus))
    });
}

/// Mixed systems §2 and §3: (L_ΓS)² = I − Γ ⊗ dt − N, Ψ = i_Γ N_N, for random right sides.
#[test]
fn the_connection_of_a_mixed_system_satisfies_its_identities() {
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
        let derivative = |e: Expr, s: Symbol| crate::algebra::derive::partial(e, s);
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
        let lie = s.lie(&gamma);
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
                    theta(beta).scale(gamma.apply(derivative(g[a], v(beta))) - x.apply(g[a]))
                };
                (own[a].jet(0), Form::sum(1, &(0..k).map(c).collect::<Vec<_>>()))
            }),
        );
        assert!(random.same_tensor(&n.nijenhuis().interior(&gamma), &psi), "seed {seed}");
    }
}

/// E_σ = Σ (−1)ᵏ dᵏ/dtᵏ ∂L/∂q_k^σ as a dynamical form, by the formula.
fn euler_lagrange(manifold: &FiberedManifold, lagrangian: Expr) -> Form {
    let order = written_order(lagrangian);
    let component = |q: Coordinate| {
        Expr::add_all((0..=order).map(|k| {
            let p = total_derivatives(crate::algebra::derive::partial(lagrangian, q.jet(k)), k);
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
    for_all(|s| {
        let space = s.space.clone();
        let f = s.random.function(&space.symbols());
        s.random.vanish(&euler_lagrange(space.manifold(), total_derivative(f)).coefficients())
    });
}

/// A map u ↦ x that can be inverted: x_k = c_k u_k + f_k(t, u_1, …, u_{k−1}).
fn triangular_map(random: &mut Random, target: &FiberedManifold) -> Map {
    let source = random.manifold(target.n_coordinates());
    let (from, to) = (source.jets(0).symbols(), target.jets(0).symbols());
    let images: Vec<(Symbol, Expr)> = (1..to.len())
        .map(|k| {
            let slope = Expr::ratio(1 + random.below(5) as i64, 1 + random.below(3) as i64);
            (to[k], slope * Expr::symbol(from[k]) + random.function(&from[..k]))
        })
        .collect();
    Map::new(&source.jets(0), &target.jets(0), images).unwrap()
}

#[test]
fn pullback_commutes_with_the_euler_lagrange_form() {
    for_all(|s| {
        let target = s.space.manifold().clone();
        let n = 1 + s.random.below(2);
        let source = s.random.manifold(n);
        let from = source.jets(0).symbols();
        let images: Vec<(Symbol, Expr)> =
            target.jets(0).symbols()[1..].iter().map(|x| (*x, s.random.function(&from))).collect();
        let map = Map::new(&source.jets(0), &target.jets(0), images).unwrap();
        // Of second order sometimes: E is of fourth order then.
        let order = if s.random.below(5) == 0 { 2 } else { 1 };
        let lagrangian = s.random.function(&target.jets(order).symbols());
        let pulled = map.pullback_function(lagrangian).unwrap();
        let form = euler_lagrange(&target, lagrangian);
        s.random.same(&euler_lagrange(&source, pulled), &map.pullback(&form).unwrap())
    });
}

#[test]
fn transforming_is_pulling_back_by_the_inverse() {
    for seed in 0..cases().min(60) {
        let mut random = Random(seed);
        let m = 1 + random.below(3);
        let target = random.manifold(m);
        let map = triangular_map(&mut random, &target);
        let source = map.source().manifold().clone();
        let inverse = map.inverse().unwrap();
        // Forms there and back, d and E on the way.
        let symbols = source.jets(random.below(4) as u32).symbols();
        let degree = random.below(symbols.len().min(4));
        let eta = random.form(&symbols, degree);
        let there = inverse.pullback(&eta).unwrap();
        assert!(random.same(&map.pullback(&there).unwrap(), &eta), "seed {seed}");
        assert!(random.same(&inverse.pullback(&eta.d()).unwrap(), &there.d()), "seed {seed}");
        let lagrangian = random.function(&source.jets(1).symbols());
        let transformed = euler_lagrange(&target, inverse.pullback_function(lagrangian).unwrap());
        assert!(random.same(&transformed, &inverse.pullback(&euler_lagrange(&source, lagrangian)).unwrap()));
    }
}

#[test]
fn fields_are_pulled_back_as_derivations() {
    for seed in 0..cases().min(60) {
        let mut random = Random(seed);
        let m = 1 + random.below(3);
        let target = random.manifold(m);
        let map = triangular_map(&mut random, &target);
        let source = map.source().manifold().clone();
        let xi = random.projectable_field(&target);
        let zeta = random.projectable_field(&target);
        let pull = |x: &VectorField| map.pullback_field(x).unwrap();
        assert!(random.same_field(&pull(&xi.bracket(&zeta)), &pull(&xi).bracket(&pull(&zeta))), "seed {seed}");
        let f = random.function(&target.jets(0).symbols());
        let derivative =
            map.pullback_function(xi.apply(f)).unwrap() - pull(&xi).apply(map.pullback_function(f).unwrap());
        assert!(random.vanish(&[derivative]), "seed {seed}");
        // Prolongation and pullback commute.
        let prolonged = pull(&xi.prolong(&target.jets(2)).unwrap());
        assert!(random.same_field(&prolonged, &pull(&xi).prolong(&source.jets(2)).unwrap()), "seed {seed}");
    }
}
