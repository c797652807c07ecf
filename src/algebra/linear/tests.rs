use super::*;
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::testing::Scope;

/// Rows separated by `;`, entries by `,`.
fn matrix(scope: &mut Scope, text: &str) -> Matrix {
    Matrix::from_rows(text.split(';').map(|r| r.split(',').map(|e| scope.read(e)).collect()).collect())
}

fn under<T>(facts: &[&str], work: impl FnOnce(&Inquiry, &mut Scope) -> T) -> T {
    let mut scope = Scope::new();
    scope.parameters("m m1 m2");
    facts.iter().for_each(|f| scope.assume(f));
    work(&scope.cx(), &mut scope)
}

#[test]
fn determinants() {
    let cx = &Inquiry::free();
    for (text, expected) in [
        ("a, b; c, d", "a*d - b*c"),
        ("1, x, x^2; 1, y, y^2; 1, z, z^2", "(y - x)*(z - x)*(z - y)"),
        ("cos(t), -sin(t); sin(t), cos(t)", "1"),
        ("1/x, 1; 1, x", "0"),
        ("2, 0, 0; 0, 3, 0; 0, 0, 5", "30"),
        ("0, 1; 1, 0", "-1"),
        ("0, 0, 1; 0, 1, 0; 1, 0, 0", "-1"),
        ("m1 + m2, m2*cos(a - b); m2*cos(a - b), m2", "m2*(m1 + m2*sin(a - b)^2)"),
    ] {
        let mut scope = Scope::new();
        let m = matrix(&mut scope, text);
        let expected = scope.read(expected);
        let found = m.det(cx).unwrap();
        assert!(decide::equal(cx, found, expected).is_yes(), "det({text}) = {found}");
    }
}

/// By hand: a vector for each free column, reduced.
#[test]
fn kernels_of_numbers() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    for (text, expected) in [
        ("1, 2, 3; 2, 4, 6", "1, 0, -1/3; 0, 1, -2/3"),
        ("0, 2; 0, 5", "1, 0"),
        ("1, 0, 2, 0; 0, 1, 1, 0; 0, 0, 0, 7", "1, 1/2, -1/2, 0"),
    ] {
        let kernel = matrix(&mut scope, text).kernel_of_numbers(cx).unwrap();
        assert_eq!(kernel, matrix(&mut scope, expected), "{text}");
    }
    assert_eq!(matrix(&mut scope, "1, 2; 3, 4").kernel_of_numbers(cx).unwrap().n_rows(), 0);
    // Numbers that are not rational go another way.
    let (m, k) = (matrix(&mut scope, "sqrt(2), 2"), matrix(&mut scope, "sqrt(2), 2").kernel_of_numbers(cx).unwrap());
    let sum = m[(0, 0)] * k[(0, 0)] + m[(0, 1)] * k[(0, 1)];
    assert!(k.n_rows() == 1 && decide::is_zero(cx, sum).is_yes());
    assert!(matrix(&mut scope, "a, 1").kernel_of_numbers(cx).is_none());
}

/// Both ways to a determinant agree: n! + structure of the Hilbert-like matrix 1/(i + j + x).
#[test]
fn bareiss_agrees_with_minors() {
    let cx = &Inquiry::free();
    let x = Expr::symbol(Symbol::parameter("x"));
    let m = Matrix::from_fn(4, 4, |i, j| (x + (i as i64 + 1)).pow(j as i64) + (i * j) as i64);
    let (_, rows) = m.polynomial_rows(cx).unwrap().unwrap();
    assert_eq!(by_minors(cx, &rows).unwrap(), bareiss(cx, &rows).unwrap());
    let numbers = Matrix::from_fn(12, 12, |i, j| Expr::number(((i * 7 + j * 13) % 11) as i64 - i64::from(i == j) * 5));
    let (_, rows) = numbers.polynomial_rows(cx).unwrap().unwrap();
    let eliminated = bareiss(cx, &rows).unwrap();
    // The same by rational elimination.
    let mut a: Vec<Vec<Rational>> = rows.iter().map(|r| r.iter().map(|p| p.as_constant().unwrap()).collect()).collect();
    let mut product = Rational::ONE;
    for k in 0..12 {
        let i = (k..12).find(|i| !a[*i][k].is_zero()).unwrap();
        if i != k {
            a.swap(i, k);
            product = -&product;
        }
        product = &product * &a[k][k];
        for i in k + 1..12 {
            let f = &a[i][k] / &a[k][k];
            for j in k..12 {
                a[i][j] = &a[i][j] - &(&f * &a[k][j]);
            }
        }
    }
    assert_eq!(eliminated.as_constant(), Some(product));
}

#[test]
fn the_condition_of_a_rank_is_one_minor_and_not_every_pivot() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let m = matrix(&mut scope, "a, b; c, d");
    let rank = m.rank(cx).unwrap();
    assert_eq!((rank.value, rank.conditions.len()), (2, 1));
    assert!(decide::equal(cx, rank.conditions[0], scope.read("a*d - b*c")).is_yes());
    assert!(rank.verdict.is_yes());
}

#[test]
fn a_rank_sees_through_hidden_zeros() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let m = matrix(&mut scope, "sin(x)^2 + cos(x)^2 - 1, 0; 0, (x + 1)^2 - x^2 - 2*x - 1");
    assert_eq!(m.rank(cx).unwrap().value, 0);
    let m = matrix(&mut scope, "cos(x), sin(x); cos(x)*sin(x), 1 - cos(x)^2");
    let rank = m.rank(cx).unwrap();
    assert_eq!(rank.value, 1);
    // Minors that are never zero need no condition.
    let m = matrix(&mut scope, "x^2 + 1, 0; 0, exp(x)");
    assert_eq!(m.rank(cx).unwrap().conditions, vec![]);
}

#[test]
fn the_rank_drops_at_a_point() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let m = matrix(&mut scope, "x, 0; 0, y");
    let (x, y) = (scope.symbol("x"), scope.symbol("y"));
    let point = |a: i64, b: i64| FxHashMap::from_iter([(x, Rational::from(a)), (y, Rational::from(b))]);
    assert_eq!(m.rank(cx).unwrap().value, 2);
    assert_eq!(m.rank_at(cx, &point(0, 1)).unwrap().value, 1);
    assert_eq!(m.rank_at(cx, &point(0, 0)).unwrap().value, 0);
}

#[test]
fn an_inverse_needs_its_determinant_only() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let m = matrix(&mut scope, "a, b; c, d");
    let (inverse, conditions) = conditions::collect(cx, |cx| m.inverse(cx).unwrap().unwrap());
    assert_eq!(conditions.len(), 1);
    let product = m.mul(&inverse);
    let difference = product.sub(&Matrix::identity(2));
    assert!(difference.is_zero(cx).is_yes());
    assert!(matrix(&mut scope, "x, x*y; 1, y").inverse(cx).unwrap().is_none());
    let m = matrix(&mut scope, "m1 + m2, m2*cos(a - b), 0; m2*cos(a - b), m2, 1; 0, 1, cos(a)");
    let inverse = m.inverse(cx).unwrap().unwrap();
    assert!(m.mul(&inverse).sub(&Matrix::identity(3)).is_zero(cx).is_yes());
}

#[test]
fn solutions_with_free_unknowns_and_residuals() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let m = matrix(&mut scope, "1, a, 0; 0, 0, b; 1, a, b");
    let b: Vec<Expr> = ["p", "q", "r"].iter().map(|e| scope.read(e)).collect();
    let s = m.solve(cx, &b).unwrap();
    assert_eq!(s.free, vec![1]);
    assert_eq!(s.residuals.len(), 1);
    assert!(
        decide::equal(cx, s.residuals[0], scope.read("r - p - q"))
            .or(decide::equal(cx, s.residuals[0], scope.read("p + q - r")))
            .is_yes()
    );
    assert_eq!(s.null_space, vec![vec![scope.read("-a"), Expr::one(), Expr::zero()]]);
    let s = m.solve(cx, &[b[0], b[1], b[0] + b[1]]).unwrap();
    assert!(s.residuals.is_empty());
    assert_eq!(s.particular, vec![scope.read("p"), Expr::zero(), scope.read("q/b")]);
    assert_eq!(s.conditions, vec![scope.read("b")]);
}

#[test]
fn null_space_is_annihilated() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let m = matrix(&mut scope, "x, y, z; sin(x), cos(x), 1");
    for v in m.null_space(cx).unwrap() {
        for e in m.mul_vector(&v) {
            assert!(decide::is_zero(cx, e).is_yes());
        }
    }
    assert_eq!(m.null_space(cx).unwrap().len(), 1);
}

#[test]
fn definiteness_as_in_the_force_balance_sheet() {
    for (facts, text, expected) in [
        (&[][..], "1, 0; 0, -1", "indefinite"),
        (&[], "1, 0; 0, 0", "none"),
        (&["m > 0"], "m, 0; 0, m*(x^2 + 1)", "positive"),
        (&[], "m, 0; 0, m*(x^2 + 1)", "conditions"),
        (&[], "x'^2", "none"),
        (
            &[],
            "(-y'^2 - 1)/(x'^2 + y'^2 + 1)^(3/2), x'*y'/(x'^2 + y'^2 + 1)^(3/2); x'*y'/(x'^2 + y'^2 + 1)^(3/2), (-x'^2 - 1)/(x'^2 + y'^2 + 1)^(3/2)",
            "negative",
        ),
        (
            &[],
            "y'^2/(x'^2 + y'^2)^(3/2), -x'*y'/(x'^2 + y'^2)^(3/2); -x'*y'/(x'^2 + y'^2)^(3/2), x'^2/(x'^2 + y'^2)^(3/2)",
            "none",
        ),
        (&[], "0, 1; 1, 0", "indefinite"),
        (&[], "0, 1; 1, x", "indefinite"),
        (&["m1 > 0", "m2 > 0"], "m1 + m2, m2*cos(a); m2*cos(a), m2", "positive"),
        (&["m1 > 0", "m2 > 0"], "(m1 + m2)*l^2, m2*l*r*cos(a - b); m2*l*r*cos(a - b), m2*r^2", "none"),
        (
            &["m1 > 0", "m2 > 0", "l > 0", "r > 0"],
            "(m1 + m2)*l^2, m2*l*r*cos(a - b); m2*l*r*cos(a - b), m2*r^2",
            "positive",
        ),
        // Three links: C has the minors m1 + m2 + m3, m1 (m2 + m3), m1 m2 m3; without a mass at the first joint it has none.
        (
            &["m1 > 0", "m2 > 0", "m3 > 0"],
            "m1 + m2 + m3, (m2 + m3)*cos(a - b), m3*cos(a - c); (m2 + m3)*cos(a - b), m2 + m3, m3*cos(b - c); m3*cos(a - c), m3*cos(b - c), m3",
            "positive",
        ),
        (
            &["m2 > 0", "m3 > 0"],
            "m2 + m3, (m2 + m3)*cos(a - b), m3*cos(a - c); (m2 + m3)*cos(a - b), m2 + m3, m3*cos(b - c); m3*cos(a - c), m3*cos(b - c), m3",
            "none",
        ),
    ] {
        let found = under(facts, |cx, scope| matrix(scope, text).definiteness(cx).unwrap());
        assert_eq!(found.label(), expected, "{text}: {found:?}");
    }
}

#[test]
fn ldl_multiplies_back() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let m = matrix(&mut scope, "4, a, 1; a, b, c; 1, c, 2");
    let (found, conditions) = conditions::collect(cx, |cx| m.ldl(cx).unwrap().unwrap());
    let back = found.l.mul(&Matrix::diagonal(&found.d)).mul(&found.l.transpose());
    assert!(back.sub(&m).is_zero(cx).is_yes());
    assert_eq!(conditions.len(), 1, "{conditions:?}");
    assert!(matrix(&mut scope, "0, 1; 1, 0").ldl(cx).unwrap().is_none());
}

#[test]
fn ranks_of_numbers_are_exact() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    assert_eq!(matrix(&mut scope, "1, 2, 3; 2, 4, 6; 0, 0, 1").rank_of_numbers(cx), Some(2));
    assert_eq!(matrix(&mut scope, "sqrt(2), 2; 1, sqrt(2)").rank_of_numbers(cx), Some(1));
    assert_eq!(matrix(&mut scope, "sin(1), cos(1); -cos(1), sin(1)").rank_of_numbers(cx), Some(2));
    assert_eq!(matrix(&mut scope, "x").rank_of_numbers(cx), None);
}

#[test]
fn a_generic_pivot_is_recorded() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let m = matrix(&mut scope, "x, 1; 0, x");
    let (e, conditions) = conditions::collect(cx, |cx| m.echelon(cx).unwrap());
    assert_eq!(e.pivots, vec![0, 1]);
    assert_eq!(conditions, vec![scope.read("x")]);
    assert_eq!(m.det(cx).unwrap(), scope.read("x^2"));
}
