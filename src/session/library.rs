//! `use`: files of the standard library, embedded in the program and read only when used, and files
//! beside the program, inside its folder only.

use super::interpreter::Interpreter;
use super::scope::{Binding, Meaning, Scope};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::model::value::Fallible;
use crate::source::{SourceId, Span};
use crate::syntax::ast::{Use, UseTarget};
use crate::syntax::parse;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The standard library: path and text.
pub static FILES: &[(&str, &str)] = &[];

/// Brings the names of a library into the scope, or behind a prefix.
pub fn bring_in(state: &mut Interpreter, u: &Use) -> Fallible<()> {
    let (name, text, folder, span) = match &u.what {
        UseTarget::Library(path) => {
            let words: Vec<&str> = path.words.iter().map(|w| &*w.node).collect();
            let key = match words.as_slice() {
                ["std", rest @ ..] if !rest.is_empty() => rest.join("."),
                _ => {
                    return Err(Box::new(
                        Diagnostic::error(&codes::MISSING_LIBRARY, "only `std` has libraries")
                            .label(path.span(), "not a library")
                            .help("a file of yours is named in quotes: `use \"parts/wheel.mech\"`"),
                    ));
                }
            };
            let Some((_, text)) = FILES.iter().find(|(n, _)| *n == key) else {
                let d = Diagnostic::error(&codes::MISSING_LIBRARY, format!("there is no library `std.{key}`"))
                    .label(path.span(), "not found");
                return Err(Box::new(match suggest::nearest(&key, FILES.iter().map(|(n, _)| *n)) {
                    Some(near) => d.repair(format!("did you mean `std.{near}`?"), path.span(), format!("std.{near}")),
                    None => d.note(format!(
                        "the libraries are {}",
                        FILES.iter().map(|(n, _)| format!("std.{n}")).collect::<Vec<_>>().join(", ")
                    )),
                }));
            };
            (PathBuf::from(format!("std.{key}")), (*text).to_string(), PathBuf::new(), path.span())
        }
        UseTarget::File(word) => {
            let path = inside(&state.folder, &word.node, word.span)?;
            let text = std::fs::read_to_string(&path).map_err(|e| {
                Box::new(
                    Diagnostic::error(&codes::CANNOT_READ, format!("`{}` cannot be read", word.node))
                        .label(word.span, e.to_string()),
                )
            })?;
            let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
            (path, text, folder, word.span)
        }
    };
    if state.reading.contains(&name) {
        return Err(Box::new(
            Diagnostic::error(&codes::CYCLE, "these files use each other in a circle")
                .label(span, "is being read already")
                .note(format!(
                    "{} → {}",
                    state.reading.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(" → "),
                    name.display()
                )),
        ));
    }
    let mut inner = state.clone();
    inner.scope = Scope::default();
    inner.folder = folder;
    inner.reading.push(name.clone());
    inner.check_only = true;
    read(&mut inner, &name, &text, span)?;
    let mut scope = inner.scope;
    for binding in scope.values.values_mut() {
        binding.warn_if_unused = false;
    }
    for binding in scope.functions.values_mut() {
        binding.warn_if_unused = false;
    }
    state.parameters.extend(inner.parameters);
    match &u.prefix {
        Some(prefix) => state.bind(&prefix.node, Binding::new(Meaning::Library(Rc::new(scope)), prefix.span)),
        None => {
            for (name, mut binding) in scope.values {
                binding.span = span;
                match (state.scope.values.get(&name).map(|b| &b.meaning), &binding.meaning) {
                    // Bases of the same name are the same time.
                    (Some(Meaning::Base(_)), Meaning::Base(_)) => {}
                    _ => state.bind(&name, binding)?,
                }
            }
            state.scope.functions.extend(scope.functions);
            state.scope.manifolds.extend(scope.manifolds);
            Ok(())
        }
    }
}

/// A path relative to the file that names it, not outside its folder.
fn inside(folder: &Path, text: &str, span: Span) -> Fallible<PathBuf> {
    let relative = Path::new(text);
    let escapes =
        relative.components().any(|c| matches!(c, Component::ParentDir | Component::RootDir | Component::Prefix(_)));
    if escapes {
        return Err(Box::new(
            Diagnostic::error(&codes::CANNOT_READ, "only files inside the folder of the program can be used")
                .label(span, "leads outside"),
        ));
    }
    Ok(folder.join(relative))
}

fn read(state: &mut Interpreter, name: &Path, text: &str, span: Span) -> Fallible<()> {
    let (ast, problems) = parse::parse(SourceId(u32::MAX), text);
    if let Some(problem) = problems.into_sorted().into_iter().find(Diagnostic::is_error) {
        let line = problem.primary().map_or(1, |s| text[..s.start as usize].lines().count().max(1));
        return Err(Box::new(
            Diagnostic::error(&codes::SYNTAX, format!("`{}` cannot be read: {}", name.display(), problem.title))
                .label(span, format!("line {line} of that file")),
        ));
    }
    let ast = Rc::new(ast);
    let mut remarks = vec![];
    for statement in &ast.statements {
        state.run(&ast, statement, &mut remarks).map_err(|d| {
            let line = text[..statement.span.start as usize].lines().count() + 1;
            Box::new(
                Diagnostic::error(d.code, format!("`{}`, line {line}: {}", name.display(), d.title))
                    .label(span, "used here"),
            )
        })?;
    }
    Ok(())
}
