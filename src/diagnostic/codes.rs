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
    /// A tiny program that gets this diagnostic.
    pub failing: &'static str,
    /// The same program, repaired.
    pub repaired: &'static str,
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
}

/// The row with this number or name.
pub fn find(key: &str) -> Option<&'static Code> {
    let digits = key.trim_start_matches(['E', 'e']);
    ALL.iter().copied().find(|c| c.name == key || digits.parse() == Ok(c.number))
}
