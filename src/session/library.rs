//! `use`: files of the standard library, embedded in the program and read only when used, and files
//! beside the program, inside its folder only.
//!
//! A file is read once and in a scope of its own; everything it declares, and everything that it uses
//! itself, is brought into the scope of the user, or stands behind the prefix of `use … as sp`. A file
//! that is reached on two ways is the same file: its coordinates and parameters are not doubled.

use super::file;
use super::interpreter::Interpreter;
use super::scope::{Binding, FunctionBinding, Meaning, Scope};
use crate::algebra::Inquiry;
use crate::algebra::assume::Facts;
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::model::value::Fallible;
use crate::source::Span;
use crate::syntax::ast::{Path as Words, Use, UseTarget};
use crate::syntax::parse;
use crate::timing;
use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The standard library: name and text of each file, in the order of their names.
pub static FILES: &[(&str, &str)] = &[
    ("central", include_str!("../../stdlib/central.mech")),
    ("chains", include_str!("../../stdlib/chains.mech")),
    ("charges", include_str!("../../stdlib/charges.mech")),
    ("constraints", include_str!("../../stdlib/constraints.mech")),
    ("coordinates", include_str!("../../stdlib/coordinates.mech")),
    ("oscillators", include_str!("../../stdlib/oscillators.mech")),
    ("particles", include_str!("../../stdlib/particles.mech")),
    ("pendulums", include_str!("../../stdlib/pendulums.mech")),
    ("potentials", include_str!("../../stdlib/potentials.mech")),
    ("prelude", include_str!("../../stdlib/prelude.mech")),
    ("relativity", include_str!("../../stdlib/relativity.mech")),
    ("rigid_body", include_str!("../../stdlib/rigid_body.mech")),
    ("springs", include_str!("../../stdlib/springs.mech")),
];

/// What a file is about: its first line.
pub fn about(text: &str) -> &str {
    text.lines().find_map(|line| line.trim_start().strip_prefix("// ")).unwrap_or("")
}

/// The comment with which a file begins: what it is about, its units, and how it is used. Indented lines are programs.
pub fn preface(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with("//") && !line.starts_with("///"));
    let lines = lines.map(|line| line.trim_start_matches("//").strip_prefix(' ').unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}

/// How many files may use each other in a row: each is read while those before it wait.
const MAX_DEPTH: usize = 64;

/// How many of the files that lead to a mistake are shown with it.
const MAX_USERS: usize = 5;

/// What a file declares.
pub struct Library {
    /// As shown to people: `std.springs`, `parts/wheel.mech`.
    pub name: String,
    pub scope: Rc<Scope>,
    parameters: IndexMap<Symbol, Expr>,
    /// What it assumes: true of its parameters wherever they are used.
    facts: Facts,
}

impl Library {
    /// Whether something of it is used.
    pub fn is_used(&self) -> bool {
        self.scope.values.values().any(|b| b.used.get()) || self.scope.functions.values().any(|b| b.used.get())
    }
}

/// Brings the names of a library into the scope, or behind a prefix.
pub fn bring_in(cx: &Inquiry, state: &mut Interpreter, u: &Use) -> Fallible<()> {
    let found = match &u.what {
        UseTarget::Library(words) => standard(words)?,
        UseTarget::File(word) => {
            let path = file::inside(state, &word.node, word.span)?;
            Found {
                name: path.display().to_string(),
                written: word.node.to_string(),
                path,
                text: None,
                span: word.span,
            }
        }
    };
    if let Some(place) = state.reading.iter().position(|p| *p == found.path) {
        let circle = state.reading[place..].iter().chain([&found.path]).map(|p| p.display().to_string());
        return Err(Box::new(
            Diagnostic::error(&codes::CYCLE, "these files use each other in a circle")
                .label(found.span, "is being read already")
                .note(circle.collect::<Vec<_>>().join(" uses "))
                .help("put what both need into a third file"),
        ));
    }
    if state.reading.len() > MAX_DEPTH && !state.libraries.contains_key(&found.path) {
        return Err(Box::new(
            Diagnostic::error(&codes::BUDGET, format!("more than {MAX_DEPTH} files use each other in a row"))
                .label(found.span, "this is one more")
                .help("use it in a file nearer to the program"),
        ));
    }
    let library = match state.libraries.get(&found.path) {
        Some(known) => known.clone(),
        None => read(cx, state, &found)?,
    };
    state.parameters.extend(library.parameters.iter().map(|(s, v)| (*s, *v)));
    state.facts = state.facts.and(library.facts.iter()).0;
    state.libraries.insert(found.path, library.clone());
    if let Some(prefix) = &u.prefix {
        return state.bind(&prefix.node, Binding::new(Meaning::Library(library.scope.clone()), prefix.span));
    }
    // All of its names or none.
    let before = state.scope.clone();
    if let Err(diagnostic) = merge(state, &library.scope, found.span) {
        state.scope = before;
        return Err(diagnostic);
    }
    state.uses.push((found.span, library));
    Ok(())
}

/// Brings every name of a library into the scope.
fn merge(state: &mut Interpreter, library: &Scope, span: Span) -> Fallible<()> {
    for (name, binding) in &library.values {
        bind(state, name, binding, span)?;
    }
    for (name, binding) in &library.functions {
        bind_function(state, name, binding, span)?;
    }
    for manifold in &library.manifolds {
        if !state.scope.manifolds.contains(manifold) {
            state.scope.manifolds.push(manifold.clone());
        }
    }
    Ok(())
}

/// A file to use: where it is, and its text if it is embedded.
struct Found {
    /// For people.
    name: String,
    /// As the program writes it.
    written: String,
    path: PathBuf,
    text: Option<&'static str>,
    /// The words that name it.
    span: Span,
}

fn standard(words: &Words) -> Fallible<Found> {
    let span = words.span();
    let all = || FILES.iter().map(|(n, _)| format!("std.{n}")).collect::<Vec<_>>().join(", ");
    let names: Vec<&str> = words.words.iter().map(|w| &*w.node).collect();
    let key = match names.as_slice() {
        ["std", rest @ ..] if !rest.is_empty() => rest.join("."),
        _ => {
            let known = names.join(".");
            let diagnostic = Diagnostic::error(&codes::MISSING_LIBRARY, format!("there is no library `{known}`"))
                .label(span, "not found");
            return Err(Box::new(match FILES.iter().find(|(n, _)| *n == known) {
                Some(_) => diagnostic.repair("the standard library stands behind `std`", span, format!("std.{known}")),
                None if known == "std" => diagnostic.note(format!("the libraries are {}", all())).repair(
                    "one of them is used at a time; the first things are in `std.prelude`",
                    span,
                    "std.prelude",
                ),
                None => diagnostic
                    .note(format!("the libraries are {}", all()))
                    .help("a file of yours is named in quotes: `use \"parts/wheel.mech\"`"),
            }));
        }
    };
    let Some((_, text)) = FILES.iter().find(|(n, _)| *n == key) else {
        let d = Diagnostic::error(&codes::MISSING_LIBRARY, format!("there is no library `std.{key}`"))
            .label(span, "not found");
        let bare = key.strip_suffix(".mech").unwrap_or(&key);
        let exact = FILES.iter().map(|(n, _)| *n).find(|n| *n == bare);
        return Err(Box::new(match exact.or_else(|| suggest::nearest(bare, FILES.iter().map(|(n, _)| *n))) {
            Some(near) => d.repair(format!("did you mean `std.{near}`?"), span, format!("std.{near}")),
            None => d.note(format!("the libraries are {}", all())),
        }));
    };
    // No path of a user looks like this one.
    let path = PathBuf::from(format!("std.{key}"));
    let name = format!("std.{key}");
    Ok(Found { written: name.clone(), name, path, text: Some(text), span })
}

/// Reads a file in a scope of its own. The first mistake in it refuses the `use`, and is shown there.
fn read(cx: &Inquiry, state: &mut Interpreter, found: &Found) -> Fallible<Rc<Library>> {
    let text = match found.text {
        Some(text) => text.to_string(),
        None => timing::stage("read", || file::read(&*state.options.world, &found.path, &found.written, found.span))?,
    };
    let source = state.sources.add(found.name.as_str(), text.as_str());
    let mut inner = state.clone();
    inner.scope = Scope::default();
    inner.facts = Facts::default();
    inner.parameters.clear();
    inner.uses.clear();
    inner.folder = found.path.parent().map(Path::to_path_buf).unwrap_or_default();
    inner.reading.push(found.path.clone());
    inner.check_only = true;
    inner.redeclare = false;
    // Of a long chain the first few show the way.
    let used_here =
        |d: Diagnostic| Box::new(if d.labels.len() < MAX_USERS { d.label(found.span, "used here") } else { d });
    let (ast, problems) = timing::stage("parse", || parse::parse(source, &text));
    let mut problems = problems.into_sorted();
    problems.retain(Diagnostic::is_error);
    if !problems.is_empty() {
        let more = problems.len() - 1;
        let first = used_here(problems.swap_remove(0));
        return Err(if more > 0 { Box::new(first.note(format!("and {more} more in that file"))) } else { first });
    }
    let ast = Rc::new(ast);
    let mut remarks = vec![];
    let outcome = ast.statements.iter().try_for_each(|statement| {
        let result = inner.run(cx, &ast, statement, &mut remarks).map(|_| ());
        result.map_err(|d| used_here(d.or_at(statement.span, "in this statement")))
    });
    state.sources = std::mem::take(&mut inner.sources);
    state.share_bases(&inner);
    outcome?;
    if let Some(d) = inner.unresolved(&ast).into_iter().next() {
        return Err(used_here(d));
    }
    state.libraries.extend(std::mem::take(&mut inner.libraries));
    state.tables.extend(std::mem::take(&mut inner.tables));
    state.set_used.extend(std::mem::take(&mut inner.set_used));
    let mut scope = inner.scope;
    // A file that is used makes no runs.
    let is_run = |b: &Binding| matches!(&b.meaning, Meaning::Unmade(unmade) if unmade.value.is_none());
    scope.values.retain(|_, binding| !is_run(binding));
    // What the file itself uses is not yet used by anybody else.
    for binding in scope.values.values_mut() {
        binding.warn_if_unused = false;
        binding.used.set(false);
    }
    for binding in scope.functions.values_mut() {
        binding.warn_if_unused = false;
        binding.used.set(false);
    }
    let scope = scope.of_file();
    Ok(Rc::new(Library { name: found.name.clone(), scope, parameters: inner.parameters, facts: inner.facts }))
}

fn bind(state: &mut Interpreter, name: &str, binding: &Binding, span: Span) -> Fallible<()> {
    let Some(old) = state.scope.values.get_mut(name) else {
        return state.bind(name, binding.clone());
    };
    match (&mut old.meaning, &binding.meaning) {
        // The same thing, reached on another way; bases of the same name are the same time.
        _ if Rc::ptr_eq(&old.used, &binding.used) => Ok(()),
        (Meaning::Base(_), Meaning::Base(_)) => Ok(()),
        // Manifolds may share names of coordinates; the `on` clause decides.
        (Meaning::Coordinate(known), Meaning::Coordinate(new)) => {
            for candidate in new {
                if !known.iter().any(|(m, _)| *m == candidate.0) {
                    known.push(candidate.clone());
                }
            }
            Ok(())
        }
        _ => Err(declared_twice(name, span, binding.span, old.span)),
    }
}

fn bind_function(state: &mut Interpreter, name: &str, binding: &FunctionBinding, span: Span) -> Fallible<()> {
    match state.scope.functions.get(name) {
        Some(old) if Rc::ptr_eq(&old.used, &binding.used) => Ok(()),
        Some(old) if !state.redeclare => Err(declared_twice(name, span, binding.span, old.span)),
        _ => {
            state.scope.functions.insert(name.to_string(), binding.clone());
            Ok(())
        }
    }
}

fn declared_twice(name: &str, used: Span, here: Span, first: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::DECLARED_TWICE, format!("`{name}` is declared twice"))
            .label(used, "this file declares it too")
            .label(first, "declared first")
            .label(here, "declared again")
            .help("keep its names behind a prefix: `use … as name`"),
    )
}
