//! Values as text, LaTeX and JSON.
//!
//! Text is for people and is written in the language itself wherever it can be; expressions in JSON
//! are strings that parse back. `docs/json.md` describes the shapes.

use super::item::Force;
use super::value::{Answer, Claim, Family, Key, KeyPart, LabelledMatrix, PointEntry, Value};
use crate::algebra::Inquiry;
use crate::algebra::ball;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::print::{Format, Style};
use crate::algebra::{Expr, Ground, Rational, Symbol, Verdict};
use crate::geometry::contact::{self, ContactBasis, Covector};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{Over, Prolongation};
use crate::motion::double;
use crate::report::plot::Screen;
use crate::source::Span;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json, json};
use std::rc::Rc;

/// Shows the main value of an answer, as it stands if the answer says so.
pub fn main_of<T>(cx: &Inquiry, answer: &Answer, show: impl FnOnce(&Inquiry) -> T) -> T {
    if answer.as_written { show(&cx.as_written()) } else { show(cx) }
}

/// How an expression is arranged before it is shown: as a textbook would, if that is cheap.
pub fn tidy(cx: &Inquiry, e: Expr) -> Expr {
    // After an interrupt, or when its time is over, an answer is shown as it is.
    let stopped = crate::budget::somebody_waits() || cx.is_over();
    if stopped || e.is_number() || e.as_symbol().is_some() || cx.is_as_written() {
        return e;
    }
    crate::algebra::normal::arrange(cx, e).unwrap_or(e)
}

/// A number as the user would write it: exactly if it is rational, else with its digits.
pub fn number_text(cx: &Inquiry, e: Expr) -> Option<String> {
    if e.is_number() || !e.symbols().is_empty() {
        return None;
    }
    let ball = ball::evaluate(cx, e, &FxHashMap::default(), 128).ok()??;
    ball.decimal(17)
}

pub fn expr_text(cx: &Inquiry, e: Expr, style: Style) -> String {
    style.write(tidy(cx, e))
}

/// An entry of a point: a number of a run with its digits.
fn entry_text(cx: &Inquiry, entry: &PointEntry, style: Style) -> String {
    let number = entry.double().map(|x| crate::motion::double::number_text(x, style));
    number.unwrap_or_else(|| expr_text(cx, entry.value, style))
}

/// For people, in several lines where the value has several parts.
pub fn text(cx: &Inquiry, value: &Value) -> String {
    standing(cx, value, Style::ASCII)
}

pub fn latex(cx: &Inquiry, value: &Value) -> String {
    super::latex::latex(cx, value)
}

fn render(cx: &Inquiry, value: &Value, style: Style) -> String {
    match value {
        Value::Expr(e) => match number_text(cx, *e) {
            Some(digits) if !(style.format == Format::Latex) => format!("{} ≈ {digits}", expr_text(cx, *e, style)),
            _ => expr_text(cx, *e, style),
        },
        Value::Form(f) => form_text(cx, f, style),
        Value::Field(x) => field_text(cx, x, style),
        Value::OnSpace(declared) => render(cx, &declared.value, style),
        Value::OnBranch(_) => render(cx, &value.main(), style),
        Value::Matrix(m) => matrix_text(cx, m, style),
        Value::List(items) if items.is_empty() => "[]".into(),
        Value::List(items) => {
            let entries: Vec<String> = items.iter().map(|v| render(cx, v, style)).collect();
            if entries.iter().any(|e| e.contains('\n')) || entries.iter().map(String::len).sum::<usize>() > 100 {
                let numbered: Vec<String> =
                    entries.iter().enumerate().map(|(i, e)| format!("[{}] {}", i + 1, indent_rest(e))).collect();
                numbered.join("\n")
            } else {
                format!("[{}]", entries.join(", "))
            }
        }
        Value::Family(family) if family.entries.is_empty() => "none".into(),
        Value::Family(family) => family_text(cx, family, style),
        Value::Point(p) => {
            let entries: Vec<String> =
                p.entries.iter().map(|e| format!("{} = {}", e.text, entry_text(cx, e, style))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Verdict(j) if !j.needs.is_empty() => {
            let needs = j.needs.iter().map(|e| format!("{} != 0", expr_text(cx, *e, style)));
            format!("{}, where {}", j.verdict, needs.collect::<Vec<_>>().join(", "))
        }
        Value::Verdict(j) => j.verdict.to_string(),
        Value::Rank(r) => {
            let values: Vec<String> = r.values.iter().map(usize::to_string).collect();
            let mut text = values.join(" or ");
            if let Some(why) = unfinished(r) {
                let strata = r.strata.iter().map(|(b, n)| (super::set::branch_text(cx, b), n));
                let known: Vec<String> = strata.map(|(b, n)| format!("{n} where {b}")).collect();
                let text = format!("{}\n  {why}", if known.is_empty() { "unknown".into() } else { known.join("\n  ") });
                let is_latex = style.format == Format::Latex;
                return if is_latex { format!(r"\text{{{}}}", text.replace('\n', "; ")) } else { text };
            }
            if style.format == Format::Latex && r.values.len() > 1 {
                let strata = r.strata.iter().map(|(b, n)| format!(r"{n} \text{{ on }} {}", branch_latex(cx, b, style)));
                return strata.collect::<Vec<_>>().join(r",\ ");
            }
            if let crate::algebra::Verdict::Unknown(why) = &r.complete {
                text.push_str(&format!(" ({why})"));
            }
            // One value everywhere needs no strata; one value of a rank on a branch needs none either.
            for (branch, value) in r.strata.iter().filter(|_| r.values.len() > 1) {
                text.push_str(&format!("\n  {value} where {}", super::set::branch_text(cx, branch)));
            }
            text
        }
        Value::Label(label) => (*label).into(),
        Value::Text(t) => t.to_string(),
        Value::Steps(steps) => steps.text(cx),
        Value::Picture(picture) => picture.terminal(Screen::default()),
        Value::Set(s) if style.format == Format::Latex => set_latex(cx, s.branches(), style),
        Value::Set(s) => s.to_string(),
        Value::Distribution(d) => span_text(d.fields(cx).iter().map(|x| field_text(cx, x, style)).collect(), style),
        Value::Codistribution(c) => span_text(c.forms(cx).iter().map(|f| form_text(cx, f, style)).collect(), style),
        Value::Answer(answer) => answer_text(cx, answer, style),
        Value::Manifold(m) if style.format == Format::Latex => m.to_string(),
        Value::Manifold(m) => {
            let coordinates: Vec<String> = m.own_coordinates().iter().map(|c| c.name()).collect();
            let over = match m.over() {
                Over::Base => m.base().to_string(),
                Over::Manifold(below) => below.name().to_string(),
                Over::Jets(below) => below.to_string(),
            };
            format!("{} over {over} {{ {} }}", m.name(), coordinates.join(", "))
        }
        Value::Space(s) => s.to_string(),
        Value::System(s) => s.describe(cx, style),
        Value::Force(f) => force_text(cx, f, style),
        Value::Constraint(c) => c.describe(cx, style),
        Value::Map(m) => m.describe(cx, style),
        Value::Section(s) => s.describe(cx, style),
        Value::Indexed(i) => format!("{}[…], {} members", i.name, i.members.len()),
        Value::Unknown(f) => f.name(),
        Value::Claim(c) => {
            format!("{} {} {}", render(cx, &c.left, style), c.relation.text(), render(cx, &c.right, style))
        }
        Value::Float(x) => crate::motion::double::number_text(*x, style),
        Value::Run(r) => r.describe(),
        Value::Series(s) => s.describe(),
        Value::Sweep(s) => s.describe(),
    }
}

/// Σ F_σ ω^σ, as a force is written.
pub fn force_text(cx: &Inquiry, force: &Force, style: Style) -> String {
    let fibres = force.manifold.fibres().iter().zip(&force.components);
    let terms: Vec<(Expr, String)> = fibres
        .map(|(f, c)| {
            let contact = Covector::Contact(f.coordinate.jet(0));
            (tidy(cx, *c), crate::geometry::print::covector(style, contact))
        })
        .collect();
    style.combination(&terms)
}

/// Why a rank was not found everywhere, if the computation was interrupted.
fn unfinished(rank: &super::value::Rank) -> Option<&str> {
    match &rank.complete {
        Verdict::Unknown(why) if rank.interrupted => Some(why),
        _ => None,
    }
}

/// Where a rank takes its values; nothing has to be said of a rank that has one.
pub fn strata(rank: &super::value::Rank) -> &[(super::set::Branch, usize)] {
    if rank.values.len() > 1 { &rank.strata } else { &[] }
}

fn set_latex(cx: &Inquiry, branches: &[super::set::Branch], style: Style) -> String {
    if branches.is_empty() {
        return r"\emptyset".into();
    }
    let parts: Vec<String> = branches.iter().map(|b| branch_latex(cx, b, style)).collect();
    parts.join(r" \cup ")
}

fn branch_latex(cx: &Inquiry, branch: &super::set::Branch, style: Style) -> String {
    if branch.is_everything() {
        return r"\text{everywhere}".into();
    }
    let equations = branch.equations.iter().map(|e| format!("{} = 0", expr_text(cx, *e, style)));
    let nonzero = branch.nonzero.iter().map(|e| format!(r"{} \neq 0", expr_text(cx, *e, style)));
    format!(r"\{{ {} \}}", equations.chain(nonzero).collect::<Vec<_>>().join(r",\; "))
}

fn span_text(generators: Vec<String>, style: Style) -> String {
    match style.format {
        Format::Latex => format!(r"\operatorname{{span}}\left({}\right)", generators.join(", ")),
        Format::Ascii | Format::Unicode => format!("span({})", generators.join(", ")),
    }
}

fn indent_rest(text: &str) -> String {
    text.replace('\n', "\n    ")
}

fn answer_text(cx: &Inquiry, answer: &Answer, style: Style) -> String {
    let mut lines = vec![];
    lines.extend(super::summary::sentence(cx, answer).filter(|_| style.format != Format::Latex));
    if let Some(main) = &answer.main {
        lines.push(main_of(cx, answer, |cx| standing(cx, main, style)));
    }
    if let (None, Some(why)) = (&answer.main, &answer.refused) {
        lines.push(format!("none ({})", why.title));
    }
    // A list already says what its only entry is.
    if let Some(family) = answer.family()
        && !matches!(answer.main, Some(Value::Family(_) | Value::List(_)))
    {
        lines.push(family_text(cx, family, style));
    }
    let main_shown = answer.main.is_some();
    for name in answer.part_names() {
        let is_said = main_shown && answer.is_main_part(name) || super::summary::is_repeated(cx, answer, name);
        if !answer.is_shown(name) || is_said {
            continue;
        }
        let value = match answer.get(cx, name) {
            Some(Ok(value)) => value,
            Some(Err(refused)) => {
                lines.push(format!("{name}: none ({})", refused.title));
                continue;
            }
            None => continue,
        };
        let shown = standing(cx, &value, style);
        let shown = if shown.is_empty() { "none".to_string() } else { shown };
        if shown.contains('\n') {
            lines.push(format!("{name}:\n  {}", shown.replace('\n', "\n  ")));
        } else {
            lines.push(format!("{name}: {shown}"));
        }
    }
    if !answer.conditions.is_empty() {
        let shown = answer.conditions.iter().map(|condition| match style.format {
            Format::Latex => render(cx, &self::condition(condition), style),
            Format::Ascii | Format::Unicode => condition_text(cx, condition),
        });
        lines.push(format!("where {}", shown.collect::<Vec<_>>().join(", ")));
    }
    lines.join("\n")
}

fn family_text(cx: &Inquiry, family: &Family, style: Style) -> String {
    let lines: Vec<String> = family
        .entries
        .iter()
        .map(|(key, value)| format!("{}: {}", key_shown(key, style), indent_rest(&render(cx, value, style))))
        .collect();
    lines.join("\n")
}

pub(super) fn key_shown(key: &Key, style: Style) -> String {
    let parts: Vec<String> = key
        .iter()
        .map(|p| match p {
            KeyPart::Symbol(s) => style.symbol(*s),
            KeyPart::Number(n) => n.to_string(),
        })
        .collect();
    if parts.len() == 1 { parts[0].clone() } else { format!("[{}]", parts.join(", ")) }
}

/// dx, dt, dx', d(jet(x, 5)): a basis form as it is written.
pub fn differential_text(s: Symbol, style: Style) -> String {
    let name = style.symbol(s);
    if style.format == Format::Latex {
        return format!(r"\mathrm{{d}}{name}");
    }
    if name.contains(['(', '[']) && !name.ends_with(']') { format!("d({name})") } else { format!("d{name}") }
}

fn partial_text(s: Symbol, style: Style) -> String {
    let name = style.symbol(s);
    if style.format == Format::Latex { format!(r"\frac{{\partial}}{{\partial {name}}}") } else { format!("@{name}") }
}

pub fn form_text(cx: &Inquiry, form: &Form, style: Style) -> String {
    let wedge = if style.format == Format::Latex { r" \wedge " } else { " /\\ " };
    let terms: Vec<(Expr, String)> = form
        .terms_in_reading_order()
        .into_iter()
        .map(|(basis, c)| {
            let names: Vec<String> = basis.iter().map(|a| differential_text(a.symbol(), style)).collect();
            (tidy(cx, c), names.join(wedge))
        })
        .filter(|(c, _)| !c.is_zero())
        .collect();
    if form.degree() == 0 {
        return form.as_function().map_or_else(|| "0".into(), |e| expr_text(cx, e, style));
    }
    match contact_terms(cx, form, style) {
        Some(contact) if contact.len() < terms.len() => style.combination(&contact),
        _ => style.combination(&terms),
    }
}

/// The terms of a contact form by contact forms: of `dx - x'*dt`, `omega(x)`. Nothing where a term has no contact factor.
fn contact_terms(cx: &Inquiry, form: &Form, style: Style) -> Option<Vec<(Expr, String)>> {
    if contact::prolongation_of(form) != Prolongation::Holonomic {
        return None;
    }
    let manifold = form.manifold().ok()??;
    let order = form.symbols().iter().filter_map(|s| s.as_jet()).map(|(_, order)| order).max()?;
    let found = contact::in_contact_basis(form, ContactBasis::Adapted(manifold.jets(order)));
    let mut terms = vec![];
    for component in found.components() {
        let coefficient = tidy(cx, component.coefficient);
        if coefficient.is_zero() {
            continue;
        }
        if !component.basis.iter().any(|covector| matches!(covector, Covector::Contact(_))) {
            return None;
        }
        terms.push((coefficient, crate::geometry::print::basis(style, &component.basis)));
    }
    Some(terms)
}

pub fn field_text(cx: &Inquiry, field: &VectorField, style: Style) -> String {
    let terms: Vec<(Expr, String)> = field
        .components()
        .into_iter()
        .map(|(s, c)| (tidy(cx, c), partial_text(s, style)))
        .filter(|(c, _)| !c.is_zero())
        .collect();
    style.combination(&terms)
}

pub(super) fn matrix_text(cx: &Inquiry, m: &LabelledMatrix, style: Style) -> String {
    // Numbers of a run are written as such.
    let entry =
        |e: Expr| double::as_double(e).map_or_else(|| expr_text(cx, e, style), |x| double::number_text(x, style));
    let rows: Vec<Vec<String>> =
        (0..m.matrix.n_rows()).map(|i| (0..m.matrix.n_columns()).map(|j| entry(m.matrix[(i, j)])).collect()).collect();
    if style.format == Format::Latex {
        let body: Vec<String> = rows.iter().map(|r| r.join(" & ")).collect();
        return format!(r"\begin{{pmatrix}} {} \end{{pmatrix}}", body.join(r" \\ "));
    }
    let rows: Vec<String> = rows.iter().map(|r| format!("[{}]", r.join(", "))).collect();
    let one_line = format!("[{}]", rows.join(", "));
    if one_line.chars().count() <= 96 { one_line } else { format!("[{}]", rows.join(",\n ")) }
}

/// A value that stands alone: a matrix with the names of its rows and columns, in a comment, so that it can be read again.
fn standing(cx: &Inquiry, value: &Value, style: Style) -> String {
    let shown = render(cx, value, style);
    let Value::Matrix(m) = value else { return shown };
    let names = |labels: &[Symbol]| labels.iter().map(|s| style.symbol(*s)).collect::<Vec<_>>().join(", ");
    let said = match (m.rows.is_empty(), m.columns.is_empty()) {
        _ if style.format == Format::Latex => return shown,
        (true, true) => return shown,
        (false, false) if m.rows == m.columns => names(&m.rows),
        (true, false) => format!("columns {}", names(&m.columns)),
        (false, true) => format!("rows {}", names(&m.rows)),
        (false, false) => format!("rows {}; columns {}", names(&m.rows), names(&m.columns)),
    };
    if shown.contains('\n') { format!("// {said}\n{shown}") } else { format!("{shown}  // {said}") }
}

// ----- JSON ---------------------------------------------------------------------------------------

pub fn verdict_json(verdict: &Verdict) -> Json {
    match verdict {
        Verdict::Yes(g) | Verdict::No(g) => {
            let mut object = Map::new();
            object.insert("answer".into(), json!(verdict.word()));
            match g {
                Ground::Proved(by) => {
                    object.insert("ground".into(), json!("proved"));
                    if !by.is_empty() {
                        object.insert("by".into(), json!(by));
                    }
                }
                Ground::Sampled { points, bits } => {
                    object.insert("ground".into(), json!("sampled"));
                    object.insert("points".into(), json!(points));
                    object.insert("bits".into(), json!(bits));
                }
            }
            Json::Object(object)
        }
        Verdict::Unknown(why) => json!({ "answer": "unknown", "reason": why }),
    }
}

fn expr_json(cx: &Inquiry, e: Expr) -> Json {
    let shown = tidy(cx, e);
    if !shown.is_number()
        && shown.symbols().is_empty()
        && let Some(float) = crate::motion::double::constant(cx, shown)
    {
        return json!({ "exact": shown.to_string(), "float": float });
    }
    match shown.as_number() {
        Some(n) => json!(rational_json(n)),
        None => json!(shown.to_string()),
    }
}

fn rational_json(n: &Rational) -> String {
    n.to_string()
}

pub fn json_of(cx: &Inquiry, value: &Value) -> Json {
    let style = Style::ASCII;
    match value {
        Value::Expr(e) => expr_json(cx, *e),
        Value::Form(f) => {
            let mut object = Map::new();
            for (basis, c) in f.terms_in_reading_order() {
                let names: Vec<String> = basis.iter().map(|a| differential_text(a.symbol(), style)).collect();
                let key = if names.is_empty() { "1".into() } else { names.join(" /\\ ") };
                let c = tidy(cx, c);
                if !c.is_zero() {
                    object.insert(key, expr_json(cx, c));
                }
            }
            Json::Object(object)
        }
        Value::Field(x) => {
            let mut object = Map::new();
            for (s, c) in x.components() {
                let c = tidy(cx, c);
                if !c.is_zero() {
                    object.insert(partial_text(s, style), expr_json(cx, c));
                }
            }
            Json::Object(object)
        }
        Value::OnSpace(declared) => json_of(cx, &declared.value),
        Value::OnBranch(_) => json_of(cx, &value.main()),
        Value::Matrix(m) => {
            let entries: Vec<Vec<Json>> = (0..m.matrix.n_rows())
                .map(|i| (0..m.matrix.n_columns()).map(|j| expr_json(cx, m.matrix[(i, j)])).collect())
                .collect();
            let names = |list: &[Symbol]| list.iter().map(|s| s.name()).collect::<Vec<_>>();
            json!({ "rows": names(&m.rows), "columns": names(&m.columns), "entries": entries })
        }
        Value::List(items) => Json::Array(items.iter().map(|x| json_of(cx, x)).collect()),
        Value::Family(family) => family_json(cx, family),
        Value::Point(p) => {
            let mut object = Map::new();
            for entry in &p.entries {
                let number = entry.double().map(|x| json!(x));
                object.insert(entry.text.clone(), number.unwrap_or_else(|| expr_json(cx, entry.value)));
            }
            Json::Object(object)
        }
        Value::Verdict(j) => {
            let mut shown = verdict_json(&j.verdict);
            if let (Some(object), false) = (shown.as_object_mut(), j.needs.is_empty()) {
                let needs = j.needs.iter().map(|e| format!("{} != 0", expr_text(cx, *e, Style::ASCII)));
                object.insert("conditions".into(), json!(needs.collect::<Vec<_>>()));
            }
            shown
        }
        Value::Rank(r) => {
            let strata: Vec<Json> =
                strata(r).iter().map(|(b, n)| json!({ "branch": branch_json(cx, b), "value": n })).collect();
            let mut shown = json!({ "values": r.values, "strata": strata });
            if let Some(object) = shown.as_object_mut() {
                if let Some(why) = unfinished(r) {
                    object.insert("incomplete".into(), json!(why));
                }
                if !r.generic.is_empty() {
                    let needs = r.generic.iter().map(|e| format!("{} != 0", expr_text(cx, *e, Style::ASCII)));
                    object.insert("conditions".into(), json!(needs.collect::<Vec<_>>()));
                }
            }
            shown
        }
        Value::Label(label) => json!(label),
        Value::Text(t) => json!(&**t),
        Value::Steps(steps) => steps.json(cx),
        Value::Picture(picture) => json!(picture.terminal(Screen::default())),
        Value::Set(s) => Json::Array(s.branches().iter().map(|x| branch_json(cx, x)).collect()),
        Value::Distribution(d) => {
            Json::Array(d.fields(cx).iter().map(|x| json_of(cx, &Value::Field(x.clone()))).collect())
        }
        Value::Codistribution(c) => {
            Json::Array(c.forms(cx).iter().map(|f| json_of(cx, &Value::Form(f.clone()))).collect())
        }
        Value::Answer(answer) => answer_json(cx, answer),
        Value::System(s) => match (s.lagrangian(), s.form(cx)) {
            (Some(l), _) => expr_json(cx, l.function()),
            (None, Some(form)) => json_of(cx, &Value::Form(form)),
            (None, None) => json!(text(cx, value)),
        },
        Value::Claim(_) => json!(text(cx, value)),
        Value::Float(x) => json!(x),
        Value::Series(s) => s.json(),
        Value::Sweep(s) => s.json(),
        Value::Run(r) => r.json(),
        other => json!(text(cx, other)),
    }
}

pub fn branch_json(cx: &Inquiry, branch: &super::set::Branch) -> Json {
    let list = |all: Vec<Expr>| all.into_iter().map(|e| json!(tidy(cx, e).to_string())).collect::<Vec<_>>();
    json!({ "equations": list(branch.equations.clone()), "nonzero": list(branch.nonzero.clone()) })
}

fn family_json(cx: &Inquiry, family: &Family) -> Json {
    let mut object = Map::new();
    for (key, value) in &family.entries {
        object.insert(crate::model::value::key_text(key), json_of(cx, value));
    }
    Json::Object(object)
}

/// Parts that count something: numbers in JSON, where other values are strings that parse back.
static COUNTS: &[&str] = &[
    "order",
    "jet_order",
    "dim",
    "size",
    "rounds",
    "free",
    "generic_rank",
    "degree",
    "stable",
    "constraints",
    "coordinates",
];

fn part_json(cx: &Inquiry, name: &str, value: &Value) -> Json {
    match value {
        Value::OnBranch(_) if COUNTS.contains(&name) => part_json(cx, name, &value.main()),
        Value::Expr(e) if COUNTS.contains(&name) => match e.as_number().and_then(Rational::to_i64) {
            Some(n) => json!(n),
            None => expr_json(cx, *e),
        },
        _ => json_of(cx, value),
    }
}

fn answer_json(cx: &Inquiry, answer: &Answer) -> Json {
    let mut object = Map::new();
    if let Some(main) = &answer.main {
        let shown = main_of(cx, answer, |cx| json_of(cx, main));
        // An expression under no condition is just that.
        if answer.as_written && answer.conditions.is_empty() && answer.part_names().next().is_none() {
            return shown;
        }
        object.insert("main".into(), shown);
    }
    if let Some(family) = answer.family()
        && !matches!(answer.main, Some(Value::Family(_)))
        && let Json::Object(entries) = family_json(cx, family)
    {
        object.extend(entries);
    }
    for name in answer.part_names() {
        let value = match answer.get(cx, name) {
            Some(Ok(value)) => part_json(cx, name, &value),
            Some(Err(refused)) => json!({ "refused": refused.code.name }),
            None => continue,
        };
        object.insert(name.into(), value);
    }
    if !object.contains_key("conditions") {
        let written = |c: &Condition| match c.relation {
            Relation::NotEqual => tidy(cx, c.left).to_string(),
            _ => condition_text(cx, c),
        };
        let conditions: Vec<Json> = answer.conditions.iter().map(|c| json!(written(c))).collect();
        object.insert("conditions".into(), Json::Array(conditions));
    }
    Json::Object(object)
}

/// A condition in the language itself: x > 1, and not x - 1 > 0; a bound that is a number without its digits.
pub fn condition_text(cx: &Inquiry, condition: &Condition) -> String {
    let (left, relation, right) = condition.sides();
    let side = |e: Expr| expr_text(cx, e, Style::ASCII);
    format!("{} {} {}", side(left), relation.text(), side(right))
}

/// A condition with its two sides as one writes them.
pub fn condition(condition: &Condition) -> Value {
    let (left, relation, right) = condition.sides();
    Value::Claim(Rc::new(Claim {
        relation,
        left: Value::Expr(left),
        right: Value::Expr(right),
        within: None,
        left_span: Span::default(),
        right_span: Span::default(),
    }))
}

/// The weakest ground the value rests on.
pub fn weakest(cx: &Inquiry, value: &Value) -> &'static str {
    fn rank(cx: &Inquiry, v: &Value) -> u8 {
        match v {
            Value::Verdict(j) => match &j.verdict {
                Verdict::Unknown(_) => 2,
                v if v.ground().is_some_and(Ground::is_proved) => 0,
                _ => 1,
            },
            Value::List(items) => items.iter().map(|x| rank(cx, x)).max().unwrap_or(0),
            Value::Family(f) => f.entries.values().map(|x| rank(cx, x)).max().unwrap_or(0),
            Value::Rank(r) => rank(cx, &Value::from(r.complete.clone())),
            Value::Answer(a) => {
                let main = a.main.as_ref().map_or(0, |x| rank(cx, x));
                let parts = a.part_names().filter(|n| a.is_shown(n)).filter_map(|n| a.get(cx, n)?.ok());
                parts.map(|v| rank(cx, &v)).max().unwrap_or(0).max(main)
            }
            _ => 0,
        }
    }
    ["proved", "sampled", "unknown"][rank(cx, value) as usize]
}

/// Whether a verdict that is shown with the value says that it rests on samples.
pub fn says_sampled(cx: &Inquiry, value: &Value) -> bool {
    match value {
        Value::Verdict(j) => j.verdict.ground().is_some_and(|ground| !ground.is_proved()),
        Value::OnSpace(declared) => says_sampled(cx, &declared.value),
        Value::OnBranch(along) => says_sampled(cx, &along.value),
        Value::List(items) => items.iter().any(|x| says_sampled(cx, x)),
        Value::Family(f) => f.entries.values().any(|x| says_sampled(cx, x)),
        Value::Answer(a) => {
            let mut parts = a.part_names().filter(|n| a.is_shown(n)).filter_map(|n| a.get(cx, n)?.ok());
            a.main.as_ref().is_some_and(|x| says_sampled(cx, x)) || parts.any(|x| says_sampled(cx, &x))
        }
        _ => false,
    }
}

/// `dx /\ dt`, `omega(x)`: a basis element as it is written.
pub fn basis_text(basis: &[Covector]) -> String {
    let names: Vec<String> = basis
        .iter()
        .map(|b| match b {
            Covector::Differential(s) => differential_text(*s, Style::ASCII),
            Covector::Contact(s) => format!("omega({s})"),
        })
        .collect();
    names.join(" /\\ ")
}
