//! A question as a row: its name, what it takes, its options, what it gives, the parts of its answer and the function that
//! answers, all in the [kinds](super::kind) of values. The evaluator, the checker ([`call`](super::call)), completion,
//! `:help`, `:type`, the documentation and the JSON schema read it. The rows themselves are the tables of
//! [`questions`](crate::questions); here is what a row is, so that a [checked term](super::term) can hold one.

use super::call;
use super::item::System;
use super::kind::{self, Gives, OptionRow, Parameter, Part, Presence};
use super::operate;
use super::value::{Fallible, Point, Value};
use crate::algebra::Inquiry;
use crate::algebra::conditions::Recorded;
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::FiberedManifold;
use crate::source::Span;
use indexmap::IndexMap;
use std::rc::Rc;

/// One question of the language.
pub struct Question {
    pub name: &'static str,
    /// What it is asked about, by place.
    pub parameters: &'static [Parameter],
    pub options: &'static [OptionRow],
    pub help: &'static str,
    /// The main value of its answer.
    pub gives: Gives,
    /// The named parts of its answer.
    pub parts: &'static [Part],
    pub run: fn(&Arguments) -> Fallible<Value>,
}

impl Question {
    /// As it is written: `momenta(S, gauge = φ, names = P)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, kind::written(self.parameters, self.options))
    }

    /// What it takes and gives: `first_integral(S: system, f: function) -> verdict`.
    pub fn type_text(&self) -> String {
        let parameters = self.parameters.iter().map(|p| match p.presence {
            Presence::Once => format!("{}: {}", p.name, p.kinds),
            Presence::Optional => format!("{}: {} or nothing", p.name, p.kinds),
            Presence::Many | Presence::Rest => format!("{}: {}, …", p.name, p.kinds),
        });
        let options = self.options.iter().map(|o| format!("{} = {}: {}", o.name, o.letter, o.kinds));
        let list: Vec<String> = parameters.chain(options).collect();
        format!("{}({}) -> {}", self.name, list.join(", "), self.result_text())
    }

    /// What it gives, in the words of the language.
    pub fn result_text(&self) -> String {
        match self.gives {
            Gives::Kinds(kinds) => kinds.to_string(),
            Gives::Degree("", degree) => format!("{degree}-form"),
            Gives::Degree(word, degree) => format!("{word} {degree}-form"),
            Gives::Form("", ..) => "form".into(),
            Gives::Form(word, ..) => format!("{word} form"),
            Gives::Accelerations => kind::FIELD.to_string(),
            Gives::Motion | Gives::Variation => kind::FAMILY.to_string(),
            Gives::Like(i) | Gives::Carried(i) => format!("the kind of {}", self.parameters[i].name),
            Gives::Parts => "parts".into(),
        }
    }

    /// Whether an argument such as `x = 1` is an equation and not an option.
    pub fn takes_equations(&self) -> bool {
        self.parameters.iter().any(|p| p.kinds.meets(kind::EQUATION) && !p.kinds.is_any())
    }

    /// Whether it takes its arguments, and with them their conditions, to other coordinates.
    pub fn carries_conditions(&self) -> bool {
        matches!(self.gives, Gives::Carried(_))
    }

    pub fn option(&self, name: &str) -> Option<&'static OptionRow> {
        self.options.iter().find(|o| o.name == name)
    }

    pub fn part(&self, name: &str) -> Option<&'static Part> {
        self.parts.iter().find(|p| p.name == name)
    }

    /// Whether the word is a label of the answer: `A is w` is a question about its kind only for these words, so that a
    /// misspelt label is an error and not a "no".
    pub fn is_label(&self, word: &str) -> bool {
        self.part("kind").is_some_and(|part| part.words.contains(&word))
    }
}

impl PartialEq for Question {
    fn eq(&self, other: &Question) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What a question is asked about.
pub struct Arguments {
    /// The facts that hold, what may be spent, and where conditions are written.
    pub cx: Inquiry,
    pub question: &'static Question,
    pub positional: Vec<Argument>,
    pub named: IndexMap<String, Argument>,
    /// The whole call, and the name of the question in it.
    pub span: Span,
    pub name_span: Span,
    pub on: Option<FiberedManifold>,
    /// The manifolds declared so far, for objects that mention only the time.
    pub manifolds: Vec<FiberedManifold>,
    /// What was cancelled when the arguments were read, and so does not vanish where they have a value.
    pub cancelled: Vec<Expr>,
    /// Where the positional arguments have a value, one entry for each; for questions that [carry](Question::carries_conditions) it to
    /// another manifold with the value. For all others it is recorded when the arguments are read.
    pub recorded: Vec<Recorded>,
}

#[derive(Clone)]
pub struct Argument {
    pub value: Value,
    pub span: Span,
}

/// Jets beyond this order are slips of the pen.
pub const MAX_JET_ORDER: u32 = 64;

/// A jet order that does not exist, with the nearest one that does, as it is written there.
pub fn no_such_order(order: &str, span: Span, near: String) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::ORDER_TOO_HIGH, format!("there is no jet space of order {order} here"))
            .label(span, format!("an order from 0 to {MAX_JET_ORDER}"))
            .repair(format!("the nearest is {near}"), span, near),
    )
}

impl Arguments {
    /// The same in another inquiry.
    pub fn under(&self, cx: &Inquiry) -> Arguments {
        Arguments {
            cx: cx.clone(),
            positional: self.positional.clone(),
            named: self.named.clone(),
            on: self.on.clone(),
            manifolds: self.manifolds.clone(),
            cancelled: self.cancelled.clone(),
            recorded: self.recorded.clone(),
            ..*self
        }
    }

    pub fn new(cx: &Inquiry, question: &'static Question, span: Span, name_span: Span) -> Arguments {
        Arguments {
            cx: cx.clone(),
            question,
            positional: vec![],
            named: IndexMap::new(),
            span,
            name_span,
            on: None,
            manifolds: vec![],
            cancelled: vec![],
            recorded: vec![],
        }
    }

    /// What is known of the arguments, for the row.
    pub fn as_call(&self) -> call::Call<'_> {
        fn given(a: &Argument) -> call::Given<'_> {
            call::Given::value(&a.value, a.span)
        }
        call::Call {
            name: self.question.name.to_string(),
            name_span: self.name_span,
            positional: self.positional.iter().map(given).collect(),
            options: self.named.iter().map(|(name, a)| (name.clone(), a.span, given(a))).collect(),
        }
    }

    /// The manifold declared last: for questions whose answer is the same on every manifold.
    pub fn latest(&self) -> Option<FiberedManifold> {
        self.manifolds.last().cloned()
    }

    /// The manifold on which an argument was declared.
    pub fn declared(&self) -> Option<FiberedManifold> {
        self.positional.iter().find_map(|argument| match &argument.value {
            Value::OnSpace(on) => Some(on.space.manifold().clone()),
            _ => None,
        })
    }

    /// Refuses an argument that lives on another manifold than what it is asked about.
    pub fn lives_on(&self, i: usize, manifold: &FiberedManifold) -> Fallible<()> {
        let argument = &self.positional[i];
        let found = match argument.value.meant() {
            Value::Field(x) => x.manifold(),
            Value::Form(f) => f.manifold(),
            Value::Expr(e) => FiberedManifold::of_symbols(&e.symbols()),
            Value::Distribution(d) => FiberedManifold::of_symbols(d.chart().symbols()),
            Value::Codistribution(c) => FiberedManifold::of_symbols(c.chart().symbols()),
            _ => return Ok(()),
        };
        let label = |name: &str| format!("on {name}");
        match found {
            Ok(Some(found)) => match found.join(manifold) {
                Ok(_) => Ok(()),
                Err(refused) => Err(Box::new(Diagnostic::from(refused).label(argument.span, label(found.name())))),
            },
            Ok(None) => Ok(()),
            Err(refused) => Err(Box::new(Diagnostic::from(refused).or_at(argument.span, "this"))),
        }
    }

    fn at<T>(&self, i: usize, get: impl FnOnce(&Value) -> Fallible<T>) -> Fallible<T> {
        let Some(argument) = self.positional.get(i) else {
            let (question, n) = (self.question, self.positional.len());
            return Err(Box::new(call::wrong_count(question, question.name, self.name_span, &(i + 1).to_string(), n)));
        };
        get(&argument.value)
            .map_err(|d| Box::new(d.or_at(argument.span, format!("this is {}", operate::describe(&argument.value)))))
    }

    pub fn value(&self, i: usize) -> Fallible<Value> {
        self.at(i, |v| Ok(v.clone()))
    }

    pub fn expr(&self, i: usize) -> Fallible<Expr> {
        self.at(i, |x| operate::as_expr(&self.cx, x))
    }

    pub fn form(&self, i: usize) -> Fallible<Form> {
        self.at(i, |x| operate::as_form(&self.cx, x)).map_err(|d| self.mend_kind(i, d))
    }

    pub fn field(&self, i: usize) -> Fallible<VectorField> {
        self.at(i, |x| operate::as_field(&self.cx, x)).map_err(|d| self.mend_kind(i, d))
    }

    fn mend_kind(&self, i: usize, d: Box<Diagnostic>) -> Box<Diagnostic> {
        match self.positional.get(i) {
            Some(argument) => operate::mend_kind(&self.cx, d, &argument.value, argument.span),
            None => d,
        }
    }

    pub fn symbol(&self, i: usize) -> Fallible<Symbol> {
        self.at(i, |v| match operate::as_expr(&self.cx, v)?.as_symbol() {
            Some(s) => Ok(s),
            None => Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "a coordinate or parameter is needed here"))),
        })
    }

    pub fn integer(&self, i: usize) -> Fallible<i64> {
        self.at(i, |v| match operate::as_expr(&self.cx, v)?.as_number().and_then(|n| n.to_i64()) {
            Some(n) => Ok(n),
            None => Err(Box::new(Diagnostic::error(&codes::WRONG_KIND, "an integer is needed here"))),
        })
    }

    /// A small number of jets: an order that someone typed.
    pub fn jet_order(&self, i: usize) -> Fallible<u32> {
        let n = self.integer(i)?;
        let order = u32::try_from(n).ok().filter(|n| *n <= MAX_JET_ORDER);
        order.ok_or_else(|| {
            let near = n.clamp(0, MAX_JET_ORDER.into()).to_string();
            no_such_order(&n.to_string(), self.positional[i].span, near)
        })
    }

    pub fn point(&self, i: usize) -> Fallible<Rc<Point>> {
        self.at(i, |v| match v.main() {
            Value::Point(p) => Ok(p),
            _ => Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "a point is needed here").help("write it as `{ x = 1, x' = 2 }`"),
            )),
        })
    }

    /// A Lagrangian, equations, a dynamical or Lepage form, or a system.
    pub fn system(&self, i: usize) -> Fallible<Rc<System>> {
        self.at(i, |x| System::from_value(&self.cx, x))
    }

    pub fn option(&self, name: &str) -> Option<&Argument> {
        self.named.get(name)
    }

    /// Refuses options: for questions that have some only in other forms.
    pub fn no_options(&self) -> Fallible<()> {
        match self.named.values().next() {
            None => Ok(()),
            Some(option) => Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "this option has no effect here").label(option.span, "not used"),
            )),
        }
    }
}
