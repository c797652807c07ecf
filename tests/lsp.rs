//! A conversation with `lepage lsp`, as an editor has it: messages over the two streams of a real process.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const URI: &str = "file:///nowhere/swing.mech";

/// An editor with the server it started.
struct Editor {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: i64,
    version: i64,
    /// What was published last.
    diagnostics: Vec<Value>,
}

impl Editor {
    fn start() -> Editor {
        let mut server = Command::new(env!("CARGO_BIN_EXE_lepage"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let to = server.stdin.take().expect("its input");
        let from = BufReader::new(server.stdout.take().expect("its output"));
        let mut editor = Editor { server, to, from, asked: 0, version: 0, diagnostics: vec![] };
        let greeting = editor.ask("initialize", json!({ "capabilities": {} }));
        assert_eq!(greeting["serverInfo"]["name"], "lepage");
        assert_eq!(greeting["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: Value) {
        let body = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("a server that listens");
        self.to.flush().expect("a server that listens");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut header = String::new();
            self.from.read_line(&mut header).expect("a header");
            match header.trim().strip_prefix("Content-Length: ") {
                Some(digits) => length = digits.parse().expect("a length"),
                None if header.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a body");
        let message: Value = serde_json::from_slice(&body).expect("JSON");
        if message["method"] == "textDocument/publishDiagnostics" {
            self.diagnostics = message["params"]["diagnostics"].as_array().expect("a list").clone();
        }
        message
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn respond(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.respond(method, params)["result"].clone()
    }

    /// Opens or changes the text, and waits until it is checked.
    fn write(&mut self, text: &str) {
        self.version += 1;
        let document = json!({ "uri": URI, "version": self.version, "languageId": "lepage", "text": text });
        match self.version {
            1 => self.tell("textDocument/didOpen", json!({ "textDocument": document })),
            _ => {
                let changes = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
                self.tell("textDocument/didChange", changes);
            }
        }
        while self.receive()["method"] != "textDocument/publishDiagnostics" {}
    }

    /// A request about the place of the first `mark` in the text.
    fn at(&mut self, method: &str, text: &str, mark: &str, more: Value) -> Value {
        let byte = text.find(mark).expect("the mark");
        let before = &text[..byte];
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap_or("").encode_utf16().count();
        let mut params =
            json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        self.respond(method, params)
    }

    fn leave(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.server.wait().expect("an end").success());
    }
}

/// The text after the edits of an answer, which do not overlap.
fn edited(text: &str, edits: &Value) -> String {
    let byte = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let units = position["character"].as_u64().expect("a column") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let inside: usize = text[start..]
            .char_indices()
            .scan(0, |passed, (i, c)| {
                let at = (*passed, i);
                *passed += c.len_utf16();
                Some(at)
            })
            .find(|(passed, _)| *passed == units)
            .map_or(text[start..].len(), |(_, i)| i);
        start + inside
    };
    let mut list: Vec<(usize, usize, String)> = edits
        .as_array()
        .expect("edits")
        .iter()
        .map(|e| {
            let range = &e["range"];
            (byte(&range["start"]), byte(&range["end"]), e["newText"].as_str().expect("a text").to_string())
        })
        .collect();
    list.sort();
    let mut out = text.to_string();
    for (start, end, new) in list.into_iter().rev() {
        out.replace_range(start..end, &new);
    }
    out
}

const SWING: &str = "\
manifold Y over t { θ : angle }
param m = 1, g = 9.81
/// A mass on a rod of length one.
lagrangian L on J1(Y) = m*θ'^2/2 + m*g*cos(θ)
let twice(m) = 2*m
equations(L)
twice(energy(L))
form p on J1(Y) = m*θ'*dθ
";

#[test]
fn mistakes_are_shown_while_typing_and_their_repairs_are_offered() {
    let mut editor = Editor::start();
    editor.write("manifold Y over t { x }\nlagrangian L on J1(Y) = 2x'\nequations(L)\n");
    let n_errors = editor.diagnostics.iter().filter(|d| d["severity"] == 1).count();
    assert_eq!(n_errors, 1, "{:?}", editor.diagnostics);
    let range = editor.diagnostics[0]["range"].clone();
    assert_eq!((&range["start"]["line"], &editor.diagnostics[0]["severity"]), (&json!(1), &json!(1)));
    let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", params);
    let text = "manifold Y over t { x }\nlagrangian L on J1(Y) = 2x'\nequations(L)\n";
    let repaired = edited(text, &actions[0]["edit"]["changes"][URI]);
    assert!(repaired.contains("= 2*x'\n"), "{repaired}");
    editor.write(&repaired);
    assert!(editor.diagnostics.is_empty(), "{:?}", editor.diagnostics);
    editor.leave();
}

#[test]
fn names_are_explained_found_and_completed() {
    let mut editor = Editor::start();
    editor.write(SWING);
    assert!(editor.diagnostics.iter().all(|d| d["severity"] != 1), "{:?}", editor.diagnostics);
    let hover = editor.at("textDocument/hover", SWING, "L))", Value::Null)["result"]["contents"]["value"].clone();
    let hover = hover.as_str().expect("a text");
    assert!(hover.contains("lagrangian on J1(Y)") && hover.contains("A mass on a rod"), "{hover}");
    assert!(hover.contains("= m*θ'^2/2 + m*g*cos(θ)"), "{hover}");
    let question = editor.at("textDocument/hover", SWING, "energy(", Value::Null)["result"].to_string();
    assert!(question.contains("energy(S)"), "{question}");
    let found = editor.at("textDocument/definition", SWING, "L))", Value::Null)["result"].clone();
    assert_eq!(found["range"]["start"], json!({ "line": 3, "character": 11 }));
    let found = editor.at("textDocument/definition", SWING, "dθ", Value::Null)["result"].clone();
    assert_eq!(found["range"]["start"], json!({ "line": 0, "character": 20 }));

    let labels = |answer: Value| -> Vec<String> {
        let items = answer["result"].as_array().expect("items").clone();
        items.iter().map(|i| i["label"].as_str().expect("a label").to_string()).collect()
    };
    let typing = format!("{SWING}let r = simulate L {{\n  from θ = 1\n  unt§\n}}\nclassify(L).re");
    editor.write(&typing.replace('§', ""));
    assert_eq!(labels(editor.at("textDocument/completion", &typing, "§", Value::Null)), ["until"]);
    let end = typing.replace('§', "") + "§";
    assert_eq!(labels(editor.at("textDocument/completion", &end, "§", Value::Null)), ["regular"]);
    editor.leave();
}

#[test]
fn renaming_keeps_the_meaning_or_is_refused() {
    let mut editor = Editor::start();
    editor.write(SWING);
    let new = |name: &str| json!({ "newName": name });
    let answer = editor.at("textDocument/rename", SWING, "θ :", new("phi"));
    let text = edited(SWING, &answer["result"]["changes"][URI]);
    let expected = SWING.replace('θ', "phi");
    assert_eq!(text, expected);
    // The m of the function is another one.
    let answer = editor.at("textDocument/rename", SWING, "m = 1", new("mass"));
    let text = edited(SWING, &answer["result"]["changes"][URI]);
    assert!(text.contains("param mass = 1") && text.contains("= mass*θ'^2/2 + mass*g*cos(θ)"), "{text}");
    assert!(text.contains("let twice(m) = 2*m\n") && text.contains("form p on J1(Y) = mass*θ'*dθ"), "{text}");
    let answer = editor.at("textDocument/rename", SWING, "m) = 2", new("z"));
    assert!(edited(SWING, &answer["result"]["changes"][URI]).contains("let twice(z) = 2*z\n"));
    for (mark, name) in [("θ :", "g"), ("θ :", "let"), ("θ :", "2x"), ("energy(", "e"), ("cos(θ", "c")] {
        let refused = editor.at("textDocument/rename", SWING, mark, new(name));
        assert!(refused["error"]["message"].is_string(), "{mark} -> {name}: {refused}");
    }
    editor.leave();
}

#[test]
fn texts_are_laid_out_and_everything_else_is_survived() {
    let mut editor = Editor::start();
    let untidy = "manifold Y over t {x,y}\nlagrangian L on J1(Y)=x'^2/2+y'^2/2\nequations(L)\n";
    editor.write(untidy);
    let about = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
    let tidy = edited(untidy, &editor.ask("textDocument/formatting", about.clone()));
    assert!(tidy.contains("{ x, y }") && tidy.contains("= x'^2/2 + y'^2/2"), "{tidy}");
    // Unfinished texts are the normal case.
    for end in 0..tidy.len() {
        editor.write(&tidy[..end]);
    }
    let unknown = editor.respond("textDocument/inlayHint", about);
    assert_eq!(unknown["error"]["code"], -32601);
    let closed = json!({ "textDocument": { "uri": "file:///other.mech" }, "position": { "line": 0, "character": 0 } });
    assert!(editor.respond("textDocument/hover", closed)["error"].is_object());
    editor.leave();
}

/// A text of a thousand lines is answered like a short one: every request is about its last lines.
#[test]
fn a_thousand_lines_are_answered() {
    let mut text = String::from("manifold Y over t { x, y }\nparam m = 1, k = 4\n");
    for n in 0..498 {
        text += &format!("/// The energy number {n}.\nlet energy_{n} = m*(x'^2 + y'^2)/2 + {n}*k*x^2/2\n");
    }
    text += "lagrangian L on J1(Y) = energy_497\nequations(L)\nequations(L).x  \n";
    assert!(text.lines().count() >= 1000);
    let mut editor = Editor::start();
    editor.write(&text);
    let hover = editor.at("textDocument/hover", &text, "energy_497\nequ", Value::Null);
    assert!(hover["result"]["contents"]["value"].as_str().is_some_and(|t| t.contains("number 497")), "{hover}");
    let defined = editor.at("textDocument/definition", &text, "energy_497\nequ", Value::Null);
    assert_eq!(defined["result"]["range"]["start"]["line"], 2 + 2 * 497 + 1);
    let completed = editor.at("textDocument/completion", &text, "x  \n", Value::Null);
    assert!(completed["result"].as_array().is_some_and(|list| list.iter().any(|c| c["label"] == "x")), "{completed}");
    let renamed = editor.at("textDocument/rename", &text, "energy_497\nequ", json!({ "newName": "total" }));
    let edits = &renamed["result"]["changes"][URI];
    assert_eq!(edits.as_array().map(Vec::len), Some(2), "{renamed}");
    let about = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 4, "insertSpaces": true } });
    let laid_out = editor.respond("textDocument/formatting", about);
    assert!(!edited(&text, &laid_out["result"]).contains("x  \n"));
    editor.leave();
}

/// The newest text is checked, and the ones before it are let go.
#[test]
fn quick_typing_ends_with_the_newest_text() {
    let mut editor = Editor::start();
    editor.write(SWING);
    for n in 2..40 {
        let text = format!("{SWING}{}", "// more\n".repeat(n));
        let document = json!({ "uri": URI, "version": n });
        editor
            .tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
    }
    let last = format!("{SWING}wrong(1)\n");
    let document = json!({ "uri": URI, "version": 99 });
    editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": last }] }));
    while !editor.diagnostics.iter().any(|d| d["severity"] == 1) {
        editor.receive();
    }
    let errors: Vec<&Value> = editor.diagnostics.iter().filter(|d| d["severity"] == 1).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0]["range"]["start"]["line"], SWING.lines().count());
    editor.leave();
}
