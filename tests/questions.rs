//! The table of questions, row by row. Every answer prints as text, as LaTeX and as JSON, and has the
//! parts that its row promises, in JSON and after a dot. `docs/json.md` lists the same rows;
//! `LEPAGE_BLESS=1 cargo test --test questions` writes them there.

use lepage::session::{Mode, Outcome, Session, SessionOptions, Status};
use lepage::workshop::algebra::Inquiry;
use lepage::workshop::model::kind::{ANSWER, ANY, FAMILY, FIELD, FORM, FUNCTION, Gives, Kinds, Presence, SYSTEM};
use lepage::workshop::model::value::Value::{Answer, Label};
use lepage::workshop::questions::{self, Question};
use serde_json::Value;

/// What the letters of the signatures stand for.
const WORLD: &str = "
manifold Y over t { x, y }
manifold P over t { r, a }
param m = 1, k = 2
assume m > 0, k > 0
lagrangian L on J1(Y) = m*(x'^2 + y'^2)/2 - k*(x^2 + y^2)/2
lagrangian L1 on J1(Y) = x'^2/2 + x*x'
lagrangian L2 on J1(Y) = x'^2/2
system S = L
form eta on J1(Y) = x*omega(y)
form alpha on J1(Y) = d(cartan(L))
field xi on Y = x*@y - y*@x
field zeta on Y = @x
map polar : P -> Y { x = r*cos(a); y = r*sin(a) }
map half : P -> Y { x = 2*r; y = a }
section g on Y { x = cos(t); y = sin(t) }
distribution Delta on Y { @x; @y }
submanifold K on J1(Y) { x = 0; x' = 0 }
submanifold K1 on J1(Y) { x = 0 }
submanifold K2 on J1(Y) { y = 0 }
codistribution Lambda0 on Y { dx - y*dt }
constraint Held on J1(Y) { forms: x*dx' + dy' }
constraint Q on J1(Y) { y' = x*x'; dependent: y }
let M = [[2, 1], [1, 2]]
let e = x^2 + 2*x*y + y^2
let run = simulate L { from x = 1; until t = 1 }
";

/// The argument that stands for a word of a signature.
fn argument(word: &str) -> Option<&'static str> {
    Some(match word {
        "S" | "L" => "L",
        "L1" => "L1",
        "L2" => "L2",
        "η" => "eta",
        "α" => "alpha",
        "ξ" | "X" => "xi",
        "ζ" => "zeta",
        "A" | "Δ" => "Delta",
        "K" => "K",
        "Q" => "Q",
        "K1" => "K1",
        "K2" => "K2",
        "M" => "M",
        "map" => "polar",
        "g" => "g",
        "e" => "e",
        "f" => "x*y' - y*x'",
        "x" | "q" => "x",
        "x'" => "x'",
        "r" | "k" | "n" => "1",
        "Y" => "Y",
        "Λ0" => "Lambda0",
        "J1(Y)" => "J1(Y)",
        "{x = 1}" => "{x = 1}",
        "eqs" | "equations" => "[x + y = 1]",
        "run" => "run",
        "pt" | "point" => "{ x = 0, y = 0, x' = 0, y' = 0 }",
        _ => return None,
    })
}

/// Rows whose letters mean something else than elsewhere.
const SAMPLES: &[(&str, &str)] = &[
    ("nijenhuis", "nijenhuis(tensor(omega(x), @x'))"),
    ("is_projector", "is_projector(tensor(dx, @x))"),
    ("groebner", "groebner([x + y, x*y - 1], [x, y])"),
    ("eliminate", "eliminate([x + y, x*y - 1], [x])"),
    ("member", "member(x, [x + y = 0, x*y = 0])"),
    ("saturate", "saturate([x*y = 0], x)"),
    ("quotient", "quotient([x*y = 0], x)"),
    ("resultant", "resultant(x^2 + y, x - y, x)"),
    ("discriminant", "discriminant(x^2 + y, x)"),
    ("involutive", "involutive(span(@t + x'*@x + y'*@y, @x'))"),
    ("dot", "dot([x, y], [1, 2])"),
    ("cross", "cross([1, 0, 0], [0, x, y])"),
    ("span", "span(dx, dy)"),
    ("rank", "rank(M)"),
    ("order", "order(L)"),
    ("transform", "transform(pullback(half, L), half)"),
    ("D", "D(x'^2*y, x', y)"),
    ("integrating_factor", "integrating_factor(L)"),
    ("noether", "noether(L, xi)"),
    ("adjoint_symmetry", "adjoint_symmetry(L, x'*omega(x))"),
    ("tangent", "tangent(xi, K)"),
    ("restrict", "restrict(eta, K)"),
    ("ideal_conditions", "ideal_conditions(Held)"),
    ("crosscheck", "crosscheck(L subject to Q)"),
    ("reduced", "reduced(L subject to Q)"),
    ("mixed", "mixed(L subject to Q)"),
    ("decompose", "decompose(L subject to Q, xi)"),
    ("multipliers", "multipliers(L subject to Q)"),
    ("reactions", "reactions(L subject to Q)"),
    ("is_holonomic", "is_holonomic(prolong(g, 1))"),
    ("sensitivity", "sensitivity(run, x)"),
];

fn sample(question: &Question) -> Option<String> {
    if let Some((_, text)) = SAMPLES.iter().find(|(name, _)| *name == question.name) {
        return Some(text.to_string());
    }
    let mut arguments = vec![];
    for parameter in question.parameters.iter().filter(|p| matches!(p.presence, Presence::Once | Presence::Many)) {
        arguments.push(argument(parameter.name)?);
    }
    Some(format!("{}({})", question.name, arguments.join(", ")))
}

fn world() -> Session {
    let mut session = Session::new(SessionOptions::default());
    for outcome in session.feed("world.mech", WORLD, Mode::File) {
        assert!(outcome.held(), "{}: {:?}", outcome.statement, outcome.diagnostics);
    }
    session
}

/// Asks, and gives the reason of a refusal.
fn ask(session: &mut Session, text: &str) -> Result<Outcome, String> {
    let outcome = session.feed("input", text, Mode::Line).pop().ok_or("no statement")?;
    match outcome.status {
        Status::Ok => Ok(outcome),
        _ => Err(outcome.diagnostics.iter().map(|d| format!("{}: {}", d.code.name, d.title)).collect()),
    }
}

/// What is wrong with the answer to one row, if anything.
fn complaint(session: &mut Session, question: &Question) -> Option<String> {
    let Some(text) = sample(question) else {
        return Some(format!("{}: the letters of its signature have no meaning here", question.signature()));
    };
    let outcome = match ask(session, &text) {
        Ok(outcome) => outcome,
        Err(reason) => return Some(format!("{text} is refused with {reason}")),
    };
    let line = lepage::session::json::outcome(&outcome);
    for key in ["line", "statement", "status", "type", "text", "latex", "value"] {
        if line[key].is_null() || line[key] == "" {
            return Some(format!("{text} has no {key}: {line}"));
        }
    }
    let latex = line["latex"].as_str().unwrap_or_default();
    if latex.matches('{').count() != latex.matches('}').count() || latex.contains("Debug") {
        return Some(format!("{text}: the braces of its LaTeX do not match: {latex}"));
    }
    for part in question.parts.iter().filter(|p| p.always).map(|p| p.name) {
        // A set or a distribution is a list in JSON; its parts stand after the dot only.
        let is_list = line["value"].is_array() || line["value"]["main"].is_array();
        if !is_list && line["value"].get(part).is_none() {
            return Some(format!("{text} has no part `{part}` in {}", line["value"]));
        }
        let refused = line["value"][part].get("refused").is_some();
        if let (Err(reason), false) = (ask(session, &format!("({text}).{part}")), refused) {
            return Some(format!("({text}).{part} is refused with {reason}"));
        }
    }
    None
}

#[test]
fn every_answer_has_text_latex_json_and_its_parts() {
    let mut session = world();
    let rows = questions::all();
    let complaints: Vec<String> = rows.filter_map(|q| complaint(&mut session, q)).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// What a row says of its answer is so: the kinds of the main value and of the parts, and that there are no other parts.
#[test]
fn answers_are_of_the_kinds_that_the_rows_say() {
    let cx = &Inquiry::free();
    let mut session = world();
    let mut complaints = vec![];
    for question in questions::all() {
        let Some(text) = sample(question) else { continue };
        let Ok(outcome) = ask(&mut session, &text) else { continue };
        let answer = outcome.answer.expect("an answer");
        let (value, found) = (answer.value(), Kinds::of_value(answer.value()));
        let kinds = match question.gives {
            Gives::Accelerations => FIELD,
            Gives::Kinds(kinds) => kinds,
            Gives::Degree(..) | Gives::Form(..) => FORM.or(FUNCTION).or(SYSTEM),
            Gives::Parts => ANSWER,
            Gives::Motion | Gives::Variation => FAMILY,
            Gives::Like(_) | Gives::Carried(_) => ANY,
        };
        if !found.within(kinds) {
            complaints.push(format!("{text} is {found:?}, not {kinds:?}"));
        }
        let Answer(answer) = value else { continue };
        for name in answer.part_names() {
            let Some(part) = question.part(name) else {
                complaints.push(format!("{text} has a part `{name}` that its row has not"));
                continue;
            };
            let Some(Ok(value)) = answer.get(cx, name) else { continue };
            let found = Kinds::of_value(&value);
            if !found.within(part.kinds) {
                complaints.push(format!("{text}.{name} is {found:?}, not {:?}", part.kinds));
            }
            if matches!(value, Label(label) if !part.words.contains(&label)) {
                complaints.push(format!("{text}.{name} is a label that its row has not"));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn expressions_in_json_parse_back() {
    let mut session = world();
    for question in questions::all() {
        let Some(outcome) = sample(question).and_then(|text| ask(&mut session, &text).ok()) else { continue };
        let answer = outcome.answer.expect("an answer");
        if answer.type_name() != "expression" {
            continue;
        }
        let main = match answer.json() {
            Value::String(text) => text,
            Value::Object(object) => match object.get("main") {
                Some(Value::String(text)) => text.clone(),
                _ => continue,
            },
            _ => continue,
        };
        let again =
            ask(&mut session, &main).unwrap_or_else(|e| panic!("{}: `{main}` does not parse: {e}", question.name));
        assert_eq!(again.answer.expect("an answer").json(), Value::String(main), "{}", question.name);
    }
}

/// The rows as they stand in the documentation.
fn table() -> String {
    let mut out = String::from("| question | main value | parts |\n|---|---|---|\n");
    for q in questions::all() {
        let cell = |text: &str| text.replace('|', "\\|");
        let parts: Vec<String> =
            q.parts.iter().map(|p| format!("`{}` ({}) {}", p.name, p.kinds, cell(p.meaning))).collect();
        let gives = cell(&q.result_text());
        out += &format!("| `{}`: {} | {gives} | {} |\n", cell(&q.signature()), cell(q.help), parts.join("; "));
    }
    out
}

#[test]
fn the_documentation_lists_the_questions() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.md");
    let text = std::fs::read_to_string(&path).expect("docs/json.md");
    let (begin, end) = ("<!-- questions: written by `cargo test --test questions` -->\n", "<!-- end of questions -->");
    let (before, rest) = text.split_once(begin).expect("the place of the table");
    let (_, after) = rest.split_once(end).expect("the end of the table");
    let written = format!("{before}{begin}\n{}\n{end}{after}", table());
    if std::env::var("LEPAGE_BLESS").is_ok_and(|v| v == "1") {
        std::fs::write(&path, written).expect("docs/json.md can be written");
    } else {
        assert!(written == text, "docs/json.md has drifted: LEPAGE_BLESS=1 cargo test --test questions");
    }
    assert!(text.contains(&format!("now **{}**", lepage::session::json::SCHEMA)), "the schema number has changed");
}

/// The book's copy of the reference, with the sample of each question, which the tests above ask. Its first program is the world in which
/// they are asked.
#[test]
fn the_book_has_the_reference() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/reference.md");
    let page = lepage::workshop::reference::page(sample);
    let intro =
        format!("The examples of the questions are asked in this world:\n\n```mech\n{}```\n", WORLD.trim_start());
    let written = page.replacen("\n## Statements", &format!("\n{intro}\n## Statements"), 1);
    if std::env::var("LEPAGE_BLESS").is_ok_and(|v| v == "1") {
        std::fs::write(&path, &written).expect("the reference can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == written, "docs/book/reference.md has drifted: LEPAGE_BLESS=1 cargo test --test questions");
}

/// Where a map was inverted, the range of its functions is said in every format, also of what is made of the answer, and what is
/// said parses back as a fact.
#[test]
fn the_range_of_an_inverse_is_said_in_every_format() {
    let program = "
manifold P over t { r }
manifold Y over t { x }
map m : P -> Y { x = tanh(r) }
map n : P -> Y { x = atan(r) }
transform(dr, m)
let f = transform(dr, m)
d(x*f)
transform(@r, n)
";
    let mut session = Session::new(SessionOptions::default());
    let outcomes = session.feed("test", program, Mode::File);
    let said: Vec<(Value, String)> = outcomes
        .iter()
        .filter_map(|o| Some((lepage::session::json::outcome(o)["conditions"].clone(), o.answer.as_ref()?.latex())))
        .collect();
    let expected = [
        (r#"["x > -1","x < 1"]"#, r"\quad \text{where } x > -1,\ x < 1"),
        (r#"["x > -1","x < 1"]"#, r"\quad \text{where } x > -1,\ x < 1"),
        (r#"["x > -pi/2","x < pi/2"]"#, r"\quad \text{where } x > -\frac{\pi}{2},\ x < \frac{\pi}{2}"),
    ];
    assert_eq!(said.len(), expected.len());
    for ((json, latex), (conditions, end)) in said.iter().zip(expected) {
        assert_eq!(json.to_string(), conditions);
        assert!(latex.ends_with(end), "{latex}");
        for condition in json.as_array().expect("a list") {
            let fact = format!("assume {}", condition.as_str().expect("a text"));
            assert!(session.feed("fact", &fact, Mode::File).iter().all(Outcome::held), "{fact}");
        }
    }
}

/// Long answers begin with what a mechanician would say. What is said follows by hand: x + y = 0 and its derivative leave t, x, x' of
/// the five coordinates of J1(Y); (x' - y')²/2 determines x'' - y'' alone, at every state.
#[test]
fn long_answers_begin_with_a_sentence() {
    let program = "
manifold Y over t { x, y }
lagrangian regular on J1(Y) = (x'^2 + y'^2)/2 - (x^2 + y^2)/2
lagrangian singular on J1(Y) = x'^2/2 - x*y - y^2/2
lagrangian gauge on J1(Y) = (x' - y')^2/2
";
    for (question, said) in [
        ("classify(regular)", "regular: one motion through every state"),
        ("dynamics(regular)", "motion through every state, determined by its initial state"),
        ("dirac(regular)", "no constraints: 2 degrees of freedom are left"),
        ("linearize(regular, { x = 0, y = 0 })", "a stable equilibrium"),
        ("dynamics(singular)", "motion on a submanifold of dimension 3, determined by its initial state"),
        ("dynamics(gauge)", "motion through every state, one function of time free"),
    ] {
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("main.mech", &format!("{program}{question}"), Mode::File);
        let answer = outcomes.last().and_then(|o| o.answer.as_ref()).expect(question);
        let text = answer.text(120);
        assert_eq!(text.lines().next(), Some(said), "{question}");
    }
}
