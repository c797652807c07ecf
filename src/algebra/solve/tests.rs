use super::*;
use crate::algebra::Inquiry;
use crate::algebra::testing::Scope;

fn shown(solutions: &Solutions) -> String {
    let branch = |b: &Branch| {
        let mut parts: Vec<String> = b.values.iter().map(|(x, v)| format!("{x} = {v}")).collect();
        parts.extend(b.free.iter().map(|x| format!("{x} free")));
        let conditions: Vec<String> =
            b.conditions.iter().map(|c| format!("{} {} 0", c.left, c.relation.text())).collect();
        let parts = parts.join(", ");
        if conditions.is_empty() { parts } else { format!("{parts} if {}", conditions.join(", ")) }
    };
    let mut text = solutions.branches.iter().map(branch).collect::<Vec<_>>().join("; ");
    if text.is_empty() {
        text = "none".into();
    }
    for e in &solutions.not_covered {
        text += &format!(" [{e} = 0 not covered]");
    }
    text
}

/// `equations, … for unknowns …` under facts.
fn solved(facts: &[&str], equations: &[&str], unknowns: &str) -> String {
    let mut scope = Scope::new();
    scope.parameters("a b c h k m p q r");
    facts.iter().for_each(|f| scope.assume(f));
    let equations: Vec<Expr> = equations
        .iter()
        .map(|e| {
            let (left, right) = e.split_once('=').unwrap_or((e, "0"));
            scope.read(left) - scope.read(right)
        })
        .collect();
    let unknowns: Vec<Symbol> = unknowns.split_whitespace().map(|x| scope.symbol(x)).collect();
    match solve(&scope.cx(), &equations, &unknowns) {
        Ok(solutions) => shown(&solutions),
        Err(why) => format!("refused: {why}"),
    }
}

#[test]
fn one_equation() {
    for (facts, equation, expected) in [
        (&[][..], "2*x = 6", "x = 3"),
        (&["a != 0"], "a*x = b", "x = b/a"),
        (&[], "a*x = b", "x = b/a if a != 0; x free if a = 0, b = 0"),
        (&[], "x^2 = 4", "x = 2; x = -2"),
        (&[], "x^2 = -4", "none"),
        (&[], "x^2 = 2", "x = sqrt(2); x = -sqrt(2)"),
        (&[], "x^2 = 0", "x = 0"),
        (&[], "x^2 - 3*x + 2 = 0", "x = 2; x = 1"),
        (&[], "x^2 + x + 1 = 0", "none"),
        (&[], "x^2 - 2*x - 1 = 0", "x = sqrt(2) + 1; x = 1 - sqrt(2)"),
        (&["h > 0"], "x^2 = h", "x = sqrt(h); x = -sqrt(h)"),
        (&[], "x^2 = h", "x = sqrt(h) if h >= 0; x = -sqrt(h) if h >= 0"),
        (&[], "x^2 = h^2", "x = h; x = -h"),
        (&[], "x^3 = 8", "x = 2"),
        (&[], "x^3 = -8", "x = -2"),
        (&["h > 0"], "x^3 = -h", "x = -h^(1/3)"),
        (&[], "x^4 = 16", "x = 2; x = -2"),
        (&[], "x^4 - 5*x^2 + 6 = 0", "x = sqrt(3); x = -sqrt(3); x = sqrt(2); x = -sqrt(2)"),
        (&[], "x*(x - 1)*(x + 2) = 0", "x = 0; x = 1; x = -2"),
        (&[], "exp(2*x) = h", "x = log(h)/2 if h > 0"),
        (&[], "exp(x) = -1", "none"),
        (&[], "exp(x)*exp(sqrt(2)*x) = 3", "x = log(3)/(sqrt(2) + 1)"),
        (&[], "exp(x) = exp(sqrt(2)*x)", "x = 0"),
        (&[], "exp(x)*exp(sqrt(2)*x) = -3", "none"),
        (&[], "exp(x) + exp(sqrt(2)*x) = 3", "refused: x stands in exp(x) and exp(sqrt(2)*x) at once"),
        (&[], "log(x) = h", "x = exp(h)"),
        (&[], "sqrt(x) = 3", "x = 9"),
        (&[], "sqrt(x) = -3", "none"),
        (&[], "abs(x - 1) = 2", "x = 3; x = -1"),
        (&[], "1/x = 2", "x = 1/2"),
        (&[], "(x^2 - 1)/(x - 1) = 0", "x = -1"),
        (&[], "x = x", "x free"),
        (&[], "x = x + 1", "none"),
        (&[], "sin(x) = 0", "refused: sin(x) = 0 has infinitely many solutions or none"),
        (&[], "x^5 - x + 1 = 0", "refused: it is of degree 5 in x"),
        (&[], "x + exp(x) = 0", "refused: x stands in x and exp(x) at once"),
    ] {
        assert_eq!(solved(facts, &[equation], "x"), expected, "{equation} under {facts:?}");
    }
}

#[test]
fn a_quadratic_with_a_leading_coefficient_that_may_vanish() {
    assert_eq!(
        solved(&[], &["a*x^2 + x - 1 = 0"], "x"),
        "x = (sqrt(4*a + 1) - 1)/(2*a) if a != 0, 4*a + 1 >= 0; \
         x = -(sqrt(4*a + 1) + 1)/(2*a) if a != 0, 4*a + 1 >= 0; x = 1 if a = 0"
    );
}

#[test]
fn systems() {
    let cx = &Inquiry::free();
    for (facts, equations, unknowns, expected) in [
        (&[][..], &["x + y = 3", "x - y = 1"][..], "x y", "x = 2, y = 1"),
        (&[], &["x + y = 3", "2*x + 2*y = 6"], "x y", "x = 3 - y, y free"),
        (&[], &["x + y = 3", "x + y = 4"], "x y", "none"),
        (&[], &["x = y^2", "y = 3"], "x y", "x = 9, y = 3"),
        (&[], &["x^2 + y^2 = 25", "x = 3"], "x y", "x = 3, y = 4; x = 3, y = -4"),
        (&[], &["x*y = 6", "x = 2"], "x y", "x = 2, y = 3"),
        (&[], &["x' = r*cos(t)*y'", "y' = 2"], "x' y'", "x' = 2*cos(t)*r, y' = 2"),
        (
            &[],
            &["a*x + b*y = p", "c*x + h*y = q"],
            "x y",
            "x = (p*h - q*b)/(a*h - c*b), y = (a*q - p*c)/(a*h - c*b) if a*h - c*b != 0 [a*h - c*b = 0 not covered]",
        ),
        (&["m > 0"], &["m*x'' + k*x = p", "p = 2*q"], "x'' p", "x'' = (2*q - k*x)/m, p = 2*q"),
    ] {
        let found = solved(facts, equations, unknowns);
        // Signs and the order of factors inside a quotient are the printer's matter: compare as values.
        assert!(same(cx, &found, expected), "{equations:?}: {found}, not {expected}");
    }
}

/// Equal text, or equal structure with equal values.
fn same(cx: &Inquiry, found: &str, expected: &str) -> bool {
    if found == expected {
        return true;
    }
    let mut scope = Scope::new();
    let mut value = |text: &str| -> Vec<(String, Expr)> {
        let text = text.split(" if ").next().unwrap_or(text);
        text.split(", ").filter_map(|p| p.split_once(" = ")).map(|(x, v)| (x.to_owned(), scope.read(v))).collect()
    };
    let (a, b) = (value(found), value(expected));
    a.len() == b.len()
        && !a.is_empty()
        && a.iter().zip(&b).all(|((x, v), (y, w))| x == y && is_zero(cx, *v - *w).is_yes())
}

/// Every branch solves its equations, at points that obey its conditions.
#[test]
fn branches_solve_their_equations() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    let x = scope.symbol("x");
    for text in
        ["a*x^2 + b*x + c", "x^4 - a", "x^3 - a*b", "(x - a)*(x^2 - b)", "exp(x)^2 - a*exp(x)", "sqrt(x + a) - b"]
    {
        let e = scope.read(text);
        let solutions = solve(cx, &[e], &[x]).unwrap();
        for branch in &solutions.branches {
            let Some((_, value)) = branch.values.first() else { continue };
            if branch.conditions.iter().any(|c| c.relation == Relation::Equal) {
                continue;
            }
            let there = substitute(e, &FxHashMap::from_iter([(x, *value)]));
            // Under its conditions, taken as facts.
            let cx = &cx.where_hold(&branch.conditions);
            assert!(is_zero(cx, there).is_yes(), "{text}: x = {value}: {:?}", is_zero(cx, there));
        }
    }
}

/// y²eˣ = a, 2y eˣ = b has one solution for a ≠ 0 ≠ b, and no branch may ask for both b = 0 and b ≠ 0. For a = b = 0 the
/// solutions are y = 0, which is not "everything is free".
#[test]
fn conditions_of_a_branch_do_not_contradict_each_other() {
    let cx = &Inquiry::free();
    let mut scope = Scope::new();
    scope.parameters("x y a b");
    let equations = ["y^2*exp(x) - a", "2*y*exp(x) - b"].map(|e| scope.read(e));
    let [x, y] = ["x", "y"].map(|name| scope.read(name).as_symbol().expect("a symbol"));
    let found =
        crate::algebra::stratum::solve::solve_system(cx, &equations, &[], &[], &[x, y]).expect("within the budget");
    assert_eq!(found.branches.len(), 1, "{:?}", found.branches);
    assert!(found.branches[0].free.is_empty());
}
