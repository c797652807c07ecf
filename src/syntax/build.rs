//! The hands of the grammar: every rule of `grammar/lepage.lalrpop` ends in a call of the [`Builder`],
//! which adds nodes to the tree and checks the shape of what a block holds.
//!
//! The grammar reads all blocks alike, as comma lists of expressions and `key: value` pairs. What a
//! declaration wants in its block is said here, where the message can name it:
//!
//! | block of | entries |
//! |---|---|
//! | `manifold` | coordinates: `x`, `q[1..n]`, `theta : angle` |
//! | `map`, `section`, `mixed`, a point | equations `x = …` |
//! | `force`, `equations` | components `x: …` |
//! | `codistribution`, `distribution` | forms, fields |
//! | `submanifold` | comparisons |
//! | `constraint` | equations, submanifolds, and clauses `dependent: x, y` |
//!
//! Everywhere `list(i in 1..n, entry)` stands for n entries.

use super::ast::*;
use super::lexer::{Comment, CommentKind, Lexed, Placed};
use super::token::{CONSTRAINT_CLAUSES, COORDINATE_TYPES, TYPE_WORDS, Token};
use super::{name, problem};
use crate::algebra::function::Elementary;
use crate::algebra::number::Rational;
use crate::diagnostic::{Diagnostic, suggest};
use crate::source::{SourceId, Span};
use lalrpop_util::ErrorRecovery;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// The entries of a block, each a comma list.
pub type Block = Vec<Vec<ExprId>>;

/// All numbers of a program together have at most this many bits.
const MAX_TOTAL_BITS: usize = 1 << 24;

/// The tree under construction.
pub struct Builder<'t> {
    pub ast: Ast,
    pub problems: Vec<Diagnostic>,
    /// The statements and entries that the grammar could not read.
    pub broken: Vec<ErrorRecovery<u32, Token, ()>>,
    source: SourceId,
    text: &'t str,
    lexed: &'t Lexed,
    texts: FxHashMap<&'t str, Name>,
    bits: usize,
    /// How many problems there are so far, shared with the stream of tokens, which ends when they are
    /// too many.
    complaints: &'t Cell<usize>,
}

impl<'t> Builder<'t> {
    pub fn new(source: SourceId, text: &'t str, lexed: &'t Lexed, complaints: &'t Cell<usize>) -> Builder<'t> {
        Builder {
            ast: Ast { source, ..Ast::default() },
            problems: vec![],
            broken: vec![],
            source,
            text,
            lexed,
            texts: FxHashMap::default(),
            bits: 0,
            complaints,
        }
    }

    fn span(&self, l: u32, r: u32) -> Span {
        Span { source: self.source, start: l, end: r }
    }

    fn slice(&self, l: u32, r: u32) -> &'t str {
        &self.text[l as usize..r as usize]
    }

    /// The name of the manifold that is declared last before this place.
    fn last_manifold(&self, before: u32) -> Option<&'t str> {
        let declared = self.text[..before as usize].rsplit_once("manifold ")?.1;
        declared.split_whitespace().next()
    }

    fn slice_of(&self, span: Span) -> &'t str {
        self.slice(span.start, span.end)
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.complaints.set(self.complaints.get() + 1);
        self.problems.push(diagnostic);
    }

    pub fn broken(&mut self, error: ErrorRecovery<u32, Token, ()>) {
        self.complaints.set(self.complaints.get() + 1);
        self.broken.push(error);
    }

    // ── Words ───────────────────────────────────────────────────────────────────────────────────

    fn read_name(&mut self, l: u32, r: u32) -> Name {
        let word = self.slice(l, r);
        if let Some(known) = self.texts.get(word) {
            let known = known.clone();
            self.bound_primes(known.primes, l, r);
            return known;
        }
        let (bare, primes) = name::read(word);
        self.bound_primes(primes, l, r);
        let text = match self.texts.get(&*bare) {
            Some(known) => known.text.clone(),
            None => bare.into(),
        };
        let name = Name { text, primes };
        self.texts.insert(word, name.clone());
        name
    }

    /// Complains about more primes than there are orders of jets.
    fn bound_primes(&mut self, primes: u32, l: u32, r: u32) {
        if primes > name::MAX_PRIMES {
            let problem = problem::too_many_primes(self.span(l, r), primes);
            self.problem(problem);
        }
    }

    /// A name that is declared, or a word of the language: no primes.
    pub fn word(&mut self, l: u32, r: u32) -> Word {
        let name = self.read_name(l, r);
        let span = self.span(l, r);
        if name.primes > 0 {
            self.problem(problem::primed_name(span, &name.text));
        }
        Word::new(name.text, span)
    }

    /// The contents of a string: a backslash protects a quote or a backslash.
    pub fn text(&mut self, l: u32, r: u32) -> Word {
        let quoted = self.slice(l, r);
        let inner = quoted.strip_prefix('"').unwrap_or(quoted);
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        let mut text = String::with_capacity(inner.len());
        let mut chars = inner.chars().peekable();
        while let Some(c) = chars.next() {
            let protected = c == '\\' && matches!(chars.peek(), Some('"' | '\\'));
            text.push(if protected { chars.next().unwrap_or(c) } else { c });
        }
        Word::new(text.into(), self.span(l, r))
    }

    // ── Expressions ─────────────────────────────────────────────────────────────────────────────

    pub fn push(&mut self, l: u32, kind: ExprKind, r: u32) -> ExprId {
        let span = self.span(l, r);
        self.ast.push(kind, span)
    }

    pub fn name(&mut self, l: u32, r: u32) -> ExprId {
        let name = self.read_name(l, r);
        self.push(l, ExprKind::Name(name), r)
    }

    pub fn number(&mut self, l: u32, r: u32) -> ExprId {
        let value = Rational::parse(self.slice(l, r)).and_then(Result::ok);
        let too_large = value.is_none();
        let value = value.unwrap_or_else(|| Rational::from(0));
        self.bits = if too_large { usize::MAX } else { self.bits.saturating_add(value.bits()) };
        if self.bits > MAX_TOTAL_BITS {
            let span = self.span(l, r);
            let all = problem::numbers_too_large(span, MAX_TOTAL_BITS);
            self.problem(if too_large { problem::number_too_large(span) } else { all });
            self.bits = 0;
        }
        self.push(l, ExprKind::Number(value), r)
    }

    pub fn string(&mut self, l: u32, r: u32) -> ExprId {
        let text = self.text(l, r).node;
        self.push(l, ExprKind::String(text), r)
    }

    pub fn parenthesise(&mut self, l: u32, e: ExprId, r: u32) -> ExprId {
        let outer = self.span(l, r);
        let expr = &mut self.ast.exprs[e.0 as usize];
        expr.outer = outer;
        expr.parens = expr.parens.saturating_add(1);
        e
    }

    pub fn nary(
        &mut self,
        l: u32,
        first: ExprId,
        rest: Vec<ExprId>,
        r: u32,
        kind: fn(Vec<ExprId>) -> ExprKind,
    ) -> ExprId {
        let mut all = rest;
        all.insert(0, first);
        self.push(l, kind(all), r)
    }

    pub fn sum(&mut self, l: u32, first: ExprId, mut rest: Vec<(Sign, ExprId)>, r: u32) -> ExprId {
        rest.insert(0, (Sign::Plus, first));
        self.push(l, ExprKind::Sum(rest), r)
    }

    pub fn product(&mut self, l: u32, first: ExprId, mut rest: Vec<(Factor, ExprId)>, r: u32) -> ExprId {
        rest.insert(0, (Factor::Times, first));
        self.push(l, ExprKind::Product(rest), r)
    }

    /// `first op e op e … within tolerance`: one operator, or a complaint.
    pub fn compare(
        &mut self,
        l: u32,
        first: ExprId,
        rest: Vec<(Comparison, u32, ExprId)>,
        within: Option<(u32, ExprId)>,
        r: u32,
    ) -> ExprId {
        let (op, _, right) = rest[0];
        if let [_, (second, at, _), ..] = rest[..] {
            let middle = self.slice_of(self.ast.span(right)).to_string();
            let place = self.operator_before(at, second.text());
            let declares = self.text[..l as usize].trim_end().ends_with("param");
            let problem = match rest[..] {
                [(Comparison::Equal, _, _), (Comparison::Equal, _, last)] if declares => {
                    let (first, last) = (self.ast.span(first), self.ast.span(last));
                    problem::chained_values(place, first.to(last), self.slice_of(first), &middle, self.slice_of(last))
                }
                _ => problem::chained_comparison(place, op, second, &middle),
            };
            self.problem(problem);
        } else if let Some((at, _)) = within
            && op != Comparison::Equal
        {
            let word = self.span(at, at + "within".len() as u32);
            self.problem(problem::misplaced_within(word, op));
        }
        let within = within.map(|w| w.1);
        self.push(l, ExprKind::Compare { op, left: first, right, within }, r)
    }

    /// The place of an operator that ends before `at`, blanks and comments between them.
    fn operator_before(&self, at: u32, symbol: &str) -> Span {
        let index = self.lexed.tokens.partition_point(|t| t.start < at);
        match index.checked_sub(1).map(|i| self.lexed.tokens[i]) {
            Some(token) => self.span(token.start, token.end),
            None => self.span(at, at + symbol.len() as u32),
        }
    }

    pub fn tuple(&mut self, l: u32, first: ExprId, rest: Vec<ExprId>, r: u32) -> ExprId {
        self.nary(l, first, rest, r, ExprKind::Tuple)
    }

    pub fn call(&mut self, l: u32, callee: ExprId, open: u32, arguments: Vec<ExprId>, r: u32) -> ExprId {
        if let Some((name, inverse)) = self.inverse_function(l, open) {
            let turned = format!("{inverse}{}", self.slice(open, r));
            let whole = self.span(name.start, r);
            self.problem(problem::inverse_of_function(self.span(name.end, open), &turned, whole));
        } else if let Some(operator) = self.leibniz_operator(l, open) {
            let primed = format!("{}'", self.slice(open, r));
            self.problem(problem::leibniz_derivative(self.span(operator, open), &primed, self.span(operator, r)));
        } else if let Some((name, exponent)) = self.powered_function(l).filter(|_| !self.is_callable(callee)) {
            let (power, argument) = (self.slice(l, open).trim(), self.slice(open, r));
            let turned = format!("{}{argument}^{power}", self.slice(name.start, name.end));
            self.problem(problem::power_of_function(self.span(exponent, open), &turned, self.span(name.start, r)));
        } else if !self.is_callable(callee) {
            let product = format!("{}*{}", shortened(self.slice(l, open)), shortened(self.slice(open, r)));
            self.problem(problem::juxtaposition(self.span(open, open + 1), &product, self.span(open, open)));
        }
        self.push(l, ExprKind::Call { callee, arguments }, r)
    }

    /// `sin^2(x)`: the name of the function before an exponent that begins at `at`, and where its sign stands.
    fn powered_function(&self, at: u32) -> Option<(Placed, u32)> {
        let index = self.lexed.tokens.partition_point(|t| t.start < at);
        let (caret, name) = (self.lexed.tokens[index.checked_sub(1)?], self.lexed.tokens[index.checked_sub(2)?]);
        let word = self.slice(name.start, name.end);
        let is_function = name.token == Token::Word && (word == "sqrt" || Elementary::find(word).is_some());
        (caret.token == Token::Caret && is_function).then_some((name, caret.start))
    }

    /// The function of `sin^-1(x)`, where its exponent ends before `open`, and the name of its inverse.
    fn inverse_function(&self, at: u32, open: u32) -> Option<(Placed, String)> {
        let index = self.lexed.tokens.partition_point(|t| t.start < at);
        let before = |n: usize| index.checked_sub(n).map(|i| self.lexed.tokens[i]);
        let signs = (before(1)?.token, before(2)?.token);
        let name = before(3)?;
        let inverse = format!("a{}", self.slice(name.start, name.end));
        let fits = signs == (Token::Minus, Token::Caret) && self.slice(at, open).trim() == "1";
        (fits && Elementary::find(&inverse).is_some()).then_some((name, inverse))
    }

    /// Where `d/dt` begins, of which `dt` stands before the bracket.
    fn leibniz_operator(&self, at: u32, open: u32) -> Option<u32> {
        let index = self.lexed.tokens.partition_point(|t| t.start < at);
        let (over, d) = (self.lexed.tokens[index.checked_sub(1)?], self.lexed.tokens[index.checked_sub(2)?]);
        let is_one =
            over.token == Token::Slash && self.slice(d.start, d.end) == "d" && self.slice(at, open).trim() == "dt";
        is_one.then_some(d.start)
    }

    /// Functions have names: `f(x)`, `core.h(x)`, `V'(x)`, `f(x)(y)`; `2(x)` and `(a + b)(c)` are products
    /// without their sign.
    fn is_callable(&self, mut e: ExprId) -> bool {
        loop {
            let expr = &self.ast[e];
            e = match expr.kind {
                _ if expr.parens > 0 => return false,
                // `(x + y).f(z)` is no product either.
                ExprKind::Name(_) | ExprKind::Part { .. } => return true,
                ExprKind::Primed { of, .. } | ExprKind::Index { of, .. } => of,
                ExprKind::Call { callee, .. } => callee,
                _ => return false,
            }
        }
    }

    pub fn each(&mut self, l: u32, function: ExprId, binders: Vec<Binder>, body: ExprId, r: u32) -> ExprId {
        let span = self.ast.span(function);
        let function = match (self.ast.kind(function), self.ast[function].parens) {
            (ExprKind::Name(Name { text, primes: 0 }), 0) => Word::new(text.clone(), span),
            _ => {
                self.problem(problem::misplaced_binder(span));
                Word::new("sum".into(), span)
            }
        };
        self.push(l, ExprKind::Each(Box::new(Each { function, binders, body })), r)
    }

    pub fn part(&mut self, l: u32, of: ExprId, key: u32, r: u32) -> ExprId {
        let name = self.read_name(key, r);
        let key = crate::source::Spanned::new(name, self.span(key, r));
        self.push(l, ExprKind::Part { of, key }, r)
    }

    /// A power. In `x^2'` the prime may belong to the power or to its exponent; a prime on a name or on a member of a family
    /// is a part of it.
    pub fn power(&mut self, l: u32, base: ExprId, exponent: ExprId, r: u32) -> ExprId {
        let raised = &self.ast[exponent];
        if let (ExprKind::Primed { of, .. }, 0) = (&raised.kind, raised.parens)
            && !matches!(self.ast.kind(*of), ExprKind::Index { .. } | ExprKind::Call { .. })
        {
            let is_name = self.ast.name(base).is_some() && self.ast[base].parens == 0;
            let (end, of, base) = (raised.span.end, self.ast.outer(*of), self.slice_of(self.ast.outer(base)));
            let (prime, power) = (self.slice(of.end, end), self.slice_of(of));
            let of_base = is_name.then(|| format!("{base}{prime}^{power}"));
            let both = [format!("({base}^{power}){prime}"), format!("{base}^({power}{prime})")];
            let readings: Vec<String> = of_base.into_iter().chain(both).collect();
            self.problem(problem::ambiguous_prime(self.span(of.end, end), &readings, self.span(l, r)));
        }
        self.push(l, ExprKind::Power { base, exponent }, r)
    }

    /// Primes after anything; those after a name and a blank join the name.
    pub fn primed(&mut self, l: u32, of: ExprId, at: u32, r: u32) -> ExprId {
        let count: u32 = self.slice(at, r).chars().map(name::count_prime).sum();
        let expr = &mut self.ast.exprs[of.0 as usize];
        if let (ExprKind::Name(name), 0) = (&mut expr.kind, expr.parens) {
            name.primes = name.primes.saturating_add(count);
            let primes = name.primes;
            expr.span.end = r;
            self.bound_primes(primes, l, r);
            return of;
        }
        self.push(l, ExprKind::Primed { of, primes: count }, r)
    }

    pub fn point(&mut self, l: u32, block: Block, r: u32) -> ExprId {
        let given: Vec<ExprId> = block.iter().flatten().copied().collect();
        if let Some((left, right)) = given.iter().find_map(|e| self.condition(self.innermost(*e))) {
            let list = given.iter().map(|e| self.slice_of(self.ast.span(*e))).collect::<Vec<_>>().join(", ");
            let (from, to) = (self.ast.span(left).end, self.ast.span(right).start);
            let between = self.slice(from, to);
            let start = from + (between.len() - between.trim_start().len()) as u32;
            let sign = self.span(start, start + between.trim().len() as u32);
            let braces = self.span(l, r);
            let of_constraint = self.text[..braces.start as usize].trim_end().ends_with("subject to");
            self.problem(match of_constraint {
                true => {
                    let line = self.text[..braces.start as usize].rsplit('\n').next().unwrap_or_default();
                    problem::constraint_in_place(braces, self.slice_of(braces), line, self.last_manifold(braces.start))
                }
                false => problem::set_for_point(sign, braces, &list),
            });
            return self.push(l, ExprKind::Point(vec![]), r);
        }
        let says_something = |e: &ExprId| {
            let inner = self.innermost(*e);
            self.ast.equation(inner).is_some() || matches!(self.ast.kind(inner), ExprKind::Component { .. })
        };
        if !given.is_empty() && !given.iter().any(says_something) {
            let list = given.iter().map(|e| self.slice_of(self.ast.span(*e))).collect::<Vec<_>>().join(", ");
            self.problem(problem::list_in_braces(self.span(l, r), &list));
            return self.push(l, ExprKind::Point(vec![]), r);
        }
        let entries = self.equations(block, "a point");
        self.push(l, ExprKind::Point(entries), r)
    }

    // ── Spaces and types ────────────────────────────────────────────────────────────────────────

    pub fn space(&mut self, l: u32, mut space: Box<Space>, r: u32) -> Box<Space> {
        space.span = self.span(l, r);
        space.jets.reverse();
        space
    }

    pub fn space_of(&mut self, words: Vec<Word>) -> Box<Space> {
        let manifold = Path { words };
        let span = manifold.span();
        Box::new(Space { jets: vec![], manifold, span })
    }

    /// The words of the jets are gathered innermost first.
    pub fn jet_space(&mut self, mut jet: Vec<Word>, mut inner: Box<Space>) -> Box<Space> {
        if let [first, .., last] = &jet[..] {
            self.problem(problem::not_a_jet_space(first.span.to(last.span)));
        }
        inner.jets.extend(jet.drain(..1));
        inner
    }

    pub fn type_word(
        &mut self,
        l: u32,
        degree: Option<(u32, u32)>,
        word: Word,
        over: Option<Box<Space>>,
        r: u32,
    ) -> Box<TypeWord> {
        let span = self.span(l, r);
        let takes_degree = matches!(&*word.node, "form" | "contact");
        let number = degree.map(|(l, r)| self.slice(l, r).parse::<u32>().ok().filter(|n| *n < 1000));
        let ok = TYPE_WORDS.contains(&&*word.node)
            && number != Some(None)
            && (takes_degree || number.is_none())
            && (number.is_some() || &*word.node != "form")
            && (over.is_none() || &*word.node == "horizontal");
        if !ok {
            self.problem(problem::unknown_type(span, self.slice(l, r), &word.node, TYPE_WORDS));
        }
        Box::new(TypeWord { degree: number.flatten(), word, over: over.map(|s| *s), span })
    }

    // ── Statements ──────────────────────────────────────────────────────────────────────────────

    pub fn statement(&mut self, l: u32, kind: StatementKind, r: u32) -> Box<Statement> {
        let doc = self.doc_before(l);
        Box::new(Statement { kind, span: self.span(l, r), doc })
    }

    /// The `///` lines between the token before `place` and `place`.
    fn doc_before(&self, place: u32) -> Option<Text> {
        let comments = &self.lexed.comments;
        let end = comments.partition_point(|c| c.end <= place);
        if end == 0 {
            return None;
        }
        let tokens = &self.lexed.tokens;
        let before = tokens[..tokens.partition_point(|t| t.start < place)].last().map_or(0, |t| t.end);
        let start = comments[..end].partition_point(|c| c.start < before);
        let lines: Vec<&str> = comments[start..end]
            .iter()
            .filter(|c| self.is_doc_line(c))
            .map(|c| doc_text(self.slice(c.start, c.end)))
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n").into())
    }

    /// A `///` that is alone on its line (semicolons apart); behind a statement it is a remark about that.
    fn is_doc_line(&self, comment: &Comment) -> bool {
        let before = &self.text[..comment.start as usize];
        let is_empty = |line: &str| line.chars().all(|c| c.is_whitespace() || matches!(c, ';' | '\u{FEFF}'));
        comment.kind == CommentKind::Doc && before.rsplit('\n').next().is_none_or(is_empty)
    }

    pub fn manifold(&mut self, name: Word, over: Space, block: Block) -> Box<StatementKind> {
        let coordinates = block.into_iter().flatten().filter_map(|e| self.coordinate(e)).collect();
        Box::new(StatementKind::Manifold(Manifold { name, over, coordinates }))
    }

    fn coordinate(&mut self, e: ExprId) -> Option<Coordinate> {
        let doc = self.doc_before(self.ast.span(e).start);
        let (target, kind) = match *self.ast.kind(e) {
            ExprKind::Component { key, value } => (key, Some(value)),
            _ => (e, None),
        };
        let Some((name, family)) = self.declared(target) else {
            self.problem(problem::not_a_coordinate(
                self.ast.span(target),
                self.ast.equation(target).is_some(),
                self.slice_of(self.ast.span(target)),
            ));
            return None;
        };
        let kind = match kind.map(|k| (self.ast.span(k), self.ast.name(k).cloned())) {
            Some((span, Some(Name { text, primes: 0 }))) if COORDINATE_TYPES.contains(&&*text) => {
                Some(Word::new(text, span))
            }
            Some((span, _)) => {
                let text = self.slice_of(span).to_string();
                let behind_name = Span { start: self.ast.span(target).end, ..span };
                self.problem(match &*text {
                    "real" | "Real" | "R" | "float" | "double" | "number" | "length" => {
                        problem::unknown_type(span, &text, "", COORDINATE_TYPES).repair(
                            "other coordinates are real numbers, and need no type",
                            behind_name,
                            "",
                        )
                    }
                    // `r : vector`, `r : R^3`
                    "vector" | "Vector" | "vec" | "vec3" => problem::vector_coordinate(span, &text, behind_name),
                    space if space.contains('^') => problem::vector_coordinate(span, space, behind_name),
                    _ => problem::unknown_type(span, &text, &text, COORDINATE_TYPES),
                });
                None
            }
            None => None,
        };
        Some(Coordinate { name, family, kind, doc })
    }

    /// `x` or `x[1..n]`, as something declared.
    fn declared(&mut self, e: ExprId) -> Option<(Word, Vec<ExprId>)> {
        let (target, family) = match self.ast.kind(e) {
            ExprKind::Index { of, keys } => (*of, keys.clone()),
            _ => (e, vec![]),
        };
        let expr = &self.ast[target];
        let ExprKind::Name(Name { text, primes }) = &expr.kind else { return None };
        let (text, primes, span) = (text.clone(), *primes, expr.span);
        if primes > 0 {
            self.problem(problem::primed_name(span, &text));
        }
        for &key in &family {
            if !matches!(self.ast.kind(key), ExprKind::Range { .. }) {
                self.problem(problem::not_a_range(self.ast.span(key), self.slice_of(self.ast.span(key))));
            }
        }
        Some((Word::new(text, span), family))
    }

    pub fn params(&mut self, entries: Vec<ExprId>) -> Box<StatementKind> {
        let params = entries.into_iter().filter_map(|e| self.param(e)).collect();
        Box::new(StatementKind::Param(params))
    }

    fn param(&mut self, e: ExprId) -> Option<Param> {
        let (target, value) = match self.ast.equation(e) {
            Some((target, value)) => (target, Some(value)),
            None => (e, None),
        };
        match self.declared(target) {
            Some((name, family)) => Some(Param { name, family, value }),
            None => {
                let place = self.ast.span(target);
                let behind = self.text[place.end as usize..].trim_start_matches([' ', '\t', '\r']);
                let is_last = behind.is_empty() || behind.starts_with(['\n', ';', '/']);
                self.problem(problem::not_a_parameter(place, self.slice_of(place), is_last));
                None
            }
        }
    }

    pub fn assume(&mut self, facts: Vec<ExprId>) -> Box<StatementKind> {
        Box::new(StatementKind::Assume(facts))
    }

    pub fn map(&mut self, name: Word, from: Space, to: Space, block: Block) -> Box<StatementKind> {
        let entries = self.equations(block, "a map");
        Box::new(StatementKind::Map(Map { name, from, to, entries }))
    }

    pub fn section(&mut self, name: Word, on: Space, block: Block) -> Box<StatementKind> {
        let entries = self.equations(block, "a section");
        Box::new(StatementKind::Section(Described { name, on, body: Body::Entries(entries) }))
    }

    pub fn mixed(&mut self, name: Word, on: Space, block: Block) -> Box<StatementKind> {
        let entries = self.equations(block, "a mixed system");
        Box::new(StatementKind::Mixed(Described { name, on, body: Body::Entries(entries) }))
    }

    pub fn described(&mut self, keyword: Token, name: Word, on: Space, block: Block) -> Box<StatementKind> {
        let entries = match keyword {
            Token::Force => self.components(block, "a force"),
            Token::Equations => self.components(block, "equations"),
            Token::Codistribution => self.generators(block, "a codistribution", "dx - y*dt"),
            Token::Distribution => self.generators(block, "a distribution", "@x"),
            _ => self.comparisons(block),
        };
        Box::new(describe(keyword, Described { name, on, body: Body::Entries(entries) }))
    }

    pub fn described_by_value(&mut self, keyword: Token, name: Word, on: Space, value: ExprId) -> Box<StatementKind> {
        Box::new(describe(keyword, Described { name, on, body: Body::Value(value) }))
    }

    pub fn constraint(&mut self, name: Word, on: Space, block: Block) -> Box<StatementKind> {
        let mut equations = vec![];
        let mut clauses: Vec<ConstraintClause> = vec![];
        for group in block {
            let mut items = group.into_iter();
            let Some(first) = items.next() else { continue };
            let ExprKind::Component { key, value } = *self.ast.kind(first) else {
                equations.extend(std::iter::once(first).chain(items));
                continue;
            };
            let span = self.ast.span(key);
            let kind = self.ast.name(key).filter(|n| n.primes == 0).and_then(|n| constraint_clause(&n.text));
            match kind {
                None => self.problem(problem::unknown_constraint_clause(span, self.slice_of(span), CONSTRAINT_CLAUSES)),
                Some(kind) => {
                    if let Some(earlier) = clauses.iter().find(|c| c.kind == kind) {
                        self.problem(problem::repeated_clause(span, self.slice_of(span), earlier.span));
                    } else {
                        let values = std::iter::once(value).chain(items).collect();
                        clauses.push(ConstraintClause { kind, span, values });
                    }
                }
            }
        }
        for &e in &equations {
            self.expect_equation_or_set(e);
        }
        Box::new(StatementKind::Constraint(Constraint { name, on, equations, clauses }))
    }

    // ── Entries of blocks ───────────────────────────────────────────────────────────────────────

    /// The entry that a repetition repeats, or the entry itself.
    fn innermost(&self, mut e: ExprId) -> ExprId {
        while let ExprKind::Each(each) = self.ast.kind(e) {
            e = each.body;
        }
        e
    }

    /// The sides of an entry that says something about points and is not the value of a coordinate: `z != 0`, `x*y = 0`.
    fn condition(&self, e: ExprId) -> Option<(ExprId, ExprId)> {
        let ExprKind::Compare { left, right, .. } = *self.ast.kind(e) else { return None };
        let is_value = self.ast.equation(e).is_some()
            && !matches!(
                self.ast.kind(left),
                ExprKind::Sum(_) | ExprKind::Product(_) | ExprKind::Power { .. } | ExprKind::Neg(_)
            );
        (!is_value).then_some((left, right))
    }

    fn equations(&mut self, block: Block, owner: &str) -> Vec<ExprId> {
        let entries: Vec<ExprId> = block.into_iter().flatten().collect();
        for &e in &entries {
            let inner = self.innermost(e);
            match *self.ast.kind(inner) {
                _ if self.ast.equation(inner).is_some() => {}
                ExprKind::Component { key, value } => {
                    let sign = self.sign_between(key, value, Token::Colon);
                    self.problem(problem::component_for_equation(sign, owner));
                }
                _ => self.problem(problem::not_an_equation(self.ast.span(inner), owner)),
            }
        }
        entries
    }

    /// The name with the most primes in an expression, without them.
    fn highest_jet(&self, e: ExprId) -> Option<Text> {
        let inside = || self.ast.inside(self.ast.span(e));
        let names = inside().filter_map(|id| self.ast.name(id));
        let highest = names.filter(|name| name.primes > 0).max_by_key(|name| name.primes);
        // `der(x)` of Modelica, `diff(x(t), t, t)` of Maple.
        let derived = |id: ExprId| match self.ast.kind(id) {
            ExprKind::Call { callee, arguments } if self.ast.name(*callee).is_some_and(is_derivative) => {
                let of = *arguments.first()?;
                match self.ast.kind(of) {
                    ExprKind::Call { callee, .. } => self.ast.name(*callee).filter(|name| !is_derivative(name)),
                    _ => self.ast.name(of),
                }
            }
            _ => None,
        };
        highest.or_else(|| inside().find_map(derived)).map(|name| name.text.clone())
    }

    /// `xddot` before the sign of an entry: the coordinate and its primes, where the name is spelled so.
    fn spelled_jet(&self, key: ExprId) -> Option<(Text, String)> {
        let name = self.ast.name(key).filter(|name| name.primes == 0)?;
        let (base, dots) = suggest::dotted(&name.text)?;
        Some((base.into(), format!("{base}{}", "'".repeat(dots))))
    }

    fn components(&mut self, block: Block, owner: &str) -> Vec<ExprId> {
        let entries: Vec<ExprId> = block.into_iter().flatten().collect();
        for &e in &entries {
            let inner = self.innermost(e);
            match (self.ast.kind(inner), self.ast.equation(inner)) {
                (ExprKind::Component { .. }, _) => {}
                (_, Some((key, value))) => {
                    let sign = self.sign_between(key, value, Token::Equal);
                    let problem = match self.highest_jet(inner).filter(|_| {
                        // `x = -c*x'` has the coordinate of a component before its sign.
                        self.ast.name(key).is_none_or(|name| name.primes > 0)
                    }) {
                        // `x'' = …` is the equation of x, whatever stands on the right.
                        Some(of) => {
                            let of = self.highest_jet(key).unwrap_or(of);
                            let (force, inertia) =
                                (self.slice_of(self.ast.outer(value)), self.slice_of(self.ast.outer(key)));
                            let component = match self.ast.kind(key) {
                                ExprKind::Name(_) => format!("{of}: {force} - {inertia}"),
                                _ => format!("{of}: {force} - ({inertia})"),
                            };
                            problem::equation_of_motion(sign, owner, self.ast.span(inner), &component)
                        }
                        None => match self.spelled_jet(key).filter(|_| owner == "equations") {
                            Some((of, jet)) => {
                                let force = self.slice_of(self.ast.outer(value));
                                let component = format!("{of}: {force} - {jet}");
                                problem::equation_of_motion(sign, owner, self.ast.span(inner), &component)
                            }
                            None => problem::equation_for_component(sign, owner, self.ast.name(key).is_some()),
                        },
                    };
                    self.problem(problem);
                }
                _ => {
                    let of = self.highest_jet(inner);
                    self.problem(problem::not_a_component(self.ast.span(inner), owner, of.as_deref()));
                }
            }
        }
        entries
    }

    fn generators(&mut self, block: Block, owner: &str, example: &str) -> Vec<ExprId> {
        let entries: Vec<ExprId> = block.into_iter().flatten().collect();
        for &e in &entries {
            let inner = self.innermost(e);
            if matches!(self.ast.kind(inner), ExprKind::Component { .. } | ExprKind::Compare { .. }) {
                self.problem(problem::not_a_generator(self.ast.span(inner), owner, example));
            }
        }
        entries
    }

    fn comparisons(&mut self, block: Block) -> Vec<ExprId> {
        let entries: Vec<ExprId> = block.into_iter().flatten().collect();
        for &e in &entries {
            let inner = self.innermost(e);
            if !matches!(self.ast.kind(inner), ExprKind::Compare { within: None, .. }) {
                self.problem(problem::not_an_equation(self.ast.span(inner), "a submanifold"));
            }
        }
        entries
    }

    /// An entry of a constraint: an equation, or something that may be a submanifold.
    fn expect_equation_or_set(&mut self, e: ExprId) {
        let inner = self.innermost(e);
        match *self.ast.kind(inner) {
            ExprKind::Name(Name { primes: 0, .. }) | ExprKind::Call { .. } | ExprKind::Part { .. } => {}
            ExprKind::Index { .. } => {}
            _ if self.ast.equation(inner).is_some() => {}
            ExprKind::Component { key, value } => {
                let sign = self.sign_between(key, value, Token::Colon);
                self.problem(problem::component_for_equation(sign, "a constraint"));
            }
            ExprKind::Compare { .. } => {
                let place = self.ast.span(inner);
                self.problem(problem::inequality_in_constraint(place, self.slice_of(place)));
            }
            _ => self.problem(problem::not_an_equation(self.ast.span(inner), "a constraint")),
        }
    }

    /// The place of the `:` or `=` between two expressions.
    fn sign_between(&self, left: ExprId, right: ExprId, sign: Token) -> Span {
        let (from, to) = (self.ast.span(left).end, self.ast.span(right).start);
        let first = self.lexed.tokens.partition_point(|t| t.start < from);
        let found = self.lexed.tokens[first..].iter().take_while(|t| t.start < to).find(|t| t.token == sign);
        found.map_or(self.span(from, to), |t| self.span(t.start, t.end))
    }

    // ── Runs ────────────────────────────────────────────────────────────────────────────────────

    pub fn simulate(&mut self, l: u32, system: ExprId, clauses: Vec<RunClause>, r: u32) -> Box<Simulate> {
        self.check_clauses(&clauses, false);
        Box::new(Simulate { system, clauses, span: self.span(l, r) })
    }

    pub fn sweep(
        &mut self,
        l: u32,
        system: ExprId,
        axes: Vec<Axis>,
        clauses: Vec<RunClause>,
        to: Option<Word>,
        r: u32,
    ) -> Box<Sweep> {
        self.check_clauses(&clauses, true);
        Box::new(Sweep { system, axes, clauses, to, span: self.span(l, r) })
    }

    pub fn run_clause(&mut self, l: u32, kind: RunClauseKind, r: u32) -> Box<RunClause> {
        Box::new(RunClause { kind, span: self.span(l, r) })
    }

    /// What may stand once only, what must be an equation, what belongs to a sweep.
    fn check_clauses(&mut self, clauses: &[RunClause], in_sweep: bool) {
        for (i, clause) in clauses.iter().enumerate() {
            let word = self.clause_word(clause);
            match &clause.kind {
                RunClauseKind::Set(values) => {
                    for &value in values {
                        if self.ast.equation(self.innermost(value)).is_none() {
                            self.problem(problem::not_an_equation(self.ast.span(value), "`set`"));
                        }
                    }
                }
                RunClauseKind::Collect(columns) => {
                    if !in_sweep {
                        self.problem(problem::outside_sweep(word, "collect"));
                    }
                    for &column in columns {
                        if self.ast.option(column).is_none() {
                            let span = self.ast.span(column);
                            self.problem(problem::unnamed_column(span, &shortened(self.slice_of(span))));
                        }
                    }
                }
                RunClauseKind::Sample(_) if !in_sweep => self.problem(problem::outside_sweep(word, "sample")),
                RunClauseKind::From(_) | RunClauseKind::Record { .. } | RunClauseKind::Stop { .. } => {}
                _ => {
                    let same = |c: &&RunClause| std::mem::discriminant(&c.kind) == std::mem::discriminant(&clause.kind);
                    if let Some(earlier) = clauses[..i].iter().find(same) {
                        let earlier = self.clause_word(earlier);
                        self.problem(problem::repeated_clause(word, self.slice_of(word), earlier));
                    }
                }
            }
        }
    }

    fn clause_word(&self, clause: &RunClause) -> Span {
        let text = self.slice_of(clause.span);
        let length = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        Span { end: clause.span.start + length as u32, ..clause.span }
    }

    pub fn tolerance(&mut self, e: ExprId) -> Tolerance {
        match self.ast.equation(e) {
            Some((coordinate, scale)) => Tolerance::Scale { coordinate, scale },
            None => Tolerance::Both(e),
        }
    }

    pub fn poincare(
        &mut self,
        l: u32,
        what: ExprId,
        entries: Vec<PoincareEntry>,
        to: Option<Word>,
        r: u32,
    ) -> Box<Poincare> {
        Box::new(Poincare { what, entries, to, span: self.span(l, r) })
    }

    pub fn refusal(&mut self, l: u32, with: Option<Word>, r: u32) -> Box<Refusal> {
        Box::new(Refusal { with, span: self.span(l, r) })
    }
}

/// Boxes keep the automaton's stack small; the tree does without them.
#[allow(clippy::vec_box)]
pub fn unboxed<T>(boxes: Vec<Box<T>>) -> Vec<T> {
    boxes.into_iter().map(|b| *b).collect()
}

fn describe(keyword: Token, described: Described) -> StatementKind {
    match keyword {
        Token::Force => StatementKind::Force(described),
        Token::Equations => StatementKind::Equations(described),
        Token::Codistribution => StatementKind::Codistribution(described),
        Token::Distribution => StatementKind::Distribution(described),
        _ => StatementKind::Submanifold(described),
    }
}

fn constraint_clause(word: &str) -> Option<ConstraintClauseKind> {
    Some(match word {
        "dependent" => ConstraintClauseKind::Dependent,
        "branch" => ConstraintClauseKind::Branch,
        "reactions" => ConstraintClauseKind::Reactions,
        "forms" => ConstraintClauseKind::Forms,
        _ => return None,
    })
}

fn doc_text(comment: &str) -> &str {
    let text = comment.trim_start_matches('/').trim_end();
    text.strip_prefix(' ').unwrap_or(text)
}

/// Words for a derivative along the motion, before what is differentiated.
fn is_derivative(name: &Name) -> bool {
    ["der", "diff", "Derivative", "derivative", "dot", "ddot", "Dt"].contains(&&*name.text)
}

fn shortened(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= 24 {
        text.to_string()
    } else {
        format!("{}…", text.chars().take(20).collect::<String>())
    }
}
