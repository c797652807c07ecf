//! Files that a program names: what it uses, and tables for its functions. A path is relative to the
//! file that names it and stays inside the folder of the program, so that a program that somebody
//! sends reads nothing but what came with it.

use super::interpreter::Interpreter;
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::model::value::Fallible;
use crate::source::Span;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The path of the file that the words at `span` name, inside the folder of the program.
pub fn inside(state: &Interpreter, text: &str, span: Span) -> Fallible<PathBuf> {
    let path = normal(&state.folder.join(text));
    let leaves = |first: Option<Component>| !matches!(first, Some(Component::Normal(_) | Component::CurDir));
    let outside = if state.root.as_os_str().is_empty() {
        leaves(path.components().next())
    } else {
        !path.starts_with(&state.root)
    };
    // A link inside the folder may point anywhere.
    let linked = || {
        let root = if state.root.as_os_str().is_empty() { Path::new(".") } else { &state.root };
        match (root.canonicalize(), path.canonicalize()) {
            (Ok(root), Ok(path)) => !path.starts_with(root),
            _ => false,
        }
    };
    if outside || linked() {
        return Err(Box::new(
            Diagnostic::error(&codes::OUTSIDE_FOLDER, "this file is outside the folder of the program")
                .label(span, "leads outside")
                .help("put the file into the folder of the program, or below it"),
        ));
    }
    Ok(path)
}

/// The text of a file that a program names; `span` is where.
pub fn read(path: &Path, text: &str, span: Span) -> Fallible<String> {
    std::fs::read_to_string(path).map_err(|error| {
        if error.kind() == ErrorKind::InvalidData {
            return Box::new(
                Diagnostic::error(&codes::NOT_TEXT, format!("`{text}` is not UTF-8 text"))
                    .label(span, "named here")
                    .help("save the file as UTF-8"),
            );
        }
        let diagnostic =
            Diagnostic::error(&codes::CANNOT_READ, format!("`{text}` cannot be read")).label(span, reason(&error));
        Box::new(match nearby(path).filter(|_| error.kind() == ErrorKind::NotFound) {
            Some(near) => {
                let near = Path::new(text).with_file_name(near).to_string_lossy().into_owned();
                diagnostic.repair(format!("did you mean `{near}`?"), span, format!("\"{near}\""))
            }
            None => diagnostic.note(format!("it was looked for as `{}`", path.display())),
        })
    })
}

/// A path without `.`, and without `a/..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut parts: Vec<Component> = vec![];
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(parts.last(), Some(Component::Normal(_))) => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    parts.iter().collect()
}

/// The error of the system in words, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let words = error.to_string();
    words.split(" (os error").next().unwrap_or(&words).to_lowercase()
}

/// The name of a file in the same folder, with the same ending, that is nearly the one asked for.
pub fn nearby(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let ending = path.extension().map_or("mech".into(), |e| e.to_string_lossy());
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    names.retain(|n| n.ends_with(&format!(".{ending}")));
    names.sort();
    let with_ending = format!("{wanted}.{ending}");
    let near = names.iter().find(|n| **n == with_ending).map(String::as_str);
    near.or_else(|| suggest::nearest(wanted, names.iter().map(String::as_str))).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shortened_by_its_words_only() {
        for (path, short) in [("a/./b", "a/b"), ("a/../b", "b"), ("../a", "../a"), ("/a/b/../../c", "/c"), ("a/..", "")]
        {
            assert_eq!(normal(Path::new(path)), Path::new(short), "{path}");
        }
    }
}
