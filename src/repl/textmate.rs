//! The colours of the language for editors that know TextMate grammars, made from the tables that the program reads by: the
//! words of `syntax::token`, the questions, the elementary functions. The test below compares what is made with what is kept
//! in `editors`, and writes it with `LEPAGE_BLESS=1`.

use crate::algebra::function;
use crate::questions;
use crate::syntax::token::{
    CONSTRAINT_CLAUSES, COORDINATE_TYPES, RESERVED, RUN_CLAUSES, STATEMENT_WORDS, TYPE_WORDS, Token, WORDS_OF_ONE_PLACE,
};
use serde_json::{Value, json};
use std::path::Path;

/// `and|as|assert`, longer words first, so that none hides another.
fn any(words: impl IntoIterator<Item = &'static str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    words.sort_unstable_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    words.dedup();
    words.join("|")
}

fn texts(table: &'static [(&'static str, Token)]) -> impl Iterator<Item = &'static str> {
    table.iter().map(|(word, _)| *word)
}

fn scope(name: &str) -> String {
    format!("{name}.lepage")
}

fn matches(name: &str, pattern: String) -> Value {
    json!({ "name": scope(name), "match": pattern })
}

/// The grammar. A word is a keyword before what it introduces, as in the lexer: `force drag on` declares, `force` alone is a
/// name.
fn grammar() -> Value {
    let name = r"[\p{L}_][\p{L}\p{M}\p{N}_]*";
    let statement = any(texts(STATEMENT_WORDS));
    let declaration = json!({
        "match": format!(r#"\b({statement})\s+({name})"#),
        "captures": {
            "1": { "name": scope("keyword.declaration") },
            "2": { "name": scope("entity.name") },
        },
    });
    let available = questions::all().map(|q| q.name);
    let elementary = function::TABLE.iter().map(|row| row.name);
    let types = TYPE_WORDS.iter().chain(COORDINATE_TYPES).copied();
    let clauses = texts(RUN_CLAUSES);
    let patterns = [
        matches("comment.line.documentation", r"///.*$".to_string()),
        matches("comment.line.double-slash", r"//.*$".to_string()),
        json!({ "name": scope("comment.block"), "begin": r"/\*", "end": r"\*/" }),
        json!({
            "name": scope("string.quoted.double"),
            "begin": "\"",
            "end": "\"|$",
            "patterns": [matches("constant.character.escape", r"\\.".to_string())],
        }),
        matches("constant.numeric", r"\b[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\b".to_string()),
        declaration,
        matches("keyword.declaration", format!(r#"\b({statement})(?=\s+")"#)),
        matches("keyword.control", format!(r"\b({})\b", any(texts(RESERVED)))),
        json!({
            "match": format!(r"(?:^|[{{;])\s*({})\b(?=\s)", any(clauses)),
            "captures": { "1": { "name": scope("keyword.other.clause") } },
        }),
        matches("keyword.other.clause", format!(r"\b({})(?=\s*:)", any(CONSTRAINT_CLAUSES.iter().copied()))),
        matches("keyword.other", format!(r"\b({})\b(?!\s*\()", any(WORDS_OF_ONE_PLACE.iter().copied()))),
        matches("storage.type", format!(r"\b({})\b(?!\s*\()", any(types))),
        matches("support.function", format!(r"\b({})(?=\()", any(available))),
        matches("support.function.elementary", format!(r"\b({})(?=\()", any(elementary))),
        matches("constant.language", r"\bpi\b".to_string()),
        matches("keyword.operator", r"/\\|->|\.\.|!=|<=|>=|[-+*/^=<>@]".to_string()),
        matches("variable.other", format!(r"{name}['′″‴⁗]*")),
    ];
    json!({
        "name": "Lepage",
        "scopeName": "source.lepage",
        "fileTypes": ["mech"],
        "patterns": patterns,
    })
}

/// What the extension tells its editor.
fn package() -> Value {
    json!({
        "name": "lepage",
        "displayName": "Lepage",
        "description": env!("CARGO_PKG_DESCRIPTION"),
        "version": env!("CARGO_PKG_VERSION"),
        "license": "MIT OR Apache-2.0",
        "publisher": "lepage",
        "private": true,
        "engines": { "vscode": "^1.85.0" },
        "categories": ["Programming Languages"],
        "main": "./extension.js",
        "activationEvents": ["onLanguage:lepage"],
        "dependencies": { "vscode-languageclient": "^9.0.1" },
        "contributes": {
            "languages": [{
                "id": "lepage",
                "aliases": ["Lepage"],
                "extensions": [".mech"],
                "configuration": "./language-configuration.json",
            }],
            "grammars": [{
                "language": "lepage",
                "scopeName": "source.lepage",
                "path": "./syntaxes/lepage.tmLanguage.json",
            }],
            "configuration": {
                "title": "Lepage",
                "properties": {
                    "lepage.path": {
                        "type": "string",
                        "default": "lepage",
                        "description": "The program that answers: lepage",
                    },
                },
            },
        },
    })
}

/// Brackets and comments, for typing.
fn configuration() -> Value {
    let pairs = json!([["{", "}"], ["[", "]"], ["(", ")"]]);
    json!({
        "comments": { "lineComment": "//", "blockComment": ["/*", "*/"] },
        "brackets": pairs,
        "autoClosingPairs": [["{", "}"], ["[", "]"], ["(", ")"], ["\"", "\""]],
        "surroundingPairs": pairs,
        "wordPattern": r"[\p{L}_][\p{L}\p{M}\p{N}_]*",
    })
}

#[test]
fn the_kept_files_are_what_the_tables_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode");
    let files = [
        ("syntaxes/lepage.tmLanguage.json", grammar()),
        ("package.json", package()),
        ("language-configuration.json", configuration()),
    ];
    for (file, made) in files {
        let made = format!("{}\n", serde_json::to_string_pretty(&made).expect("JSON"));
        let path = folder.join(file);
        if std::env::var_os("LEPAGE_BLESS").is_some() {
            std::fs::write(&path, &made).expect("a file");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(kept, made, "editors/vscode/{file}: LEPAGE_BLESS=1 cargo test --lib textmate writes it");
    }
}

/// Every word of the tables stands in a pattern.
#[test]
fn every_word_has_a_colour() {
    let text = grammar().to_string();
    let words = texts(RESERVED).chain(texts(STATEMENT_WORDS)).chain(texts(RUN_CLAUSES));
    for word in words.chain(questions::all().map(|q| q.name)) {
        assert!(
            text.contains(&format!("({word}|"))
                || text.contains(&format!("|{word}|"))
                || text.contains(&format!("|{word})")),
            "{word}"
        );
    }
}
