use super::*;
use crate::algebra::assume;
use crate::algebra::testing::Scope;

/// Runs with the facts, and leaves none behind.
fn under<T>(facts: &[&str], work: impl FnOnce(&mut Scope) -> T) -> T {
    let before = assume::snapshot();
    let mut scope = Scope::new();
    for fact in facts {
        scope.assume(fact);
    }
    let result = work(&mut scope);
    assume::restore(before);
    result
}

/// The word for a verdict, as the suite writes it.
fn word(verdict: &Verdict, conditional: bool) -> &'static str {
    match verdict {
        Verdict::Yes(Ground::Proved(_)) if conditional => "generic",
        Verdict::Yes(Ground::Proved(_)) => "zero",
        Verdict::Yes(Ground::Sampled { .. }) => "sampled",
        Verdict::No(_) => "nonzero",
        Verdict::Unknown(_) => "unknown",
    }
}

/// `tests/data/zero_suite.txt`: verdict, expression and facts, one per line.
#[test]
fn every_expression_of_the_suite_gets_its_verdict() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("../../../tests/data/zero_suite.txt").lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        count += 1;
        let (expected, rest) = line.split_once(':').expect("verdict: expression");
        let (text, facts) = rest.split_once(" where ").unwrap_or((rest, ""));
        let facts: Vec<&str> = facts.split(',').filter(|f| !f.trim().is_empty()).collect();
        let (verdict, conditions) = under(&facts, |scope| {
            conditions::collect(|| {
                let e = scope.read(text);
                is_zero(e)
            })
        });
        let found = word(&verdict, !conditions.is_empty());
        if found != expected.trim() {
            wrong.push(format!("{line}\n    found {verdict}, conditions {conditions:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 200, "{count} expressions");
}

/// `tests/data/sign_suite.txt`: what is known about signs, with and without the facts.
#[test]
fn every_sign_of_the_suite_is_found() {
    use crate::algebra::assume::Sign;
    let name = |s: Sign| match (s.can_be_negative, s.can_be_zero, s.can_be_positive) {
        (false, false, true) => "positive",
        (true, false, false) => "negative",
        (false, true, true) => "nonnegative",
        (true, true, false) => "nonpositive",
        (true, false, true) => "nonzero",
        (false, true, false) => "zero",
        _ => "any",
    };
    let mut wrong = Vec::new();
    for line in include_str!("../../../tests/data/sign_suite.txt").lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (expected, rest) = line.split_once(':').expect("sign: expression");
        let (text, facts) = rest.split_once(" where ").unwrap_or((rest, ""));
        let facts: Vec<&str> = facts.split(',').filter(|f| !f.trim().is_empty()).collect();
        let found = under(&facts, |scope| {
            let e = scope.read(text);
            name(sign(e))
        });
        if found != expected.trim() {
            wrong.push(format!("{line}\n    found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nowhere_zero_is_more_than_not_zero() {
    for (text, expected) in [
        ("x^2 + 1", "yes"),
        ("x", "no"),
        ("x^2 - 2*x + 1", "no"),
        ("x^3 + x + 1", "no"),
        ("exp(x)*(x^2 + y^2 + 1)", "yes"),
    ] {
        let e = Scope::new().read(text);
        assert_eq!(is_nonzero_everywhere(e).word(), expected, "{text}");
    }
}

#[test]
fn a_condition_that_never_holds_is_found() {
    let mut scope = Scope::new();
    let (always, sometimes, never) =
        (scope.read("x^2 + 1"), scope.read("x - 1"), scope.read("(x + 1)^2 - x^2 - 2*x - 1"));
    assert_eq!(settle_conditions(vec![always, sometimes]), Ok(vec![sometimes]));
    assert_eq!(settle_conditions(vec![sometimes, never]), Err(never));
}
