//! A reader of one-line expressions, for tests only: the arithmetic of the language with a flat scope
//! of names. Primes make jets, `V(x)` with an unknown name is an unspecified function, and
//! `V'(x)` its derivative. `integral(u, f)` is ∫₀¹ f du.

use super::assume::Facts;
use super::expr::{Condition, Expr, Relation};
use super::function::Elementary;
use super::inquiry::Inquiry;
use super::number::Rational;
use super::symbol::{Coordinate, Function, Symbol};
use crate::budget::Budget;
use indexmap::IndexMap;

/// Names and what they stand for, made on first use.
#[derive(Default)]
pub struct Scope {
    coordinates: IndexMap<String, Coordinate>,
    functions: IndexMap<String, Function>,
    bound: IndexMap<String, Symbol>,
    facts: Facts,
}

impl Scope {
    pub fn new() -> Scope {
        Scope::default()
    }

    /// The expression with this text. Panics on what it cannot read.
    pub fn read(&mut self, text: &str) -> Expr {
        let tokens = tokens(text);
        let mut reader = Reader { scope: self, tokens: &tokens, at: 0 };
        let e = reader.sum();
        assert_eq!(reader.at, tokens.len(), "cannot read `{text}` beyond `{:?}`", tokens.get(reader.at));
        e
    }

    /// Makes the names parameters instead of coordinates.
    pub fn parameters(&mut self, names: &str) {
        for name in names.split_whitespace() {
            self.bound.insert(name.into(), Symbol::parameter(name));
        }
    }

    /// The symbol with this name.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        let order = name.chars().filter(|c| *c == '\'').count() as u32;
        let bare = name.trim_end_matches('\'');
        if let Some(s) = self.bound.get(bare) {
            return *s;
        }
        let c = *self.coordinates.entry(bare.into()).or_insert_with(|| Coordinate::declare(bare, false));
        c.jet(order)
    }

    /// `left relation right` as a comparison with zero: the relation and left − right.
    pub fn comparison(&mut self, text: &str) -> Condition {
        for (sign, relation) in [
            ("<=", Relation::LessEqual),
            (">=", Relation::GreaterEqual),
            ("!=", Relation::NotEqual),
            ("<", Relation::Less),
            (">", Relation::Greater),
            ("=", Relation::Equal),
        ] {
            if let Some((left, right)) = text.split_once(sign) {
                return Condition { relation, left: self.read(left) - self.read(right) };
            }
        }
        panic!("no comparison in `{text}`")
    }

    /// Declares `left relation right` as a fact.
    pub fn assume(&mut self, text: &str) {
        let condition = self.comparison(text);
        self.facts = self.facts.and([(condition.left, condition.sign())]).0;
    }

    /// An inquiry under the declared facts.
    pub fn cx(&self) -> Inquiry {
        Inquiry::new(self.facts.clone(), Budget::unlimited())
    }
}

fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut list = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let c = chars[i];
        i += 1;
        if c.is_whitespace() {
            continue;
        }
        if c.is_ascii_digit() {
            while i < chars.len()
                && (chars[i].is_ascii_digit()
                    || chars[i] == '.'
                    || (chars[i] == 'e' && chars.get(i + 1).is_some_and(|d| d.is_ascii_digit() || *d == '-'))
                    || (chars[i] == '-' && chars[i - 1] == 'e'))
            {
                i += 1;
            }
        } else if c.is_alphabetic() {
            while i < chars.len() && (chars[i].is_alphanumeric() || chars[i] == '_') {
                i += 1;
            }
            while i < chars.len() && chars[i] == '\'' {
                i += 1;
            }
        } else if "<>!".contains(c) && chars.get(i) == Some(&'=') {
            i += 1;
        }
        list.push(chars[start..i].iter().collect());
    }
    list
}

struct Reader<'a> {
    scope: &'a mut Scope,
    tokens: &'a [String],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.accept(token), "expected `{token}`, found `{}` in {:?}", self.peek(), self.tokens);
    }

    fn sum(&mut self) -> Expr {
        let mut e = self.product();
        loop {
            if self.accept("+") {
                e = e + self.product();
            } else if self.accept("-") {
                e = e - self.product();
            } else {
                return e;
            }
        }
    }

    fn product(&mut self) -> Expr {
        let mut e = self.signed();
        loop {
            if self.accept("*") {
                e = e * self.signed();
            } else if self.accept("/") {
                e = e / self.signed();
            } else {
                return e;
            }
        }
    }

    fn signed(&mut self) -> Expr {
        if self.accept("-") { -self.signed() } else { self.power() }
    }

    fn power(&mut self) -> Expr {
        let base = self.atom();
        if self.accept("^") {
            let exponent = self.signed();
            return base.power(exponent);
        }
        base
    }

    fn list(&mut self) -> Vec<Expr> {
        self.expect("(");
        let mut list = vec![self.sum()];
        while self.accept(",") {
            list.push(self.sum());
        }
        self.expect(")");
        list
    }

    fn atom(&mut self) -> Expr {
        if self.accept("(") {
            let e = self.sum();
            self.expect(")");
            return e;
        }
        let token = self.next();
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            let n = Rational::parse(&token).expect("a number").expect("a small number");
            return Expr::number(n);
        }
        if token == "pi" {
            return Expr::pi();
        }
        if self.peek() != "(" {
            return Expr::symbol(self.scope.symbol(&token));
        }
        match token.as_str() {
            "sqrt" => self.list()[0].sqrt(),
            "piecewise" => {
                self.expect("(");
                let left = self.sum();
                let relation = match self.next().as_str() {
                    "=" => Relation::Equal,
                    "!=" => Relation::NotEqual,
                    "<" => Relation::Less,
                    "<=" => Relation::LessEqual,
                    ">" => Relation::Greater,
                    ">=" => Relation::GreaterEqual,
                    other => panic!("a comparison, not `{other}`"),
                };
                let right = self.sum();
                self.expect(",");
                let then = self.sum();
                self.expect(",");
                let otherwise = self.sum();
                self.expect(")");
                Expr::piecewise(Condition { relation, left: left - right }, then, otherwise)
            }
            "integral" => {
                self.expect("(");
                let name = self.next();
                self.expect(",");
                let variable = Symbol::bound(&name);
                self.scope.bound.insert(name.clone(), variable);
                let body = self.sum();
                self.scope.bound.shift_remove(&name);
                self.expect(")");
                Expr::integral(variable, body)
            }
            name => match Elementary::find(name) {
                Some(function) => {
                    let list = self.list();
                    Expr::apply(function, &list)
                }
                None => {
                    let order = token.chars().filter(|c| *c == '\'').count() as u32;
                    let bare = token.trim_end_matches('\'').to_owned();
                    let list = self.list();
                    let arity = list.len() as u32;
                    let known = self.scope.functions.entry(bare.clone());
                    let function = *known.or_insert_with(|| Function::declare(&bare, arity));
                    let mut orders = vec![0; list.len()];
                    orders[0] = order;
                    Expr::unknown(function, &orders, &list)
                }
            },
        }
    }
}
