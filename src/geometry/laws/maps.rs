//! Laws of maps: pullback and transformation commute with everything that is made without coordinates.

use super::*;
use crate::algebra::Inquiry;

/// Whether the prolonged map pulls the contact forms of the space back to contact forms.
fn keeps_contact_forms(cx: &Inquiry, map: &Map, space: &JetSpace, random: &mut Random) -> bool {
    space.contact_jets().into_iter().all(|q| {
        let image = map.pullback(cx, &Form::omega(q)).unwrap();
        random.vanish(&horizontal_part(&image).coefficients())
    })
}

#[test]
fn pullback_commutes_with_d_and_wedge_and_prolonged_maps_respect_contact_forms() {
    let cx = &Inquiry::free();
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
        let pull = |f: &Form| map.pullback(cx, f).unwrap();
        let contact = keeps_contact_forms(cx, &map, &s.space, &mut s.random);
        contact
            && s.random.same(&pull(&eta.d(cx)), &pull(&eta).d(cx))
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
    let cx = &Inquiry::free();
    for_all(|s| {
        let target = s.space.manifold().clone();
        let map = gentle_map(&mut s.random, &target);
        let source = map.source().manifold().clone();
        let inverse = map.inverse(cx).unwrap().map;
        let pull = |f: &Form| map.pullback(cx, f).unwrap();
        let (eta, theta) = (s.form(), s.form_of(1));
        let contact = keeps_contact_forms(cx, &map, &s.space, &mut s.random);
        let there = pull(&eta);
        let laws = contact
            && s.random.same(&pull(&eta.d(cx)), &there.d(cx))
            && s.random.same(&pull(&eta.wedge(&theta)), &there.wedge(&pull(&theta)))
            && s.random.same(&inverse.pullback(cx, &there).unwrap(), &eta)
            && s.random.same(&inverse.pullback(cx, &there.d(cx)).unwrap(), &eta.d(cx));
        let lagrangian = s.random.function(&s.symbols);
        let pulled = euler_lagrange(cx, &source, map.pullback_function(cx, lagrangian).unwrap());
        laws && s.random.same(&pulled, &pull(&euler_lagrange(cx, &target, lagrangian)))
    });
}

#[test]
fn maps_may_change_the_time() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let target = s.space.manifold().clone();
        let source = s.random.manifold(1);
        let from = source.jets(0).symbols();
        let mut images: Vec<(Symbol, Expr)> =
            target.jets(0).symbols()[1..].iter().map(|x| (*x, s.random.function(&from))).collect();
        let t = Expr::symbol(source.base());
        images.push((target.base(), t.pow(3) + 3 * t));
        let map = Map::new(&source.jets(0), &target.jets(0), images).unwrap();
        keeps_contact_forms(cx, &map, &target.jets(2), &mut s.random)
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
    let cx = &Inquiry::free();
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
        let pulled = map.pullback_function(cx, lagrangian).unwrap();
        let form = euler_lagrange(cx, &target, lagrangian);
        s.random.same(&euler_lagrange(cx, &source, pulled), &map.pullback(cx, &form).unwrap())
    });
}

#[test]
fn transforming_is_pulling_back_by_the_inverse() {
    let cx = &Inquiry::free();
    for seed in 0..cases().min(60) {
        let mut random = Random(seed);
        let m = 1 + random.below(3);
        let target = random.manifold(m);
        let map = triangular_map(&mut random, &target);
        let source = map.source().manifold().clone();
        let inverse = map.inverse(cx).unwrap().map;
        // Forms there and back, d and E on the way.
        let symbols = source.jets(random.below(4) as u32).symbols();
        let degree = random.below(symbols.len().min(4));
        let eta = random.form(&symbols, degree);
        let there = inverse.pullback(cx, &eta).unwrap();
        assert!(random.same(&map.pullback(cx, &there).unwrap(), &eta), "seed {seed}");
        assert!(random.same(&inverse.pullback(cx, &eta.d(cx)).unwrap(), &there.d(cx)), "seed {seed}");
        let lagrangian = random.function(&source.jets(1).symbols());
        let transformed = euler_lagrange(cx, &target, inverse.pullback_function(cx, lagrangian).unwrap());
        assert!(random.same(&transformed, &inverse.pullback(cx, &euler_lagrange(cx, &source, lagrangian)).unwrap()));
    }
}

#[test]
fn fields_are_pulled_back_as_derivations() {
    let cx = &Inquiry::free();
    for seed in 0..cases().min(60) {
        let mut random = Random(seed);
        let m = 1 + random.below(3);
        let target = random.manifold(m);
        let map = triangular_map(&mut random, &target);
        let source = map.source().manifold().clone();
        let xi = random.projectable_field(&target);
        let zeta = random.projectable_field(&target);
        let pull = |x: &VectorField| map.pullback_field(cx, x).unwrap();
        assert!(random.same_field(&pull(&xi.bracket(cx, &zeta)), &pull(&xi).bracket(cx, &pull(&zeta))), "seed {seed}");
        let f = random.function(&target.jets(0).symbols());
        let derivative = map.pullback_function(cx, xi.apply(cx, f)).unwrap()
            - pull(&xi).apply(cx, map.pullback_function(cx, f).unwrap());
        assert!(random.vanish(&[derivative]), "seed {seed}");
        // Prolongation and pullback commute.
        let prolonged = pull(&xi.prolong(cx, &target.jets(2)).unwrap());
        assert!(random.same_field(&prolonged, &pull(&xi).prolong(cx, &source.jets(2)).unwrap()), "seed {seed}");
    }
}

/// A map with the map that undoes it, both made from the same pieces.
struct Change {
    map: Map,
    inverse: Map,
}

/// A function of the time: a power, sin, cos, exp, or a rational function.
fn of_time(random: &mut Random, t: Expr) -> Expr {
    let angle = if random.below(2) == 0 { t } else { t.pow(2) };
    let c = Expr::number(random.rational());
    c * match random.below(5) {
        0 => t.pow(1 + random.below(3) as i64),
        1 => Expr::apply(Elementary::Sin, &[angle]),
        2 => Expr::apply(Elementary::Cos, &[angle]),
        3 => Expr::apply(Elementary::Exp, &[t]),
        _ => (1 + t.pow(2)).pow(-1),
    }
}

/// One step: a triangular map with polynomials of all coordinates before, a shift or a scale that depends on the
/// time, a rotation by an angle that does, or new names in another order.
fn step(random: &mut Random, target: &FiberedManifold) -> Change {
    let source = random.manifold_over(target.base(), target.n_coordinates());
    let (from, to) = (source.jets(0).symbols(), target.jets(0).symbols());
    let t = Expr::symbol(from[0]);
    let (u, x) = (|k: usize| Expr::symbol(from[k]), |k: usize| Expr::symbol(to[k]));
    let n = to.len();
    let mut images: Vec<Expr> = (0..n).map(u).collect();
    let mut back: Vec<Expr> = (0..n).map(x).collect();
    match random.below(if n > 2 { 5 } else { 3 }) {
        0 => {
            let k = 1 + random.below(n - 1);
            let others: Vec<usize> = (0..n).filter(|i| *i != k).collect();
            let symbols: Vec<Symbol> = others.iter().map(|i| from[*i]).collect();
            let bend = Expr::symbol(random.pick(&symbols)) * Expr::symbol(random.pick(&symbols));
            let bend = bend * Expr::number(random.rational()) + Expr::symbol(random.pick(&symbols)).pow(3);
            images[k] = u(k) + bend;
            let there: FxHashMap<Symbol, Expr> = others.iter().map(|i| (from[*i], x(*i))).collect();
            back[k] = x(k) - crate::algebra::substitute::substitute(bend, &there);
        }
        1 => {
            for k in 1..n {
                let shift = of_time(random, t);
                images[k] = u(k) + shift;
                back[k] = x(k) - shift;
            }
        }
        2 => {
            let k = 1 + random.below(n - 1);
            let scale = if random.below(2) == 0 { 1 + t.pow(2) } else { Expr::apply(Elementary::Exp, &[t]) };
            images[k] = scale * u(k);
            back[k] = x(k) / scale;
        }
        3 => {
            let angle = if random.below(2) == 0 { t } else { t.pow(2) };
            let (sin, cos) = (Expr::apply(Elementary::Sin, &[angle]), Expr::apply(Elementary::Cos, &[angle]));
            let j = 1 + random.below(n - 1);
            let k = if j == n - 1 { 1 } else { j + 1 };
            (images[j], images[k]) = (cos * u(j) - sin * u(k), sin * u(j) + cos * u(k));
            (back[j], back[k]) = (cos * x(j) + sin * x(k), cos * x(k) - sin * x(j));
        }
        _ => {
            images[1..].rotate_left(1);
            back[1..].rotate_right(1);
        }
    }
    let map = Map::new(&source.jets(0), &target.jets(0), to[1..].iter().copied().zip(images[1..].iter().copied()));
    let inverse = Map::new(&target.jets(0), &source.jets(0), from[1..].iter().copied().zip(back[1..].iter().copied()));
    Change { map: map.unwrap(), inverse: inverse.unwrap() }
}

/// One to three steps after each other.
fn change(cx: &Inquiry, random: &mut Random, target: &FiberedManifold) -> Change {
    let mut whole = step(random, target);
    for _ in 0..random.below(3) {
        let next = step(random, &whole.map.source().manifold().clone());
        whole = Change {
            map: next.map.then(cx, &whole.map).unwrap(),
            inverse: whole.inverse.then(cx, &next.inverse).unwrap(),
        };
    }
    whole
}

/// The pullback of dx¹ ∧ … ∧ dxᵏ by a map that mixes all n coordinates has as many components as there are subsets of k, up to
/// 352716 on J⁴Y. Beyond this size the laws are tested, in every degree, with forms of one term and maps of one step,
/// which mix few coordinates or only the time into the others.
fn may_mix_all(s: &Stage) -> bool {
    s.symbols.len() <= 9 || s.degree <= 2
}

impl Stage {
    /// A change of coordinates by which a form of the degree can be carried.
    fn change(&mut self, cx: &Inquiry, target: &FiberedManifold) -> Change {
        if may_mix_all(self) { change(cx, &mut self.random, target) } else { step(&mut self.random, target) }
    }

    /// A form of the degree whose image can be written down.
    fn form_to_carry(&mut self) -> Form {
        if may_mix_all(self) { self.form() } else { self.random.term(&self.symbols, self.degree) }
    }
}

/// ψ^*: d, ∧, contact forms, contact parts, the inverse, compositions, and the Lie derivative, for random changes of
/// coordinates.
#[test]
fn pullback_by_changes_of_coordinates_is_natural() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let target = s.space.manifold().clone();
        let Change { map, inverse } = s.change(cx, &target);
        let pull = |f: &Form| map.pullback(cx, f).unwrap();
        let (eta, theta) = (s.form_to_carry(), s.form_of(1));
        let there = pull(&eta);
        let contact = keeps_contact_forms(cx, &map, &s.space, &mut s.random);
        let parts = (0..=s.degree.min(2)).all(|k| {
            let part = |f: &Form| k_contact_part(f, k, Prolongation::Holonomic);
            s.degree > 2 || s.random.same(&pull(&part(&eta)), &part(&there))
        });
        let second = step(&mut s.random, &map.source().manifold().clone());
        let composed = second.map.then(cx, &map).unwrap();
        contact
            && parts
            && s.random.same(&pull(&eta.d(cx)), &there.d(cx))
            && s.random.same(&pull(&eta.wedge(&theta)), &there.wedge(&pull(&theta)))
            && s.random.same(&inverse.pullback(cx, &there).unwrap(), &eta)
            && s.random.same(&composed.pullback(cx, &theta).unwrap(), &second.map.pullback(cx, &pull(&theta)).unwrap())
    });
}

/// ψ^*(L_ξ η) = L_{ψ^*ξ} ψ^*η for every field on JʳY, and ψ^* of fields respects brackets and prolongations.
#[test]
fn lie_derivatives_are_natural() {
    let cx = &Inquiry::free();
    for_some(cases() / 5, |s| {
        let target = s.space.manifold().clone();
        // Fields are carried by an inverse matrix, which is simplified: small orders, and one step beyond the first.
        let order = if s.random.below(5) == 0 { 2 } else { 1 };
        s.space = target.jets(s.space.order().min(order));
        s.symbols = s.space.symbols();
        let Change { map, .. } =
            if order == 1 { change(cx, &mut s.random, &target) } else { step(&mut s.random, &target) };
        s.degree = s.random.below(3).min(s.symbols.len());
        let (eta, xi, zeta) = (s.form(), s.field(), s.field());
        let pull = |x: &VectorField| map.pullback_field_on(cx, x, s.space.order()).unwrap();
        let (pulled, other) = (pull(&xi), pull(&zeta));
        let natural = s
            .random
            .same(&map.pullback(cx, &eta.lie(cx, &xi)).unwrap(), &map.pullback(cx, &eta).unwrap().lie(cx, &pulled));
        let bracket = pull(&xi.bracket(cx, &zeta));
        let below = s.random.projectable_field(&target);
        let prolonged = pull(&below.prolong(cx, &s.space).unwrap());
        let again = map.pullback_field(cx, &below).unwrap();
        let source = map.source().manifold().jets(s.space.order());
        natural
            && s.random.same_field(&bracket, &pulled.bracket(cx, &other))
            && s.random.same_field(&prolonged, &again.prolong(cx, &source).unwrap())
    });
}

/// E(ψ^*L) = ψ^*E(L), E of order up to four, for changes of coordinates.
#[test]
fn the_euler_lagrange_form_is_natural() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let target = s.space.manifold().clone();
        let Change { map, inverse } = change(cx, &mut s.random, &target);
        let source = map.source().manifold().clone();
        let order = if s.random.below(4) == 0 { 2 } else { 1 };
        let lagrangian = s.random.function(&target.jets(order).symbols());
        let pulled = euler_lagrange(cx, &source, map.pullback_function(cx, lagrangian).unwrap());
        let forward = s.random.function(&source.jets(1).symbols());
        let transformed = euler_lagrange(cx, &target, inverse.pullback_function(cx, forward).unwrap());
        s.random.same(&pulled, &map.pullback(cx, &euler_lagrange(cx, &target, lagrangian)).unwrap())
            && s.random.same(&transformed, &inverse.pullback(cx, &euler_lagrange(cx, &source, forward)).unwrap())
    });
}

/// Immersions and submersions: maps between manifolds of different dimensions, with functions of the time of all kinds.
#[test]
fn pullback_between_dimensions_is_natural() {
    let cx = &Inquiry::free();
    for_all(|s| {
        let target = s.space.manifold().clone();
        let n = [1, 2, 3, 4].into_iter().filter(|n| *n != target.n_coordinates()).collect::<Vec<_>>();
        let n = s.random.pick(&n);
        let source = s.random.manifold(n);
        let from = source.jets(0).symbols();
        let t = Expr::symbol(from[0]);
        let images: Vec<(Symbol, Expr)> = target.jets(0).symbols()[1..]
            .iter()
            .enumerate()
            .map(|(k, x)| {
                let along = Expr::symbol(from[1 + k % n]);
                let bend = Expr::symbol(s.random.pick(&from)) * Expr::symbol(s.random.pick(&from));
                let bend = if k == 0 || may_mix_all(s) { bend } else { Expr::zero() };
                (*x, along + bend * Expr::number(s.random.rational()) + of_time(&mut s.random, t))
            })
            .collect();
        let map = Map::new(&source.jets(0), &target.jets(0), images).unwrap();
        let pull = |f: &Form| map.pullback(cx, f).unwrap();
        let (eta, theta) = (s.form_to_carry(), s.form_of(1));
        let contact = keeps_contact_forms(cx, &map, &s.space, &mut s.random);
        let order = 1 + s.random.below(2) as u32;
        let lagrangian = s.random.function(&target.jets(order).symbols());
        let pulled = euler_lagrange(cx, &source, map.pullback_function(cx, lagrangian).unwrap());
        contact
            && s.random.same(&pull(&eta.d(cx)), &pull(&eta).d(cx))
            && s.random.same(&pull(&eta.wedge(&theta)), &pull(&eta).wedge(&pull(&theta)))
            && s.random.same(&pulled, &pull(&euler_lagrange(cx, &target, lagrangian)))
    });
}

/// The inverse that is computed is the one that was made.
#[test]
fn inverses_are_found() {
    let cx = &Inquiry::free();
    for seed in 0..cases().min(60) {
        let mut random = Random(seed);
        let m = 1 + random.below(3);
        let target = random.manifold(m);
        let Change { map, inverse } = change(cx, &mut random, &target);
        let found = map.inverse(cx).unwrap_or_else(|why| panic!("seed {seed}: {why:?} for {map:?}"));
        assert!(found.ground.is_proved(), "seed {seed}");
        let difference: Vec<Expr> =
            found.map.components().iter().zip(inverse.components()).map(|((_, a), (_, b))| *a - b).collect();
        assert!(random.vanish(&difference), "seed {seed}");
    }
}
