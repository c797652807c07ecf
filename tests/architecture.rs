//! The shape of the house, read from its sources: the sentences of `src/lib.rs` and of docs/architecture.md about what a room
//! may use. Only production code counts; comments, strings and what is compiled for tests do not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file below `src`, with everything that is no production code blanked out; lines keep their numbers.
struct File {
    /// `algebra/expr.rs`
    path: String,
    code: String,
}

impl File {
    /// `algebra`; the file of a room stands beside its folder.
    fn room(&self) -> &str {
        self.path.split('/').next().map_or("", |first| first.trim_end_matches(".rs"))
    }

    /// `src/algebra/expr.rs:12`
    fn place(&self, offset: usize) -> String {
        format!("src/{}:{}", self.path, 1 + self.code[..offset].matches('\n').count())
    }

    /// Where a word stands; letters and digits at its ends are not parts of longer words.
    fn words<'f>(&'f self, word: &'f str) -> impl Iterator<Item = usize> + 'f {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.code.match_indices(word).map(|(at, _)| at).filter(move |at| {
            let before = self.code[..*at].chars().next_back().filter(|_| word.starts_with(is_part));
            let after = self.code[at + word.len()..].chars().next().filter(|_| word.ends_with(is_part));
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    }
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file of production code.
fn files() -> Vec<File> {
    let root = source();
    let mut paths = vec![];
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => paths.extend((path.extension().is_some_and(|e| e == "rs")).then_some(path)),
            }
        }
    }
    paths.sort();
    let mut only_tests = BTreeSet::new();
    let mut files = vec![];
    for path in paths {
        let code = without_comments(&std::fs::read_to_string(&path).expect("a source"));
        let (code, modules) = without_tests(&code);
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let beside = path.parent().expect("a folder");
        let inside = if matches!(stem.as_str(), "lib" | "main") { beside.to_path_buf() } else { beside.join(stem) };
        only_tests.extend(modules.iter().map(|m| inside.join(m)));
        files.push((path, code));
    }
    let is_test = |path: &Path| {
        only_tests.iter().any(|m| path.with_extension("") == *m || path.starts_with(m)) || path.ends_with("tests.rs")
    };
    let inside = |path: &Path| path.strip_prefix(&root).expect("below src").to_string_lossy().replace('\\', "/");
    let kept = files.into_iter().filter(|(path, _)| !is_test(path));
    kept.map(|(path, code)| File { path: inside(&path), code }).collect()
}

/// The same text with comments, and what stands in strings, as blanks.
fn without_comments(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut i = 0;
    // Blanks for the characters up to `end`, without the line breaks.
    let blank = |out: &mut String, from: usize, end: usize| {
        out.extend(chars[from..end.min(chars.len())].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
        end
    };
    while i < chars.len() {
        let next = chars.get(i + 1).copied();
        let end_of = |from: usize, is_end: &dyn Fn(usize) -> bool| (from..chars.len()).find(|k| is_end(*k));
        i = match chars[i] {
            '/' if next == Some('/') => {
                let end = end_of(i, &|k| chars[k] == '\n').unwrap_or(chars.len());
                blank(&mut out, i, end)
            }
            '/' if next == Some('*') => {
                let (mut depth, mut end) = (1, i + 2);
                while depth > 0 && end < chars.len() {
                    match (chars[end], chars.get(end + 1)) {
                        ('/', Some('*')) => (depth, end) = (depth + 1, end + 2),
                        ('*', Some('/')) => (depth, end) = (depth - 1, end + 2),
                        _ => end += 1,
                    }
                }
                blank(&mut out, i, end)
            }
            // A raw string: r"…", r#"…"#; not the end of a name, and not r#name.
            'r' if matches!(next, Some('"' | '#')) && !out.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                let hashes = chars[i + 1..].iter().take_while(|c| **c == '#').count();
                if chars.get(i + 1 + hashes) == Some(&'"') {
                    let closes = |k: usize| {
                        chars[k] == '"' && chars[k + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
                    };
                    let end = end_of(i + hashes + 2, &closes).map_or(chars.len(), |k| k + 1 + hashes);
                    blank(&mut out, i, end)
                } else {
                    blank(&mut out, i, i + 1)
                }
            }
            '"' => {
                let mut end = i + 1;
                while end < chars.len() && chars[end] != '"' {
                    end += if chars[end] == '\\' { 2 } else { 1 };
                }
                blank(&mut out, i, end + 1)
            }
            // A character, and not a lifetime.
            '\'' if next == Some('\\') => {
                let end = end_of(i + 3, &|k| chars[k] == '\'').map_or(chars.len(), |k| k + 1);
                blank(&mut out, i, end)
            }
            '\'' if chars.get(i + 2) == Some(&'\'') => blank(&mut out, i, i + 3),
            c => {
                out.push(c);
                i + 1
            }
        };
    }
    out
}

/// The text with what is compiled for tests as blanks, and the names of modules in files of their own that are.
fn without_tests(code: &str) -> (String, Vec<String>) {
    let mut out = code.to_string();
    let mut modules = vec![];
    let mut from = 0;
    while let Some((at, length)) =
        ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|m| Some((from + out[from..].find(m)?, m.len()))).min()
    {
        let item = at + length;
        // An item ends with its first semicolon, or with the brace that closes its first one.
        let (mut depth, mut end) = (0, out.len());
        for (k, c) in out[item..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 && matches!(c, ';' | '}') {
                end = item + k + 1;
                break;
            }
        }
        let words: Vec<&str> = out[item..end].split_whitespace().collect();
        if let Some(name) = words.iter().position(|w| *w == "mod").and_then(|k| words.get(k + 1)?.strip_suffix(';')) {
            modules.push(name.to_string());
        }
        let blanks: String =
            out[at..end].chars().map(|c| if c == '\n' { "\n".into() } else { " ".repeat(c.len_utf8()) }).collect();
        out.replace_range(at..end, &blanks);
        from = end;
    }
    (out, modules)
}

/// The rooms in the order in which `src/lib.rs` declares them.
fn rooms() -> Vec<String> {
    let lib = without_comments(&std::fs::read_to_string(source().join("lib.rs")).expect("lib.rs"));
    let declared = |line: &str| {
        let line = line.trim();
        line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ")?.strip_suffix(';').map(str::to_string)
    };
    lib.lines().filter_map(declared).collect()
}

/// What a program that uses the library sees. The compiler can only say of the other rooms what nobody uses.
#[test]
fn few_rooms_are_public() {
    let lib = without_comments(&std::fs::read_to_string(source().join("lib.rs")).expect("lib.rs"));
    let public: Vec<&str> = lib.lines().filter_map(|l| l.trim().strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(public, ["source", "world", "diagnostic", "session", "cli", "workshop"]);
    assert!(!lib.contains("dead_code"), "the lint is on");
}

/// The first words of all paths that begin with `crate::`, with their places: one for `crate::a::b`, several for
/// `crate::{a::b, c}`.
fn uses(file: &File) -> Vec<(usize, String)> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = vec![];
    for at in file.words("crate").filter(|at| file.code[at + "crate".len()..].starts_with("::")) {
        let start = at + "crate::".len();
        let rest = &file.code[start..];
        if !rest.starts_with('{') {
            found.push((start, word(rest)));
            continue;
        }
        let (mut depth, mut begins) = (0, false);
        for (k, c) in rest.char_indices() {
            match c {
                '{' => (depth, begins) = (depth + 1, depth == 0),
                '}' => depth -= 1,
                ',' => begins = depth == 1,
                c if c.is_whitespace() => {}
                _ if begins => {
                    found.push((start + k, word(&rest[k..])));
                    begins = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[test]
fn a_room_uses_rooms_above_it_only() {
    let rooms = rooms();
    let number = |name: &str| rooms.iter().position(|r| r == name);
    let mut matrix: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut against = vec![];
    for file in files() {
        let Some(room) = number(file.room()) else {
            assert!(["lib.rs", "main.rs"].contains(&file.path.as_str()), "src/{} is in no room of lib.rs", file.path);
            continue;
        };
        for (at, used) in uses(&file) {
            // What is no room is a macro or a re-export of the crate itself, and there is none.
            let used = number(&used).unwrap_or_else(|| panic!("{}: `crate::{used}` is no room", file.place(at)));
            *matrix.entry((room, used)).or_default() += 1;
            if used > room {
                against.push(format!("{}: {} uses {}", file.place(at), rooms[room], rooms[used]));
            }
        }
    }
    let width = rooms.iter().map(String::len).max().unwrap_or(0);
    let mut table = format!("{:width$}", "");
    rooms.iter().for_each(|r| table += &format!(" {:>6}", &r[..r.len().min(6)]));
    for row in 0..rooms.len() {
        table += &format!("\n{:>width$}", rooms[row]);
        for column in 0..rooms.len() {
            table += &match matrix.get(&(row, column)).filter(|_| row != column) {
                None => format!(" {:>6}", "."),
                Some(n) if column > row => format!(" {:>6}", format!("[{n}]")),
                Some(n) => format!(" {n:>6}"),
            };
        }
    }
    println!("{table}");
    assert!(
        !matrix.is_empty() && against.is_empty(),
        "against the order of src/lib.rs:\n{}\n{table}",
        against.join("\n")
    );
}

/// Fails with the place of every one of these words in production code outside the files that may have it.
fn only_in(words: &[&str], may: impl Fn(&File) -> bool) {
    let files = files();
    let places = |file: &File| {
        let of_word = |w: &&str| file.words(w).map(|at| format!("{}: `{w}`", file.place(at))).collect::<Vec<_>>();
        words.iter().flat_map(of_word).collect::<Vec<_>>()
    };
    let (allowed, others): (Vec<&File>, Vec<&File>) = files.iter().partition(|f| may(f));
    let found: Vec<String> = others.into_iter().flat_map(places).collect();
    assert!(found.is_empty(), "{} does not belong here:\n{}", words.join(", "), found.join("\n"));
    assert!(allowed.is_empty() || allowed.into_iter().any(|f| !places(f).is_empty()), "{}: nowhere", words.join(", "));
}

#[test]
fn derivations_are_exact() {
    let exact = |file: &File| ["algebra", "geometry", "mechanics"].contains(&file.room());
    only_in(&["f64", "f32"], |file| !exact(file));
    // Nor as `to_f64` or `1.0f64`.
    for file in files().iter().filter(|file| exact(file)) {
        assert!(!["f64", "f32"].iter().any(|float| file.code.contains(float)), "src/{} speaks of floats", file.path);
    }
}

#[test]
fn drawing_machine_code_and_unsafe_stay_where_they_are() {
    only_in(&["ariadne"], |file| file.path == "diagnostic/render.rs");
    let cranelift = ["cranelift", "cranelift_jit", "cranelift_module", "cranelift_native"];
    only_in(&cranelift, |file| file.room() == "codegen");
    only_in(&["unsafe"], |file| {
        ["codegen/library.rs", "codegen/machine.rs", "codegen/simd.rs", "cli/allocator.rs"]
            .contains(&file.path.as_str())
    });
    only_in(&["rustyline"], |file| file.path == "repl/editor.rs");
    only_in(&["clap"], |file| file.room() == "cli");
    only_in(&["lsp_server"], |file| file.room() == "lsp");
}

#[test]
fn the_evaluator_reads_checked_terms_only() {
    let resolves = |file: &File| file.path.starts_with("session/resolve");
    only_in(&["ExprKind"], |file| ["syntax", "workshop"].contains(&file.room()) || resolves(file));
    // Whoever evaluates, or is evaluated, has neither the tree of the syntax nor a name to look up in a scope.
    let checked = ["evaluate", "parts", "shape", "signature", "promise", "run/clauses", "declare/geometry"];
    let is_checked = |file: &File| {
        let of_session = |rest: &str| checked.iter().any(|name| rest.starts_with(name));
        file.path == "model/term.rs" || file.path.strip_prefix("session/").is_some_and(of_session)
    };
    let seen: Vec<File> = files().into_iter().filter(is_checked).collect();
    assert!(seen.len() > checked.len(), "files of the session have other names");
    for file in &seen {
        for word in ["Ast", "ExprId", "scope.value", "scope.function", "around.value", "around.function"] {
            assert!(file.words(word).next().is_none(), "src/{} speaks of `{word}`", file.path);
        }
    }
}

/// Files that measure how long something took, to say so. No decision rests on it, except in `repl`, `lsp` and `cli`.
const STATISTICS: &[&str] = &[
    "timing.rs",
    "codegen/compiled.rs",
    "codegen/jet_compiled.rs",
    "integrate/driver.rs",
    "integrate/lanes.rs",
    "integrate/pairs.rs",
    "integrate/problem.rs",
    "integrate/slopes.rs",
    "integrate/splitting.rs",
    "integrate/trajectory.rs",
    "integrate/variational.rs",
];

#[test]
fn the_clock_is_looked_at_to_measure_and_above_the_session() {
    let may = |file: &File| STATISTICS.contains(&file.path.as_str()) || ["repl", "lsp", "cli"].contains(&file.room());
    // Not the backend `Backend::InstantCode` nor the tier `Tier::Instant` of the compiler.
    only_in(&["SystemTime", "Instant::now", "elapsed"], may);
    // The world waits for a program that it started, in short sleeps between two questions whether it ended; it reads no clock.
    only_in(&["std::time", "Duration", "sleep"], |file| may(file) || file.path == "world.rs");
}

#[test]
fn no_order_and_no_number_is_drawn_at_random() {
    // The maps of the standard library are in another order in each process; those that are used have the same in all.
    only_in(&["HashMap", "HashSet", "RandomState", "DefaultHasher", "rand", "getrandom", "fastrand"], |_| false);
}

#[test]
fn one_table_has_the_numbers_for_work() {
    // Whoever opens a session may say another one for a statement.
    only_in(&["Share::given"], |file| file.path == "session.rs");
}

#[test]
fn files_and_the_environment_are_reached_through_the_world() {
    let may = |file: &File| ["world", "repl", "lsp", "cli", "main"].contains(&file.room());
    // An import of several modules at once would hide what it brings in.
    only_in(&["std::{"], |_| false);
    only_in(&["std::fs", "std::env", "std::net", "std::process"], may);
    // Parquet writes into memory by the trait of files.
    only_in(&["std::io"], |file| may(file) || file.path == "report/parquet.rs");
    only_in(&["read_to_string", "canonicalize", "read_dir", "is_dir", "is_file", "File::open"], may);
    // Parquet calls so what a table says about itself.
    only_in(&["metadata"], |file| may(file) || file.path == "report/parquet.rs");
    only_in(&["io::stdout", "io::stderr", "println!", "print!", "eprintln!", "eprint!", "dbg!"], may);
}

/// What a thread keeps between two questions, and why no answer can depend on it.
const KEPT: &[(&str, &str, &str)] = &[
    (
        "algebra/assume.rs",
        "SETS",
        "sets of facts by their content: equal sets are one, with one memory of what follows",
    ),
    ("algebra/assume.rs", "NOTHING", "the empty set of signs, a constant"),
    ("algebra/ball/elementary.rs", "LOG2", "log 2 to the most places that were needed; fewer are cut from it"),
    ("algebra/ball/elementary.rs", "PI", "π to the most places that were needed; fewer are cut from it"),
    ("algebra/decide/witness.rs", "FORMAL", "names of formal parameters, the same every time"),
    ("algebra/derive.rs", "PARTIALS", "derivatives by expression and symbol; no fact enters them"),
    ("algebra/expr/pool.rs", "ONE", "the expression 1, a constant"),
    ("algebra/expr/pool.rs", "POOL", "the store of expressions: equal ones are one"),
    ("algebra/expr/pool.rs", "WALKS", "a counter that gives each walk over expressions a mark of its own"),
    ("algebra/expr/pool.rs", "ZERO", "the expression 0, a constant"),
    ("algebra/generator.rs", "TABLE", "generators by their meaning and context: equal ones are one"),
    ("algebra/normal/read.rs", "BOUND", "names of bound variables by depth, the same every time"),
    ("algebra/normal/read.rs", "RATIONAL", "whether an expression is rational in its symbols; a property of its shape"),
    ("algebra/normal/read.rs", "TAGS", "a counter that gives each context a number of its own"),
    ("algebra/stratum/single_argument.rs", "KNOWN", "the symbol that stands for a quantity, by the quantity"),
    ("algebra/stratum/families.rs", "KNOWN", "the symbol that stands for a function, by the function"),
    ("algebra/symbol.rs", "TABLE", "names and kinds of symbols; a symbol is a handle to its row"),
    ("geometry/jet.rs", "FREE", "a rule of prolongation, a constant, with the derivatives it has made"),
    ("geometry/jet.rs", "HOLONOMIC", "a rule of prolongation, a constant, with the derivatives it has made"),
    ("geometry/jet.rs", "OTHER", "a symbol that no program can name, a constant"),
    ("geometry/jet.rs", "OWNERS", "the manifold of a coordinate, given once when both are made"),
    ("geometry/jet.rs", "TIME", "the base of forms without coordinates, a constant"),
    ("memory.rs", "UNTOLD", "bytes counted by this thread and not told yet; a stop is said, never an answer"),
    ("timing.rs", "BEGAN", "measured for --timings; nothing is decided by it"),
    ("timing.rs", "ENABLED", "whether --timings was given; nothing but it asks"),
    ("timing.rs", "INNER", "measured for --timings; nothing is decided by it"),
    ("timing.rs", "STAGES", "measured for --timings; nothing is decided by it"),
];

/// What the whole process shares, and why.
const SHARED: &[(&str, &str, &str)] = &[
    ("budget.rs", "STOP", "set by the keyboard and by the clock of the command line; a stop is said, never an answer"),
    ("cli/reading.rs", "PRESSED", "whether Ctrl-C was pressed, for the exit code"),
    ("codegen/machine.rs", "KNOWN", "the compilers for this processor, by tier; made once, constants"),
    ("codegen/simd.rs", "WIDTH", "what this processor can do, a constant"),
    ("diagnostic/internal.rs", "HOOK", "the hook for panics is set once"),
    ("diagnostic/internal.rs", "LAST_PANIC", "where a panic happened, for the message about it"),
    ("integrate/radau.rs", "KNOWN", "the coefficients of Radau's methods, constants; made when one is first used"),
    ("memory.rs", "BOUND", "set by the command line; a stop is said, never an answer"),
    ("memory.rs", "END", "how far the statement under way may go; a stop is said, never an answer"),
    ("memory.rs", "IN_USE", "bytes in use; a stop is said, never an answer"),
    ("repl/editor.rs", "ALIVE", "whether the line of life stands on the screen: of one terminal, and of no answer"),
];

/// The names after `static` in a text.
fn statics(text: &str) -> impl Iterator<Item = (usize, String)> {
    text.match_indices("static ").filter(|(at, _)| !text[..*at].ends_with('\'')).filter_map(|(at, word)| {
        let name: String = text[at + word.len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        name.chars().next().is_some_and(char::is_uppercase).then_some((at, name))
    })
}

/// Fails for what is found and not listed, and for what is listed and not found.
fn are_listed(found: Vec<(String, String, String)>, listed: &[(&str, &str, &str)]) {
    let strange = found.iter().filter(|(_, file, name)| !listed.iter().any(|(f, n, _)| (f, n) == (&&**file, &&**name)));
    let strange: Vec<String> =
        strange.map(|(place, _, name)| format!("{place}: `{name}` is not in the table")).collect();
    let gone = listed.iter().filter(|(f, n, _)| !found.iter().any(|(_, file, name)| (*f, *n) == (file, name)));
    let gone: Vec<String> = gone.map(|(f, n, _)| format!("src/{f} has no `{n}` any more")).collect();
    assert!(strange.is_empty() && gone.is_empty(), "{}", [strange, gone].concat().join("\n"));
}

#[test]
fn what_is_kept_between_questions_is_a_store_or_a_memory() {
    let (mut kept, mut shared) = (vec![], vec![]);
    for file in files() {
        let mut rest = 0;
        while let Some(at) = file.code[rest..].find("thread_local!").map(|k| k + rest) {
            let mut depth = 0;
            let length = file.code[at..].char_indices().find(|(_, c)| {
                depth += i32::from(matches!(c, '{' | '(')) - i32::from(matches!(c, '}' | ')'));
                depth == 0 && matches!(c, '}' | ')')
            });
            rest = at + length.map_or("thread_local!".len(), |(k, _)| k + 1);
            let names = statics(&file.code[at..rest]);
            kept.extend(names.map(|(k, name)| (file.place(at + k), file.path.clone(), name)));
        }
        let changing = ["Atomic", "Mutex", "RwLock", "OnceLock", "LazyLock", "static mut"];
        for (at, name) in statics(&file.code) {
            let line = file.code[at..].lines().next().unwrap_or("");
            if changing.iter().any(|t| line.contains(t)) {
                shared.push((file.place(at), file.path.clone(), name));
            }
        }
    }
    are_listed(kept, KEPT);
    are_listed(shared, SHARED);
}

/// Lists that grow, and where their name is that of another list. Whoever chooses by a member names every member, so that a new
/// one is a decision and falls into no default.
const OPEN: &[(&str, &str)] = &[
    ("Elementary", ""),
    ("Slope", ""),
    ("Reading", ""),
    ("Language", ""),
    ("Format", ""),
    ("Backend", ""),
    ("Family", "integrate/"),
    ("Estimate", "integrate/"),
];

/// Patterns of the arms of the `match` whose brace opens at this place.
fn patterns(code: &str, brace: usize) -> Vec<&str> {
    let (mut depth, mut found, mut begin) = (0usize, vec![], None);
    let bytes = code.as_bytes();
    for (at, c) in code.char_indices().skip_while(|(at, _)| *at < brace) {
        match c {
            '{' | '(' | '[' => {
                depth += 1;
                if depth == 1 {
                    begin = Some(at + 1);
                }
            }
            '}' | ')' | ']' => {
                depth -= 1;
                match depth {
                    0 => break,
                    // The end of an arm in braces, or of a pattern with fields.
                    1 if c == '}' && begin.is_none() => begin = Some(at + 1),
                    _ => {}
                }
            }
            ',' if depth == 1 => begin = Some(at + 1),
            '=' if depth == 1 && bytes.get(at + 1) == Some(&b'>') => {
                found.extend(begin.take().map(|from| code[from..at].trim()));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn no_member_of_an_open_list_falls_into_a_default() {
    let mut found = vec![];
    let files = files();
    // The functions are also called by their bare names.
    let table = files.iter().find(|file| file.path == "algebra/function.rs").expect("the table of functions");
    let list =
        table.code.split("pub enum Elementary {").nth(1).and_then(|rest| rest.split('}').next()).expect("the list");
    let functions: Vec<String> = list.split(',').map(|f| f.trim().to_string()).filter(|f| !f.is_empty()).collect();
    assert!(functions.len() > 20 && functions.contains(&"Sin".to_string()), "{functions:?}");
    for file in &files {
        for at in file.words("match") {
            let Some(brace) = file.code[at..].find('{').map(|k| at + k) else { continue };
            let patterns = patterns(&file.code, brace);
            let rest = |p: &&str| p.split(" if ").next().is_some_and(|p| p.trim_start_matches(',').trim() == "_");
            for (list, _) in OPEN.iter().filter(|(_, below)| file.path.starts_with(below)) {
                let is_imported =
                    file.code.contains(&format!("{list}::*")) || file.code.contains(&format!("{list}::{{"));
                let names = |p: &&str| {
                    let first = p.trim_start_matches(',').trim();
                    let word = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                    let is_bare = *list == "Elementary" && is_imported && functions.iter().any(|f| f == word);
                    is_bare || first.starts_with(&format!("{list}::"))
                };
                if patterns.iter().any(names) && patterns.iter().any(rest) {
                    found.push(format!("{}: {list}", file.place(at)));
                }
            }
        }
    }
    assert!(found.is_empty(), "`_ =>` beside members of an open list:\n{}", found.join("\n"));
}

#[test]
fn arms_are_read_as_meant() {
    let code = "match f(x) { A::B { c } if d => { e => 1 } F::G(_) | _ => h, (_, J::K) => match l { _ => 0 }, _ => 1 }";
    let brace = code.find('{').expect("a brace");
    let found: Vec<&str> = patterns(code, brace).into_iter().map(|p| p.trim_start_matches(',').trim()).collect();
    assert_eq!(found, ["A::B { c } if d", "F::G(_) | _", "(_, J::K)", "_"]);
}

#[test]
fn the_sources_are_read_as_meant() {
    let text = "use crate::{a::{b, c}, d};\n// crate::e\nlet s = \"crate::f\"; let c = '\"'; crate::g::h();\n#[cfg(test)]\nmod tests {\n crate::i }\n#[cfg(test)]\nmod laws;\nlet r = r#\"crate::j\"#; fn k<'a>() { crate::l }\n";
    let (code, modules) = without_tests(&without_comments(text));
    let file = File { path: "x/y.rs".into(), code };
    let found: Vec<(String, String)> = uses(&file).into_iter().map(|(at, name)| (file.place(at), name)).collect();
    let expected = [("1", "a"), ("1", "d"), ("3", "g"), ("9", "l")];
    assert_eq!(found, expected.map(|(line, name)| (format!("src/x/y.rs:{line}"), name.to_string())));
    assert_eq!(modules, ["laws"]);
}
