//! Polynomials against python-flint and SymPy. The answers are data (`tests/data/polynomial.json`), made by
//! `tests/oracle/polynomial.py`; neither program is needed here.

use lepage::workshop::algebra::factor::{factor, squarefree};
use lepage::workshop::algebra::ideal::{Order, eliminate, groebner, radical_contains, saturate};
use lepage::workshop::algebra::polynomial::{Monomial, Polynomial};
use lepage::workshop::algebra::roots::{AlgebraicNumber, count_real_roots, isolate_real_roots};
use lepage::workshop::algebra::{Inquiry, Integer, Rational};
use serde_json::Value;

fn data(name: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/polynomial.json");
    let text = std::fs::read_to_string(path).expect("the data file is there");
    let all: Value = serde_json::from_str(&text).expect("the data file is JSON");
    all[name].as_array().expect("a list of cases").clone()
}

/// Reads `2*x0^2*x1 - 3`.
fn read(text: &str) -> Polynomial {
    let spaced = text.replace(' ', "").replace('-', " -").replace('+', " ");
    let terms = spaced.split_whitespace().map(|term| {
        let (negative, body) = term.strip_prefix('-').map_or((false, term), |rest| (true, rest));
        let mut coefficient = if negative { Rational::from(-1) } else { Rational::ONE };
        let mut monomial = Monomial::new();
        for factor in body.split('*') {
            match factor.strip_prefix('x') {
                Some(name) => {
                    let (name, power) = name.split_once('^').unwrap_or((name, "1"));
                    monomial.push((name.parse().unwrap(), power.parse().unwrap()));
                }
                None => coefficient = &coefficient * &number(factor),
            }
        }
        (monomial, coefficient)
    });
    Polynomial::from_terms(terms.collect::<Vec<_>>())
}

fn number(text: &str) -> Rational {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (n, d) = digits.split_once('/').unwrap_or((digits, "1"));
    let value = |t: &str| Rational::parse(t).expect("a number").expect("of moderate size");
    &(&value(n) / &value(d)) * &Rational::from(sign)
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

#[test]
fn greatest_common_divisors() {
    let cx = &Inquiry::free();
    for case in data("gcd") {
        let (a, b) = (read(text(&case["a"])), read(text(&case["b"])));
        assert_eq!(a.gcd(cx, &b).unwrap(), read(text(&case["gcd"])), "{case}");
        let c = b.gcd_cofactors(cx, &a).unwrap();
        assert_eq!(c.gcd.mul(cx, &c.left).unwrap(), b);
        assert_eq!(c.gcd.mul(cx, &c.right).unwrap(), a);
    }
}

#[test]
fn factorisations() {
    let cx = &Inquiry::free();
    for case in data("factor") {
        let p = read(text(&case["p"]));
        let found = factor(cx, &p);
        assert!(found.complete, "{case}");
        let mut expected: Vec<(Polynomial, u32)> = case["factors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (read(text(&f[0])), u32::try_from(f[1].as_u64().unwrap()).unwrap()))
            .collect();
        expected.sort();
        assert_eq!(found.factors, expected, "{case}");
        assert_eq!(found.unit, number(text(&case["unit"])), "{case}");
        // The squarefree decomposition groups the same factors by multiplicity.
        let squarefree = squarefree(cx, &p).unwrap();
        assert_eq!(squarefree.product(cx).unwrap(), p);
        for (f, e) in &expected {
            let holders: Vec<u32> =
                squarefree.factors.iter().filter(|(g, _)| f.divides(cx, g).unwrap()).map(|(_, e)| *e).collect();
            assert_eq!(holders, [*e], "{case}");
        }
    }
}

#[test]
fn resultants_and_discriminants() {
    let cx = &Inquiry::free();
    for case in data("resultant") {
        let (a, b) = (read(text(&case["a"])), read(text(&case["b"])));
        assert_eq!(a.resultant(cx, &b, 0).unwrap(), read(text(&case["resultant"])), "{case}");
        if a.degree_in(0) > 0 {
            assert_eq!(a.discriminant(cx, 0).unwrap(), read(text(&case["discriminant"])), "{case}");
        }
    }
}

#[test]
fn real_roots() {
    let cx = &Inquiry::free();
    let scale = Rational::from(10).pow(20).unwrap();
    for case in data("roots") {
        let coefficients: Vec<Polynomial> =
            case["p"].as_array().unwrap().iter().map(|c| Polynomial::constant(number(text(c)))).collect();
        let p = Polynomial::from_coefficients_in(cx, 0, &coefficients).unwrap();
        let roots = isolate_real_roots(cx, &p).unwrap();
        let floors = case["floors_e20"].as_array().unwrap();
        assert_eq!(roots.len(), floors.len(), "{case}");
        assert_eq!(count_real_roots(cx, &p, None, None).unwrap(), floors.len());
        for ((root, floor), exact) in roots.iter().zip(floors).zip(case["exact"].as_array().unwrap()) {
            if let Some(exact) = exact.as_str() {
                assert_eq!(root.to_rational(), Some(number(exact)), "{case}");
                continue;
            }
            assert_eq!(root.to_rational(), None, "{case}");
            let low = number(text(floor));
            let at = |n: &Rational| AlgebraicNumber::from(n / &scale);
            assert!(*root > at(&low) && *root < at(&(&low + &Rational::ONE)), "{case}");
            assert_eq!(root.sign_of(cx, &p).unwrap(), 0);
        }
    }
}

#[test]
fn groebner_bases() {
    let cx = &Inquiry::free();
    for case in data("groebner") {
        let n = u32::try_from(case["n"].as_u64().unwrap()).unwrap();
        let list = |key: &str| case[key].as_array().unwrap().iter().map(|g| read(text(g))).collect::<Vec<_>>();
        let variables: Vec<u32> = (0..n).collect();
        let order = match text(&case["order"]) {
            "lex" => Order::lex(&variables),
            _ => Order::grevlex(&variables),
        };
        let basis = groebner(cx, &list("generators"), &order, &[]);
        assert!(basis.complete);
        let normal = |p: &Polynomial| p.primitive_part();
        let (mut found, mut expected): (Vec<Polynomial>, Vec<Polynomial>) =
            (basis.generators.iter().map(normal).collect(), list("basis").iter().map(normal).collect());
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{case}");
    }
}

fn polynomials(value: &Value) -> Vec<Polynomial> {
    value.as_array().unwrap().iter().map(|g| read(text(g))).collect()
}

/// The generators of reduced bases, in a fixed order.
fn sorted(list: &[Polynomial]) -> Vec<Polynomial> {
    let mut list: Vec<Polynomial> = list.iter().map(Polynomial::primitive_part).collect();
    list.sort();
    list
}

#[test]
fn elimination_saturation_and_membership() {
    let cx = &Inquiry::free();
    for case in data("ideal") {
        let generators = polynomials(&case["generators"]);
        let (k, n) = (case["variable"].as_u64().unwrap() as u32, case["n"].as_u64().unwrap() as u32);
        let f = read(text(&case["f"]));
        let eliminated = eliminate(cx, &generators, &[k], &[]);
        assert!(eliminated.complete);
        assert_eq!(sorted(&eliminated.generators), sorted(&polynomials(&case["eliminated"])), "{case}");
        let saturated = saturate(cx, &generators, &f, &[]).unwrap();
        let grevlex = Order::grevlex(&(0..n).collect::<Vec<_>>());
        let saturated = groebner(cx, &saturated.generators, &grevlex, &[]);
        assert_eq!(sorted(&saturated.generators), sorted(&polynomials(&case["saturated"])), "{case}");
        assert_eq!(radical_contains(cx, &generators, &f, &[]).unwrap(), case["radical_contains"].as_bool(), "{case}");
        let basis = groebner(cx, &generators, &grevlex, &[]);
        assert_eq!(basis.contains(cx, &f).unwrap(), case["contains"].as_bool(), "{case}");
    }
}

#[test]
fn factors_over_real_quadratic_extensions() {
    let cx = &Inquiry::free();
    for case in data("quadratic") {
        let p = read(text(&case["p"]));
        let over_rationals: u64 = factor(cx, &p).factors.iter().map(|(_, e)| u64::from(*e)).sum();
        assert_eq!(Some(over_rationals), case["over_Q"].as_u64(), "{case}");
    }
}

#[test]
fn text_is_read_back() {
    let p = read("-2*x0^3*x2 + x1 - 7");
    assert_eq!(read(&p.to_string()), p);
    assert_eq!(p.constant_term(), Rational::integer(Integer::from(-7)));
}
