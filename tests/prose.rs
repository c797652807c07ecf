//! Messages are for people. No behaviour depends on their words: the name of an unknown thing, the kind of place that a
//! repair changes, the condition of an answer, the kind of a value and the question behind an answer are data, and the text is
//! written from the data. Whoever improves a sentence must not change what the program does.
//!
//! The source is read line by line (calls that rustfmt put on lines of their own belong to the line above), without comments
//! and without tests. Each rule says what a line that reads prose looks like.

use std::path::{Path, PathBuf};

/// The ways in which a text is taken apart or compared.
const READING: &[&str] = &[
    ".starts_with(",
    ".ends_with(",
    ".contains(",
    ".strip_prefix(",
    ".strip_suffix(",
    ".split(",
    ".split_once(",
    ".find(",
    " == \"",
    " != \"",
    ".as_str() == \"",
    ".as_str() != \"",
];

/// Whether a text that ends in `subject` is read at once: `subject.split(`, `subject == "…"`.
fn is_read(line: &str, subject: &str) -> bool {
    line.match_indices(subject).any(|(at, _)| {
        let rest = &line[at + subject.len()..];
        READING.iter().any(|reading| rest.starts_with(reading))
    })
}

/// Whether a line has the first piece and after it the second.
fn has_both(line: &str, first: &str, second: &str) -> bool {
    line.split_once(first).is_some_and(|(_, rest)| rest.contains(second))
}

/// The words of a `.contains("word")` that is no syntax: letters and blanks only.
fn looks_for_words(line: &str) -> bool {
    line.split(".contains(\"").skip(1).any(|rest| {
        let word = rest.split('"').next().unwrap_or_default();
        word.len() > 2 && word.chars().all(|c| c.is_ascii_alphabetic() || c == ' ')
    })
}

/// A way to read prose: what should be data instead, and whether a line does it.
struct Rule {
    instead: &'static str,
    breaks: fn(&str) -> bool,
}

const RULES: &[Rule] = &[
    Rule { instead: "a diagnostic carries what its title names", breaks: |line| is_read(line, ".title") },
    Rule {
        instead: "a repair says what kind of place it changes",
        breaks: |line| {
            ["r.text", "repair.text"].iter().any(|text| {
                [".starts_with(", ".strip_prefix("].iter().any(|reading| line.contains(&format!("{text}{reading}")))
            })
        },
    },
    Rule {
        instead: "a diagnostic carries what its helps, notes and labels name",
        breaks: |line| {
            let opens = [".helps", ".notes", ".labels"];
            let reads = [".starts_with(\"", ".contains(\"", ".strip_prefix(\"", " == \""];
            opens.iter().any(|list| reads.iter().any(|reading| has_both(line, list, reading)))
        },
    },
    Rule {
        instead: "a verdict says by a variant why it is unknown",
        breaks: |line| ["why", "reason"].iter().any(|text| is_read(line, text)),
    },
    Rule {
        instead: "kinds are compared as values of an enum",
        breaks: |line| {
            let names = ["type_name()", "type_name", "kind_name()"];
            names.iter().any(|name| is_read(line, name))
                || ["describe(", "describe_type("].iter().any(|f| has_both(line, f, ") == \""))
                || has_both(line, ".filter(", "type_name")
        },
    },
    Rule { instead: "an answer carries what its text says", breaks: looks_for_words },
    Rule {
        instead: "a row says what is particular to its question",
        breaks: |line| {
            is_read(line, ".question") || line.contains("matches!(question.name") || is_read(line, "question.name")
        },
    },
    Rule {
        instead: "a row says what is particular to its question, also where it is called",
        breaks: |line| {
            // `D` is an operator too, and `omega(x)` names an axis as `dx` does; the others are looked up as questions.
            let mut names =
                lepage::workshop::questions::all().map(|q| q.name).filter(|name| !["D", "omega"].contains(name));
            let compared = line.split("text == \"").nth(1).and_then(|rest| rest.split('"').next());
            compared.is_some_and(|word| names.any(|name| name == word))
        },
    },
];

/// The first rule that a line breaks.
fn broken(line: &str) -> Option<&'static str> {
    RULES.iter().find(|rule| (rule.breaks)(line)).map(|rule| rule.instead)
}

/// All files of the source, sorted.
fn files() -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the source can be read") {
            let path = entry.expect("an entry of the source").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// `(number, line)` of what a file computes: without comments and tests, chains of calls on one line.
fn code(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = vec![];
    let mut after_test_mark = false;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if after_test_mark && line.starts_with("mod ") && line.ends_with('{') {
            break;
        }
        after_test_mark = line == "#[cfg(test)]";
        if after_test_mark || line.starts_with("//") {
            continue;
        }
        match lines.last_mut() {
            Some((_, before)) if line.starts_with('.') => before.push_str(line),
            _ => lines.push((i + 1, line.to_string())),
        }
    }
    lines
}

#[test]
fn no_behaviour_reads_a_message() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![];
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for (number, line) in code(&text) {
            if let Some(instead) = broken(&line) {
                let name = path.strip_prefix(root).unwrap_or(&path).display();
                found.push(format!("{name}:{number}: {instead}\n    {line}"));
            }
        }
    }
    assert!(found.is_empty(), "{} places read prose:\n{}", found.len(), found.join("\n"));
}

/// Lines that read prose are found, in the forms in which they were written before.
#[test]
fn the_rules_find_what_they_are_for() {
    for line in [
        "&& let Some(name) = d.title.split('`').nth(1)",
        r#"d.title.starts_with(&format!("a {kind} is needed")) || d.title.contains(&format!("takes a {kind} "))"#,
        r#"let conditions: Vec<&str> = conditions.filter_map(|d| d.title.strip_prefix("holds where ")).collect();"#,
        r#"for repair in d.repairs.iter_mut().filter(|r| r.text.starts_with("map ")) {"#,
        r#"for repair in d.repairs.iter_mut().filter(|r| r.text.starts_with("assume ") && !r.text.ends_with('\n')) {"#,
        r#"let fact = d.helps.iter().position(|h| h.starts_with("assume ")).map(|i| d.helps.remove(i));"#,
        r#"Verdict::Unknown(why) if why.starts_with("incomplete") => Some(why),"#,
        r#"if self.sampled && !formula.contains("sampled") { formula } else { mark }"#,
        r#"self.type_name.split(' ').next() == Some("coordinate")"#,
        r#"let parameters = self.list().into_iter().filter(|item| item.type_name == "parameter");"#,
        "session.list().into_iter().filter(|n| of_kind(&n.type_name)).map(|n| n.name).collect::<Vec<_>>()",
        r#"Some(l) if s.kind_name() == "lagrangian" => l,"#,
        r#"&& answer.question == "solve""#,
        r#"matches!(question.name, "pullback" | "transform")"#,
        r#"&& ast.name(*callee).is_some_and(|n| &*n.text == "hamilton" && n.primes == 0)"#,
    ] {
        assert!(broken(line).is_some(), "not found: {line}");
    }
    for line in [
        r#"if !self.title.is_empty() {"#,
        r#"lines.push(format!("{name}: none ({})", refused.title));"#,
        r#"repair.text = repair.text.replace('…', &self.source_text(repair.span));"#,
        r#"let multiplier = text.strip_prefix("lambda_").or_else(|| text.strip_prefix("λ_"));"#,
        r#"format!("{article} {}", other.type_name())"#,
        r#"if rest.starts_with("//") || rest.starts_with("/*") {"#,
        r#"if d.code.number == codes::BUDGET.number {"#,
        r#"ExprKind::Each(each) if &*each.function.node == "list" => values,"#,
    ] {
        assert_eq!(broken(line), None, "{line}");
    }
    let text = "a\n    .title\n    .split(x);\n// d.title.split(y)\n#[cfg(test)]\nmod tests {\nd.title.split(z)\n}\n";
    assert_eq!(code(text), [(1, "a.title.split(x);".to_string())]);
}
