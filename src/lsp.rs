//! The language for editors: `lepage lsp` speaks the Language Server Protocol over standard input and output.
//!
//! ```text
//! editor ──didOpen, didChange──► documents ──text──► checker ──► picture ──diagnostics──► editor
//!        ──hover, rename, …────► answers ◄───────────────────────┘
//! ```
//!
//! Two threads: one listens and answers from what is known, the other checks the newest text and draws a [`Picture`] of it, the
//! diagnostics and the declared names as plain data. So a question is answered while a long check goes on, from the picture
//! before; a new text stops the check of an old one. A panic while a request is answered becomes the answer to it.
//!
//! The protocol's values are written as JSON here and nowhere else; `lsp-server` frames the messages.

mod answers;
mod document;
mod picture;

use crate::budget;
use crate::diagnostic::internal::internal_error;
use document::Document;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use picture::{Board, Picture};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// One request: its name in the protocol and the function that answers it.
struct Row {
    method: &'static str,
    answer: fn(&Asked) -> Answer,
}

/// An answer, or why there is none, in words for the user.
type Answer = Result<Value, String>;

/// What a request is about.
struct Asked<'a> {
    uri: &'a str,
    document: &'a Document,
    picture: &'a Picture,
    parameters: &'a Value,
}

/// Every request that is answered.
const ROWS: &[Row] = &[
    Row { method: "textDocument/hover", answer: answers::hover },
    Row { method: "textDocument/completion", answer: answers::completion },
    Row { method: "textDocument/definition", answer: answers::definition },
    Row { method: "textDocument/prepareRename", answer: answers::prepare_rename },
    Row { method: "textDocument/rename", answer: answers::rename },
    Row { method: "textDocument/formatting", answer: answers::formatting },
    Row { method: "textDocument/codeAction", answer: answers::code_actions },
];

/// What this server can do, in the words of the protocol.
fn capabilities() -> Value {
    json!({
        "textDocumentSync": 1,
        "hoverProvider": true,
        "completionProvider": { "triggerCharacters": ["."] },
        "definitionProvider": true,
        "renameProvider": { "prepareProvider": true },
        "documentFormattingProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
    })
}

/// Serves one editor until it leaves; an error is one of the conversation.
pub fn serve() -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let (id, _) = connection.initialize_start().map_err(|e| e.to_string())?;
    let server = json!({ "name": "lepage", "version": env!("CARGO_PKG_VERSION") });
    let greeting = json!({ "capabilities": capabilities(), "serverInfo": server });
    connection.initialize_finish(id, greeting).map_err(|e| e.to_string())?;
    let board = Arc::new(Board::default());
    let editor = connection.sender.clone();
    // An editor that has gone needs to be told nothing.
    let tell = move |message| drop(editor.send(message));
    let checker = picture::begin(board.clone(), tell).map_err(|e| e.to_string())?;
    let result = converse(&connection, &board);
    board.close();
    budget::interrupt();
    let _ = checker.join();
    drop(connection);
    threads.join().map_err(|e| e.to_string())?;
    result
}

fn converse(connection: &Connection, board: &Board) -> Result<(), String> {
    let mut documents: BTreeMap<String, Document> = BTreeMap::new();
    for message in &connection.receiver {
        let reply = match message {
            Message::Request(request) if connection.handle_shutdown(&request).map_err(|e| e.to_string())? => {
                return Ok(());
            }
            Message::Request(request) => Some(answer(request, &documents, board)),
            Message::Notification(notification) => {
                let cleared = hear(&notification, &mut documents, board);
                cleared.map(|uri| published(&uri, &[]))
            }
            Message::Response(_) => None,
        };
        if let Some(reply) = reply {
            connection.sender.send(reply).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

/// The answer to a request, whatever happens on the way to it.
fn answer(request: Request, documents: &BTreeMap<String, Document>, board: &Board) -> Message {
    let Request { id, method, params } = request;
    let Some(row) = ROWS.iter().find(|row| row.method == method) else {
        let words = format!("lepage does not answer {method}");
        return Response::new_err(id, ErrorCode::MethodNotFound as i32, words).into();
    };
    let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
    let Some(document) = documents.get(uri) else {
        let words = format!("{uri} is not open");
        return Response::new_err(id, ErrorCode::InvalidParams as i32, words).into();
    };
    let picture = board.picture(uri, document.version);
    let asked = Asked { uri, document, picture: &picture, parameters: &params };
    match catch_unwind(AssertUnwindSafe(|| (row.answer)(&asked))) {
        Ok(Ok(value)) => Response::new_ok(id, value).into(),
        Ok(Err(words)) => Response::new_err(id, ErrorCode::RequestFailed as i32, words).into(),
        Err(_) => {
            let mistake = internal_error();
            let words = format!("{}: {}", mistake.title, mistake.notes.join(" "));
            Response::new_err(id, ErrorCode::InternalError as i32, words).into()
        }
    }
}

/// Texts that come, change and go; the last are returned, for their diagnostics go with them.
fn hear(told: &Notification, documents: &mut BTreeMap<String, Document>, board: &Board) -> Option<String> {
    let about = &told.params["textDocument"];
    let uri = about["uri"].as_str()?.to_string();
    let version = about["version"].as_i64().unwrap_or(0);
    let text = match told.method.as_str() {
        "textDocument/didOpen" => about["text"].as_str()?,
        "textDocument/didChange" => told.params["contentChanges"].as_array()?.last()?["text"].as_str()?,
        "textDocument/didClose" => {
            documents.remove(&uri);
            board.forget(&uri);
            return Some(uri);
        }
        _ => return None,
    };
    let document = Document::new(version, text);
    board.put(&uri, &document);
    documents.insert(uri, document);
    None
}

/// The message that shows these diagnostics.
fn published(uri: &str, diagnostics: &[Value]) -> Message {
    let parameters = json!({ "uri": uri, "diagnostics": diagnostics });
    Notification::new("textDocument/publishDiagnostics".to_string(), parameters).into()
}
