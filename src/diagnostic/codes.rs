//! The table of codes. Every diagnostic has a number and a name; `lepage explain` shows the row with
//! a tiny failing program and its repair. The ranges tell the room: 00xx text, 01xx names, 02xx
//! values and algebra, 03xx geometry, 04xx systems and questions, 06xx constraints, 07xx runs, 09xx
//! limits and the program itself.

/// One row: number, name, what it is about, and a failing program with its repair.
#[derive(PartialEq, Eq, Debug)]
pub struct Code {
    pub number: u16,
    /// The name by which `assert … fails with name` expects it.
    pub name: &'static str,
    pub title: &'static str,
    /// Two or three sentences for `lepage explain`.
    pub explanation: &'static str,
    /// A tiny program that gets this diagnostic; empty where no program text can cause it.
    pub failing: &'static str,
    /// The same program, repaired.
    pub repaired: &'static str,
}

/// `E0312`
impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "E{:04}", self.number)
    }
}

macro_rules! codes {
    ($($ident:ident = $number:literal $name:literal: $title:literal, $explanation:literal, $failing:literal => $repaired:literal;)*) => {
        $(pub static $ident: Code = Code {
            number: $number, name: $name, title: $title,
            explanation: $explanation, failing: $failing, repaired: $repaired,
        };)*
        /// Every code, ascending.
        pub static ALL: &[&Code] = &[$(&$ident),*];
    };
}

codes! {
    SYNTAX = 1 "syntax": "this cannot be read",
        "The text does not have the shape of a statement. The message names what was expected at this place.",
        "manifold Y over t { x " => "manifold Y over t { x }";
    UNKNOWN_NAME = 101 "unknown_name": "this name is not declared",
        "A name must be declared before it is used: a coordinate in a manifold, a symbol with param, a value with let.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = m*x'^2/2" => "manifold Y over t { x }\nparam m\nlagrangian L on J1(Y) = m*x'^2/2";
    BUDGET = 901 "budget": "the computation went over its budget",
        "A budget of nodes, bits or time was exhausted. What is known so far is reported; nothing is guessed.",
        "2^(10^9)" => "2^(10^3)";
    NOT_AVAILABLE = 902 "not_available": "this is not available yet",
        "The statement belongs to the language, but this version does not answer it yet.",
        "" => "";
    CANNOT_READ = 903 "cannot_read": "this file cannot be read",
        "A file named on the command line or after use is missing, is a folder, or may not be read.",
        "" => "";
    NOT_TEXT = 904 "not_text": "this file is not UTF-8 text",
        "Programs are UTF-8. The message names the first byte that is not, counted from 1.",
        "" => "";
    CANNOT_WRITE = 905 "cannot_write": "the output cannot be written",
        "The disk is full, the file may not be written, or the program reading the output has gone.",
        "" => "";
    MISSING_FEATURE = 906 "missing_feature": "this build lacks a feature",
        "Heavy parts are optional. Build with the named feature: cargo install lepage --features full.",
        "" => "";
    INTERNAL = 999 "internal": "lepage made a mistake",
        "This is a bug in lepage, not in the program it was given. Please report it with the program that shows it.",
        "" => "";
}

/// The row with this number or name.
pub fn find(key: &str) -> Option<&'static Code> {
    let digits = key.trim_start_matches(['E', 'e']);
    ALL.iter().copied().find(|c| c.name == key || digits.parse() == Ok(c.number))
}
