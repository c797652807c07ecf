//! The commands of the REPL, one row each; dispatch, completion and `:help` read the same rows.

use super::{Repl, Reply, answer_text, coloured, renderer};
use crate::diagnostic::render::folded;
use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::report::wrap::wrapped;
use crate::session::file::cannot_write;
use crate::session::input::read;
use crate::session::topics::{self, TOPICS};
use crate::session::{ItemKind, Mode, NamedItem, Session, SessionOptions, library};
use crate::source::visible;
use crate::timing;
use std::path::Path;
use std::time::{Duration, Instant};

/// One command: name, other names, what follows it, one line of help, and the function that does it.
pub struct Command {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub arg: &'static str,
    pub help: &'static str,
    run: fn(&mut Repl, &str) -> Reply,
}

/// Every command, in the order in which `:help` lists them.
pub static COMMANDS: &[Command] = &[
    Command { name: "type", aliases: &["t"], arg: "<expr>", help: "the type of an expression", run: show_type },
    Command { name: "doc", aliases: &["d"], arg: "<name>", help: "the documentation of a name or question", run: doc },
    Command {
        name: "help",
        aliases: &["h", "?"],
        arg: "[<what>]",
        help: "this, or about a command, a word, a question, a list",
        run: help,
    },
    Command { name: "list", aliases: &["ls"], arg: "[<prefix>]", help: "what is declared", run: list },
    Command { name: "time", aliases: &[], arg: "<statement>", help: "a statement with the time it takes", run: time },
    Command {
        name: "latex",
        aliases: &[],
        arg: "[<expr>]",
        help: "an answer as LaTeX; alone: the last one",
        run: latex,
    },
    Command { name: "show", aliases: &["all"], arg: "", help: "the last answer in full", run: show },
    Command { name: "load", aliases: &["l"], arg: "<file>", help: "run a file in this session", run: load },
    Command {
        name: "save",
        aliases: &["s"],
        arg: "<file>",
        help: "write a program that replays this session",
        run: save,
    },
    Command { name: "reset", aliases: &[], arg: "", help: "forget everything declared", run: reset },
    Command { name: "quit", aliases: &["q", "exit"], arg: "", help: "leave (also Ctrl-D)", run: quit },
];

/// The row with this name or alias.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|c| c.name == name || c.aliases.contains(&name))
}

/// Runs the command `input`, written without its colon.
pub fn run(repl: &mut Repl, input: &str) -> Reply {
    let (name, rest) = input.split_once(char::is_whitespace).unwrap_or((input, ""));
    let rest = rest.trim();
    let Some(command) = find(name) else {
        let mut diagnostic = Diagnostic::error(&codes::UNKNOWN_NAME, format!("there is no command `:{name}`"));
        if let Some(near) = suggest::nearest(name, COMMANDS.iter().map(|c| c.name)) {
            diagnostic = diagnostic.help(format!("did you mean `:{near}`?"));
        }
        return repl.complaint(&diagnostic.help("`:help` lists the commands"));
    };
    if rest.is_empty() && command.arg.starts_with('<') {
        let title = format!("`:{}` needs something: :{} {}", command.name, command.name, command.arg);
        return repl.complaint(&Diagnostic::error(&codes::SYNTAX, title));
    }
    (command.run)(repl, rest)
}

fn show_type(repl: &mut Repl, expression: &str) -> Reply {
    match repl.session.type_of(expression) {
        Ok(type_name) => Reply::out(format!("{}\n", visible(&type_name))),
        Err(diagnostics) => repl.complaints(&diagnostics),
    }
}

/// Text for this screen, with its last line ended.
fn fitted(repl: &Repl, text: &str) -> Reply {
    Reply::out(wrapped(&visible(text.trim_end()), repl.screen.columns) + "\n")
}

fn doc(repl: &mut Repl, name: &str) -> Reply {
    // Tab may have added the bracket of a call.
    let name = name.trim_end_matches('(');
    if let Some((_, text)) = name.strip_prefix("std.").and_then(|n| library::FILES.iter().find(|(file, _)| *file == n))
    {
        let mut session = Session::new(SessionOptions { answer: false, ..repl.session.options().clone() });
        session.feed(name, text, Mode::File);
        let entry = |item: NamedItem| {
            let doc = session
                .written_doc(&item.name)
                .map_or(String::new(), |doc| format!("\n    {}", folded_below(&doc, repl.screen.columns)));
            let head = if item.kind == ItemKind::Function { String::new() } else { format!("{}: ", item.name) };
            format!("{head}{}{doc}\n", item.type_name)
        };
        let entries = session.list().into_iter().map(entry).collect::<String>();
        let preface = library::preface(text);
        let told: Vec<String> =
            paragraphs(&preface).lines().flat_map(|line| folded(line, repl.screen.columns)).collect();
        return fitted(repl, &format!("{}\n\n{entries}", told.join("\n")));
    }
    if let Some(topic) = topics::find(name).filter(|_| repl.session.doc(name).is_none()) {
        return Reply::out(topic.text(repl.screen.columns));
    }
    if let Some(text) = repl.session.doc(name) {
        return fitted(repl, &text);
    }
    let items: Vec<String> =
        repl.session.list().into_iter().chain(repl.session.questions()).map(|item| item.name).collect();
    let mut diagnostic = if items.iter().any(|n| n == name) {
        Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{name}` has no documentation"))
            .help("write `/// …` on the line before its declaration")
    } else {
        Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{name}` is neither declared nor a question"))
    };
    if let Some(near) = suggest::nearest(name, items.iter().map(String::as_str)) {
        diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
    }
    repl.complaint(&diagnostic)
}

/// A text below a line, four places in.
fn folded_below(text: &str, columns: usize) -> String {
    let text = paragraphs(text);
    let lines = text.lines().flat_map(|line| folded(line, columns.saturating_sub(4).max(20)));
    lines.collect::<Vec<_>>().join("\n    ")
}

/// The text with each paragraph on one line; what stands indented is no prose and stays as it is.
fn paragraphs(text: &str) -> String {
    let mut whole = String::new();
    let mut goes_on = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if !whole.is_empty() {
            whole.push(if goes_on && is_prose { ' ' } else { '\n' });
        }
        whole.push_str(line);
        goes_on = is_prose;
    }
    whole
}

fn help(repl: &mut Repl, what: &str) -> Reply {
    if what.is_empty() {
        return Reply::out(overview(repl.screen.columns));
    }
    if let Some(topic) = topics::find(what).filter(|_| repl.session.place_of(what).is_none()) {
        return Reply::out(topic.text(repl.screen.columns));
    }
    // `h` alone is the question, `:h` the command.
    let asked = crate::questions::find(what).is_some();
    if let Some(command) = find(what.trim_start_matches(':')).filter(|c| !asked || c.name == what) {
        let aliases: Vec<String> = command.aliases.iter().map(|a| format!(":{a}")).collect();
        let also = if aliases.is_empty() { String::new() } else { format!(" (also {})", aliases.join(", ")) };
        return Reply::out(format!(":{} {}{also}: {}\n", command.name, command.arg, command.help));
    }
    match codes::find(what) {
        Some(code) => Reply::out(code.explained()),
        None => doc(repl, what),
    }
}

/// How to begin, the commands, and what there is to read.
fn overview(columns: usize) -> String {
    let paragraph = |text: &str| folded(text, columns).join("\n");
    let told = "A statement declares, an expression asks; `_` is the last answer. Tab completes, Ctrl-R searches, Ctrl-C \
                stops a computation, an empty line ends a block.";
    let commands: Vec<_> = COMMANDS.iter().map(|c| (format!("  :{} {}", c.name, c.arg), c.help.to_string())).collect();
    let topics: Vec<String> = TOPICS.iter().map(|t| format!("`:help {}` ({})", t.name, t.help)).collect();
    let first = FIRST_MODEL.lines().map(|line| format!("  {line}\n")).collect::<String>();
    format!(
        "{}\n\n{}\n{}\n\nA first model:\n{first}",
        paragraph(told),
        topics::two_columns(&commands, columns),
        paragraph(&format!("Lists: {}.", topics.join(", "))),
    )
}

/// Five lines to begin with.
const FIRST_MODEL: &str = "manifold Y over t { x }
lagrangian L on J1(Y) = x'^2/2 - 2*x^2
equations(L)
let run = simulate L { from x = 1; until t = 10 }
plot run { x }";

fn list(repl: &mut Repl, prefix: &str) -> Reply {
    let items: Vec<_> = repl.session.list().into_iter().filter(|i| i.name.starts_with(prefix)).collect();
    if items.is_empty() {
        return Reply::talk("nothing is declared yet\n");
    }
    let wide = items.iter().map(|i| i.name.chars().count()).max().unwrap_or(0);
    // The statement that declares it, on one line, as far as there is room; of a coordinate its manifold has it.
    let declared = |item: &NamedItem| repl.session.definition_of(&item.name).filter(|_| !item.is_coordinate());
    let of_type = |item: &NamedItem| item.type_name.chars().count();
    let next = items.iter().filter(|i| declared(i).is_some()).map(of_type).max().unwrap_or(0);
    let columns = repl.screen.columns;
    let line = |item: &NamedItem| {
        let mut line = format!("{:wide$}  {}", item.name, item.type_name);
        if let Some(text) = declared(item) {
            let gap = " ".repeat(next.saturating_sub(of_type(item)) + 2);
            line += &format!("{gap}{text}");
        }
        if line.chars().count() > columns {
            line = line.chars().take(columns.saturating_sub(1)).chain(['…']).collect();
        }
        visible(&line).into_owned() + "\n"
    };
    Reply::out(items.iter().map(line).collect::<String>())
}

fn time(repl: &mut Repl, statement: &str) -> Reply {
    let (wall, cpu) = (Instant::now(), timing::process_cpu());
    let mut reply = repl.enter(statement);
    let (wall, cpu) = (wall.elapsed(), timing::process_cpu().saturating_sub(cpu));
    reply.talk += &format!("took {} ({} of processor time)\n", seconds(wall), seconds(cpu));
    reply
}

/// A duration to three digits.
fn seconds(d: Duration) -> String {
    let s = d.as_secs_f64();
    match s {
        _ if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        _ if s < 1.0 => format!("{:.1} ms", s * 1e3),
        _ => format!("{s:.2} s"),
    }
}

fn latex(repl: &mut Repl, expression: &str) -> Reply {
    if expression.is_empty() {
        return match &repl.last {
            Some(answer) => Reply::out(format!("{}\n", visible(&answer.latex()))),
            None => Reply::talk("there is no answer yet\n"),
        };
    }
    match repl.feed("input", expression, Mode::Line) {
        Ok(outcomes) => {
            let said: Vec<Diagnostic> = outcomes.iter().flat_map(|o| o.diagnostics.clone()).collect();
            let mut reply = repl.complaints(&said);
            for answer in outcomes.iter().filter_map(|o| o.answer.as_ref()) {
                reply.out += &format!("{}\n", visible(&answer.latex()));
                repl.last = Some(answer.clone());
            }
            reply
        }
        Err(reply) => reply,
    }
}

fn show(repl: &mut Repl, _: &str) -> Reply {
    match &repl.last {
        Some(answer) => Reply::out(coloured(&answer_text(answer, repl.screen), repl.screen)),
        None => Reply::talk("there is no answer yet\n"),
    }
}

fn load(repl: &mut Repl, file: &str) -> Reply {
    let input = match read(&*repl.session.options().world, Path::new(unquoted(file))) {
        Ok(input) => input,
        Err(unreadable) => {
            return Reply::talk(renderer(&unreadable.sources, repl.screen, repl.format).render(&unreadable.diagnostic));
        }
    };
    let set_aside = repl.session.make_room_for(&input.text);
    let mut reply = repl.ask(&input.name, &input.text, Mode::File);
    for text in repl.session.bring_back(set_aside) {
        reply.talk += &format!("`{text}` no longer holds and is forgotten\n");
    }
    reply
}

fn save(repl: &mut Repl, file: &str) -> Reply {
    let file = unquoted(file);
    let text = repl.session.save();
    match repl.session.options().world.write(Path::new(file), text.as_bytes()) {
        Ok(()) => Reply::talk(format!("{} lines written to {file}\n", text.lines().count())),
        Err(trouble) => repl.complaint(&cannot_write(file, trouble)),
    }
}

/// File names may be written with the quotes they have in the language.
fn unquoted(file: &str) -> &str {
    file.strip_prefix('"').and_then(|f| f.strip_suffix('"')).unwrap_or(file)
}

fn reset(repl: &mut Repl, _: &str) -> Reply {
    repl.session = Session::new(repl.session.options().clone());
    repl.last = None;
    Reply::talk("everything is forgotten\n")
}

fn quit(_: &mut Repl, _: &str) -> Reply {
    Reply { quit: true, ..Reply::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::render::MessageFormat;

    fn enter(input: &str) -> Reply {
        Repl::new(SessionOptions::default(), MessageFormat::Human).enter(input)
    }

    #[test]
    fn names_and_aliases_are_all_different() {
        let mut names: Vec<&str> = COMMANDS.iter().flat_map(|c| c.aliases.iter().copied().chain([c.name])).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn help_lists_every_command_and_explains_each() {
        let all = enter(":help").out;
        for command in COMMANDS {
            assert!(all.contains(&format!(":{} ", command.name)) && all.contains(command.help));
            assert!(enter(&format!(":help {}", command.name)).out.contains(command.help));
        }
        assert!(enter(":help E0101").out.contains("unknown_name"));
        assert!(enter(":help h").out.contains("horizontal part"));
        assert!(enter(":help :h").out.contains(":help"));
        let questions = enter(":help questions").out;
        assert!(crate::questions::all().all(|q| questions.contains(q.name)));
        assert!(TOPICS.iter().all(|t| all.contains(&format!("`:help {}`", t.name))));
        assert!(enter(":doc std").out.contains("std.springs"));
        assert!(enter(":help simulate").out.contains("until t = 10"));
    }

    /// A newcomer types what `:help` shows.
    #[test]
    fn the_first_model_runs() {
        let mut repl = Repl::new(SessionOptions::default(), MessageFormat::Human);
        assert!(FIRST_MODEL.lines().all(|line| repl.enter(line).talk.is_empty()));
    }

    #[test]
    fn what_was_declared_is_shown_and_saved_with_its_questions() {
        let mut repl = Repl::new(SessionOptions::default(), MessageFormat::Human);
        for line in [
            "manifold Y over t { x }",
            "param m = 1, k = 2",
            "m + k",
            "lagrangian L on J1(Y) = m*x'^2/2 - k*x^2/2",
            "equations(L)",
            "assert classify(L) is regular",
        ] {
            assert!(repl.enter(line).talk.is_empty(), "{line}");
        }
        let list = repl.enter(":list").out;
        assert!(list.contains("manifold Y over t { x }") && list.contains("L  lagrangian"), "{list}");
        assert!(list.contains("parameter   k = 2"), "{list}");
        assert!(list.contains("= m*x'^2/2 - k*x^2/2"), "{list}");
        assert!(repl.enter(":doc L").out.contains("lagrangian L on J1(Y) = m*x'^2/2 - k*x^2/2"));
        let saved = repl.session().save();
        let lines: Vec<&str> = saved.lines().collect();
        assert_eq!(
            lines[2..],
            ["m + k", "lagrangian L on J1(Y) = m*x'^2/2 - k*x^2/2", "equations(L)", "assert classify(L) is regular"]
        );
        let mut again = Session::new(SessionOptions::default());
        assert!(again.feed("saved.mech", &saved, Mode::File).iter().all(|o| o.held() && o.diagnostics.is_empty()));
        assert!(enter(":doc std.springs").out.contains("spring"));
    }

    #[test]
    fn a_slip_in_a_command_gets_the_nearest_one() {
        assert!(enter(":tyep x").talk.contains("did you mean `:type`?"));
        assert!(enter(":type").talk.contains(":type <expr>"));
    }

    #[test]
    fn time_is_told_after_the_answer() {
        assert!(enter(":time no_such_question(1)").talk.contains("took "));
        assert_eq!(seconds(Duration::from_micros(250)), "250 µs");
        assert_eq!(seconds(Duration::from_millis(42)), "42.0 ms");
        assert_eq!(seconds(Duration::from_secs(3)), "3.00 s");
    }

    #[test]
    fn files_that_cannot_be_used_are_diagnostics() {
        assert!(enter(":load no/such/file.mech").talk.contains("E0903"));
        assert!(enter(":save no/such/folder/x.mech").talk.contains("E0905"));
    }
}
