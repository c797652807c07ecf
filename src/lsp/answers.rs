//! The answers to what an editor asks about a place in a text, one function for each request.

use super::document::Document;
use super::picture::{Declared, Picture, draw};
use super::{Answer, Asked};
use crate::repl::complete::word_start;
use crate::session::{ItemKind, Session, SessionOptions};
use crate::syntax::format::format;
use crate::syntax::occurrence::{self, Occurrence};
use crate::syntax::token::reserved;
use serde_json::{Value, json};

/// The byte that a request is about.
fn place(asked: &Asked) -> usize {
    asked.document.byte(&asked.parameters["position"])
}

fn word(asked: &Asked) -> Option<Occurrence> {
    occurrence::word_at(&asked.document.text, place(asked))
}

/// The declared name that a word means: itself, or the coordinate of `dx` and `p_x`.
fn declared(picture: &Picture, word: &str) -> Option<String> {
    if picture.names.contains_key(word) {
        return Some(word.to_string());
    }
    let coordinate = |name: &str| picture.vocabulary.names.iter().any(|item| item.name == name && item.is_coordinate());
    let made_of = [word.strip_prefix('d'), word.split_once('_').map(|(_, rest)| rest)];
    made_of.into_iter().flatten().find(|name| coordinate(name)).map(str::to_string)
}

/// The type and the documentation of a name, a question or a word of the language.
pub fn hover(asked: &Asked) -> Answer {
    let Some(word) = word(asked) else { return Ok(Value::Null) };
    let own = declared(asked.picture, &word.name).and_then(|name| Some((asked.picture.names.get(&name)?, name)));
    let text = match own {
        Some((named, name)) => {
            let declaration = named.declaration.as_ref().map(|text| format!("```mech\n{text}\n```\n"));
            let doc = named.doc.as_ref().map(|doc| format!("\n\n{doc}"));
            let from = match &named.place {
                Declared::Library(library) => format!(" ({library})"),
                _ => String::new(),
            };
            let head = if named.type_text.starts_with(&name) { String::new() } else { format!("{name}: ") };
            let type_text = format!("`{head}{}`{from}", named.type_text);
            [declaration.unwrap_or_default(), type_text, doc.unwrap_or_default()].concat()
        }
        // What the language has by itself needs no text.
        None => match Session::new(SessionOptions::default()).doc(&word.name) {
            Some(doc) => format!("```text\n{doc}\n```"),
            None => return Ok(Value::Null),
        },
    };
    let range = asked.document.range(word.place);
    Ok(json!({ "contents": { "kind": "markdown", "value": text }, "range": range }))
}

pub fn completion(asked: &Asked) -> Answer {
    let (text, at) = (&*asked.document.text, place(asked));
    let begin = occurrence::statement_start(text, at).min(at);
    let line = &text[begin..at];
    let start = word_start(line, line.len());
    let vocabulary = &asked.picture.vocabulary;
    let range = asked.document.range(begin + start..at);
    let item = |candidate: String| {
        let name = candidate.trim_end_matches([' ', '(', '=', '\'']).to_string();
        let known = vocabulary.names.iter().chain(&vocabulary.questions).find(|item| item.name == name);
        // The numbers are those of the protocol: function, variable, keyword.
        let kind = match known.map(|item| item.kind) {
            Some(ItemKind::Question) => 3,
            Some(_) => 6,
            None => 14,
        };
        json!({
            "label": candidate.trim_end(),
            "kind": kind,
            "detail": known.map(|item| item.type_name.as_str()),
            "textEdit": { "range": range, "newText": candidate },
        })
    };
    let candidates = vocabulary.candidates(&line[..start], &line[start..]);
    Ok(Value::Array(candidates.into_iter().map(item).collect()))
}

/// Where a name is declared; a name of the standard library where the text says that it uses it.
pub fn definition(asked: &Asked) -> Answer {
    let named = word(asked).and_then(|word| asked.picture.names.get(&declared(asked.picture, &word.name)?));
    let here = |bytes| json!({ "uri": asked.uri, "range": asked.document.range(bytes) });
    Ok(match named.map(|named| &named.place) {
        Some(Declared::Here(bytes)) => here(bytes.clone()),
        Some(Declared::Beside { uri, range }) => json!({ "uri": uri, "range": range }),
        Some(Declared::Library(library)) => match asked.document.text.find(library.as_str()) {
            Some(at) => here(at..at + library.len()),
            None => Value::Null,
        },
        None => Value::Null,
    })
}

/// The places of the name under the cursor, if it may be renamed.
fn renamed(asked: &Asked) -> Result<(Occurrence, Vec<Occurrence>), String> {
    let text = &*asked.document.text;
    let word = word(asked).ok_or("there is no name here")?;
    let name = declared(asked.picture, &word.name);
    // `dx` is renamed through the x in it.
    let inner = match &name {
        Some(name) if *name != word.name => {
            let start = word.place.start + word.name.len() - name.len();
            Occurrence { place: start..word.place.end, name: name.clone(), primes: word.primes }
        }
        _ => word,
    };
    let made_of = |other: &str| declared(asked.picture, other);
    let places = occurrence::same_name(text, &inner, made_of);
    if occurrence::is_bound(text, &inner) {
        return Ok((inner, places));
    }
    match name.and_then(|name| asked.picture.names.get(&name)).map(|named| &named.place) {
        Some(Declared::Here(_)) => Ok((inner, places)),
        Some(Declared::Beside { uri, .. }) => Err(format!("`{}` is declared in {uri}; rename it there", inner.name)),
        Some(Declared::Library(library)) => Err(format!("`{}` belongs to {library}", inner.name)),
        None => Err(format!("`{}` is not declared in this text", inner.name)),
    }
}

pub fn prepare_rename(asked: &Asked) -> Answer {
    let (word, _) = renamed(asked)?;
    let place = word.place.start..word.place.start + word.name.len();
    Ok(json!({ "range": asked.document.range(place), "placeholder": word.name }))
}

/// The same text with another name. It is checked before it is handed out: a rename that makes a mistake is refused.
pub fn rename(asked: &Asked) -> Answer {
    let new = asked.parameters["newName"].as_str().unwrap_or_default();
    let (word, places) = renamed(asked)?;
    let is_name =
        occurrence::words(new).as_slice() == [Occurrence { place: 0..new.len(), name: new.to_string(), primes: 0 }];
    if !is_name || reserved(new).is_some() {
        return Err(format!("`{new}` cannot be a name"));
    }
    let text = &*asked.document.text;
    if asked.picture.names.contains_key(new) || occurrence::words(text).iter().any(|w| w.name == new) {
        return Err(format!("`{new}` means something in this text already"));
    }
    let edits: Vec<_> = places.iter().map(|place| place.renamed(text, new)).collect();
    let mut changed = text.to_string();
    for (range, words) in edits.iter().rev() {
        changed.replace_range(range.clone(), words);
    }
    let (after, _) = draw(asked.uri, &Document::new(asked.document.version, &changed));
    // The text as it stands is only looked at where there is something to compare with.
    if after.n_errors > 0 && after.n_errors > draw(asked.uri, asked.document).0.n_errors {
        return Err(format!("with `{new}` for `{}` the text would have a mistake it has not now", word.name));
    }
    let edits: Vec<Value> = edits
        .into_iter()
        .map(|(range, words)| json!({ "range": asked.document.range(range), "newText": words }))
        .collect();
    Ok(json!({ "changes": { asked.uri: edits } }))
}

/// The text in the one style; one that cannot be read stays as it is.
pub fn formatting(asked: &Asked) -> Answer {
    let text = &*asked.document.text;
    match format(text) {
        Ok(formatted) if formatted != text => {
            Ok(json!([{ "range": asked.document.range(0..text.len()), "newText": formatted }]))
        }
        Ok(_) => Ok(json!([])),
        Err(_) => Err("the text cannot be laid out before it can be read".to_string()),
    }
}

/// The repairs of the diagnostics in a range.
pub fn code_actions(asked: &Asked) -> Answer {
    let lines =
        |range: &Value| (range["start"]["line"].as_u64().unwrap_or(0), range["end"]["line"].as_u64().unwrap_or(0));
    let wanted = lines(&asked.parameters["range"]);
    let meets = |other: (u64, u64)| other.0 <= wanted.1 && wanted.0 <= other.1;
    let fits = asked.picture.repairs.iter().filter(|repair| meets(lines(&repair.diagnostic["range"])));
    let action = |repair: &super::picture::Repair| {
        json!({
            "title": repair.title,
            "kind": "quickfix",
            "isPreferred": true,
            "diagnostics": [repair.diagnostic],
            "edit": { "changes": { asked.uri: [repair.edit] } },
        })
    };
    Ok(Value::Array(fits.map(action).collect()))
}
