//! Tests of shapes: a text, and the tree it must have, one line each.
//!
//! Trees are shown as `(head operand …)`; primes and parentheses (as `〈…〉`) included.

use super::ast::*;
use super::parse::parse;
use crate::source::SourceId;

/// The tree of an expression.
fn show(ast: &Ast, id: ExprId) -> String {
    let s = |id: ExprId| show(ast, id);
    let all = |ids: &[ExprId]| ids.iter().map(|&i| format!(" {}", s(i))).collect::<String>();
    let name = |n: &Name| format!("{}{}", n.text, "'".repeat(n.primes as usize));
    let shown = match ast.kind(id) {
        ExprKind::Number(n) => n.to_string(),
        ExprKind::String(t) => format!("{t:?}"),
        ExprKind::Name(n) => name(n),
        ExprKind::Primed { of, primes } => format!("(prime{primes} {})", s(*of)),
        ExprKind::Partial(e) => format!("(@ {})", s(*e)),
        ExprKind::Neg(e) => format!("(neg {})", s(*e)),
        ExprKind::Sum(terms) => {
            let terms = terms.iter().map(|(g, e)| format!(" {}{}", if *g == Sign::Plus { "+" } else { "-" }, s(*e)));
            format!("(sum{})", terms.collect::<String>())
        }
        ExprKind::Product(factors) => {
            let factors =
                factors.iter().map(|(f, e)| format!(" {}{}", if *f == Factor::Times { "*" } else { "/" }, s(*e)));
            format!("(product{})", factors.collect::<String>())
        }
        ExprKind::Wedge(v) => format!("(wedge{})", all(v)),
        ExprKind::Power { base, exponent } => format!("(^ {} {})", s(*base), s(*exponent)),
        ExprKind::Compare { op, left, right, within } => {
            let within = within.map(|w| format!(" within {}", s(w))).unwrap_or_default();
            format!("({} {} {}{within})", op.text(), s(*left), s(*right))
        }
        ExprKind::Is { subject, negated, word } => {
            format!("(is{} {} {})", if *negated { "not" } else { "" }, s(*subject), word.node)
        }
        ExprKind::At { subject, point } => format!("(at {} {})", s(*subject), s(*point)),
        ExprKind::Composed { base, forces, constraints } => {
            format!("(composed {} with{} subject to{})", s(*base), all(forces), all(constraints))
        }
        ExprKind::Not(e) => format!("(not {})", s(*e)),
        ExprKind::And(v) => format!("(and{})", all(v)),
        ExprKind::Or(v) => format!("(or{})", all(v)),
        ExprKind::Call { callee, arguments } => format!("(call {}{})", s(*callee), all(arguments)),
        ExprKind::Part { of, key } => format!("(. {} {})", s(*of), name(&key.node)),
        ExprKind::Index { of, keys } => format!("([] {}{})", s(*of), all(keys)),
        ExprKind::List(v) => format!("(list{})", all(v)),
        ExprKind::Point(v) => format!("(point{})", all(v)),
        ExprKind::Tuple(v) => format!("(tuple{})", all(v)),
        ExprKind::Range { from, to } => format!("(.. {} {})", s(*from), s(*to)),
        ExprKind::Component { key, value } => format!("(: {} {})", s(*key), s(*value)),
        ExprKind::Each(each) => {
            let binders = each.binders.iter().map(|b| format!(" {}∈{}", b.index.node, s(b.range)));
            format!("({}{} {})", each.function.node, binders.collect::<String>(), s(each.body))
        }
    };
    (0..ast[id].parens).fold(shown, |shown, _| format!("〈{shown}〉"))
}

fn read(text: &str) -> Ast {
    let (ast, problems) = parse(SourceId(0), text);
    let problems = problems.into_sorted();
    assert!(problems.is_empty(), "{text}: {problems:?}");
    ast
}

fn question(text: &str) -> String {
    let ast = read(text);
    match ast.statements[..] {
        [Statement { kind: StatementKind::Question(e), .. }] => show(&ast, e),
        _ => panic!("{text} is not one question: {:?}", ast.statements),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(question(text), *expected, "{text}");
    }
}

#[test]
fn operators_bind_as_the_tour_says() {
    check(&[
        ("a + b - c", "(sum +a +b -c)"),
        ("a*b/c", "(product *a *b /c)"),
        ("a + b*c", "(sum +a +(product *b *c))"),
        ("a*(-b)", "(product *a *〈(neg b)〉)"),
        ("(-a*b)", "〈(product *(neg a) *b)〉"),
        ("(-a^2)", "〈(neg (^ a 2))〉"),
        ("a^b^c", "(^ a (^ b c))"),
        ("a^-b^c", "(^ a (neg (^ b c)))"),
        ("2*-a", "(product *2 *(neg a))"),
        ("a*dx /\\ dt + b*dy ∧ dt", "(sum +(wedge (product *a *dx) dt) +(wedge (product *b *dy) dt))"),
        ("a /\\ b /\\ c", "(wedge a b c)"),
        ("a + b at p", "(at (sum +a +b) p)"),
        ("a at p = b at q", "(= (at a p) (at b q))"),
        ("a at p at q", "(at (at a p) q)"),
        ("A at { x = 1, x' = 2 } = 3", "(= (at A (point (= x 1) (= x' 2))) 3)"),
        ("not a = b and c or d", "(or (and (not (= a b)) c) d)"),
        ("not not a", "(not (not a))"),
        ("a < b and c >= d", "(and (< a b) (>= c d))"),
        ("a is regular and b is not closed", "(and (is a regular) (isnot b closed))"),
        ("a = b within 1e-3", "(= a b within 1/1000)"),
        ("(a + b) + c", "(sum +〈(sum +a +b)〉 +c)"),
        ("((a))", "〈〈a〉〉"),
    ]);
}

#[test]
fn names_carry_their_primes() {
    check(&[
        ("x''", "x''"),
        ("dx'", "dx'"),
        ("V'(theta)", "(call V' theta)"),
        ("(x*y)'", "(prime1 〈(product *x *y)〉)"),
        ("(x)''", "(prime2 〈x〉)"),
        ("x ''", "x''"),
        ("q[i]'", "(prime1 ([] q i))"),
        ("f(x)'^2", "(^ (prime1 (call f x)) 2)"),
        ("jet(q, 5)", "(call jet q 5)"),
        ("q\u{307}1 + θ\u{308}", "(sum +q1' +θ'')"),
        ("vel(p_x)", "(call vel p_x)"),
        ("x″ + x‴", "(sum +x'' +x''')"),
    ]);
}

#[test]
fn partial_derivatives_take_the_whole_coordinate() {
    check(&[
        ("@x'", "(@ x')"),
        ("@q[i]'", "(@ (prime1 ([] q i)))"),
        ("@jet(q, 5)", "(@ (call jet q 5))"),
        ("@Y.x' * 2", "(product *(@ (. Y x')) *2)"),
        ("x*@y - y*@x", "(sum +(product *x *(@ y)) -(product *y *(@ x)))"),
        ("X[@x']", "([] X (@ x'))"),
    ]);
}

#[test]
fn parts_and_keys() {
    check(&[
        ("vector_field(disk).theta''", "(. (call vector_field disk) theta'')"),
        ("(A.part)'", "(prime1 〈(. A part)〉)"),
        ("dynamics(S).branches[1].equations", "(. ([] (. (call dynamics S) branches) 1) equations)"),
        ("lepage(E)[omega(x), omega(y')]", "([] (call lepage E) (call omega x) (call omega y'))"),
        (
            "lepage(E, F = k*omega(x) /\\ omega(y))",
            "(call lepage E (= F (wedge (product *k *(call omega x)) (call omega y))))",
        ),
        ("connection(S).lift(X)", "(call (. (call connection S) lift) X)"),
        ("core.h(eta)", "(call (. core h) eta)"),
        ("M[1, 2]", "([] M 1 2)"),
        ("[[a, b], [c, -d]]", "(list (list a b) (list c (neg d)))"),
        ("f()", "(call f)"),
        ("[]", "(list)"),
        ("subs(e, { x = 1; y = 2 })", "(call subs e (point (= x 1) (= y 2)))"),
        ("constraint_type(Q1 and Q2)", "(call constraint_type (and Q1 Q2))"),
        ("piecewise(x > 0, a, b)", "(call piecewise (> x 0) a b)"),
    ]);
}

#[test]
fn repetitions() {
    check(&[
        ("sum(i in 1..n, q[i]'^2/2)", "(sum i∈(.. 1 n) (product *(^ (prime1 ([] q i)) 2) /2))"),
        ("list(i in 1..n - 1, j in 1..i, q[i] = j)", "(list i∈(.. 1 (sum +n -1)) j∈(.. 1 i) (= ([] q i) j))"),
        ("list(i in [1, 2], q[i]: x)", "(list i∈(list 1 2) (: ([] q i) x))"),
    ]);
}

#[test]
fn numbers_are_exact() {
    check(&[
        ("2.5", "5/2"),
        ("1e-3", "1/1000"),
        ("1/2", "(product *1 /2)"),
        ("1.5e2", "150"),
        ("[1..3]", "(list (.. 1 3))"),
        ("x + 1e5", "(sum +x +100000)"),
    ]);
}

/// Each text, and the number of statements it is.
#[test]
fn line_ends() {
    for (text, statements) in [
        ("a\nb", 2),
        ("a; b", 2),
        ("a;\n;;\nb;", 2),
        ("a +\nb", 1),
        ("a\n+ b", 1),
        ("a\n- b\n- c", 1),
        ("a\n  * b", 1),
        ("a\n  /\\ b", 1),
        ("f(a\n,\nb\n)", 1),
        ("[a,\nb]", 1),
        ("let a =\n3", 1),
        ("let p = {\n x = 1\n y = 2\n}", 1),
        ("manifold Y over t\n{\n x\n}", 1),
        ("system S = L\n with F\n subject to C\n and D", 1),
        ("A\n at { x = 1 }\n = 3\n within 1/10", 1),
        ("assert A fails\nB", 2),
        ("assert A\n fails with\n degenerate", 1),
        ("a\n\n// comment\n\n+ b", 1),
        ("a // +\nb", 2),
        ("a /* + */\nb", 2),
        ("a /* \n */ b", 2),
        ("vector_field(S)\n  .x''", 1),
        ("x\n(y)", 2),
        ("x\n[y]", 2),
        ("param a = 1,\n b = 2", 1),
        ("plot run\n to \"a.svg\"", 1),
        ("force F on J1(Y)\n = x", 1),
        ("function F(t)\n from \"a.csv\"", 1),
        ("from\nx", 2),
    ] {
        assert_eq!(read(text).statements.len(), statements, "{text}");
    }
}

#[test]
fn signs_begin_entries_but_not_statements() {
    let ast = read("constraint c on J1(Y) {\n x' + y\n - z = 0\n -x' + z' = 0\n}");
    let StatementKind::Constraint(c) = &ast.statements[0].kind else { panic!("not a constraint") };
    let shown: Vec<String> = c.equations.iter().map(|&e| show(&ast, e)).collect();
    assert_eq!(shown, ["(= (sum +x' +y -z) 0)", "(= (sum +(neg x') +z') 0)"]);
    for text in ["-x", "a\n-x", "a; - x", "+x", "test \"a\" {\n - x\n}"] {
        let problems = parse(SourceId(0), text).1.into_sorted();
        assert_eq!(problems.iter().map(|d| d.code.name).collect::<Vec<_>>(), ["sign_at_start"], "{text}");
    }
}

/// Words of the language are names wherever they are not keywords.
#[test]
fn words_are_keywords_only_at_their_places() {
    let kind = |text: &str| format!("{:?}", read(text).statements[0].kind).split('(').next().map(str::to_string);
    for (text, expected) in [
        ("equations N on J2(Y) { x: -x'' }", "Equations"),
        ("equations(S)", "Question"),
        ("equations", "Question"),
        ("equations + 1", "Question"),
        ("param force = 2, map, section, from, until, angle, form, dependent", "Param"),
        ("let simulate = plot + save", "Let"),
        ("let from = set(until)", "Let"),
        ("manifold map over use { test, explain, angle, branch }", "Manifold"),
        ("force force on J1(form) { branch: -2; dependent: 3 }", "Force"),
        ("poincare run { section section = 0; plot plot against against }", "Poincare"),
        (
            "simulate simulate { from from = 1; until until = 2; record every every every; stop when rising = 1 rising }",
            "Simulate",
        ),
        ("simulate S { tolerance rel 1e-9, abs 1e-12, x = 1e-3 }", "Simulate"),
        ("simulate S { tolerance abs(rel) }", "Simulate"),
        ("plot run { force against x; against against y }", "Plot"),
        ("test \"equations\" { force(x) }", "Test"),
        ("test(x)", "Question"),
        ("use(x)", "Question"),
        ("system generated = generated", "System"),
        ("system S = generated by generated", "System"),
        ("form lepage : closed lepage 2-form on J1(Y) = form", "Form"),
        ("assert classify(S) is lagrangian", "Assert"),
        ("function from(t) from \"a.csv\"", "Function"),
        ("explain explain", "Explain"),
    ] {
        assert_eq!(kind(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn tolerances_have_parts() {
    let ast = read("simulate S { tolerance rel 1e-9, abs 1e-12, x' = 1e-3 }");
    let StatementKind::Simulate(s) = &ast.statements[0].kind else { panic!("not a run") };
    let RunClauseKind::Tolerance(t) = &s.clauses[0].kind else { panic!("not a tolerance") };
    assert!(matches!(t[..], [Tolerance::Relative(_), Tolerance::Absolute(_), Tolerance::Scale { .. }]));
}

#[test]
fn documentation_belongs_to_what_follows() {
    let ast = read(
        "/// The plane.\n/// With an angle.\nmanifold Y over t {\n /// first\n x, y /// a remark about y\n /// the angle\n \
         theta : angle\n}\n// no documentation\nparam m /// nor this\n\n/// Mass.\n\nparam k\n",
    );
    let doc = |i: usize| ast.statements[i].doc.as_deref();
    assert_eq!((doc(0), doc(1), doc(2)), (Some("The plane.\nWith an angle."), None, Some("Mass.")));
    let StatementKind::Manifold(m) = &ast.statements[0].kind else { panic!("not a manifold") };
    let docs: Vec<_> = m.coordinates.iter().map(|c| c.doc.as_deref()).collect();
    assert_eq!(docs, [Some("first"), None, Some("the angle")]);
    assert_eq!(m.coordinates[2].kind.as_ref().map(|k| &*k.node), Some("angle"));
}

#[test]
fn constraint_clauses_take_lists() {
    let ast =
        read("constraint c on J1(Y) { x' = 1, y' = 2; K; dependent: x, y; branch: { x' = 3 }; forms: dx, dy - dt }");
    let StatementKind::Constraint(c) = &ast.statements[0].kind else { panic!("not a constraint") };
    assert_eq!(c.equations.len(), 3);
    let clauses: Vec<_> = c.clauses.iter().map(|c| (c.kind, c.values.len())).collect();
    use ConstraintClauseKind::*;
    assert_eq!(clauses, [(Dependent, 2), (Branch, 1), (Forms, 2)]);
}

#[test]
fn spaces_are_read_from_outside_in() {
    let ast = read("form a on J1(J2(sp.Y)) = 0");
    let StatementKind::Form(f) = &ast.statements[0].kind else { panic!("not a form") };
    let words = |w: &[Word]| w.iter().map(|w| w.node.to_string()).collect::<Vec<_>>();
    assert_eq!(
        (words(&f.on.jets), words(&f.on.manifold.words)),
        (vec!["J1".into(), "J2".into()], vec!["sp".into(), "Y".into()])
    );
}

/// Several mistakes, one message each, at the right lines.
#[test]
fn every_mistake_is_reported_once() {
    let text = "let a = \nlet b = 2 +* 3\nmanifold Y t {\n x\n y\n}\nparam on = 2\nforce F on J1(Y) {\n x: 1 2\n y: 3\n z: * 4\n}\n\
                lagrangian L = 3\ntest \"a\" {\n let c = )\n let d = d d\n let e = 5\n}\nlet f = 6";
    let (ast, problems) = parse(SourceId(0), text);
    let line = |byte: u32| text[..byte as usize].matches('\n').count() + 1;
    let found: Vec<_> =
        problems.into_sorted().iter().map(|d| (d.primary().map_or(0, |s| line(s.start)), d.code.name)).collect();
    assert_eq!(
        found,
        [
            (1, "syntax"),
            (2, "syntax"),
            (3, "syntax"),
            (7, "reserved_word"),
            (9, "juxtaposition"),
            (11, "syntax"),
            (13, "syntax"),
            (15, "unmatched_bracket"),
            (16, "juxtaposition"),
        ]
    );
    assert_eq!(ast.statements.len(), 1);
    assert!(ast.doubtful.contains("Y") && ast.doubtful.contains("d") && !ast.doubtful.contains("f"));
}

/// The failing program of every code of the front end fails with it, and its repair does not.
#[test]
fn codes_keep_what_they_promise() {
    for code in crate::diagnostic::codes::ALL.iter().filter(|c| c.number < 100 && !c.failing.is_empty()) {
        let names = |text: &str| -> Vec<&str> {
            parse(SourceId(0), text).1.into_sorted().iter().map(|d| d.code.name).collect()
        };
        assert!(names(code.failing).contains(&code.name), "{}: {:?}", code.name, names(code.failing));
        assert_eq!(names(code.repaired), [""; 0], "{}", code.name);
    }
}
