use super::*;
use crate::algebra::Inquiry;
use crate::algebra::polynomial::tests::arbitrary;
use crate::budget::Budget;
use crate::budget::Share;
use proptest::prelude::*;

fn x(i: u32) -> Polynomial {
    Polynomial::variable(i)
}

fn n(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

fn product(cx: &Budget, list: &[Polynomial]) -> Polynomial {
    Polynomial::product(cx, list).unwrap()
}

fn sum(list: impl IntoIterator<Item = Polynomial>) -> Polynomial {
    list.into_iter().fold(Polynomial::zero(), |s, p| &s + &p)
}

fn text(basis: &Basis) -> Vec<String> {
    basis.generators.iter().map(ToString::to_string).collect()
}

/// Every S-polynomial reduces to zero: Buchberger's criterion, computed with the public division only.
fn assert_groebner(cx: &Budget, basis: &Basis) {
    assert!(basis.complete);
    let leads = basis.leading_monomials(cx).unwrap();
    for (i, f) in basis.generators.iter().enumerate() {
        for (j, g) in basis.generators.iter().enumerate().skip(i + 1) {
            let term = |m: &Monomial| Polynomial::from_terms([(m.clone(), Rational::ONE)]);
            let lcm = term(&leads[i]).lcm(cx, &term(&leads[j])).unwrap();
            let cofactor = |h: &Polynomial, m: &Monomial| {
                let c = h.terms().find(|(n, _)| n == m).expect("the leading term").1;
                let q = lcm.div_exact(cx, &term(m)).unwrap().expect("divides the lcm");
                h.mul(cx, &q).unwrap().unscale(&c).unwrap()
            };
            let s = &cofactor(f, &leads[i]) - &cofactor(g, &leads[j]);
            assert!(basis.normal_form(cx, &s).unwrap().is_zero(), "{f} and {g}");
        }
    }
}

pub(crate) fn katsura(cx: &Budget, size: u32) -> Vec<Polynomial> {
    // Σ_{l=-n}^{n} u_l u_{m-l} = u_m for m < n, Σ u_l = 1, u_{-l} = u_l, u_l = 0 for l > n.
    let n_max = size as i64;
    let u = |l: i64| if l.abs() <= n_max { x(l.unsigned_abs() as u32) } else { Polynomial::zero() };
    let mut list = vec![&sum((-n_max..=n_max).map(u)) - &n(1)];
    for m in 0..n_max {
        list.push(&sum((-n_max..=n_max).map(|l| u(l).mul(cx, &u(m - l)).unwrap())) - &u(m));
    }
    list
}

pub(crate) fn cyclic(cx: &Budget, size: u32) -> Vec<Polynomial> {
    let mut list: Vec<Polynomial> = (1..size)
        .map(|k| sum((0..size).map(|i| product(cx, &(0..k).map(|j| x((i + j) % size)).collect::<Vec<_>>()))))
        .collect();
    list.push(&product(cx, &(0..size).map(x).collect::<Vec<_>>()) - &n(1));
    list
}

#[test]
fn circle_and_line() {
    let cx = &Inquiry::free();
    let circle = &(&x(0).square(cx).unwrap() + &x(1).square(cx).unwrap()) - &n(1);
    let basis = groebner(cx, &[circle, &x(0) - &x(1)], &Order::lex(&[0, 1]), &[]);
    assert_eq!(text(&basis), ["2*x1^2 - 1", "x0 - x1"]);
    assert_groebner(cx, &basis);
}

#[test]
fn the_whole_ring() {
    let cx = &Inquiry::free();
    let basis = groebner(cx, &[x(0), &product(cx, &[x(0), x(1)]) - &n(1)], &Order::grevlex(&[0, 1]), &[]);
    assert_eq!(text(&basis), ["1"]);
    assert_eq!(basis.is_proper(), Some(false));
    assert_eq!(basis.dimension(cx).unwrap(), None);
    let zero = groebner(cx, &[], &Order::grevlex(&[0, 1]), &[]);
    assert_eq!(zero.dimension(cx).unwrap(), Some(2));
    assert_eq!(zero.contains(cx, &x(0)).unwrap(), Some(false));
}

#[test]
fn katsura_5() {
    let cx = &Inquiry::free();
    let basis = groebner(cx, &katsura(cx, 5), &Order::grevlex(&[0, 1, 2, 3, 4, 5]), &[]);
    assert!(basis.complete);
    assert_eq!(basis.dimension(cx).unwrap(), Some(0));
    assert_eq!(standard_monomials(cx, &basis), 32);
}

#[test]
fn cyclic_5() {
    let cx = &Inquiry::free();
    let basis = groebner(cx, &cyclic(cx, 5), &Order::grevlex(&[0, 1, 2, 3, 4]), &[]);
    assert!(basis.complete);
    assert_eq!(basis.dimension(cx).unwrap(), Some(0));
    // 70 zeros with multiplicity (Björck–Fröberg).
    assert_eq!(standard_monomials(cx, &basis), 70);
    assert_groebner(cx, &basis);
}

/// Vector space dimension of the quotient of a zero-dimensional ideal.
fn standard_monomials(cx: &Budget, basis: &Basis) -> usize {
    let leads = basis.leading_monomials(cx).unwrap();
    let variables = basis.order.variables();
    let divides = |m: &Monomial, e: &[u32]| {
        m.iter().all(|(v, d)| variables.iter().position(|w| w == v).is_some_and(|k| e[k] >= *d))
    };
    let mut found = std::collections::BTreeSet::new();
    let mut pending = vec![vec![0u32; variables.len()]];
    while let Some(e) = pending.pop() {
        if leads.iter().any(|m| divides(m, &e)) || !found.insert(e.clone()) {
            continue;
        }
        for k in 0..e.len() {
            let mut next = e.clone();
            next[k] += 1;
            pending.push(next);
        }
    }
    found.len()
}

#[test]
fn katsura_4_lexicographic() {
    let cx = &Inquiry::free();
    // In shape position: all but the last variable are polynomials in the last.
    let basis = groebner(cx, &katsura(cx, 4), &Order::lex(&[0, 1, 2, 3, 4]), &[]);
    assert!(basis.complete);
    assert_eq!(basis.generators.len(), 5);
    assert_eq!(basis.generators[0].variables(), [4]);
    assert_eq!(basis.generators[0].degree_in(4), 16);
    assert_eq!(basis.contains_all(cx, &katsura(cx, 4)).unwrap(), Some(true));
    let leads = basis.leading_monomials(cx).unwrap();
    assert!(leads[1..].iter().all(|m| m.len() == 1 && m[0].1 == 1));
}

#[test]
fn twisted_cubic_by_elimination() {
    let cx = &Inquiry::free();
    // x = t, y = t², z = t³.
    let t = x(9);
    let curve = [&x(0) - &t, &x(1) - &t.pow(cx, 2).unwrap(), &x(2) - &t.pow(cx, 3).unwrap()];
    let basis = eliminate(cx, &curve, &[9], &[]);
    assert_eq!(basis.dimension(cx).unwrap(), Some(1));
    for p in [
        &product(cx, &[x(0), x(0)]) - &x(1),
        &product(cx, &[x(0), x(1)]) - &x(2),
        &x(1).pow(cx, 3).unwrap() - &x(2).pow(cx, 2).unwrap(),
    ] {
        assert_eq!(basis.contains(cx, &p).unwrap(), Some(true));
    }
    assert_eq!(basis.contains(cx, &(&x(0) - &x(2))).unwrap(), Some(false));
    assert_groebner(cx, &basis);
}

#[test]
fn saturation_removes_a_component() {
    let cx = &Inquiry::free();
    // (xy, xz) = plane x = 0 and line y = z = 0.
    let ideal = [product(cx, &[x(0), x(1)]), product(cx, &[x(0), x(2)])];
    assert_eq!(text(&saturate(cx, &ideal, &x(0), &[]).unwrap()), ["x2", "x1"]);
    assert_eq!(text(&saturate(cx, &ideal, &x(1), &[]).unwrap()), ["x0"]);
    assert_eq!(text(&quotient(cx, &ideal, &x(1), &[]).unwrap()), ["x0"]);
    let union = intersection(cx, &[x(0)], &[x(1), x(2)], &[]).unwrap();
    assert_eq!(text(&union), ["x0*x2", "x0*x1"]);
}

#[test]
fn radical_membership() {
    let cx = &Inquiry::free();
    // q1² + q2⁴ = 0 with q1 q2 = 0 forces q1 = q2 = 0.
    let ideal = [&x(0).pow(cx, 2).unwrap() + &x(1).pow(cx, 4).unwrap(), product(cx, &[x(0), x(1)])];
    assert_eq!(radical_contains(cx, &ideal, &x(0), &[]).unwrap(), Some(true));
    assert_eq!(radical_contains(cx, &ideal, &x(1), &[]).unwrap(), Some(true));
    assert_eq!(radical_contains(cx, &ideal, &(&x(0) + &n(1)), &[]).unwrap(), Some(false));
    let basis = groebner(cx, &ideal, &Order::grevlex(&[0, 1]), &[]);
    assert_eq!(basis.contains(cx, &x(0)).unwrap(), Some(false));
}

#[test]
fn parameters_are_coefficients() {
    let cx = &Inquiry::free();
    // a x + y = 0, x − b y = 0: generically only the origin, where a b + 1 ≠ 0.
    let (a, b) = (x(10), x(11));
    let system = [&product(cx, &[a.clone(), x(0)]) + &x(1), &x(0) - &product(cx, &[b.clone(), x(1)])];
    let basis = groebner(cx, &system, &Order::grevlex(&[0, 1]), &[10, 11]);
    assert_eq!(text(&basis), ["x1", "x0"]);
    assert_eq!(basis.dimension(cx).unwrap(), Some(0));
    assert!(basis.conditions.contains(&(&product(cx, &[a, b]) + &n(1))));
    // An equation between parameters alone is a contradiction for generic values.
    let basis = groebner(cx, &[x(10).clone()], &Order::grevlex(&[0]), &[10]);
    assert_eq!(basis.is_proper(), Some(false));
    assert_eq!(basis.conditions, vec![x(10)]);
}

#[test]
fn pseudo_normal_forms_have_multipliers() {
    let cx = &Inquiry::free();
    let relation = &product(cx, &[x(10), x(0)]) - &x(1);
    let basis = groebner(cx, &[relation], &Order::lex(&[0, 1]), &[10]);
    let r = basis.reduce(cx, &x(0).pow(cx, 2).unwrap()).unwrap();
    assert_eq!(r.polynomial, x(1).pow(cx, 2).unwrap());
    assert_eq!(r.multiplier, x(10).pow(cx, 2).unwrap());
}

#[test]
fn an_unfinished_basis_is_marked() {
    let cx = &Inquiry::free();
    let generators = cyclic(cx, 6);
    let basis = cx.within(Share::of(0), || groebner(cx, &generators, &Order::grevlex(&[0, 1, 2, 3, 4, 5]), &[]));
    assert!(!basis.complete);
    assert_eq!(basis.is_proper(), None);
    assert_eq!(basis.contains(cx, &cyclic(cx, 6)[0]).unwrap(), Some(true));
    assert_eq!(basis.contains(cx, &x(0)).unwrap(), None);
    assert_eq!(basis.dimension(cx).unwrap(), None);
}

#[test]
fn dimension_of_a_union() {
    let cx = &Inquiry::free();
    // A plane and two lines in space of dimension 4.
    let ideal = [product(cx, &[x(0), x(1)]), product(cx, &[x(0), x(2), x(3)])];
    let basis = groebner(cx, &ideal, &Order::grevlex(&[0, 1, 2, 3]), &[]);
    assert_eq!(basis.dimension(cx).unwrap(), Some(3));
    assert_eq!(basis.independent_variables(cx).unwrap().map(|v| v.len()), Some(3));
}

/// What a basis of a random ideal may cost, in terms combined; one that costs more is not looked at.
const SMALL: u64 = 1_000_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn bases_of_random_ideals(f in arbitrary(3, 3, 1), g in arbitrary(3, 3, 1), h in arbitrary(3, 2, 2)) {
        let cx = &Inquiry::free();
        let list = [f, g, h];
        for order in [Order::grevlex(&[0, 1, 2]), Order::lex(&[0, 1, 2]), Order::elimination(&[0], &[1, 2])] {
            let basis = cx.within(Share::of(SMALL), || groebner(cx, &list, &order, &[]));
            prop_assert_eq!(basis.contains_all(cx, &list).unwrap(), Some(true));
            if !basis.complete {
                continue;
            }
            assert_groebner(cx, &basis);
            prop_assert_eq!(basis.contains_all(cx, &list).unwrap(), Some(true));
            // And back: a combination of the generators stays in the ideal.
            let combination = &list[0].mul(cx, &x(1)).unwrap() + &list[1].mul(cx, &(&x(2) - &n(3))).unwrap();
            prop_assert_eq!(basis.contains(cx, &combination).unwrap(), Some(true));
        }
    }

    #[test]
    fn normal_forms_are_linear_and_unique(f in arbitrary(3, 4, 2), g in arbitrary(3, 4, 2), p in arbitrary(3, 5, 3), q in arbitrary(3, 3, 2)) {
        let cx = &Inquiry::free();
        let order = Order::grevlex(&[0, 1, 2]);
        let basis = cx.within(Share::of(SMALL), || groebner(cx, &[f.clone(), g], &order, &[]));
        prop_assume!(basis.complete);
        let normal = |p: &Polynomial| basis.normal_form(cx, p).unwrap();
        prop_assert_eq!(normal(&(&p + &q)), &normal(&p) + &normal(&q));
        prop_assert_eq!(normal(&(&p + &f.mul(cx, &q).unwrap())), normal(&p));
    }
}
