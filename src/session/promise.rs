//! The promises of a declaration at their place in the source. [`model::promise`](crate::model::promise) finds what
//! is wrong and computes what to write instead; here the finding gets the words that caused it, and the remedy
//! becomes an edit of the program: the tests apply it and see that the error is gone.

use super::checked::{Space, TypeWord, Typed};
use super::evaluate::Evaluator;
use super::interpreter::Interpreter;
use super::scope::{Meaning, Scope};
use super::term::Term;
use crate::algebra::Inquiry;
use crate::algebra::decide::sign;
use crate::algebra::expr::Condition;
use crate::algebra::print::Style;
use crate::algebra::{Expr, Ground, Symbol};
use crate::diagnostic::{Diagnostic, Goes, Severity, codes, suggest};
use crate::geometry::contact::{self, Component};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::{self, FiberedManifold, JetSpace};
use crate::model::item::MapItem;
use crate::model::operate::{as_field, as_form, manifold_of};
use crate::model::promise::{self as theory, FieldPromise, FormPromise, Remedy, Violation};
use crate::model::show;
use crate::model::types::{FieldProperty, FormProperty};
use crate::model::value::{Fallible, Value};
use crate::source::Span;
use crate::syntax::ast::Sign;

/// A declaration: the words of its promise and the value that has to keep it.
pub struct Place<'a> {
    pub state: &'a Interpreter,
    pub name: Span,
    pub types: &'a [TypeWord<'a>],
    pub on: &'a Space,
    pub value: &'a Term,
}

impl<'a> Place<'a> {
    pub fn of(state: &'a Interpreter, t: &'a Typed) -> Place<'a> {
        Place { state, name: t.name.span, types: &t.types, on: &t.on, value: &t.value }
    }

    /// Checks a form against the words of its declaration. It comes back as a form on the space, with the ground on
    /// which the promise holds; a ground that is not a proof is remarked.
    pub fn form(
        &self,
        cx: &Inquiry,
        form: &Form,
        space: &JetSpace,
        remarks: &mut Vec<Diagnostic>,
    ) -> Fallible<(Form, Ground)> {
        let whole = self.value.span;
        if form.degree() > space.dimension() {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::PAST_DIMENSION,
                    format!("a {}-form on {space} is zero, whatever it is made of", form.degree()),
                )
                .label(whole, "this product")
                .note(format!("{space} has {} dimensions", space.dimension()))
                .repair("write 0, which is what it is", whole, "0"),
            ));
        }
        let mut promise = FormPromise { degree: None, space: space.clone(), properties: vec![] };
        for word in self.types {
            match self.form_word(word)? {
                FormWord::Degree(k) => promise.degree = Some(k),
                FormWord::Property(p) => promise.properties.push(p),
            }
        }
        self.settle_form(cx, &promise, form, remarks)
    }

    /// The same for a promise that is not written in words: a Lagrangian is a horizontal 1-form.
    pub fn settle_form(
        &self,
        cx: &Inquiry,
        promise: &FormPromise,
        form: &Form,
        remarks: &mut Vec<Diagnostic>,
    ) -> Fallible<(Form, Ground)> {
        match theory::check(cx, promise, form) {
            Ok((form, ground)) => {
                sampled_remark(&ground, self.value.span, remarks);
                Ok((form, ground))
            }
            Err(violation) => {
                let span = match (&violation.evidence, violation.symbol) {
                    (_, Some(symbol)) => self.mention_of(cx, symbol),
                    (Some(component), None) => self.term_along(cx, promise, &violation, component),
                    (None, None) => self.value.span,
                };
                Err(Box::new(self.diagnostic(cx, &violation, span, &promise.space)))
            }
        }
    }

    /// Checks a declared field.
    pub fn field(
        &self,
        cx: &Inquiry,
        field: &VectorField,
        space: &JetSpace,
        remarks: &mut Vec<Diagnostic>,
    ) -> Fallible<(VectorField, Ground)> {
        let mut properties = vec![];
        for word in self.types {
            properties.push(match &*word.written.word.node {
                "vertical" => FieldProperty::Vertical,
                "projectable" => FieldProperty::Projectable,
                "semispray" => FieldProperty::Semispray,
                other => return Err(Box::new(self.no_such_word(word, other, "a field"))),
            });
        }
        let promise = FieldPromise { space: space.clone(), properties };
        match theory::check_field(cx, &promise, field) {
            Ok((field, ground)) => {
                sampled_remark(&ground, self.value.span, remarks);
                // A semispray moves in time: where it does not, it is none.
                let speed = field.component(space.manifold().base());
                if let Some(word) = self.types.iter().find(|word| &*word.written.word.node == "semispray")
                    && !sign(cx, speed).is_nonzero()
                {
                    let text = crate::model::show::condition_text(cx, &Condition::from(speed));
                    remarks.push(
                        Diagnostic::new(Severity::Note, &codes::CONDITION, format!("holds where {text}"))
                            .label(word.written.word.span, "the promise needs this"),
                    );
                }
                Ok((field, ground))
            }
            Err(violation) => {
                let symbol = violation.evidence.as_ref().and_then(|c| c.basis.first().map(|b| b.symbol()));
                let evaluator = self.state.evaluator(cx).on(space.manifold());
                let culprit = symbol.and_then(|s| {
                    self.value.summands().into_iter().find(|term| {
                        evaluator.eval(term).and_then(|v| as_field(cx, &v)).is_ok_and(|f| !f.component(s).is_zero())
                    })
                });
                let span = match (violation.symbol, culprit) {
                    (Some(symbol), _) => self.mention_of(cx, symbol),
                    (None, Some(term)) => term.span,
                    (None, None) => self.value.span,
                };
                Err(Box::new(self.diagnostic(cx, &violation, span, space)))
            }
        }
    }

    /// The functions of a block may contain jets of the space only, after simplification.
    pub fn functions(&self, cx: &Inquiry, terms: &'a [Term], functions: &[Expr], space: &JetSpace) -> Fallible<Ground> {
        let mut ground = Ground::proved("");
        for &e in functions {
            match jet::project(cx, e, space) {
                Ok((_, g)) => ground = ground.weaker(g),
                Err(refusal) => {
                    let violation = theory::misplaced(refusal);
                    let value = violation.symbol.and_then(|s| terms.iter().find(|t| t.mention(s).is_some()));
                    let place = Place { value: value.unwrap_or(self.value), ..*self };
                    let span = violation.symbol.map_or_else(|| place.value.span, |s| place.mention_of(cx, s));
                    return Err(Box::new(place.diagnostic(cx, &violation, span, space)));
                }
            }
        }
        Ok(ground)
    }

    fn form_word(&self, word: &TypeWord) -> Fallible<FormWord> {
        let property = match (&*word.written.word.node, word.written.degree) {
            ("form", Some(k)) => return Ok(FormWord::Degree(k as usize)),
            ("horizontal", None) => match &word.over {
                None => FormProperty::Horizontal,
                Some(over) => FormProperty::HorizontalOver(over.clone()),
            },
            ("contact", None) => FormProperty::Contact,
            ("contact", Some(k)) => FormProperty::KContact(k as usize),
            ("dynamical", None) => FormProperty::Dynamical,
            ("lepage", None) => FormProperty::Lepage,
            ("closed", None) => FormProperty::Closed,
            (other, _) => return Err(Box::new(self.no_such_word(word, other, "a form"))),
        };
        Ok(FormWord::Property(property))
    }

    /// A word that cannot be promised of such an object.
    pub fn no_such_word(&self, word: &TypeWord, name: &str, of: &str) -> Diagnostic {
        let (span, text) = self.without_word(word);
        Diagnostic::error(&codes::NO_EFFECT, format!("`{name}` cannot be promised of {of}"))
            .label(word.written.span, format!("not a type of {}s", of.trim_start_matches("a ")))
            .repair("leave the word out", span, text)
    }

    /// What is wrong, where, and the remedy as an edit.
    fn diagnostic(&self, cx: &Inquiry, violation: &Violation, span: Span, space: &JetSpace) -> Diagnostic {
        let mut d = Diagnostic::error(violation.code, violation.title.clone());
        d = d.label(span, if violation.label.is_empty() { "this" } else { &violation.label });
        if let Some(word) = violation.property.as_ref().and_then(|p| self.word_of(p)) {
            d = d.label(word.written.span, "promised here");
        }
        for note in &violation.notes {
            d = d.note(note.clone());
        }
        match (&violation.remedy, violation.symbol) {
            (Some(remedy), _) => self.apply(d, remedy),
            (None, Some(symbol)) => self.carry_over(cx, d, symbol, space),
            (None, None) => d,
        }
    }

    /// The help and the edit of a remedy.
    fn apply(&self, d: Diagnostic, remedy: &Remedy) -> Diagnostic {
        let whole = self.value.span;
        let written = self.state.source_text(whole);
        let help = remedy.help(&written);
        match remedy {
            Remedy::Apply { operator, space: None, .. } => d.repair(help, whole, format!("{operator}({written})")),
            Remedy::Apply { operator, space: Some(space), .. } => {
                let text = format!("{} = {operator}({written})", self.on_text(space));
                d.repair(help, self.on.span.to(whole), text)
            }
            Remedy::Replace { value, .. } if !value.contains('…') => d.repair(help, whole, value.clone()),
            Remedy::Replace { .. } => d.help(help),
            Remedy::Promise { instead_of, words } => match self.word_of(instead_of) {
                Some(word) if words.is_empty() => {
                    let (span, text) = self.without_word(word);
                    d.repair(help, span, text)
                }
                Some(word) => d.repair(help, word.written.span, words.clone()),
                None => d.help(help),
            },
            Remedy::Space { space } => d.repair(help, self.on.span, self.on_text(space)),
            Remedy::Assume { .. } => d.repair_at(Goes::LineBefore, help, self.name, remedy.statement()),
        }
    }

    /// A coordinate of another manifold: the part that has it can be carried over by a map that is at hand; else the
    /// name may be a slip, or the declaration may belong on that other manifold.
    fn carry_over(&self, cx: &Inquiry, d: Diagnostic, symbol: Symbol, space: &JetSpace) -> Diagnostic {
        let here = space.manifold();
        let Ok(Some(other)) = FiberedManifold::of_symbols(&[symbol]) else { return d };
        let terms = self.value.summands();
        let has = |term: &Term| term.mention(symbol).is_some();
        let map = map_between(&self.state.scope, here, &other);
        // The term, if all of it lives there; else the word. A field needs a map whose Jacobian has an inverse, and a
        // direction alone is not carried.
        let place = terms.iter().find(|t| has(t)).and_then(|term| {
            let value = self.state.evaluator(cx).on(here).eval(term).ok();
            let field = value.as_ref().and_then(|v| as_field(cx, v).ok());
            let whole = value.and_then(|v| home_of(cx, &v)).is_some_and(|m| m == other);
            let carried = |x: &VectorField| map.is_some_and(|(_, m)| m.map.pullback_field(cx, x).is_ok());
            match field {
                Some(x) if whole => carried(&x).then_some(term.outer),
                Some(x) if x.components().iter().any(|(s, _)| *s == symbol) => None,
                _ if whole => Some(term.outer),
                _ => Some(term.mention(symbol).unwrap_or(term.outer)),
            }
        });
        if let (Some((map, _)), Some(span)) = (map, place) {
            return d.repair(
                format!("carry it over: pullback({map}, {})", self.state.source_text(span)),
                span,
                format!("pullback({map}, …)"),
            );
        }
        let foreign = terms.iter().all(|t| {
            let evaluator = self.state.evaluator(cx).on(here);
            evaluator.eval(t).is_ok_and(|v| home_of(cx, &v).is_some_and(|m| m == other))
        });
        if foreign {
            let order = other.order_of_symbol(symbol).unwrap_or(0).max(space.order());
            let text = if order == 0 { other.name().to_string() } else { format!("J{order}({})", other.name()) };
            return d.repair(format!("declare it on {text}"), self.on.span, text);
        }
        let names: Vec<String> = here.fibres().iter().map(|f| f.coordinate.name()).collect();
        if let (Some((c, _)), Some(span)) = (symbol.as_jet(), self.value.mention(symbol)) {
            let name = c.name();
            if let Some(near) = suggest::nearest(&name, names.iter().map(String::as_str)).filter(|n| *n != name) {
                let text = self.state.source_text(span).replacen(&*name, near, 1);
                return d.repair(format!("did you mean `{near}`?"), span, text);
            }
        }
        match place {
            Some(span) => {
                let map = NewMap::between(&self.state.scope, here, &other);
                map.carry_over(d, span)
            }
            None => d.help(format!("carry it over with a map {} -> {}: pullback(map, …)", here.name(), other.name())),
        }
    }

    /// `J2(Y)`, with the manifold as it is written.
    fn on_text(&self, space: &JetSpace) -> String {
        space.to_string().replace(space.manifold().name(), &self.on.written)
    }

    /// The type word that says this: `horizontal`, `2-contact`, `1-form`.
    fn word_of(&self, text: &str) -> Option<&'a TypeWord<'a>> {
        self.types.iter().find(|w| {
            let name = match w.written.degree {
                Some(k) => format!("{k}-{}", w.written.word.node),
                None => w.written.word.node.to_string(),
            };
            name == text || (w.over.is_some() && text.starts_with(&format!("{name} over ")))
        })
    }

    /// The edit that takes a word out: with the colon if it is the only one.
    fn without_word(&self, word: &TypeWord) -> (Span, &'static str) {
        let span = word.written.span;
        match self.types.iter().position(|w| w.written.span == span) {
            Some(_) if self.types.len() == 1 => (Span { start: self.name.end, ..span }, ""),
            Some(0) => (Span { end: self.types[1].written.span.start, ..span }, ""),
            Some(i) => (Span { start: self.types[i - 1].written.span.end, ..span }, ""),
            None => (span, ""),
        }
    }

    fn mention_of(&self, cx: &Inquiry, symbol: Symbol) -> Span {
        if let Some(span) = self.value.mention(symbol) {
            return span;
        }
        // Behind a name: the term that brings it.
        let evaluator = self.state.evaluator(cx);
        let brings = |t: &&Term| {
            evaluator.eval(t).is_ok_and(|v| match as_form(cx, &v) {
                Ok(f) => f.symbols().contains(&symbol),
                Err(_) => as_field(cx, &v).is_ok_and(|x| x.symbols().contains(&symbol)),
            })
        };
        self.value.summands().into_iter().find(brings).map_or(self.value.span, |t| t.span)
    }

    /// The term of the value that has the component which breaks the promise.
    fn term_along(&self, cx: &Inquiry, promise: &FormPromise, violation: &Violation, component: &Component) -> Span {
        let evaluator = self.state.evaluator(cx).on(promise.space.manifold());
        let part: fn(&Inquiry, &Form) -> Form = match violation.code.number {
            n if n == codes::NOT_CLOSED.number => |cx, form| form.d(cx),
            // A term like omega(x) has a component along dt too, but none that survives in h(…).
            n if n == codes::NOT_CONTACT.number => |_, form| contact::horizontal_part(form),
            n if n == codes::NOT_LEPAGE.number => |_, form| contact::one_contact_part(form),
            _ => |_, form| form.clone(),
        };
        let culprit = self.value.summands().into_iter().find(|term| {
            evaluator
                .eval(term)
                .and_then(|v| as_form(cx, &v))
                .is_ok_and(|f| has_component(cx, &part(cx, &f), component))
        });
        culprit.unwrap_or(self.value).span
    }
}

enum FormWord {
    Degree(usize),
    Property(FormProperty),
}

/// Whether a form has a part along the component, in the basis in which the component speaks.
fn has_component(cx: &Inquiry, form: &Form, component: &Component) -> bool {
    form.degree() == component.basis.len()
        && contact::coefficient(form, &component.basis)
            .is_some_and(|c| !c.is_zero() && !crate::algebra::decide::is_zero(cx, c).is_yes())
}

fn sampled_remark(ground: &Ground, span: Span, remarks: &mut Vec<Diagnostic>) {
    if !ground.is_proved() {
        remarks.push(
            Diagnostic::new(
                Severity::Warning,
                &codes::SAMPLED,
                format!("this promise holds as far as sampling tells ({ground})"),
            )
            .label(span, "not proved"),
        );
    }
}

/// The manifold on which a form, a field or a function lives.
fn home_of(cx: &Inquiry, value: &Value) -> Option<FiberedManifold> {
    manifold_of(&value.main()).or_else(|| as_form(cx, value).ok()?.manifold().ok().flatten())
}

/// A map from one manifold to another that the scope has.
fn map_between<'s>(scope: &'s Scope, from: &FiberedManifold, to: &FiberedManifold) -> Option<(&'s str, &'s MapItem)> {
    scope.values.iter().find_map(|(name, binding)| match &binding.meaning {
        Meaning::Value(Value::Map(m)) if m.map.source().manifold() == from && m.map.target().manifold() == to => {
            Some((name.as_str(), &**m))
        }
        _ => None,
    })
}

/// A sum of objects that do not meet: what lives elsewhere is carried over by a map, if the scope has one, or left out.
pub fn mend_sum(evaluator: &Evaluator, terms: &[(Sign, Term)], d: Box<Diagnostic>) -> Box<Diagnostic> {
    let cx = &evaluator.cx;
    let degrees = d.code.number == codes::WRONG_DEGREE.number;
    if d.code.number == codes::WRONG_KIND.number && d.repairs.is_empty() {
        // `L + drag`: a force acts on a system.
        if let [(Sign::Plus, system), (Sign::Plus, force)] = terms
            && let (Ok(_), Ok(Value::Force(_))) = (evaluator.eval(system), evaluator.eval(force))
        {
            let places = Goes::Quoting(vec![system.outer, force.outer]);
            let whole = system.outer.to(force.outer);
            let d = Diagnostic { helps: vec![], ..*d };
            let help = "a force acts on a system, as in `L with friction`";
            return Box::new(d.repair_at(places, help, whole, "… with …"));
        }
        // A form and a field: what is not of the kind of the first goes.
        let kind = |term: &Term| match evaluator.eval(term).map(|v| v.main()) {
            Ok(Value::Field(_)) => Some(true),
            Ok(Value::Form(_)) => Some(false),
            _ => None,
        };
        let kinds: Vec<Option<bool>> = terms.iter().map(|(_, t)| kind(t)).collect();
        return match kinds.iter().position(|k| k.is_some() && *k != kinds[0]).filter(|_| kinds[0].is_some()) {
            Some(i) => Box::new(leave_out(terms, i, *d)),
            None => d,
        };
    }
    if !(degrees || d.code.number == codes::WRONG_MANIFOLD.number) || !d.repairs.is_empty() {
        return d;
    }
    let values: Vec<Option<Value>> = terms.iter().map(|(_, t)| evaluator.eval(t).map(|v| v.main()).ok()).collect();
    if degrees {
        let degree = |v: &Option<Value>| v.as_ref().and_then(|v| as_form(cx, v).ok()).map(|f| f.degree());
        let first = values.first().and_then(degree);
        let odd = values.iter().position(|v| degree(v).is_some_and(|d| Some(d) != first));
        return match odd.filter(|_| first.is_some()) {
            Some(i) => Box::new(leave_out(terms, i, *d)),
            None => d,
        };
    }
    let d = mend_meeting(evaluator, &terms.iter().map(|(_, t)| t).collect::<Vec<_>>(), d);
    if !d.repairs.is_empty() {
        return d;
    }
    let manifold = |v: &Option<Value>| v.as_ref().and_then(manifold_of);
    let Some(home) = evaluator.on.clone().or_else(|| values.iter().find_map(manifold)) else { return d };
    let foreign = values.iter().position(|v| manifold(v).is_some_and(|m| home.join(&m).is_err()));
    match foreign {
        Some(i) => Box::new(leave_out(terms, i, *d)),
        None => d,
    }
}

/// Objects that do not meet: one of them is carried over by a map, if the scope has one.
pub fn mend_meeting(evaluator: &Evaluator, terms: &[&Term], d: Box<Diagnostic>) -> Box<Diagnostic> {
    if d.code.number != codes::WRONG_MANIFOLD.number || !d.repairs.is_empty() {
        return d;
    }
    let manifold = |term: &&Term| match evaluator.eval(term).ok()?.main() {
        Value::Expr(e) => FiberedManifold::of_symbols(&e.symbols()).ok().flatten(),
        value => manifold_of(&value),
    };
    let manifolds: Vec<Option<FiberedManifold>> = terms.iter().map(manifold).collect();
    // Under an `on` clause everything is carried there.
    let homes = evaluator.on.iter().chain(manifolds.iter().flatten().filter(|_| evaluator.on.is_none()));
    for home in homes {
        for (term, other) in terms.iter().zip(&manifolds).filter_map(|(t, m)| Some((t, m.as_ref()?))) {
            if home.join(other).is_ok() {
                continue;
            }
            if let Some((map, _)) = map_between(evaluator.around, home, other) {
                let help = format!("carry it over from {} to {}: pullback({map}, …)", other.name(), home.name());
                let mut d = *d;
                d.helps.clear();
                return Box::new(d.repair(help, term.span, format!("pullback({map}, …)")));
            }
        }
    }
    // No map: say how the coordinates correspond. A field does not come back along a map.
    let is_field = |term: &Term| matches!(evaluator.eval(term).map(|v| v.main()), Ok(Value::Field(_)));
    let Some(home) = evaluator.on.as_ref().or_else(|| manifolds.iter().flatten().next()) else { return d };
    let pairs = || terms.iter().zip(&manifolds).filter_map(|(t, m)| Some((t, m.as_ref()?)));
    let apart = pairs().find(|(t, m)| home.join(m).is_err() && !is_field(t));
    let (home, (term, other)) = match apart {
        Some(found) => (home, found),
        // The first is a field on another manifold: carry over what stands beside it.
        None => {
            let Some((_, away)) = pairs().find(|(_, m)| home.join(m).is_err()) else { return d };
            let Some(found) = pairs().find(|(t, m)| *m == home && !is_field(t)) else { return d };
            (away, found)
        }
    };
    let mut d = *d;
    d.helps.clear();
    Box::new(NewMap::between(evaluator.around, home, other).carry_over(d, term.span))
}

/// A map between two manifolds, coordinate by coordinate, that is not declared yet.
struct NewMap {
    name: String,
    declaration: String,
}

impl NewMap {
    fn between(scope: &Scope, here: &FiberedManifold, other: &FiberedManifold) -> NewMap {
        let mut name = format!("to_{}", other.name());
        while scope.values.contains_key(name.as_str()) {
            name.push('1');
        }
        let sources: Vec<String> = here.fibres().iter().map(|f| f.coordinate.name()).collect();
        let entry = |(i, fibre): (usize, &crate::geometry::jet::Fibre)| {
            format!("{} = {}", fibre.coordinate.name(), sources.get(i).map_or("0", String::as_str))
        };
        let entries: Vec<String> = other.fibres().iter().enumerate().map(entry).collect();
        let declaration = format!("map {name} : {} -> {} {{ {} }}", here.name(), other.name(), entries.join("; "));
        NewMap { name, declaration }
    }

    /// Offers to declare it, and its pullback in place of what is written at the span.
    fn carry_over(self, d: Diagnostic, span: Span) -> Diagnostic {
        let NewMap { name, declaration } = self;
        let help = format!("say how they correspond, with equations of your own, and carry it over: {declaration}");
        d.repair_at(Goes::BelowDeclaration(declaration), help, span, format!("pullback({name}, …)"))
    }
}

/// The edit that takes a term out of a sum.
fn leave_out(terms: &[(Sign, Term)], i: usize, d: Diagnostic) -> Diagnostic {
    let span = |k: usize| terms[k].1.outer;
    if i > 0 {
        return d.repair("leave out the second one", Span { start: span(i - 1).end, ..span(i) }, "");
    }
    let sign = if terms[1].0 == Sign::Minus { "-" } else { "" };
    d.repair("leave out the first one", Span { end: span(1).start, ..span(0) }, sign)
}

/// Σ F_σ ω^σ, or Σ F_σ dq^σ read modulo dt: the components of a force. What it should be is computed: its contact
/// part, as far as it is a force.
pub fn force_components(cx: &Inquiry, place: &Place, form: &Form, manifold: &FiberedManifold) -> Fallible<Vec<Expr>> {
    let span = place.value.span;
    if form.degree() != 1 {
        let d = Diagnostic::error(&codes::WRONG_DEGREE, format!("a force is a 1-form, not a {}-form", form.degree()))
            .label(span, format!("a {}-form", form.degree()));
        // F*omega(x) /\ dt is how the force F*omega(x) enters the equations.
        if form.degree() == 2 && contact::is_dynamical(cx, form, manifold).verdict.is_yes() {
            let t = manifold.base();
            let components = manifold.fibres().iter().map(|f| f.coordinate.jet(0));
            let text = combination(cx, components.map(|q| (q, form.coefficient(&[q, t]))));
            return Err(Box::new(d.repair(format!("write the force itself: {text}"), span, text)));
        }
        // `force drag on J1(Y) = -x'`: along the coordinate whose velocity it has.
        if form.degree() == 0 {
            let symbols = form.coefficient(&[]).symbols();
            let has = |order: u32| manifold.fibres().iter().find(|f| symbols.contains(&f.coordinate.jet(order)));
            if let Some(along) = has(1).or_else(|| has(0)).or(manifold.fibres().first()) {
                let x = along.coordinate.name();
                let help = format!("a force acts along a coordinate: `omega({x})`");
                return Err(Box::new(d.repair(help, span, format!("(…)*omega({x})"))));
            }
        }
        return Err(Box::new(d));
    }
    let contact = contact::is_contact(cx, form);
    let over = contact::is_horizontal_over(cx, form, &manifold.jets(0));
    let components =
        || manifold.fibres().iter().map(|f| (f.coordinate.jet(0), form.coefficient(&[f.coordinate.jet(0)])));
    if contact.verdict.is_no() || over.verdict.is_no() {
        let text = combination(cx, components());
        let d = Diagnostic::error(&codes::NOT_CONTACT, "a force is a combination of omega(x) for the coordinates x")
            .label(span, "this has other parts");
        return Err(Box::new(if text.is_empty() {
            d.help("write it by components: `{ x: … }`")
        } else {
            d.repair(format!("keep what acts on the coordinates: {text}"), span, text)
        }));
    }
    Ok(components().map(|(_, c)| c).collect())
}

/// Σ F_σ ω^σ as it is written.
fn combination(cx: &Inquiry, components: impl Iterator<Item = (Symbol, Expr)>) -> String {
    let terms: Vec<(Expr, String)> =
        components.filter(|(_, c)| !c.is_zero()).map(|(q, c)| (show::tidy(cx, c), format!("omega({q})"))).collect();
    if terms.is_empty() { String::new() } else { Style::ASCII.combination(&terms) }
}
