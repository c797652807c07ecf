//! The settings of a picture: entries `title = "Two orbits"` among its curves. One table says which there are.

use crate::diagnostic::{Diagnostic, codes, suggest};
use crate::model::checked::PlotSettings;
use crate::model::value::Fallible;
use crate::report::axis::Scale;
use crate::syntax::ast::{Ast, ExprId, ExprKind, Text, Word};

/// One setting: its name, what it takes, and what it does with that; `None` if that is something else.
struct Row {
    name: &'static str,
    takes: &'static str,
    /// How that is written, where it is not one of its words.
    written: &'static str,
    set: fn(&mut PlotSettings, &Given) -> Option<()>,
}

/// The right side of a setting.
enum Given {
    Text(Text),
    Word(Text),
    Other,
}

const SETTINGS: &[Row] = &[
    Row { name: "title", takes: "a text", written: "\"…\"", set: |s, v| v.text().map(|t| s.title = Some(t)) },
    Row { name: "x_label", takes: "a text", written: "\"…\"", set: |s, v| v.text().map(|t| s.x_label = Some(t)) },
    Row { name: "y_label", takes: "a text", written: "\"…\"", set: |s, v| v.text().map(|t| s.y_label = Some(t)) },
    Row {
        name: "x_scale",
        takes: "`linear` or `log`",
        written: "",
        set: |s, v| v.scale().map(|scale| s.x_scale = scale),
    },
    Row {
        name: "y_scale",
        takes: "`linear` or `log`",
        written: "",
        set: |s, v| v.scale().map(|scale| s.y_scale = scale),
    },
    Row {
        name: "aspect",
        takes: "`equal` or `free`",
        written: "",
        set: |s, v| v.one_of(["free", "equal"]).map(|equal| s.equal = Some(equal)),
    },
    Row {
        name: "style",
        takes: "`lines` or `points`",
        written: "",
        set: |s, v| v.one_of(["lines", "points"]).map(|points| s.points = points),
    },
];

/// The settings, each with what it takes: for completion, help and the reference.
pub fn plot_settings() -> impl Iterator<Item = (&'static str, &'static str)> {
    SETTINGS.iter().map(|row| (row.name, row.takes))
}

impl Given {
    fn text(&self) -> Option<Text> {
        match self {
            Given::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// Whether it is the second of two words.
    fn one_of(&self, words: [&str; 2]) -> Option<bool> {
        match self {
            Given::Word(word) => words.iter().position(|w| *w == &**word).map(|i| i == 1),
            _ => None,
        }
    }

    fn scale(&self) -> Option<Scale> {
        self.one_of(["linear", "log"]).map(|log| if log { Scale::Log } else { Scale::Linear })
    }
}

/// The settings of one picture, while they are read.
#[derive(Default)]
pub struct Settings {
    read: PlotSettings,
    given: Vec<Word>,
}

impl Settings {
    pub fn read(&mut self, ast: &Ast, name: &Word, value: ExprId) -> Fallible<()> {
        let names = || plot_settings().map(|(name, _)| name);
        let Some(row) = SETTINGS.iter().find(|row| *row.name == *name.node) else {
            let refused = Diagnostic::error(&codes::UNKNOWN_CLAUSE, format!("a plot has no setting `{}`", name.node))
                .label(name.span, "no such setting")
                .note(format!("its settings are {}", names().collect::<Vec<_>>().join(", ")));
            return Err(Box::new(match suggest::nearest(&name.node, names()) {
                Some(near) => refused.repair(format!("write `{near}`"), name.span, near.to_string()),
                None => refused.help("write a column as it is named: `plot run { x }`"),
            }));
        };
        if let Some(first) = self.given.iter().find(|w| w.node == name.node) {
            return Err(Box::new(
                Diagnostic::error(&codes::REPEATED_CLAUSE, format!("`{}` is given twice", name.node))
                    .label(name.span, "again")
                    .label(first.span, "first"),
            ));
        }
        self.given.push(name.clone());
        let given = match ast.kind(value) {
            ExprKind::String(text) => Given::Text(text.clone()),
            ExprKind::Name(word) if word.primes == 0 => Given::Word(word.text.clone()),
            _ => Given::Other,
        };
        (row.set)(&mut self.read, &given).ok_or_else(|| {
            let example = match row.written {
                "" => String::new(),
                written => format!(": `{} = {written}`", row.name),
            };
            Box::new(
                Diagnostic::error(&codes::BAD_OPTION, format!("`{}` of a plot is {}", row.name, row.takes))
                    .label(ast.span(value), "something else")
                    .help(format!("write {}{example}", row.takes)),
            )
        })
    }

    pub fn finish(self) -> PlotSettings {
        self.read
    }
}
