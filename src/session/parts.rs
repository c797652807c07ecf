//! Parts and keys: `A.part`, `A[key]`, members of families.

use super::evaluate::Evaluator;
use super::resolve::coordinate_of;
use super::term::{Key as Written, Term, TermKind};
use crate::algebra::Inquiry;
use crate::algebra::{Symbol, conditions};
use crate::diagnostic::elsewhere::{self, Ours, Use};
use crate::diagnostic::{Diagnostic, Goes, codes, suggest};
use crate::geometry::jet::FiberedManifold;
use crate::model::kind::{FORM, Gives};
use crate::model::operate::{as_form, describe};
use crate::model::value::{
    Answer, Fallible, Family, Indexed, Key, KeyPart, LabelledMatrix, PointEntry, Value, key_text,
};
use crate::source::Span;
use smallvec::SmallVec;
use std::rc::Rc;

/// `value.key`.
pub fn part(evaluator: &Evaluator, value: &Value, key: &Written) -> Fallible<Value> {
    let cx = &evaluator.cx;
    let (text, primes) = (&*key.name.text, key.name.primes);
    match value {
        Value::OnSpace(declared) => part(evaluator, &declared.value, key),
        Value::OnBranch(_) => part(evaluator, &value.main(), key),
        Value::Answer(answer) => {
            // What an answer needs, its parts need too.
            if !says_where_it_holds(text) {
                answer.conditions.iter().copied().for_each(|x| conditions::state(cx, x));
            }
            if matches!(text, "fields" | "forms") {
                answer.main.iter().for_each(|x| use_generators(cx, x));
            }
            if primes == 0
                && let Some(part) = answer.get(cx, text)
            {
                part.iter().for_each(|value| state_needs(cx, value));
                return part;
            }
            let symbol = key_symbol(evaluator, answer.manifold.as_ref(), key)?;
            if let Some(found) = symbol.and_then(|symbol| lookup_symbol(answer, symbol)) {
                return found;
            }
            match &answer.main {
                // A part of the main value: classify(S).primary.branches, dynamics(S).proper.final.
                Some(main) => part(evaluator, main, key).map_err(|_| Box::new(no_part(answer, text, primes))),
                None => match &answer.refused {
                    Some(why) if symbol.is_some() => Err(why.clone()),
                    _ => Err(Box::new(no_part(answer, text, primes))),
                },
            }
        }
        Value::Family(family) => {
            let symbol = key_symbol(evaluator, manifold_of(family).as_ref(), key)?;
            match symbol.and_then(|s| family_get(family, s)) {
                Some(value) => Ok(value.clone()),
                None => Err(Box::new(no_key(family, &format!("{text}{}", "'".repeat(primes as usize))))),
            }
        }
        // The columns and states of a run, and the entries of a point, may have primes.
        Value::Run(_) | Value::Sweep(_) | Value::Point(_) => {
            let key = format!("{text}{}", "'".repeat(primes as usize));
            let found = crate::questions::parts::natural_part(cx, value, &key)?;
            found.ok_or_else(|| Box::new(no_entry(value, &key)))
        }
        other if primes == 0 => match crate::questions::parts::natural_part(cx, other, text)? {
            Some(value) => Ok(value),
            None => {
                let names = crate::questions::parts::natural_parts(other);
                Err(Box::new(crate::questions::call::no_part(&describe(other), text, &names)))
            }
        },
        other => Err(Box::new(Diagnostic::error(
            &codes::UNKNOWN_PART,
            format!("{} has no part `{text}{}`", describe(other), "'".repeat(primes as usize)),
        ))),
    }
}

/// What a rank or a verdict took not to vanish, said where it stands alone.
fn state_needs(cx: &Inquiry, value: &Value) {
    let needs = match value {
        Value::Rank(rank) => &rank.generic,
        Value::Verdict(judged) => &judged.needs,
        _ => return,
    };
    needs.iter().for_each(|e| conditions::record_nonzero(cx, *e));
}

/// Parts that say where an answer holds do not rest on its holding.
pub fn says_where_it_holds(part: &str) -> bool {
    matches!(part, "locus" | "unique")
}

/// Records where the generators span what is shown by them.
pub fn use_generators(cx: &Inquiry, value: &Value) {
    match value {
        Value::Distribution(d) => _ = d.fields(cx),
        Value::Codistribution(c) => _ = c.forms(cx),
        Value::List(items) => items.iter().for_each(|x| use_generators(cx, x)),
        Value::Answer(answer) => answer.main.iter().for_each(|x| use_generators(cx, x)),
        Value::OnSpace(declared) => use_generators(cx, &declared.value),
        Value::OnBranch(on) => use_generators(cx, &on.value),
        _ => {}
    }
}

/// A run or a point without this column or entry.
fn no_entry(value: &Value, key: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&codes::UNKNOWN_PART, format!("{} has no part `{key}`", describe(value)));
    match value {
        Value::Run(run) => {
            let mut names = run.column_names();
            names.extend(crate::model::run::part_names().map(str::to_string));
            let diagnostic = diagnostic.note(format!("it has {}", names.join(", ")));
            match suggest::nearest(key, names.iter().map(String::as_str)) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None if key.starts_with("lambda_") => diagnostic.help(format!("add it to the run: `record {key}`")),
                None if ["energy", "E", "H"].contains(&key) => diagnostic
                    .help(format!("add it to the run: `record {key} = energy(S)`, with the name of its system")),
                None => diagnostic.help(format!("add it to the run: `record {key} = …`")),
            }
        }
        Value::Sweep(table) => diagnostic.note(format!("it has {}", table.names().join(", "))),
        Value::Point(point) => {
            let names: Vec<&str> = point.entries.iter().map(|e| e.text.as_str()).collect();
            diagnostic.help(hint(&names))
        }
        _ => diagnostic,
    }
}

fn hint(names: &[&str]) -> String {
    if names.is_empty() { "it has no parts".into() } else { format!("its parts are {}", names.join(", ")) }
}

fn no_part(answer: &Answer, text: &str, primes: u32) -> Diagnostic {
    let key = format!("{text}{}", "'".repeat(primes as usize));
    let mut names: Vec<String> = answer.part_names().map(str::to_string).collect();
    if let Some(family) = answer.family() {
        names.extend(family.entries.keys().map(key_text));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    crate::questions::call::no_part(&format!("the answer to `{}`", answer.question), &key, &names)
}

/// The edit that names the part that was probably meant.
pub fn mend_part(value: &Value, key: &Written, d: Box<Diagnostic>) -> Box<Diagnostic> {
    if d.code.number != codes::UNKNOWN_PART.number || !d.repairs.is_empty() || key.name.primes > 0 {
        return d;
    }
    // `run.x.final`
    if let (Value::Series(_), Some(Ours::Word(here))) = (value, elsewhere::ours(Use::Part, &key.name.text))
        && crate::questions::parts::natural_parts(value).contains(&here)
    {
        let d = Diagnostic { helps: vec![], ..*d };
        return Box::new(d.repair(format!("did you mean `{here}`?"), key.span, here));
    }
    let Value::Answer(answer) = value else { return d };
    let entries = answer.family().map_or(vec![], |family| family.entries.keys().map(key_text).collect());
    let mut derivatives = entries.iter().filter(|name| name.trim_end_matches('\'') == &*key.name.text);
    match derivatives.next() {
        Some(name) => Box::new(Diagnostic { helps: vec![], ..*d }.repair(
            format!("did you mean `{name}`?"),
            key.span,
            name.as_str(),
        )),
        None => d,
    }
}

/// `equations(L)[1]` and `equations(L)["x"]`: an entry has a name.
pub fn mend_index(value: &Value, of: &Term, keys: &[Term], whole: Span, d: Box<Diagnostic>) -> Box<Diagnostic> {
    if let (Value::Series(_), [key]) = (value, keys) {
        let written = match &key.kind {
            TermKind::Number(n) if n.is_zero() || n.is_one() => "….first",
            TermKind::Neg(_) => "….last",
            TermKind::Number(n) if n.is_negative() => "….last",
            _ => {
                return Box::new(
                    d.help("the first and the last value are `.first` and `.last`, one at a time `(run at 3).x`"),
                );
            }
        };
        let help = format!("a column has no entries, its ends are parts: `{}`", written.trim_start_matches('…'));
        return Box::new(d.repair_at(Goes::Quoting(vec![of.outer]), help, whole, written));
    }
    let family = match value {
        Value::Answer(answer) => answer.family(),
        Value::Family(family) => Some(family),
        _ => None,
    };
    let (Some(family), [key]) = (family, keys) else { return d };
    let names: Vec<String> = family.entries.keys().map(key_text).collect();
    let meant = match &key.kind {
        TermKind::Number(n) => names.iter().enumerate().find(|(i, _)| n.to_string() == (i + 1).to_string()),
        TermKind::Text(text) => names.iter().enumerate().find(|(_, name)| name.as_str() == &**text),
        _ => None,
    };
    let Some((_, name)) = meant.filter(|_| d.repairs.is_empty()) else { return d };
    let help = format!("an entry is asked by its name: `.{name}`");
    let d = Diagnostic { helps: vec![], ..*d };
    Box::new(d.repair_at(Goes::Quoting(vec![of.outer]), help, whole, format!("….{name}")))
}

fn no_key(family: &Family, key: &str) -> Diagnostic {
    let names: Vec<String> = family.entries.keys().map(key_text).collect();
    Diagnostic::error(&codes::UNKNOWN_PART, format!("there is no entry `{key}` here"))
        .help(format!("its keys are {}", names.join(", ")))
}

/// The manifold whose jets are the keys of a family.
pub fn manifold_of(family: &Family) -> Option<FiberedManifold> {
    let keys = family.entries.keys().flatten().filter_map(|part| match part {
        KeyPart::Symbol(symbol) => Some(*symbol),
        _ => None,
    });
    FiberedManifold::of_symbols(&keys.collect::<Vec<_>>()).ok().flatten()
}

/// The jet that a key names, on the manifold of the answer if it has one, or where the key is written.
fn key_symbol(evaluator: &Evaluator, manifold: Option<&FiberedManifold>, key: &Written) -> Fallible<Option<Symbol>> {
    match (manifold.and_then(|m| symbol_on(m, key)), &key.symbol) {
        (Some(symbol), _) => Ok(Some(symbol)),
        (None, Some(term)) => evaluator.jet_symbol(term).map(Some),
        (None, None) => Ok(None),
    }
}

fn symbol_on(manifold: &FiberedManifold, key: &Written) -> Option<Symbol> {
    if let Some(c) = coordinate_of(manifold, &key.name.text) {
        return Some(c.jet(key.name.primes));
    }
    // p_x, p1_x of this manifold.
    let (prefix, order, tail) = key.momentum.as_ref()?;
    coordinate_of(manifold, tail).map(|c| Symbol::momentum_named(prefix, c.jet(*order)))
}

fn lookup_symbol(answer: &Answer, symbol: Symbol) -> Option<Fallible<Value>> {
    answer.family().and_then(|f| family_get(f, symbol).cloned()).map(Ok)
}

fn family_get(family: &Family, symbol: Symbol) -> Option<&Value> {
    let key: Key = SmallVec::from_elem(KeyPart::Symbol(symbol), 1);
    family.entries.get(&key)
}

/// The entry of an answer, family or point for a jet; `text` names it in the refusal.
pub fn at_symbol(value: &Value, jet: Option<Symbol>, text: &str) -> Fallible<Value> {
    let found = jet.and_then(|symbol| match value {
        Value::OnSpace(declared) => at_symbol(&declared.value, jet, text).ok(),
        Value::Answer(answer) => lookup_symbol(answer, symbol).and_then(Result::ok),
        Value::Family(family) => family_get(family, symbol).cloned(),
        Value::Point(point) => point.entries.iter().find(|e| e.symbols.contains(&symbol)).map(PointEntry::taken_out),
        Value::Run(run) => run.series(&symbol.name()).map(|s| Value::Series(std::rc::Rc::new(s))),
        Value::Sweep(table) => table.column(&symbol.name()).map(Value::Series),
        _ => None,
    });
    let name = jet.map_or(text.to_string(), Symbol::name);
    found.ok_or_else(|| match value {
        Value::Answer(answer) => Box::new(no_part(answer, &name, 0)),
        other => {
            Box::new(Diagnostic::error(&codes::UNKNOWN_PART, format!("{} has no entry `{name}`", describe(other))))
        }
    })
}

/// `value[keys]`.
pub fn index(evaluator: &Evaluator, value: &Value, keys: &[Term]) -> Fallible<Value> {
    let evaluator = &evaluator.on_answer(value);
    let cx = &evaluator.cx;
    match value {
        Value::OnSpace(declared) => index(evaluator, &declared.value, keys),
        Value::OnBranch(on) => Ok(on.with(index(evaluator, &on.value, keys)?)),
        Value::Answer(answer) => {
            let is_form_key = keys.iter().any(|k| is_form_or_field_key(evaluator, k));
            if !is_form_key && let Some(family) = answer.family() {
                let key = read_key(evaluator, keys)?;
                if let Some(found) = family.entries.get(&key) {
                    return Ok(found.clone());
                }
                if answer.main.as_ref().is_none_or(|m| matches!(m, Value::Family(_))) {
                    return Err(Box::new(no_key(family, &key_text(&key))));
                }
            }
            match &answer.main {
                Some(main) => index(evaluator, main, keys),
                None if answer.refused.is_some() => Err(answer.refused.clone().expect("just seen")),
                None => Err(Box::new(Diagnostic::error(
                    &codes::UNKNOWN_PART,
                    format!("the answer to `{}` has no entries", answer.question),
                ))),
            }
        }
        Value::Family(family) => {
            let key = read_key(evaluator, keys)?;
            family.entries.get(&key).cloned().ok_or_else(|| Box::new(no_key(family, &key_text(&key))))
        }
        Value::List(items) => {
            let span = key_span(keys);
            let [key] = keys else {
                return Err(Box::new(
                    Diagnostic::error(&codes::UNKNOWN_PART, "a list has one index").label(span, "too many"),
                ));
            };
            let n = evaluator.integer(key)?;
            usize::try_from(n - 1).ok().and_then(|i| items.get(i)).cloned().ok_or_else(|| {
                let words = match items.len() {
                    0 => "the list is empty".to_string(),
                    1 => "the list has one entry".to_string(),
                    n => format!("the list has {n} entries, counted from 1"),
                };
                let d = Diagnostic::error(&codes::UNKNOWN_PART, format!("there is no entry {n}")).label(span, words);
                // Elsewhere -1 is the last one.
                let from_end = i64::try_from(items.len()).unwrap_or(0) + 1 + n;
                Box::new(match n {
                    0 if !items.is_empty() => d.repair("the first one is `[1]`", span, "1"),
                    ..0 if from_end > 0 => d.repair(format!("it is `[{from_end}]`"), span, from_end.to_string()),
                    _ => d,
                })
            })
        }
        Value::Matrix(m) => matrix_entry(m, keys, evaluator),
        Value::Run(_) | Value::Sweep(_) | Value::Point(_) => {
            let [key] = keys else {
                return Err(Box::new(
                    Diagnostic::error(&codes::UNKNOWN_PART, "one key is needed here")
                        .label(key_span(keys), "such as `x'`"),
                ));
            };
            let name = evaluator.jet_symbol(key)?.name();
            let found = crate::questions::parts::natural_part(cx, value, &name)?;
            found.ok_or_else(|| Box::new(no_entry(value, &name).label(key.span, "not there")))
        }
        Value::Form(_) => {
            let form = as_form(cx, value)?;
            form_coefficient(&form, keys, evaluator)
        }
        Value::Field(field) => {
            let span = key_span(keys);
            let [key] = keys else {
                return Err(Box::new(
                    Diagnostic::error(&codes::UNKNOWN_PART, "a field has one key").label(span, "such as `@x`"),
                ));
            };
            match evaluator.eval(key)? {
                Value::Field(basis) => match coordinate_field(&basis) {
                    Some(symbol) => {
                        same_manifold(field.manifold(), &[symbol], span)?;
                        Ok(Value::Expr(field.component(symbol)))
                    }
                    None => Err(Box::new(
                        Diagnostic::error(&codes::UNKNOWN_PART, "a coordinate field is needed here")
                            .label(span, "write `@x` or `@x'`"),
                    )),
                },
                other => Err(Box::new(
                    Diagnostic::error(&codes::UNKNOWN_PART, "the components of a field are keyed by `@x`")
                        .label(span, format!("this is {}", describe(&other))),
                )),
            }
        }
        Value::System(system) if keys.iter().any(|k| is_form_or_field_key(evaluator, k)) => match system.form(cx) {
            Some(form) => form_coefficient(&form, keys, evaluator),
            None => Err(Box::new(Diagnostic::error(&codes::UNKNOWN_PART, "this has no components along forms"))),
        },
        Value::System(system) => match system.components(cx) {
            Some(family) => index(evaluator, &Value::Family(family), keys),
            None => Err(Box::new(Diagnostic::error(&codes::UNKNOWN_PART, "this has no entries"))),
        },
        other => Err(Box::new(Diagnostic::error(&codes::UNKNOWN_PART, format!("{} has no entries", describe(other))))),
    }
}

fn key_span(keys: &[Term]) -> Span {
    let spans = keys.iter().map(|k| k.span);
    spans.reduce(Span::to).unwrap_or_default()
}

/// Whether a key is written as a form or field: `dx`, `omega(x)`, `@x`.
fn is_form_or_field_key(evaluator: &Evaluator, key: &Term) -> bool {
    match key.kind {
        TermKind::Partial(_) => true,
        TermKind::Number(_) => false,
        _ if !key.shape.kinds.meets(FORM) => false,
        TermKind::Ask(_) if key.shape.kinds == FORM => true,
        _ => matches!(evaluator.eval(key), Ok(Value::Form(_))),
    }
}

fn read_key(evaluator: &Evaluator, keys: &[Term]) -> Fallible<Key> {
    keys.iter()
        .map(|key| {
            let e = evaluator.expr(key)?;
            if let Some(s) = e.as_symbol() {
                return Ok(KeyPart::Symbol(s));
            }
            match e.as_number().and_then(|n| n.to_i64()) {
                Some(n) => Ok(KeyPart::Number(n)),
                None => Err(Box::new(
                    Diagnostic::error(&codes::UNKNOWN_PART, "a key is a coordinate, a jet or a number")
                        .label(key.span, "this is none of them"),
                )),
            }
        })
        .collect()
}

fn matrix_entry(m: &Rc<LabelledMatrix>, keys: &[Term], evaluator: &Evaluator) -> Fallible<Value> {
    let span = key_span(keys);
    let key = read_key(evaluator, keys)?;
    let position = |part: &KeyPart, labels: &[Symbol], n: usize| -> Option<usize> {
        match part {
            KeyPart::Number(i) => usize::try_from(*i - 1).ok().filter(|i| *i < n),
            KeyPart::Symbol(s) => labels.iter().position(|l| l == s),
        }
    };
    let (rows, columns) = (m.matrix.n_rows(), m.matrix.n_columns());
    let missing = || {
        Box::new(
            Diagnostic::error(
                &codes::UNKNOWN_PART,
                format!("the {rows}×{columns} matrix has no entry [{}]", key_text(&key)),
            )
            .label(span, "outside the matrix")
            .note(format!("rows count from 1 to {rows}, columns from 1 to {columns}")),
        )
    };
    match key.as_slice() {
        [row, column] => {
            let i = position(row, &m.rows, rows).ok_or_else(missing)?;
            let j = position(column, &m.columns, columns).ok_or_else(missing)?;
            Ok(Value::Expr(m.matrix[(i, j)]))
        }
        [row] => {
            let i = position(row, &m.rows, rows).ok_or_else(missing)?;
            Ok(Value::exprs((0..columns).map(|j| m.matrix[(i, j)])))
        }
        _ => Err(missing()),
    }
}

/// `η[dx, dt]` in the coordinate basis; with an omega key, in the contact basis.
fn form_coefficient(form: &crate::geometry::form::Form, keys: &[Term], evaluator: &Evaluator) -> Fallible<Value> {
    use crate::geometry::contact::{self, Covector};
    let span = key_span(keys);
    let mut basis = Vec::new();
    for key in keys {
        let key_span = key.span;
        // omega(x), as it is written.
        if let TermKind::Ask(ask) = &key.kind
            && ask.row.gives == Gives::Degree("contact", 1)
            && let [(None, argument)] = ask.arguments.as_slice()
        {
            basis.push(Covector::Contact(evaluator.jet_symbol(argument)?));
            continue;
        }
        match evaluator.eval(key)? {
            Value::Form(one) => match differential(&one) {
                Some(symbol) => basis.push(Covector::Differential(symbol)),
                None => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::UNKNOWN_PART, "a key of a form is `dx`, `dt` or `omega(x)`")
                            .label(key_span, "not a basis form"),
                    ));
                }
            },
            other => {
                return Err(Box::new(
                    Diagnostic::error(&codes::UNKNOWN_PART, "a key of a form is `dx`, `dt` or `omega(x)`")
                        .label(key_span, format!("this is {}", describe(&other))),
                ));
            }
        }
    }
    if basis.len() != form.degree() {
        return Err(Box::new(
            Diagnostic::error(
                &codes::WRONG_DEGREE,
                format!("a {}-form has {} keys, not {}", form.degree(), form.degree(), basis.len()),
            )
            .label(span, "the keys"),
        ));
    }
    let keys_on: Vec<Symbol> = basis
        .iter()
        .map(|b| match b {
            Covector::Contact(s) | Covector::Differential(s) => *s,
        })
        .collect();
    same_manifold(form.manifold(), &keys_on, span)?;
    match contact::coefficient(form, &basis) {
        Some(value) => Ok(Value::Expr(value)),
        None => Err(Box::new(
            Diagnostic::error(&codes::UNKNOWN_PART, "this is not an element of the basis dt, omega(x), omega(x'), …")
                .label(span, "mixed keys"),
        )),
    }
}

/// A key is a coordinate of the manifold on which the object lives.
fn same_manifold(
    home: Result<Option<FiberedManifold>, crate::geometry::Refusal>,
    keys: &[Symbol],
    span: Span,
) -> Fallible<()> {
    let (Ok(Some(home)), Ok(Some(other))) = (home, FiberedManifold::of_symbols(keys)) else { return Ok(()) };
    match home.join(&other) {
        Ok(_) => Ok(()),
        Err(refused) => {
            let d = Diagnostic::from(refused);
            Err(Box::new(d.label(span, format!("on {}", other.name()))))
        }
    }
}

/// The symbol x, if the form is dx.
fn differential(form: &crate::geometry::form::Form) -> Option<Symbol> {
    let mut terms = form.terms();
    let (basis, c) = terms.next()?;
    (form.degree() == 1 && terms.next().is_none() && c.is_one()).then(|| basis[0].symbol())
}

/// The symbol x, if the field is ∂/∂x.
fn coordinate_field(field: &crate::geometry::field::VectorField) -> Option<Symbol> {
    match field.components().as_slice() {
        [(symbol, c)] if c.is_one() => Some(*symbol),
        _ => None,
    }
}

/// The member of a declared family.
pub fn member(family: &Indexed, indices: &[i64]) -> Fallible<Value> {
    match family.members.get(indices) {
        Some(value) => Ok(value.clone()),
        None => {
            let text: Vec<String> = indices.iter().map(i64::to_string).collect();
            let first =
                family.members.keys().next().map(|k| k.iter().map(i64::to_string).collect::<Vec<_>>().join(", "));
            let last =
                family.members.keys().last().map(|k| k.iter().map(i64::to_string).collect::<Vec<_>>().join(", "));
            Err(Box::new(
                Diagnostic::error(&codes::UNKNOWN_NAME, format!("there is no `{}[{}]`", family.name, text.join(", ")))
                    .note(match (first, last) {
                        (Some(a), Some(b)) => format!("the family runs from [{a}] to [{b}]"),
                        _ => "the family is empty".into(),
                    }),
            ))
        }
    }
}
