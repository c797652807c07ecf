//! Forms and fields as text, in the language's own syntax or as LaTeX.
//!
//! ```text
//! (y*x' + x')*dt        q''*omega(q) /\ dt + (q*t - q')*omega(q') /\ dt        @t + x'*@x - k*x/m*@x'
//! ```
//!
//! What is printed as ASCII parses back. Terms along dt and @t come first; within a product dt stands last.

use super::contact::{Component, ContactForm, Covector};
use super::field::VectorField;
use super::form::Form;
use crate::algebra::print::{Format, Style};
use crate::algebra::{Expr, Symbol, SymbolKind};
use std::fmt;

/// `dx'`, `d(jet(x, 4))`, `omega(x')`.
pub fn covector(style: Style, covector: Covector) -> String {
    let name = style.symbol(covector.symbol());
    match (covector, style.format) {
        (Covector::Differential(_), Format::Latex) => format!(r"\mathrm{{d}}{name}"),
        (Covector::Differential(s), _) if is_word(s) => format!("d{name}"),
        (Covector::Differential(_), _) => format!("d({name})"),
        (Covector::Contact(_), Format::Ascii) => format!("omega({name})"),
        (Covector::Contact(_), Format::Unicode) => format!("omega({name})"),
        (Covector::Contact(_), Format::Latex) => format!(r"\omega_{{{name}}}"),
    }
}

/// `dx /\ dt`; the empty product of a function is the empty text.
pub fn basis(style: Style, basis: &[Covector]) -> String {
    let wedge = match style.format {
        Format::Ascii => r" /\ ",
        Format::Unicode => " ∧ ",
        Format::Latex => r" \wedge ",
    };
    basis.iter().map(|c| covector(style, *c)).collect::<Vec<_>>().join(wedge)
}

/// `@x'`, or ∂/∂ẋ in LaTeX.
pub fn direction(style: Style, symbol: Symbol) -> String {
    let name = style.symbol(symbol);
    match style.format {
        Format::Latex => format!(r"\frac{{\partial}}{{\partial {name}}}"),
        Format::Ascii | Format::Unicode => format!("@{name}"),
    }
}

/// Whether `d` may stand directly before the name: a coordinate with at most three primes.
fn is_word(symbol: Symbol) -> bool {
    match symbol.kind() {
        SymbolKind::Jet { coordinate, order } => order <= 3 && !coordinate.name().contains('['),
        SymbolKind::Velocity { .. } | SymbolKind::Variation { .. } => false,
        _ => true,
    }
}

fn sum(style: Style, components: impl IntoIterator<Item = Component>) -> String {
    let terms: Vec<(Expr, String)> = components.into_iter().map(|c| (c.coefficient, basis(style, &c.basis))).collect();
    match terms.as_slice() {
        // A function is its own coefficient.
        [(e, text)] if text.is_empty() => style.write(*e),
        _ => style.combination(&terms),
    }
}

impl Form {
    pub fn write(&self, style: Style) -> String {
        sum(style, self.terms_in_reading_order().into_iter().map(super::contact::differential))
    }
}

impl ContactForm {
    pub fn write(&self, style: Style) -> String {
        sum(style, self.components())
    }
}

impl Component {
    pub fn write(&self, style: Style) -> String {
        sum(style, [self.clone()])
    }

    /// The basis element alone: `dx /\ dt`.
    pub fn basis_text(&self) -> String {
        basis(Style::ASCII, &self.basis)
    }
}

impl VectorField {
    pub fn write(&self, style: Style) -> String {
        let terms: Vec<(Expr, String)> = self.components().into_iter().map(|(s, c)| (c, direction(style, s))).collect();
        style.combination(&terms)
    }
}

macro_rules! display {
    ($($kind:ty),*) => {$(
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(&self.write(Style::ASCII))
            }
        }
    )*};
}
display!(Form, ContactForm, Component, VectorField);

impl fmt::Display for Covector {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&covector(Style::ASCII, *self))
    }
}
