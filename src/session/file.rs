//! Files that a program names: what it uses, and tables for its functions. A path is relative to the
//! file that names it and stays inside the folder of the program, so that a program that somebody
//! sends reads nothing but what came with it. What it writes stays inside the folder of `--out`, or the
//! working folder, unless `--allow-outside` was said.

use super::SessionOptions;
use super::interpreter::Interpreter;
use crate::diagnostic::{Diagnostic, Severity, codes, suggest};
use crate::model::value::Fallible;
use crate::source::Span;
use crate::world::{Trouble, World};
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
        let world = &state.options.world;
        match (world.canonical(root), world.canonical(&path)) {
            (Some(root), Some(path)) => !path.starts_with(root),
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
pub fn read(world: &dyn World, path: &Path, text: &str, span: Span) -> Fallible<String> {
    let bytes = world.read(path).map_err(|Trouble { missing, reason }| {
        let diagnostic = Diagnostic::error(&codes::CANNOT_READ, format!("`{text}` cannot be read")).label(span, reason);
        Box::new(match nearby(world, path).filter(|_| missing) {
            Some(near) => {
                let near = Path::new(text).with_file_name(near).to_string_lossy().into_owned();
                diagnostic.repair(format!("did you mean `{near}`?"), span, format!("\"{near}\""))
            }
            // `use "std.pendulums"`
            None if text
                .strip_prefix("std.")
                .is_some_and(|n| super::library::FILES.iter().any(|(file, _)| *file == n)) =>
            {
                diagnostic.repair("a part of the library is named without quotes", span, text)
            }
            None => diagnostic.note(format!("it was looked for as `{}`", path.display())),
        })
    })?;
    String::from_utf8(bytes).map_err(|_| {
        Box::new(
            Diagnostic::error(&codes::NOT_TEXT, format!("`{text}` is not UTF-8 text"))
                .label(span, "named here")
                .help("save the file as UTF-8"),
        )
    })
}

/// The path of the file that a program writes to, inside the folder for what is written.
pub fn destination(state: &Interpreter, text: &str, span: Span) -> Fallible<PathBuf> {
    let SessionOptions { out, world, allow_outside, .. } = &state.options;
    let path = out.join(text);
    let named = normal(Path::new(text));
    let leaves = !matches!(named.components().next(), Some(Component::Normal(_)));
    // What is there already may be a link to anywhere; the folders that are missing are made, and are none.
    let linked = || {
        let folder = if out.as_os_str().is_empty() { Path::new(".") } else { out };
        let there = path.ancestors().find_map(|place| world.canonical(place));
        let inside = match (world.canonical(folder), there) {
            (Some(folder), Some(there)) => there.starts_with(folder),
            // The folder itself is made: nothing in it leads anywhere.
            (None, _) => true,
            (Some(_), None) => normal(&path).is_relative(),
        };
        !inside
    };
    if !allow_outside && (leaves || linked()) {
        let folder = if out.as_os_str().is_empty() { "the working folder" } else { "the folder of `--out`" };
        return Err(Box::new(
            Diagnostic::error(&codes::OUTSIDE_OUT, format!("this file would be written outside {folder}"))
                .label(span, "leads outside")
                .help("name a file in that folder, say another one with `--out`, or allow it with `--allow-outside`"),
        ));
    }
    world.can_write(&path).map_err(|trouble| Box::new(cannot_write(text, trouble).label(span, "this file")))?;
    Ok(path)
}

/// What is said of a file that was written.
pub fn written(path: &Path, what: &str) -> Diagnostic {
    let title = format!("`{}` was written ({what})", path.display());
    Diagnostic::new(Severity::Note, &codes::WRITTEN, title)
}

/// Writes a file for a program, making the folder it lies in.
pub fn write(world: &dyn World, path: &Path, bytes: &[u8]) -> Fallible<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let written = folder.map_or(Ok(()), |f| world.make_folder(f)).and_then(|()| world.write(path, bytes));
    written.map_err(|trouble| Box::new(cannot_write(&path.to_string_lossy(), trouble)))
}

/// The complaint about a file that could not be written.
pub fn cannot_write(name: &str, trouble: Trouble) -> Diagnostic {
    Diagnostic::error(&codes::CANNOT_WRITE, format!("`{name}` cannot be written")).note(trouble.reason)
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

/// The name of a file in the same folder, with the same ending, that is nearly the one asked for.
pub fn nearby(world: &dyn World, path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let ending = path.extension().map_or("mech".into(), |e| e.to_string_lossy());
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names = world.names(folder);
    names.retain(|n| n.ends_with(&format!(".{ending}")));
    let with_ending = format!("{wanted}.{ending}");
    let near = names.iter().find(|n| **n == with_ending).map(String::as_str);
    near.or_else(|| suggest::nearest(wanted, names.iter().map(String::as_str))).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Mode, Session, SessionOptions};
    use crate::world::Memory;
    use std::rc::Rc;

    #[test]
    fn a_program_reads_and_writes_in_the_world_of_its_session_only() {
        let world = Rc::new(Memory::default());
        for (path, text) in [("parts.mech", "param m = 2\n"), ("force.csv", "0, 1\n1, 1\n2, 1\n3, 1\n")] {
            world.write(Path::new(path), text.as_bytes()).expect("memory can be written");
        }
        let mut session = Session::new(SessionOptions { world: world.clone(), ..SessionOptions::default() });
        let program = r#"
            use "parts.mech"
            manifold Y over t { x }
            function F(t) from "force.csv"
            lagrangian L on J1(Y) = m*x'^2/2 + F(t)*x
            let r = simulate L { from x = 0, x' = 0; until t = 2 }
            save r to "out/run.csv"
            plot r { x } to "out/run.svg"
        "#;
        for outcome in session.feed("program.mech", program, Mode::File) {
            assert!(outcome.held(), "{}: {:?}", outcome.statement, outcome.diagnostics);
        }
        let text = |path: &str| String::from_utf8(world.read(Path::new(path)).expect("it was written")).expect("text");
        // m x'' = 1 from rest: x(2) = 1.
        let last = text("out/run.csv").lines().last().map(str::to_string).expect("a row");
        let numbers: Vec<f64> = last.split(',').map(|n| n.parse().expect("a number")).collect();
        assert!((numbers[0] - 2.0).abs() < 1e-12 && (numbers[1] - 1.0).abs() < 1e-6, "{last}");
        assert!(text("out/run.svg").starts_with("<svg"));
        let refused = session.feed("program.mech", "use \"part.mech\"", Mode::File);
        assert!(refused[0].diagnostics[0].repairs[0].text.contains("parts.mech"), "{:?}", refused[0].diagnostics);
    }

    #[test]
    fn a_path_is_shortened_by_its_words_only() {
        for (path, short) in [("a/./b", "a/b"), ("a/../b", "b"), ("../a", "../a"), ("/a/b/../../c", "/c"), ("a/..", "")]
        {
            assert_eq!(normal(Path::new(path)), Path::new(short), "{path}");
        }
    }
}
