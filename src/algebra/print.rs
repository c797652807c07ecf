//! Expressions as text: the language's own syntax in ASCII or with Greek letters, and LaTeX.
//!
//! What is printed parses back to an equal expression. It is also what a mechanician would write:
//! one fraction bar, `theta'^2` and not `theta'*theta'`, `sqrt(6)`, 9.81 and not 981/100, highest
//! derivatives first in sums and last in products, a sum inside a sum without parentheses.
//!
//! ```text
//! m*l^2*theta'' + m*g*l*sin(theta)        V'(theta)*theta'        sqrt(k/m)        jet(q, 4)
//! ```
//!
//! Forms that the reader of a paper does not need to be told, but a parser does:
//!
//! - partial derivatives of an unspecified function of several variables are `D(V(x, y), x, y)`; where the
//!   arguments are not different symbols, `D(V, 1, 1, 2)(x^2, x*y)` differentiates by position;
//! - ∫₀¹ f(u) du is `integral(u in 0..1, f(u))`; the name of the variable is changed if it occurs freely.
//!
//! The order of terms is structural ([`order`]) and does not depend on the age of nodes: the same
//! expression is the same text however it was computed. Nothing recurses: pending pieces stand on a
//! stack, and a text longer than [`Style::limit`] ends in `…` with its brackets closed.

pub mod name;
pub mod order;
mod term;

use super::expr::{Condition, Expr, Node, Undefined, post_order_where};
use super::function::Parity;
use super::number::Rational;
use super::symbol::{Function, Symbol, SymbolKind};
use order::Order;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use term::{Factor, Term, number_text};

/// Which signs are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Ascii,
    /// ASCII with the letters θ, λ, … for `theta`, `lambda`.
    Unicode,
    Latex,
}

/// How to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    pub format: Format,
    /// A longer text (in bytes) is cut.
    pub limit: usize,
}

/// A text, and whether it is the whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    pub text: String,
    /// False when the limit or the budget cut it.
    pub complete: bool,
}

/// The language's syntax in ASCII.
pub fn text(e: Expr) -> String {
    Style::ASCII.write(e)
}

/// The same with Greek letters.
pub fn unicode(e: Expr) -> String {
    Style::UNICODE.write(e)
}

#[cfg(test)]
pub fn latex(e: Expr) -> String {
    Style::LATEX.write(e)
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&text(*self))
    }
}

impl Style {
    pub const ASCII: Style = Style { format: Format::Ascii, limit: 1 << 20 };
    pub const UNICODE: Style = Style { format: Format::Unicode, limit: 1 << 20 };
    pub const LATEX: Style = Style { format: Format::Latex, limit: 1 << 20 };

    pub fn with_limit(self, limit: usize) -> Style {
        Style { limit, ..self }
    }

    pub fn write(self, e: Expr) -> String {
        self.print(e).text
    }

    pub fn print(self, e: Expr) -> Printed {
        let printer = Printer::new(self, &[e]);
        printer.run(vec![Work::Expr(e, Level::Top)])
    }

    /// `e` as it stands in a product: sums and fractions in parentheses, no sign in front.
    pub fn factor(self, e: Expr) -> String {
        let printer = Printer::new(self, &[e]);
        printer.run(vec![Work::Expr(e, Level::Coefficient)]).text
    }

    /// Σ coefficient · basis, as forms and fields are written: `(x' + y*x')*dt`, `-dx /\ dt + 2*dy /\ dt`.
    /// The basis texts are taken as they are; terms with coefficient 0 are left out.
    pub fn combination(self, terms: &[(Expr, String)]) -> String {
        let roots: Vec<Expr> = terms.iter().map(|(e, _)| *e).collect();
        let printer = Printer::new(self, &roots);
        let mut work = Vec::new();
        for (coefficient, basis) in terms.iter().filter(|(c, _)| !c.is_zero()) {
            let (negative, magnitude) = printer.split_sign(*coefficient);
            work.push(Work::Text(match (negative, work.is_empty()) {
                (true, true) => "-".into(),
                (true, false) => " - ".into(),
                (false, true) => "".into(),
                (false, false) => " + ".into(),
            }));
            if !magnitude.is_one() {
                work.push(Work::Expr(magnitude, Level::Coefficient));
                work.push(Work::Text(self.times().into()));
            }
            work.push(Work::Text(basis.clone().into()));
        }
        if work.is_empty() {
            return "0".into();
        }
        printer.run(work).text
    }

    pub fn symbol(self, s: Symbol) -> String {
        match (self.format, s.kind()) {
            (Format::Ascii, _) => s.name(),
            (Format::Unicode, _) => name::unicode(&s.name()),
            (Format::Latex, SymbolKind::Jet { coordinate, order }) => {
                let (letter, below) = name::latex_parts(&coordinate.name());
                let dotted = match order {
                    0 => letter,
                    1 => format!(r"\dot{{{letter}}}"),
                    2 => format!(r"\ddot{{{letter}}}"),
                    3 => format!(r"\dddot{{{letter}}}"),
                    _ => format!("{letter}^{{({order})}}"),
                };
                if below.is_empty() { dotted } else { format!("{dotted}_{{{below}}}") }
            }
            (Format::Latex, SymbolKind::Velocity { of }) => {
                // Velocities of velocities do not occur, so this goes one level down.
                format!(r"\operatorname{{vel}}\left({}\right)", self.symbol(of))
            }
            (Format::Latex, SymbolKind::Variation { of, number }) => {
                let below = if number == 1 { String::new() } else { format!("_{{{number}}}") };
                format!(r"\delta{below} {}", self.symbol(of))
            }
            (Format::Latex, SymbolKind::Momentum { of }) => match of.as_jet() {
                Some((coordinate, 0)) => format!("p_{{{}}}", name::latex(&coordinate.name())),
                Some((coordinate, k)) => format!("p^{{{k}}}_{{{}}}", name::latex(&coordinate.name())),
                None => name::latex(&s.name()),
            },
            (Format::Latex, _) => name::latex(&s.name()),
        }
    }

    pub fn number(self, n: &Rational) -> String {
        let (p, q) = number_text(&n.abs());
        let sign = if n.is_negative() { "-" } else { "" };
        match (q, self.format) {
            (None, _) => format!("{sign}{p}"),
            (Some(q), Format::Latex) => format!(r"{sign}\frac{{{p}}}{{{q}}}"),
            (Some(q), _) => format!("{sign}{p}/{q}"),
        }
    }

    fn word(self, name: &str) -> String {
        match self.format {
            Format::Ascii => name.into(),
            Format::Unicode => name::unicode(name),
            Format::Latex => name::latex(name),
        }
    }

    fn times(self) -> &'static str {
        if self.format == Format::Latex { r"\, " } else { "*" }
    }
}

/// Where an expression stands, and so which parentheses it needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Alone, or between brackets and commas.
    Top,
    /// Among factors.
    Factor,
    /// In front of a basis form: like a factor, and fractions are bracketed too.
    Coefficient,
    /// Under or over a `^`.
    Base,
}

/// A piece that is still to be written.
enum Work {
    Text(Cow<'static, str>),
    Expr(Expr, Level),
    /// The opposite of a sum, with the sign carried into its terms.
    Opposite(Expr, Level),
    /// A node that is no sum, without the sign it might carry.
    Body(Expr),
    Term(Box<Term>, Level),
    Factor(Factor),
    /// Brackets and what they hold.
    Group(&'static str, Vec<Work>, &'static str),
    /// A bracket that is written even when the rest is cut.
    Close(&'static str),
}

struct Printer {
    style: Style,
    order: Order,
    /// Names of bound variables that had to change.
    renamed: FxHashMap<Symbol, String>,
    /// Of functions: whether the argument is shown with the opposite sign; of sums: whether the sum is.
    flipped: RefCell<FxHashMap<Expr, bool>>,
}

/// The sum that is shown for a node: like terms collected, in reading order.
struct Terms {
    list: Vec<(Expr, Rational)>,
    constant: Rational,
}

impl Printer {
    fn new(style: Style, roots: &[Expr]) -> Printer {
        Printer { style, order: Order::new(roots), renamed: rename_bound(roots), flipped: RefCell::default() }
    }

    fn is_latex(&self) -> bool {
        self.style.format == Format::Latex
    }

    fn run(&self, mut stack: Vec<Work>) -> Printed {
        stack.reverse();
        let mut out = String::new();
        let mut complete = true;
        while let Some(work) = stack.pop() {
            if complete && (out.len() > self.style.limit || crate::budget::is_interrupted()) {
                complete = false;
                if out.len() > self.style.limit {
                    out.truncate(out.floor_char_boundary(self.style.limit));
                }
                out.push_str(if self.is_latex() { r" \ldots " } else { "…" });
            }
            if !complete {
                if let Work::Close(bracket) = work {
                    out.push_str(bracket);
                }
                continue;
            }
            let mut pieces = Vec::new();
            match work {
                Work::Text(t) => out.push_str(&t),
                Work::Close(t) => out.push_str(t),
                Work::Group(open, inner, close) => {
                    out.push_str(open);
                    pieces = inner;
                    pieces.push(Work::Close(close));
                }
                Work::Expr(e, level) => self.expression(e, level, &Rational::ONE, &mut pieces),
                Work::Opposite(e, level) => self.expression(e, level, &Rational::MINUS_ONE, &mut pieces),
                Work::Term(term, level) => self.term(*term, level, &mut pieces),
                Work::Factor(factor) => self.factor(factor, &mut pieces),
                Work::Body(e) => self.body(e, &mut pieces),
            }
            stack.extend(pieces.into_iter().rev());
        }
        Printed { text: out, complete }
    }

    fn parentheses(&self, inner: Vec<Work>) -> Work {
        if self.is_latex() { Work::Group(r"\left(", inner, r"\right)") } else { Work::Group("(", inner, ")") }
    }

    /// sign · e.
    fn expression(&self, e: Expr, level: Level, sign: &Rational, out: &mut Vec<Work>) {
        if !matches!(e.node(), Node::Sum { .. }) {
            return out.push(Work::Term(Box::new(self.alone(self.term_of(e, sign), level)), level));
        }
        let mut shown = self.shown(e, sign);
        if shown.len() == 1 {
            // What is left of a sum whose other terms cancel may be a product or a fraction: below a bar it needs parentheses.
            let level = if level == Level::Factor { Level::Base } else { level };
            return out.extend(shown.pop().map(|t| Work::Term(Box::new(self.alone(t, level)), level)));
        }
        if let Some(i) = self.leads(e, shown.iter().map(|t| t.negative)) {
            shown[..=i].rotate_right(1);
        }
        let pieces = signed(shown);
        if level == Level::Top { out.extend(pieces) } else { out.push(self.parentheses(pieces)) }
    }

    /// A term that stands alone takes its minus sign into a sum where that reads better: `a/(b - c)` for
    /// `-a/(c - b)`.
    fn alone(&self, mut term: Term, level: Level) -> Term {
        if !term.negative || level != Level::Top {
            return term;
        }
        for factor in term.numerator.iter_mut().chain(&mut term.denominator) {
            if let Factor::Power { base, exponent, opposite } = factor
                && exponent.to_i64().is_some_and(|n| n % 2 != 0)
                && matches!(base.node(), Node::Sum { .. })
            {
                let turned: Vec<bool> = self.signs(*base).into_iter().map(|negative| negative == *opposite).collect();
                if turned.len() > 1 && (!turned[0] || self.leads(*base, turned.iter().copied()).is_some()) {
                    (*opposite, term.negative) = (!*opposite, false);
                    break;
                }
            }
        }
        term
    }

    /// Which term is moved to the front of the sum `e`, the signs of whose terms are given: the only positive
    /// one, `1 - x^2` for `-x^2 + 1`. But `-m*x'' + m*g` keeps its acceleration in front.
    fn leads(&self, e: Expr, negative: impl IntoIterator<Item = bool>) -> Option<usize> {
        if self.order.highest_jet(e).is_some_and(|order| order >= 2) {
            return None;
        }
        let mut positive = negative.into_iter().enumerate().filter(|(_, negative)| !negative).map(|(i, _)| i);
        match (positive.next(), positive.next()) {
            (Some(i), None) => Some(i),
            _ => None,
        }
    }

    /// Whether a sum would begin with a minus sign, so that as a factor its opposite reads better.
    fn begins_negative(&self, e: Expr) -> bool {
        if let Some(&known) = self.flipped.borrow().get(&e) {
            return known;
        }
        // Sums inside come first, so that nothing recurses.
        let open = post_order_where(&[e], |x| !self.flipped.borrow().contains_key(&x));
        for x in open.into_iter().filter(|x| matches!(x.node(), Node::Sum { .. })) {
            let signs = self.signs(x);
            let negative = signs.len() > 1 && signs[0] && (self.leads(x, signs).is_none() || self.is_difference(x));
            self.flipped.borrow_mut().insert(x, negative);
        }
        self.flipped.borrow().get(&e).copied().unwrap_or(false)
    }

    /// Whether a sum is the difference of two terms that only their names tell apart, such as A − C or m₁v₁ − m₂v₂:
    /// as a factor it has one orientation throughout an answer. 1 − x² is not one.
    fn is_difference(&self, e: Expr) -> bool {
        let terms = self.terms(e);
        match terms.list.as_slice() {
            [(a, c), (b, d)] => terms.constant.is_zero() && c.abs() == d.abs() && self.order.is_like(*a, *b),
            _ => false,
        }
    }

    /// Which terms of a sum are shown with a minus sign, in reading order.
    fn signs(&self, e: Expr) -> Vec<bool> {
        let terms = self.terms(e);
        let constant = (!terms.constant.is_zero()).then(|| terms.constant.is_negative());
        terms.list.iter().map(|(t, c)| self.term_of(*t, c).negative).chain(constant).collect()
    }

    /// The terms of sign · e as they will stand there; never empty.
    fn shown(&self, e: Expr, sign: &Rational) -> Vec<Term> {
        let terms = self.terms(e);
        let mut shown: Vec<Term> = terms.list.iter().map(|(e, c)| self.term_of(*e, &(c * sign))).collect();
        if !terms.constant.is_zero() || shown.is_empty() {
            shown.push(Term::number(&(&terms.constant * sign)));
        }
        shown
    }

    /// The terms of a sum, sums inside it with coefficient ±1 taken apart, like terms collected.
    fn terms(&self, e: Expr) -> Terms {
        let mut constant = Rational::ZERO;
        let mut open: std::collections::BTreeMap<Expr, Rational> = [(e, Rational::ONE)].into();
        let mut list = Vec::new();
        // Youngest first: when a node is taken, all sums that contain it have been opened.
        while let Some((e, c)) = open.pop_last() {
            match e.node() {
                _ if c.is_zero() => {}
                Node::Sum { constant: inner, terms } if c.abs().is_one() => {
                    constant = &constant + &(inner * &c);
                    for (term, coefficient) in terms.iter() {
                        let entry = open.entry(*term).or_insert(Rational::ZERO);
                        *entry = &*entry + &(coefficient * &c);
                    }
                }
                _ => list.push((e, c)),
            }
        }
        list.sort_by_cached_key(|(e, _)| self.order.term_key(*e));
        Terms { list, constant }
    }

    /// Sign and magnitude of a coefficient: −1 is taken out of what prints with a minus in front.
    fn split_sign(&self, e: Expr) -> (bool, Expr) {
        let negative = match e.node() {
            Node::Number(n) => n.is_negative(),
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                self.term_of(terms[0].0, &terms[0].1).negative
            }
            Node::Sum { .. } => false,
            _ => self.term_of(e, &Rational::ONE).negative,
        };
        if negative { (true, -e) } else { (false, e) }
    }

    /// coefficient · e, taken apart for printing.
    fn term_of(&self, e: Expr, coefficient: &Rational) -> Term {
        let single = [(e, Rational::ONE)];
        let factors: &[(Expr, Rational)] = match e.node() {
            Node::Product(list) => list,
            _ => &single,
        };
        let odd = |exponent: &Rational| exponent.to_i64().is_some_and(|n| n % 2 != 0);
        let flips = factors.iter().filter(|(base, exponent)| odd(exponent) && self.flips_sign(*base, 8)).count();
        let mut term = Term::new(coefficient, factors);
        term.negative ^= flips % 2 == 1;
        for factor in term.numerator.iter_mut().chain(&mut term.denominator) {
            if let Factor::Power { base, exponent, opposite } = factor
                && exponent.is_integer()
                && matches!(base.node(), Node::Sum { .. })
                && self.begins_negative(*base)
            {
                *opposite = true;
                term.negative ^= odd(exponent);
            }
        }
        let by_order = |f: &Factor| match f {
            Factor::Power { base, .. } => self.order.factor_key(*base),
            Factor::Surd { .. } => (0, (0, 0, 0), 0, 0),
            Factor::Root(_) => (1, (1, 0, 0), 1, 0),
        };
        term.numerator.sort_by_cached_key(by_order);
        term.denominator.sort_by_cached_key(by_order);
        if let Some(Factor::Root(inner)) =
            term.numerator.iter_mut().chain(&mut term.denominator).find(|f| matches!(f, Factor::Root(_)))
        {
            inner.numerator.sort_by_cached_key(by_order);
            inner.denominator.sort_by_cached_key(by_order);
        }
        term
    }

    /// Whether an odd function is shown as −f(−x), so that its argument begins with a plus.
    fn flips_sign(&self, e: Expr, depth: u32) -> bool {
        matches!(e.node(), Node::Apply(f, _) if f.row().parity == Parity::Odd) && self.flips_argument(e, depth)
    }

    /// Whether the argument of an odd or even function is shown with the opposite sign. Which of
    /// sin(a − b) and sin(b − a) is the node depends on ages; which is shown does not.
    fn flips_argument(&self, e: Expr, depth: u32) -> bool {
        let argument = match e.node() {
            Node::Apply(f, x) if f.row().parity != Parity::Neither => x[0],
            _ => return false,
        };
        if depth == 0 {
            return false;
        }
        if let Some(&known) = self.flipped.borrow().get(&e) {
            return known;
        }
        let (leading, negative) = match argument.node() {
            Node::Sum { .. } => match self.terms(argument).list.first() {
                Some((e, c)) => (*e, c.is_negative()),
                None => return false,
            },
            _ => (argument, false),
        };
        let flips = match leading.node() {
            Node::Product(list) => list
                .iter()
                .filter(|(b, x)| x.to_i64().is_some_and(|n| n % 2 != 0) && self.flips_sign(*b, depth - 1))
                .count(),
            _ => usize::from(self.flips_sign(leading, depth - 1)),
        };
        let result = negative ^ (flips % 2 == 1);
        self.flipped.borrow_mut().insert(e, result);
        result
    }

    fn term(&self, term: Term, level: Level, out: &mut Vec<Work>) {
        let brackets = match level {
            Level::Top => false,
            Level::Factor => term.negative,
            Level::Coefficient => term.negative || term.has_denominator(),
            Level::Base => !term.is_atomic(),
        };
        let mut pieces = Vec::new();
        if term.negative {
            pieces.push(Work::Text("-".into()));
        }
        let mut denominator = self.factors(term.lower, term.denominator);
        let mut numerator = self.factors(term.upper, term.numerator);
        if numerator.is_empty() {
            numerator.push((Work::Text("1".into()), true));
        }
        if self.is_latex() && !denominator.is_empty() {
            // A sum alone above or below the bar needs no parentheses.
            for side in [&mut numerator, &mut denominator] {
                if let [(Work::Factor(Factor::Power { base, exponent, opposite }), _)] = side.as_slice()
                    && exponent.is_one()
                    && matches!(base.node(), Node::Sum { .. })
                {
                    side[0].0 = sum_work(*base, *opposite, Level::Top);
                }
            }
            let mut inner = self.join(numerator);
            inner.push(Work::Close("}{"));
            inner.extend(self.join(denominator));
            pieces.push(Work::Group(r"\frac{", inner, "}"));
        } else {
            pieces.extend(self.join(numerator));
            if !denominator.is_empty() {
                pieces.push(Work::Text("/".into()));
                let several = denominator.len() > 1;
                let inner = self.join(denominator);
                if several { pieces.push(self.parentheses(inner)) } else { pieces.extend(inner) }
            }
        }
        if brackets { out.push(self.parentheses(pieces)) } else { out.extend(pieces) }
    }

    /// The pieces of one side of a fraction; the flag says whether a piece starts with a digit.
    fn factors(&self, number: Option<String>, factors: Vec<Factor>) -> Vec<(Work, bool)> {
        let mut list: Vec<(Work, bool)> = Vec::new();
        list.extend(number.map(|n| (Work::Text(n.into()), true)));
        list.extend(factors.into_iter().map(|f| {
            let digit = match &f {
                Factor::Power { base, .. } => match base.node() {
                    Node::Number(_) => true,
                    Node::Power(base, _) => base.is_number(),
                    _ => false,
                },
                _ => false,
            };
            (Work::Factor(f), digit)
        }));
        list
    }

    fn join(&self, list: Vec<(Work, bool)>) -> Vec<Work> {
        let mut out = Vec::with_capacity(2 * list.len());
        for (i, (work, digit)) in list.into_iter().enumerate() {
            if i > 0 {
                out.push(Work::Text(match (self.is_latex(), digit) {
                    (false, _) => "*".into(),
                    (true, false) => " ".into(),
                    (true, true) => r" \cdot ".into(),
                }));
            }
            out.push(work);
        }
        out
    }

    fn factor(&self, factor: Factor, out: &mut Vec<Work>) {
        match factor {
            Factor::Surd { radicand, root } => {
                let radicand = Work::Text(radicand.to_string().into());
                match (root, self.is_latex()) {
                    (2, true) => out.push(Work::Group(r"\sqrt{", vec![radicand], "}")),
                    (2, false) => out.push(Work::Group("sqrt(", vec![radicand], ")")),
                    (_, true) => {
                        out.push(Work::Text(format!(r"\sqrt[{root}]").into()));
                        out.push(Work::Group("{", vec![radicand], "}"));
                    }
                    (_, false) => out.extend([radicand, Work::Text(format!("^(1/{root})").into())]),
                }
            }
            Factor::Root(inner) => out.push(self.root(Work::Term(inner, Level::Top))),
            Factor::Power { base, exponent, opposite } if exponent.is_one() => out.push(match base.node() {
                Node::Sum { .. } => sum_work(base, opposite, Level::Factor),
                _ => Work::Body(base),
            }),
            Factor::Power { base, exponent, .. } if exponent == Rational::HALF => {
                out.push(self.root(Work::Expr(base, Level::Top)));
            }
            Factor::Power { base, exponent, opposite } => self.power(base, &exponent, opposite, out),
        }
    }

    fn root(&self, inner: Work) -> Work {
        if self.is_latex() { Work::Group(r"\sqrt{", vec![inner], "}") } else { Work::Group("sqrt(", vec![inner], ")") }
    }

    /// base^exponent, the exponent positive and neither 1 nor 1/2.
    fn power(&self, base: Expr, exponent: &Rational, opposite: bool, out: &mut Vec<Work>) {
        if self.is_latex() {
            // sin² θ, as it is written by hand.
            if let Node::Apply(f, _) = base.node()
                && exponent.is_integer()
                && f.row().around.is_none()
            {
                out.push(Work::Text(format!("{}^{{{exponent}}}", f.row().latex).into()));
                let arguments = self.arguments_of(base);
                return out.push(self.parentheses(arguments));
            }
            out.push(self.base(base, exponent, opposite));
            return out.push(Work::Text(format!("^{{{exponent}}}").into()));
        }
        out.push(self.base(base, exponent, opposite));
        out.push(Work::Text(if exponent.is_integer() {
            format!("^{exponent}").into()
        } else {
            format!("^({exponent})").into()
        }));
    }

    fn base(&self, base: Expr, exponent: &Rational, opposite: bool) -> Work {
        let has_superscript = |s: Symbol| match s.kind() {
            SymbolKind::Momentum { of } => of.as_jet().is_some_and(|(_, order)| order > 0),
            _ => s.as_jet().is_some_and(|(_, order)| order > 3),
        };
        let superscript = self.is_latex() && base.as_symbol().is_some_and(has_superscript);
        match base.node() {
            Node::Apply(..) | Node::Unknown { .. } if exponent.is_integer() => Work::Body(base),
            _ if superscript => self.parentheses(vec![Work::Body(base)]),
            _ => sum_work(base, opposite, Level::Base),
        }
    }

    /// A node that is neither sum nor product, without its sign.
    fn body(&self, e: Expr, out: &mut Vec<Work>) {
        match e.node() {
            Node::Number(n) => out.push(Work::Text(self.style.number(n).into())),
            Node::Pi => out.push(Work::Text(match self.style.format {
                Format::Latex => r"\pi".into(),
                Format::Ascii | Format::Unicode => "pi".into(),
            })),
            Node::Symbol(s) => out.push(Work::Text(self.symbol(*s).into())),
            Node::Sum { .. } | Node::Product(_) => out.push(Work::Expr(e, Level::Factor)),
            Node::Power(base, exponent) => {
                out.push(Work::Expr(*base, Level::Base));
                if self.is_latex() {
                    out.push(Work::Group("^{", vec![Work::Expr(*exponent, Level::Top)], "}"));
                } else {
                    out.extend([Work::Text("^".into()), Work::Expr(*exponent, Level::Base)]);
                }
            }
            Node::Apply(f, _) => match f.row().around.filter(|_| self.is_latex()) {
                Some((before, behind)) => out.push(Work::Group(before, self.arguments_of(e), behind)),
                None => {
                    out.push(Work::Text(if self.is_latex() { f.row().latex.into() } else { f.name().into() }));
                    out.push(self.parentheses(self.arguments_of(e)));
                }
            },
            Node::Unknown { function, orders, arguments } => self.unknown(*function, orders, arguments, out),
            Node::Piecewise { condition, then, otherwise } => self.piecewise(condition, *then, *otherwise, out),
            Node::Integral { variable, body } => {
                let variable = self.symbol(*variable);
                let body = Work::Expr(*body, Level::Top);
                if self.is_latex() {
                    let end = Work::Text(format!(r"\, d{variable}").into());
                    out.push(Work::Group(r"\left(\int_{0}^{1} ", vec![body, end], r"\right)"));
                } else {
                    let start = Work::Text(format!("{variable} in 0..1, ").into());
                    out.push(Work::Group("integral(", vec![start, body], ")"));
                }
            }
            Node::Undefined(why) => {
                let why = match why {
                    Undefined::DivisionByZero => "division by zero",
                    Undefined::NotReal => "not real",
                    Undefined::Budget(_) => "budget exhausted",
                };
                out.push(Work::Text(if self.is_latex() {
                    format!(r"\text{{undefined: {why}}}").into()
                } else {
                    format!("undefined /* {why} */").into()
                }));
            }
        }
    }

    fn symbol(&self, s: Symbol) -> String {
        match self.renamed.get(&s) {
            Some(name) => self.style.word(name),
            None => self.style.symbol(s),
        }
    }

    /// The arguments of an elementary function, commas between, the first with its sign chosen.
    fn arguments_of(&self, e: Expr) -> Vec<Work> {
        let Node::Apply(f, arguments) = e.node() else { return Vec::new() };
        let mut arguments = arguments.to_vec();
        if f.row().arity.is_none() {
            arguments.sort_by(|a, b| self.order.compare(*a, *b));
        }
        if self.flips_argument(e, 8) {
            return signed(self.shown(arguments[0], &Rational::MINUS_ONE));
        }
        self.list(&arguments)
    }

    fn list(&self, items: &[Expr]) -> Vec<Work> {
        let mut out = Vec::new();
        for (i, e) in items.iter().enumerate() {
            if i > 0 {
                out.push(Work::Text(", ".into()));
            }
            out.push(Work::Expr(*e, Level::Top));
        }
        out
    }

    fn unknown(&self, function: Function, orders: &[u32], arguments: &[Expr], out: &mut Vec<Work>) {
        let name = self.style.word(&function.name());
        let total: u32 = orders.iter().fold(0, |n, k| n.saturating_add(*k));
        if total == 0 || arguments.len() == 1 {
            let primes = if self.is_latex() && total > 3 {
                format!("^{{({total})}}")
            } else {
                "'".repeat(total.min(1000) as usize)
            };
            out.push(Work::Text(format!("{name}{primes}").into()));
            return out.push(self.parentheses(self.list(arguments)));
        }
        let by = || orders.iter().enumerate().flat_map(|(i, n)| std::iter::repeat_n(i, (*n).min(1000) as usize));
        // ∂/∂x of V(x, y) is the derivative by the first argument if x is the first argument and is in
        // no other.
        let plain = arguments.iter().zip(orders).enumerate().all(|(i, (a, n))| {
            *n == 0
                || a.as_symbol()
                    .is_some_and(|s| arguments.iter().enumerate().all(|(j, other)| i == j || !other.contains(s)))
        });
        if self.is_latex() {
            let power = if total == 1 { String::new() } else { format!("^{{{total}}}") };
            if plain {
                let mut below = String::new();
                for (a, n) in arguments.iter().zip(orders).filter(|(_, n)| **n > 0) {
                    let s = a.as_symbol().map(|s| self.symbol(s)).unwrap_or_default();
                    let n = if *n == 1 { String::new() } else { format!("^{{{n}}}") };
                    below.push_str(&format!(r" \partial {s}{n}"));
                }
                out.push(Work::Text(format!(r"\frac{{\partial{power} {name}}}{{{}}}", below.trim()).into()));
            } else {
                let d: String = by().map(|i| format!("D_{{{}}}", i + 1)).collect();
                out.push(Work::Text(format!("{d} {name}").into()));
            }
            return out.push(self.parentheses(self.list(arguments)));
        }
        if plain {
            let mut inner = vec![Work::Text(name.into()), self.parentheses(self.list(arguments))];
            inner.extend(by().flat_map(|i| [Work::Text(", ".into()), Work::Expr(arguments[i], Level::Top)]));
            out.push(Work::Group("D(", inner, ")"));
        } else {
            let positions: String = by().map(|i| format!(", {}", i + 1)).collect();
            out.push(Work::Text(format!("D({name}{positions})").into()));
            out.push(self.parentheses(self.list(arguments)));
        }
    }

    fn piecewise(&self, condition: &Condition, then: Expr, otherwise: Expr, out: &mut Vec<Work>) {
        let relation = if self.is_latex() {
            use super::expr::Relation::*;
            match condition.relation {
                NotEqual => r"\neq",
                LessEqual => r"\leq",
                GreaterEqual => r"\geq",
                other => other.text(),
            }
        } else {
            condition.relation.text()
        };
        let comparison =
            [Work::Expr(condition.left, Level::Top), Work::Text(format!(" {relation} 0").into())].into_iter();
        let (then, otherwise) = (Work::Expr(then, Level::Top), Work::Expr(otherwise, Level::Top));
        let mut inner = Vec::new();
        if self.is_latex() {
            inner.push(then);
            inner.push(Work::Text(r" & \text{if } ".into()));
            inner.extend(comparison);
            inner.extend([Work::Text(r" \\ ".into()), otherwise, Work::Text(r" & \text{otherwise}".into())]);
            out.push(Work::Group(r"\begin{cases} ", inner, r" \end{cases}"));
        } else {
            inner.extend(comparison);
            inner.extend([Work::Text(", ".into()), then, Work::Text(", ".into()), otherwise]);
            out.push(Work::Group("piecewise(", inner, ")"));
        }
    }
}

/// A sum, or its opposite.
fn sum_work(e: Expr, opposite: bool, level: Level) -> Work {
    if opposite { Work::Opposite(e, level) } else { Work::Expr(e, level) }
}

/// Terms with their signs between them.
fn signed(terms: Vec<Term>) -> Vec<Work> {
    let mut pieces = Vec::with_capacity(2 * terms.len());
    for (i, term) in terms.into_iter().enumerate() {
        let sign = match (i, term.negative) {
            (0, true) => "-",
            (0, false) => "",
            (_, true) => " - ",
            (_, false) => " + ",
        };
        pieces.push(Work::Text(sign.into()));
        pieces.push(Work::Term(Box::new(Term { negative: false, ..term }), Level::Top));
    }
    pieces
}

/// Bound variables whose name also belongs to another symbol get a number behind it.
fn rename_bound(roots: &[Expr]) -> FxHashMap<Symbol, String> {
    let mut bound: Vec<Symbol> = Vec::new();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for e in super::expr::post_order(roots) {
        match e.node() {
            Node::Integral { variable, .. } => bound.push(*variable),
            Node::Symbol(s) if s.kind() != SymbolKind::Bound => {
                taken.insert(s.name());
            }
            _ => {}
        }
    }
    bound.sort();
    bound.dedup();
    let mut renamed = FxHashMap::default();
    for s in bound {
        let mut name = s.name();
        let mut i = 1;
        while !taken.insert(name.clone()) {
            name = format!("{}{i}", s.name());
            i += 1;
        }
        if name != s.name() {
            renamed.insert(s, name);
        }
    }
    renamed
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod textbook;
