//! One sentence that a mechanician would say, before the parts of a long answer, and what of the parts only repeats others.
//!
//! ```text
//! dynamics(L)      motion on a submanifold of dimension 5, one function of time free
//! linearize(L, P)  a stable equilibrium
//! ```
//!
//! A sentence says what the parts say, and nothing else: it is made from them.

use super::show;
use super::value::{Answer, Value};
use crate::algebra::{Inquiry, Verdict};

type Say = fn(&Inquiry, &Answer) -> Option<String>;

/// The questions whose answers begin with a sentence.
const SENTENCES: &[(&str, Say)] = &[
    ("classify", classify),
    ("dynamics", dynamics),
    ("dirac", dirac),
    ("linearize", linearize),
    ("find_integrals", none_found),
    ("find_symmetries", none_found),
];

/// What is said before the parts.
pub fn sentence(cx: &Inquiry, answer: &Answer) -> Option<String> {
    let (_, say) = SENTENCES.iter().find(|(question, _)| *question == answer.question)?;
    let said = say(cx, answer)?;
    // A sentence is as certain as the verdicts that it is made of.
    let shown = answer.part_names().filter(|part| answer.is_shown(part));
    let sampled = shown
        .filter_map(|part| verdict(cx, answer, part))
        .any(|v| matches!(v, Verdict::Yes(g) | Verdict::No(g) if !g.is_proved()));
    Some(if sampled { format!("{said} (as far as sampling tells)") } else { said })
}

/// Whether a part is left out of the text, because others say the same: the paths of `dynamics` once more, in the extended
/// sense, and the only branch of `dirac`. Who asks for the part gets it.
pub fn is_repeated(cx: &Inquiry, answer: &Answer, part: &str) -> bool {
    match (answer.question, part) {
        ("dynamics", "extended") => true,
        ("dirac", "branches") => list(cx, answer, part).is_some_and(|branches| branches.len() == 1),
        _ => false,
    }
}

/// An empty list of a search says nothing about functions that were not searched.
fn none_found(_: &Inquiry, answer: &Answer) -> Option<String> {
    let is_empty = matches!(&answer.main, Some(Value::List(found)) if found.is_empty());
    is_empty.then(|| {
        "none among the polynomials of this degree; functions that may occur too are named by `generators`".to_string()
    })
}

fn value(cx: &Inquiry, answer: &Answer, part: &str) -> Option<Value> {
    answer.get(cx, part)?.ok()
}

fn verdict(cx: &Inquiry, answer: &Answer, part: &str) -> Option<Verdict> {
    match value(cx, answer, part)? {
        Value::Verdict(judged) => Some(judged.verdict.clone()),
        _ => None,
    }
}

fn is_yes(cx: &Inquiry, answer: &Answer, part: &str) -> bool {
    answer.is_shown(part) && verdict(cx, answer, part).is_some_and(|v| v.is_yes())
}

fn list(cx: &Inquiry, answer: &Answer, part: &str) -> Option<Vec<Value>> {
    match value(cx, answer, part)? {
        Value::List(items) => Some(items.to_vec()),
        _ => None,
    }
}

fn count(cx: &Inquiry, answer: &Answer, part: &str) -> Option<usize> {
    match value(cx, answer, part)?.main() {
        Value::Expr(e) => e.as_number()?.to_i64()?.try_into().ok(),
        _ => None,
    }
}

fn classify(cx: &Inquiry, a: &Answer) -> Option<String> {
    let regular = verdict(cx, a, "regular")?;
    let n = a.manifold.as_ref()?.fibres().len();
    if regular.is_yes() {
        return Some("regular: one motion through every state".to_string());
    }
    let Value::Rank(rank) = value(cx, a, "rank_B")? else { return None };
    let ranks: Vec<String> = rank.values.iter().map(usize::to_string).collect();
    if regular.is_unknown() {
        return Some(format!("it is not decided whether it is regular (rank B is {})", ranks.join(" or ")));
    }
    let others = if rank.complete.is_unknown() { ", or another number," } else { "" };
    let determined = format!("the equations determine {}{others} of {n} highest derivatives", ranks.join(" or "));
    let head = match rank.values.contains(&n) {
        true => format!("regular except where det B vanishes: {determined}"),
        false => format!("singular: {determined}"),
    };
    Some(match value(cx, a, "primary_semispray") {
        _ if is_yes(cx, a, "weakly_regular") => format!("{head}; motions start at every state"),
        Some(set @ Value::Set(_)) if !rank.values.contains(&n) => {
            format!("{head}; motions lie on {}", show::text(cx, &set))
        }
        _ => head,
    })
}

/// How much of a motion may be chosen.
fn freedom(free: usize) -> String {
    match free {
        0 => "determined by its initial state".to_string(),
        1 => "one function of time free".to_string(),
        n => format!("{n} functions of time free"),
    }
}

fn dynamics(cx: &Inquiry, a: &Answer) -> Option<String> {
    let Value::Label(kind) = value(cx, a, "kind")? else { return None };
    let branches: Vec<_> = list(cx, a, "branches")?;
    let of_branch = |branch: &Value, part: &str| match branch {
        Value::Answer(answer) => count(cx, answer, part),
        _ => None,
    };
    let said = match (kind, branches.as_slice()) {
        ("motion", [one]) => {
            let (dim, free) = (of_branch(one, "dim")?, of_branch(one, "free")?);
            let is_open =
                |part: &str| matches!(one, Value::Answer(b) if list(cx, b, part).is_some_and(|l| l.is_empty()));
            match is_open("equations") && is_open("nonzero") {
                true => format!("motion through every state, {}", freedom(free)),
                false => format!("motion on a submanifold of dimension {dim}, {}", freedom(free)),
            }
        }
        ("motion", several) => {
            let dims: Option<Vec<String>> = several.iter().map(|b| Some(of_branch(b, "dim")?.to_string())).collect();
            format!("motion on {} branches, of dimension {}", several.len(), dims?.join(", "))
        }
        ("no_motion", _) => "no motion: no curve satisfies the equations".to_string(),
        ("contradictory", _) => "no motion: the equations contradict each other at every state".to_string(),
        _ => "where there is motion was not found out".to_string(),
    };
    let complete = verdict(cx, a, "complete").is_some_and(|v| v.is_yes());
    Some(if complete { said } else { format!("{said}; not everything was followed to its end") })
}

fn plural(n: usize, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {many}"),
        1 => format!("one {one}"),
        n => format!("{n} {many}"),
    }
}

fn dirac(cx: &Inquiry, a: &Answer) -> Option<String> {
    let (first, second) = (list(cx, a, "first_class")?.len(), list(cx, a, "second_class")?.len());
    let n = a.manifold.as_ref()?.fibres().len();
    let constraints = match (first, second) {
        (0, 0) => "no constraints".to_string(),
        (first, second) => format!(
            "{} and {}",
            plural(first, "first-class constraint", "first-class constraints"),
            plural(second, "second-class one", "second-class ones")
        ),
    };
    // Each first-class constraint takes two dimensions of the phase space, each second-class one takes one.
    let left = (2 * n).checked_sub(2 * first + second).filter(|left| left % 2 == 0)?;
    let freedom = plural(left / 2, "degree of freedom is left", "degrees of freedom are left");
    Some(format!("{constraints}: {freedom}"))
}

fn linearize(cx: &Inquiry, a: &Answer) -> Option<String> {
    // A matrix at other values is that alone.
    if !a.is_shown("equilibrium") {
        return None;
    }
    let kind = match (is_yes(cx, a, "equilibrium"), is_yes(cx, a, "relative")) {
        (true, _) => "equilibrium",
        (false, true) => "steady motion",
        (false, false) => {
            let refuted = verdict(cx, a, "equilibrium").is_some_and(|v| v.is_no());
            let said = if refuted { "not an equilibrium" } else { "it is not decided whether this is an equilibrium" };
            return Some(said.to_string());
        }
    };
    let article = if kind == "equilibrium" { "an" } else { "a" };
    let said = match () {
        () if is_yes(cx, a, "asymptotic") => format!("an asymptotically stable {kind}"),
        () if is_yes(cx, a, "unstable") => format!("an unstable {kind}"),
        () if is_yes(cx, a, "stable") => format!("a stable {kind}"),
        () if is_yes(cx, a, "bounded") => format!("{article} {kind} near which linear motions stay bounded"),
        () => format!("{article} {kind}"),
    };
    Some(said)
}
