//! Calls and parts in the notation of other systems: `Rational(1, 2)`, `x.diff(t)`, `np.cos(x)`, `A.T`. The table of words is in
//! [`elsewhere`]; here its rows are written with the arguments that were given.

use super::{Names, Resolver};
use crate::algebra::function::Elementary;
use crate::algebra::{Symbol, SymbolKind};
use crate::diagnostic::elsewhere::{self, Ours, Use};
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::model::item::Base;
use crate::model::kind::{FAMILY, FIELD, FUNCTION, INTEGER, POINT, RUN, SECTION, SYSTEM};
use crate::model::value::Value;
use crate::questions::{self, Question};
use crate::session::scope::Meaning;
use crate::session::term::{Term, TermKind};
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Name, Sign};
use crate::syntax::usage;

/// Where the exponent of a power stands.
fn power_places(resolver: &Resolver, id: ExprId) -> Vec<Span> {
    match resolver.ast.kind(id) {
        ExprKind::Power { exponent, .. } => vec![resolver.ast.outer(*exponent)],
        _ => vec![],
    }
}

/// A text in which `…` stands for what is written at these places, one after another.
type Quoted = (String, Vec<Span>);

impl Resolver<'_> {
    /// `Rational(1, 2)`, `solve_ivp(L, …)`, `diff(x, t)`: a function of another system, written here.
    pub(super) fn foreign_call(
        &self,
        id: ExprId,
        name: &str,
        callee: Span,
        arguments: &[ExprId],
    ) -> Option<Diagnostic> {
        if self.names == Names::Open || self.is_function(name) {
            return None;
        }
        let ours = elsewhere::ours(Use::Function, name)?;
        let (written, how) = match ours {
            Ours::Word("D") => (self.total_derivative(arguments)?, "the derivative along the motion is a prime"),
            Ours::Call(template, how) => (self.filled(self.ast.span(id), template, arguments)?, how),
            _ => return None,
        };
        let title = format!("there is no function `{name}`");
        let d = Diagnostic::error(&codes::UNKNOWN_NAME, title).about(name).label(callee, "of another system");
        Some(d.repair_at(Goes::Quoting(written.1), how, self.ast.span(id), written.0))
    }

    /// `D(f)`, `x(0) = 1`, `sum(q[i]^2, i, 1, 3)` and `sum(q^2)`: what is written so elsewhere.
    pub(super) fn call_with_a_slip(
        &self,
        id: ExprId,
        name: &Name,
        callee: Span,
        arguments: &[ExprId],
    ) -> Option<Diagnostic> {
        let (text, whole) = (&*name.text, self.ast.span(id));
        if self.names == Names::Open || self.scope.function(text).is_some() {
            return None;
        }
        match (text, arguments) {
            ("D", [of]) => {
                let help = "the rate of change is a prime; a partial derivative names its coordinate: `D(f, x)`";
                let d = Diagnostic::error(&codes::WRONG_ARGUMENTS, "`D` takes at least 2 arguments, not 1");
                let written = format!("{}'", self.atom(*of));
                let places = Goes::Quoting(vec![self.ast.outer(*of)]);
                Some(d.label(callee, "asked here").repair_at(places, help, whole, written))
            }
            (_, [time]) if self.is_coordinate(text) && matches!(self.ast.kind(*time), ExprKind::Number(_)) => {
                let d = Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{text}` is not a function"))
                    .about(text)
                    .label(whole, "a coordinate at a time");
                let help = "an initial value is given without its time, and in a run there is `run at { t = 3 }`";
                Some(d.repair_at(Goes::Quoting(vec![callee]), help, whole, "…"))
            }
            // `D(x, t)`: all coordinates are held fixed, and x with them.
            ("D", [of, time])
                if self.is_base(*time) && self.ast.name(*of).is_some_and(|n| self.is_coordinate(&n.text)) =>
            {
                let d = Diagnostic::error(&codes::NO_EFFECT, "this partial derivative is 0")
                    .label(whole, "coordinates and velocities are held fixed");
                let places = Goes::Quoting(vec![self.ast.outer(*of)]);
                Some(d.repair_at(places, "the derivative along the motion is a prime", whole, "…'"))
            }
            // `run(5).x`
            (_, [time]) if self.is_run(text) => {
                let d = Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{text}` is a run, and no function"))
                    .about(text)
                    .label(whole, "a run at a time");
                let places = Goes::Quoting(vec![callee, self.ast.outer(*time)]);
                Some(d.repair_at(places, "the state at a time is `run at 3`", whole, "(… at …)"))
            }
            // `E(x = 1)`
            (_, [_, ..])
                if arguments.iter().all(|a| self.ast.equation(*a).is_some())
                    && self.scope.values.contains_key(text)
                    && !self.is_function(text) =>
            {
                let d = Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{text}` is a value, and no function"))
                    .about(text)
                    .label(whole, "a value at a point");
                let places = [vec![callee], arguments.iter().map(|a| self.ast.outer(*a)).collect()].concat();
                let entries = vec!["…"; arguments.len()].join(", ");
                let help = "a value at a point is asked with `at`";
                Some(d.repair_at(Goes::Quoting(places), help, whole, format!("(… at {{ {entries} }})")))
            }
            // `D(f, x, 2)`
            ("D", [of, by, n]) if self.ast.name(*by).is_some() && self.written(*n).is_some() => {
                let n = self.written(*n)?;
                let d = Diagnostic::error(&codes::WRONG_KIND, "each derivative names its coordinate")
                    .label(self.ast.span(arguments[2]), "a number of times");
                let (outer, by) = (self.ast.outer(*of), self.ast.outer(*by));
                let places = [vec![outer], vec![by; n]].concat();
                let written = format!("D({})", vec!["…"; n + 1].join(", "));
                Some(d.repair_at(Goes::Quoting(places), "write `D(f, x, x)`", whole, written))
            }
            // `log(8, 2)`
            ("log", [of, base]) => {
                let d = Diagnostic::error(&codes::WRONG_ARGUMENTS, "`log` takes 1 argument, not 2")
                    .label(callee, "called here");
                let places = Goes::Quoting(vec![self.ast.outer(*of), self.ast.outer(*base)]);
                let help = "`log` is the natural logarithm; one to another base is a quotient";
                Some(d.repair_at(places, help, whole, "(log(…)/log(…))"))
            }
            // `abs(r)` of a vector
            ("abs", [of]) if self.is_list(*of) => {
                let d =
                    Diagnostic::error(&codes::WRONG_KIND, "a list has no absolute value").label(callee, "asked here");
                let place = self.ast.outer(*of);
                let help = "the length of a vector is `sqrt(dot(r, r))`";
                Some(d.repair_at(Goes::Quoting(vec![place, place]), help, whole, "sqrt(dot(…, …))"))
            }
            // `subs(x = 1, f)`
            ("subs", [points @ .., of])
                if !points.is_empty()
                    && points.iter().all(|p| self.ast.equation(*p).is_some())
                    && self.ast.equation(*of).is_none() =>
            {
                let d = Diagnostic::error(&codes::WRONG_ARGUMENTS, "what is put in stands behind the formula")
                    .label(callee, "asked here");
                let places = [vec![self.ast.outer(*of)], points.iter().map(|p| self.ast.outer(*p)).collect()].concat();
                let written = format!("(… at {{ {} }})", vec!["…"; points.len()].join(", "));
                Some(d.repair_at(Goes::Quoting(places), "write `f at { x = 1 }`", whole, written))
            }
            // `jacobian([f, g], [x, y])`
            ("jacobian", [of, by]) => {
                let (ExprKind::List(of), ExprKind::List(by)) = (self.ast.kind(*of), self.ast.kind(*by)) else {
                    return None;
                };
                let d =
                    Diagnostic::error(&codes::WRONG_ARGUMENTS, "`jacobian` takes a map").label(callee, "asked here");
                let row = format!("[{}]", vec!["D(…, …)"; by.len()].join(", "));
                let pairs = of.iter().flat_map(|f| by.iter().flat_map(|x| [self.ast.outer(*f), self.ast.outer(*x)]));
                let written = format!("[{}]", vec![row; of.len()].join(", "));
                let help = "the derivatives of functions are `[[D(f, x), D(f, y)], [D(g, x), D(g, y)]]`";
                Some(d.repair_at(Goes::Quoting(pairs.collect()), help, whole, written))
            }
            // `eye(3)`, `zeros(2, 2)`
            ("identity" | "eye" | "IdentityMatrix" | "zeros" | "ones", [n, rest @ ..]) if rest.len() < 2 => {
                let rows = self.written(*n)?;
                let columns = rest.first().map_or(Some(rows), |m| self.written(*m))?;
                let entry = |i: usize, j: usize| match text {
                    "zeros" => "0",
                    "ones" => "1",
                    _ if i == j => "1",
                    _ => "0",
                };
                let row = |i: usize| (0..columns).map(|j| entry(i, j)).collect::<Vec<_>>().join(", ");
                let written = (0..rows).map(|i| format!("[{}]", row(i))).collect::<Vec<_>>().join(", ");
                let d = Diagnostic::error(&codes::WRONG_KIND, "a matrix is a list of its rows");
                Some(d.label(whole, "another notation").repair("write out its rows", whole, format!("[{written}]")))
            }
            ("sum" | "product" | "list", [body, index, from, to]) => {
                let index = self.ast.name(*index).filter(|n| n.primes == 0)?;
                let places = vec![self.ast.outer(*from), self.ast.outer(*to), self.ast.outer(*body)];
                let d = Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{text}` needs an index and its range"));
                let written = format!("{text}({} in …..…, …)", index.text);
                Some(d.about(text).label(callee, "over what?").repair_at(
                    Goes::Quoting(places),
                    format!("write `{text}({} in 1..n, …)`", index.text),
                    whole,
                    written,
                ))
            }
            ("sum" | "product", [body]) => {
                let (of, power) = match self.ast.kind(*body) {
                    ExprKind::Power { base, exponent } => (*base, Some(*exponent)),
                    _ => (*body, None),
                };
                let (member, last) = self.member_of(of)?;
                let power = power.map_or(String::new(), |_| "^…".to_string());
                let places = power_places(self, *body);
                let d = Diagnostic::error(&codes::UNKNOWN_NAME, format!("`{text}` needs an index and its range"));
                Some(d.about(text).label(callee, "over what?").repair_at(
                    Goes::Quoting(places),
                    "its index runs over the family",
                    whole,
                    format!("{text}(i in 1..{last}, {member}{power})"),
                ))
            }
            _ => None,
        }
    }

    /// `D(D(L, x'), t)`, which is no total derivative.
    pub(super) fn partial_by_time(&self, whole: Span, name: &Name, arguments: &[ExprId]) -> Option<Diagnostic> {
        let [of, time] = arguments else { return None };
        let ExprKind::Call { callee, arguments: inner } = self.ast.kind(*of) else { return None };
        let is_partial = |n: &Name| &*n.text == "D" && n.primes == 0 && self.scope.function("D").is_none();
        let is_nested = is_partial(name) && self.ast.name(*callee).is_some_and(is_partial);
        if !is_nested || !self.is_base(*time) || self.names == Names::Open {
            return None;
        }
        let system = inner.first().and_then(|id| self.ast.name(*id)).and_then(|n| self.scope.value(&n.text));
        let lagrangian = match system.map(|b| &b.meaning) {
            Some(Meaning::Value(Value::System(system))) => match &system.base {
                Base::Lagrangian(lagrangian) => lagrangian.function(),
                _ => return None,
            },
            Some(Meaning::Value(Value::Expr(e))) => *e,
            _ => return None,
        };
        let is_base = |s: Symbol| matches!(s.kind(), SymbolKind::Base);
        if lagrangian.symbols().into_iter().any(is_base) {
            return None;
        }
        let d = Diagnostic::warning(&codes::NO_EFFECT, "this partial derivative is 0")
            .label(whole, "coordinates and velocities are held fixed");
        let places = Goes::Quoting(vec![self.ast.outer(*of)]);
        Some(d.repair_at(places, "the derivative along the motion is a prime", whole, "…'"))
    }

    /// `E - E at { x = 1 }`: `at` takes all of the difference, which is 0 everywhere.
    pub(super) fn difference_at(&self, subject: ExprId, point: ExprId) -> Option<Diagnostic> {
        let ExprKind::Sum(terms) = self.ast.kind(subject) else { return None };
        let [(Sign::Plus, first), (Sign::Minus, second)] = terms.as_slice() else { return None };
        if self.ast[subject].parens > 0 || self.names == Names::Open || !self.is_same(*first, *second) {
            return None;
        }
        let (second, point) = (self.ast.outer(*second), self.ast.outer(point));
        let whole = second.to(point);
        let d = Diagnostic::warning(&codes::NO_EFFECT, "`at` takes all of this difference, which is 0")
            .label(self.ast.span(subject), "the same twice");
        let help = "the value of the second alone stands in brackets: `E - (E at { x = 1 })`";
        Some(d.repair_at(Goes::Quoting(vec![second, point]), help, whole, "(… at …)"))
    }

    /// Whether two expressions are written alike: names, numbers, calls and parts.
    fn is_same(&self, a: ExprId, b: ExprId) -> bool {
        match (self.ast.kind(a), self.ast.kind(b)) {
            (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
            (ExprKind::Number(a), ExprKind::Number(b)) => a == b,
            (ExprKind::Part { of: a, key: x }, ExprKind::Part { of: b, key: y }) => {
                x.node == y.node && self.is_same(*a, *b)
            }
            (ExprKind::Call { callee: a, arguments: x }, ExprKind::Call { callee: b, arguments: y }) => {
                x.len() == y.len() && self.is_same(*a, *b) && x.iter().zip(y).all(|(x, y)| self.is_same(*x, *y))
            }
            _ => false,
        }
    }

    /// Whether this is a list, or the name of one.
    fn is_list(&self, id: ExprId) -> bool {
        let named = self.ast.name(id).and_then(|n| self.scope.value(&n.text)).map(|b| &b.meaning);
        matches!(self.ast.kind(id), ExprKind::List(_)) || matches!(named, Some(Meaning::Value(Value::List(_))))
    }

    /// `exp^x`.
    pub(super) fn power_of_function_name(&self, whole: Span, base: ExprId, exponent: ExprId) -> Option<Diagnostic> {
        let name = self.ast.name(base).filter(|n| &*n.text == "exp" && n.primes == 0)?;
        if self.scope.value(&name.text).is_some() || self.names == Names::Open {
            return None;
        }
        let d = Diagnostic::error(&codes::UNKNOWN_NAME, "`exp` is a function and needs its arguments")
            .label(self.ast.span(base), "not a value");
        let places = Goes::Quoting(vec![self.ast.span(exponent)]);
        Some(d.repair_at(places, "the exponential of x is `exp(x)`", whole, "exp(…)"))
    }

    /// `A'`, the transposed matrix of another system: the derivative of numbers is 0.
    pub(super) fn prime_of_numbers(&self, name: &Name, place: Span) -> Option<Diagnostic> {
        let Some(Meaning::Value(value)) = self.scope.value(&name.text).map(|b| &b.meaning) else { return None };
        let is_constant = match value {
            Value::Matrix(m) => {
                let (rows, columns) = (m.matrix.n_rows(), m.matrix.n_columns());
                let mut entries = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
                entries.all(|(i, j)| m.matrix[(i, j)].as_number().is_some())
            }
            Value::List(rows) => rows.iter().all(|row| {
                let is_number = |entry: &Value| matches!(entry, Value::Expr(e) if e.as_number().is_some());
                matches!(row, Value::List(entries) if entries.iter().all(is_number))
            }),
            _ => false,
        };
        is_constant.then(|| {
            Diagnostic::warning(
                &codes::NO_EFFECT,
                format!("the entries of `{}` are numbers, their derivative is 0", name.text),
            )
            .label(place, "a prime is a derivative")
            .repair("the transposed matrix is `transpose(A)`", place, format!("transpose({})", name.text))
        })
    }

    /// The name of a family, with primes or without, as its member of index `i`, and how many there are.
    pub(super) fn member_of(&self, id: ExprId) -> Option<(String, i64)> {
        let name = self.ast.name(id)?;
        let Some(Meaning::Value(Value::Indexed(family))) = self.scope.value(&name.text).map(|b| &b.meaning) else {
            return None;
        };
        let simple = family.members.keys().enumerate().all(|(i, key)| key.as_slice() == [i as i64 + 1]);
        let member = format!("{}[i]{}", name.text, "'".repeat(name.primes as usize));
        simple.then_some((member, family.members.len() as i64))
    }

    /// `q'^2` of a family.
    pub(super) fn power_of_family(&self, whole: Span, base: ExprId, exponent: ExprId) -> Option<Diagnostic> {
        let (member, last) = self.member_of(base).filter(|_| self.names == Names::Known)?;
        let title = format!("`{}` is a family of names", self.ast.name(base)?.text);
        let d = Diagnostic::error(&codes::WRONG_KIND, title).label(whole, "a power of all of them");
        Some(d.repair_at(
            Goes::Quoting(vec![self.ast.outer(exponent)]),
            format!("a sum over its members: `sum(i in 1..{last}, {member}^2)`"),
            whole,
            format!("sum(i in 1..{last}, {member}^…)"),
        ))
    }

    /// `q'[1]`.
    pub(super) fn primes_before_index(&self, of: ExprId, keys: &[ExprId], whole: Span) -> Option<Diagnostic> {
        let name = self.ast.name(of).filter(|n| n.primes > 0 && self.names == Names::Known)?;
        let (Some(_), [key]) = (self.member_of(of), keys) else { return None };
        let text = format!("{}[…]{}", name.text, "'".repeat(name.primes as usize));
        let d = Diagnostic::error(&codes::WRONG_KIND, "the primes of a member stand behind its index")
            .label(whole, "a family has no primes");
        let places = Goes::Quoting(vec![self.ast.outer(*key)]);
        Some(d.repair_at(places, format!("write `{}[…]'`", name.text), whole, text))
    }

    /// `f.subs(x, 2)`, `A.det()`, `L.energy()`: what is asked stands before the brackets.
    pub(super) fn method_call(
        &mut self,
        id: ExprId,
        of: ExprId,
        key: &Name,
        arguments: &[ExprId],
    ) -> Option<Diagnostic> {
        let name = &*key.text;
        let ours = elsewhere::ours(Use::Function, name);
        if self.names == Names::Open || !(self.is_function(name) || ours.is_some()) {
            return None;
        }
        let object = self.quietly(of);
        let has_part = object.shape.question.is_some_and(|q| q.part(name).is_some())
            || object.shape.kinds.natural_parts().is_some_and(|parts| parts.contains(&name));
        let is_run = object.shape.kinds == RUN;
        if has_part || is_run || object.shape.kinds.meets(FAMILY) || matches!(object.kind, TermKind::Hole) {
            return None;
        }
        let all: Vec<ExprId> = [&[of][..], arguments].concat();
        let call = |here: &str| {
            let places: Vec<Span> = all.iter().map(|a| self.ast.outer(*a)).collect();
            (format!("{here}({})", vec!["…"; all.len()].join(", ")), places)
        };
        let (text, places) = match ours {
            Some(Ours::Word("D")) => self.total_derivative(&all).unwrap_or_else(|| call("D")),
            Some(Ours::Word(here)) => call(here),
            Some(Ours::Call(template, _)) => self.filled(self.ast.span(id), template, &all)?,
            Some(Ours::Said(how) | Ours::Nothing(how)) => {
                let title = format!("there is no function `{name}`");
                let d = Diagnostic::error(&codes::UNKNOWN_NAME, title).about(name);
                return Some(d.label(self.ast.span(id), "of another system").help(how));
            }
            // `f.subs(x, 2)`
            None if name == "subs" && all.len() == 3 => ("subs(…, … = …)".to_string(), call(name).1),
            None => call(name),
        };
        let d = Diagnostic::error(&codes::UNKNOWN_PART, "a function stands before what it is of")
            .label(self.ast.span(id), "another notation");
        Some(d.repair_at(Goes::Quoting(places), format!("write `{text}`"), self.ast.span(id), text))
    }

    /// `np` in `np.cos(x)`.
    pub(super) fn module(&self, of: ExprId, key: Span) -> Option<Diagnostic> {
        let is_of_library = |text: &str| crate::session::library::FILES.iter().any(|(file, _)| *file == text);
        let is_module = |n: &&Name| n.primes == 0 && (elsewhere::is_module(&n.text) || is_of_library(&n.text));
        let name = self.ast.name(of).filter(is_module)?;
        let place = self.ast.span(of);
        if self.names == Names::Open || self.lookup(of, name, place).ok().flatten().is_some() {
            return None;
        }
        let title = format!("`{}` is not declared", name.text);
        let d = Diagnostic::error(&codes::UNKNOWN_NAME, title).about(&name.text).label(
            place,
            match is_of_library(&name.text) {
                true => "a file of the library",
                false => "a module of another system",
            },
        );
        Some(d.repair("functions and constants need no module", Span { end: key.start, ..place }, ""))
    }

    /// `A.T`, `L.equations`: a question written as a part of what it is about.
    pub(super) fn foreign_part(&self, d: Diagnostic, of: &Term, name: &str, span: Span) -> Diagnostic {
        let whole = Span { start: of.outer.start, ..span };
        match elsewhere::ours(Use::Part, name) {
            _ if !d.repairs.is_empty() => d,
            Some(Ours::Said(how)) if of.shape.kinds == RUN => Diagnostic { helps: vec![how.to_string()], ..d },
            Some(Ours::Word(here)) if of.shape.kinds.natural_parts().is_some_and(|p| p.contains(&here)) => {
                Diagnostic { helps: vec![], ..d }.repair(format!("did you mean `{here}`?"), span, here)
            }
            Some(Ours::Call(template, how)) if template.contains("$1") => Diagnostic { helps: vec![], ..d }.repair_at(
                Goes::Quoting(vec![of.outer]),
                how,
                whole,
                template.replace("$1", "…"),
            ),
            _ if of.shape.kinds.within(SYSTEM)
                && questions::find(name).is_none()
                && let Some(question) = Resolver::question_with(name) =>
            {
                Diagnostic { helps: vec![], ..d }.repair_at(
                    Goes::Quoting(vec![of.outer]),
                    format!("it is a part of an answer: `{question}(…).{name}`"),
                    whole,
                    format!("{question}(…).{name}"),
                )
            }
            _ if questions::find(name).is_some() => Diagnostic { helps: vec![], ..d }.repair_at(
                Goes::Quoting(vec![of.outer]),
                format!("a question stands before what it is about: `{name}(…)`"),
                whole,
                format!("{name}(…)"),
            ),
            _ => d,
        }
    }

    /// A question with too few or too many arguments: the edit that completes it by what is usual, or leaves out the rest.
    pub(super) fn complete_call(
        &self,
        question: &Question,
        callee: Span,
        arguments: &[ExprId],
        problem: &mut Diagnostic,
    ) {
        let is_count = problem.code == &codes::WRONG_ARGUMENTS;
        let options: Vec<ExprId> = arguments
            .iter()
            .copied()
            .filter(|a| self.ast.option(*a).is_some_and(|(n, _)| question.option(&n.node).is_none()))
            .collect();
        let given = arguments.len();
        let (Some(last), false) = (arguments.last(), !problem.repairs.is_empty()) else { return };
        let end = self.ast.outer(*last).end;
        if let (false, [first, ..]) = (is_count, options.as_slice()) {
            // `linearize(L, x = 0)`
            let takes_point = question.parameters.iter().any(|p| p.kinds.meets(POINT) && !p.kinds.is_any());
            if takes_point && problem.code == &codes::NO_EFFECT {
                let place = Span { end, ..self.ast.outer(*first) };
                *problem =
                    problem.clone().repair_at(Goes::Quoting(vec![place]), "a point stands in braces", place, "{ … }");
            }
            return;
        }
        if !options.is_empty() {
            return;
        }
        // `tonti(integrating_factor(N))`
        if let (Some(parameter), [only]) = (question.parameters.first(), arguments)
            && problem.code == &codes::WRONG_KIND
            && parameter.kinds.meets(SYSTEM)
            && let ExprKind::Call { callee, arguments: of } = self.ast.kind(*only)
            && let Some(factor) = self.ast.name(*callee).and_then(|n| questions::find(&n.text))
            && factor.parts.iter().any(|part| part.name == "multipliers")
            && factor.parts.iter().any(|part| part.name == "variational")
            && let [of, ..] = of.as_slice()
        {
            let (place, of) = (self.ast.outer(*only), self.ast.outer(*of));
            let d = Diagnostic { helps: vec![], ..problem.clone() };
            let help = format!("a multiplier stands before its equations: `{}(N)*N`", factor.name);
            *problem = d.repair_at(Goes::Quoting(vec![place, of]), help, place, "…*…");
            return;
        }
        // `is_holonomic(rod)` of a constraint
        if let ([parameter], [only]) = (question.parameters, arguments)
            && problem.code == &codes::WRONG_KIND
            && parameter.kinds == SECTION
            && let Some(Meaning::Value(Value::Constraint(_))) =
                self.ast.name(*only).and_then(|n| self.scope.value(&n.text)).map(|b| &b.meaning)
        {
            let place = self.ast.outer(*only);
            let whole = Span { start: callee.start, end: place.end + 1, ..place };
            let help = "whether constraints are holonomic says `constraint_type(c).kind`";
            *problem = problem.clone().repair_at(Goes::Quoting(vec![place]), help, whole, "constraint_type(…).kind");
            return;
        }
        // `first_integral(energy(L), L)`
        if let ([first, second], [system, _]) = (arguments, question.parameters)
            && problem.code == &codes::WRONG_KIND
            && system.kinds.meets(SYSTEM)
            && !system.kinds.is_any()
            && !self.is_system(*first)
            && self.is_system(*second)
        {
            let places = vec![self.ast.outer(*second), self.ast.outer(*first)];
            let whole = places[1].to(places[0]);
            let d = Diagnostic { helps: vec![], ..problem.clone() };
            *problem = d.repair_at(Goes::Quoting(places), "the system stands first", whole, "…, …");
            return;
        }
        // `tonti(equations(L))`
        if let Some(i) = arguments.iter().position(|a| Some(self.ast.span(*a)) == problem.primary())
            && problem.code == &codes::WRONG_KIND
            && question.parameters.get(i).is_some_and(|p| p.kinds.meets(SYSTEM) && !p.kinds.is_any())
            && let ExprKind::Call { callee: asked, arguments: of } = self.ast.kind(arguments[i])
            && let Some(asked) = self.ast.name(*asked).and_then(|n| questions::find(&n.text))
            && asked.parameters.first().is_some_and(|p| p.kinds.meets(SYSTEM) && !p.kinds.is_any())
            && let [of] = of.as_slice()
            && given == question.parameters.len()
            && self.is_system(*of)
        {
            let (place, of) = (self.ast.outer(arguments[i]), self.ast.outer(*of));
            let d = Diagnostic { helps: vec![], ..problem.clone() };
            *problem = d.repair_at(Goes::Quoting(vec![of]), "the system itself is asked about", place, "…");
            return;
        }
        // `first_integral(energy(L))`
        if let ([only], [system, _]) = (arguments, question.parameters)
            && (is_count || problem.code == &codes::WRONG_KIND)
            && system.kinds.meets(SYSTEM)
            && !system.kinds.is_any()
            && !self.is_system(*only)
            && let Some(name) = self.only(|value| matches!(value, Value::System(_)))
        {
            let start = self.ast.outer(*only);
            let place = Span { end: start.start, ..start };
            let d = Diagnostic { helps: vec![], ..problem.clone() };
            *problem = d.repair(format!("about the system `{name}`"), place, format!("{name}, "));
            return;
        }
        // `noether(L, [-y, x])`: the components of a field
        if let Some(i) = arguments.iter().position(|a| Some(self.ast.span(*a)) == problem.primary())
            && problem.code == &codes::WRONG_KIND
            && question.parameters.get(i).is_some_and(|p| p.kinds.meets(FIELD) && !p.kinds.is_any())
            && let ExprKind::List(entries) = self.ast.kind(arguments[i])
            && let [manifold] = self.scope.manifolds.as_slice()
            && manifold.fibres().len() == entries.len()
        {
            let fibres = manifold.fibres().iter().zip(entries);
            let terms: Vec<String> =
                fibres.map(|(f, e)| format!("{}*@{}", self.atom(*e), f.coordinate.name())).collect();
            let places = entries.iter().map(|e| self.ast.outer(*e)).collect();
            let d = Diagnostic { helps: vec![], ..problem.clone() };
            let help = "a vector field is a sum of directions: `x*@y - y*@x`";
            *problem = d.repair_at(Goes::Quoting(places), help, self.ast.outer(arguments[i]), terms.join(" + "));
            return;
        }
        // `first_integral(L, A)` of a vector A
        if let Some(i) = arguments.iter().position(|a| Some(self.ast.span(*a)) == problem.primary())
            && question.parameters.get(i).is_some_and(|p| p.kinds.meets(FUNCTION) && !p.kinds.is_any())
            && problem.code == &codes::WRONG_KIND
            && self.is_list(arguments[i])
        {
            let place = self.ast.outer(arguments[i]);
            *problem = match self.ast.name(arguments[i]) {
                Some(name) => problem.clone().repair_at(
                    Goes::Quoting(vec![place]),
                    format!("each entry is asked about by itself: `{}[1]`", name.text),
                    place,
                    "…[1]",
                ),
                None => problem.clone().help("each entry is asked about by itself"),
            };
            return;
        }
        if let (Some(parameter), [only]) = (question.parameters.first(), arguments)
            && problem.code == &codes::WRONG_KIND
            && parameter.kinds.meets(SYSTEM)
            && !parameter.kinds.is_any()
            && matches!(self.ast.kind(*only), ExprKind::Sum(_) | ExprKind::Product(_) | ExprKind::Power { .. })
            && let [manifold] = self.scope.manifolds.as_slice()
        {
            let free = |name: &&str| !self.scope.values.contains_key(*name);
            if let Some(name) = ["L", "L1", "L2"].into_iter().find(free) {
                let declared = format!("lagrangian {name} on {} = …", manifold.jets(1));
                let place = self.ast.outer(*only);
                let d = Diagnostic { helps: vec![], ..problem.clone() };
                let help = format!("declare it before: `lagrangian {name} on {} = …`", manifold.jets(1));
                *problem = d.repair_at(Goes::BelowDeclaration(declared), help, place, name);
            }
            return;
        }
        if is_count && given > question.parameters.len() {
            if let Some(repaired) = self.put_together(question, arguments, problem) {
                *problem = repaired;
            } else if let Some(kept) = question.parameters.len().checked_sub(1).and_then(|n| arguments.get(n)) {
                let start = self.ast.outer(*kept).end;
                let place = Span { start, end, ..self.ast.outer(*last) };
                *problem = problem.clone().repair("leave out the rest", place, "");
            }
        } else if is_count && let Some(missing) = question.parameters.get(given) {
            let usual = match missing.kinds {
                kinds if kinds.is_any() => return,
                kinds if kinds.meets(POINT) => self.rest(),
                kinds if kinds.meets(FIELD) => self.first_coordinate().map(|x| format!("@{x}")),
                kinds if kinds == INTEGER => Some("2".to_string()),
                _ => None,
            };
            if let (Some(usual), true) = (usual, given + 1 == question.parameters.len()) {
                let place = Span { start: end, end, ..self.ast.outer(*last) };
                *problem = problem.clone().repair(format!("for example with `{usual}`"), place, format!(", {usual}"));
            }
        } else if let Some(i) = arguments.iter().position(|a| Some(self.ast.span(*a)) == problem.primary())
            && question.parameters.get(i).is_some_and(|p| p.kinds.meets(POINT) && !p.kinds.is_any())
            && let (ExprKind::Number(_), Some(rest)) = (self.ast.kind(arguments[i]), self.rest())
        {
            *problem = problem.clone().repair(format!("for example `{rest}`"), self.ast.outer(arguments[i]), rest);
        }
    }

    /// `equations(L, rod)`: forces and constraints belong to the system.
    fn put_together(&self, question: &Question, arguments: &[ExprId], problem: &Diagnostic) -> Option<Diagnostic> {
        let [parameter] = question.parameters else { return None };
        let [system, parts @ ..] = arguments else { return None };
        if !parameter.kinds.meets(SYSTEM) || parameter.kinds.is_any() {
            return None;
        }
        let (mut forces, mut constraints) = (vec![], vec![]);
        for part in parts {
            let name = self.ast.name(*part).filter(|n| n.primes == 0)?;
            match self.scope.value(&name.text).map(|b| &b.meaning)? {
                Meaning::Value(Value::Force(_)) => forces.push(&*name.text),
                Meaning::Value(Value::Constraint(_)) => constraints.push(&*name.text),
                _ => return None,
            }
        }
        let (has_forces, is_constrained) = match self.ast.kind(*system) {
            ExprKind::Composed { forces, constraints, .. } => (!forces.is_empty(), !constraints.is_empty()),
            _ => (false, false),
        };
        if is_constrained && !forces.is_empty() {
            return None;
        }
        let mut text = "…".to_string();
        if !forces.is_empty() {
            text += &format!(" {} {}", if has_forces { "and" } else { "with" }, forces.join(" and "));
        }
        if !constraints.is_empty() {
            text += &format!(" {} {}", if is_constrained { "and" } else { "subject to" }, constraints.join(" and "));
        }
        let place = self.ast.outer(*system);
        let whole = place.to(self.ast.outer(*parts.last()?));
        let d = Diagnostic { helps: vec![], ..problem.clone() };
        let help = "forces and constraints are put to the system: `L with drag subject to rod`";
        Some(d.repair_at(Goes::Quoting(vec![place]), help, whole, text))
    }

    /// What a term is, without what is wrong with it.
    fn quietly(&mut self, id: ExprId) -> Term {
        let before = self.problems.len();
        let term = self.term(id);
        self.problems.truncate(before);
        term
    }

    /// Whether a name is that of a system.
    fn is_system(&self, id: ExprId) -> bool {
        let name = self.ast.name(id).filter(|n| n.primes == 0);
        let meaning = name.and_then(|n| self.scope.value(&n.text)).map(|b| &b.meaning);
        matches!(meaning, Some(Meaning::Value(Value::System(_))))
            || matches!(self.ast.kind(id), ExprKind::Composed { .. })
    }

    fn is_function(&self, name: &str) -> bool {
        self.scope.function(name).is_some()
            || Elementary::find(name).is_some()
            || questions::find_written(name).is_some()
            || usage::LIKE_FUNCTIONS.contains(&name)
    }

    /// `diff(x, t)` and `diff(x, t, 2)`.
    fn total_derivative(&self, arguments: &[ExprId]) -> Option<Quoted> {
        let (of, order) = match arguments {
            [of, time] if self.is_base(*time) => (of, 1),
            [of, time, again] if self.is_base(*time) && self.is_base(*again) => (of, 2),
            [of, time, n] if self.is_base(*time) => (of, self.written(*n)?),
            _ => return None,
        };
        Some((format!("{}{}", self.atom(*of), "'".repeat(order)), vec![self.ast.outer(*of)]))
    }

    /// A small number.
    fn written(&self, id: ExprId) -> Option<usize> {
        let ExprKind::Number(n) = self.ast.kind(id) else { return None };
        (1..=9).find(|digit| n.to_string() == digit.to_string())
    }

    /// The sign for a quoted operand, in brackets where it is a sum or a product.
    fn atom(&self, id: ExprId) -> &'static str {
        let bare = matches!(
            self.ast.kind(id),
            ExprKind::Name(_)
                | ExprKind::Number(_)
                | ExprKind::Call { .. }
                | ExprKind::Part { .. }
                | ExprKind::Index { .. }
        );
        if bare || self.ast[id].parens > 0 { "…" } else { "(…)" }
    }

    fn first_coordinate(&self) -> Option<String> {
        let [manifold] = self.scope.manifolds.as_slice() else { return None };
        Some(manifold.fibres().first()?.coordinate.name())
    }

    /// The state in which all coordinates are 0.
    fn rest(&self) -> Option<String> {
        let [manifold] = self.scope.manifolds.as_slice() else { return None };
        let values: Vec<String> = manifold.fibres().iter().map(|f| format!("{} = 0", f.coordinate.name())).collect();
        (!values.is_empty()).then(|| format!("{{ {} }}", values.join(", ")))
    }

    /// A row of the table with these arguments; a statement only where a statement stands.
    pub(super) fn filled(&self, whole: Span, template: &str, arguments: &[ExprId]) -> Option<Quoted> {
        let is_statement = ["simulate ", "plot "].iter().any(|word| template.starts_with(word));
        if is_statement && self.top.map(|top| self.ast.span(top)) != Some(whole) {
            return None;
        }
        let (mut text, mut places, mut rest) = (String::new(), vec![], template);
        while let Some(at) = rest.find('$') {
            text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let (hole, behind) = rest.split_at(end);
            let argument = match hole {
                "last" => arguments.last().copied(),
                digits => digits.parse::<usize>().ok().and_then(|n| arguments.get(n - 1).copied()),
            };
            match (hole, argument) {
                ("from", _) => text.push_str(&self.first_coordinate()?),
                ("rest", _) => text.push_str(&self.rest()?),
                ("time", _) => text.push_str(&self.scope.manifolds.first()?.base().to_string()),
                (_, Some(of)) => {
                    let in_call = text.ends_with(['(', ' ']) || text.is_empty();
                    let alone = in_call && (behind.is_empty() || behind.starts_with([')', ',', ' ']));
                    let inside_brackets = text.ends_with('(') && behind.starts_with(")'");
                    text.push_str(if alone || inside_brackets { "…" } else { self.atom(of) });
                    places.push(self.ast.outer(of));
                }
                _ => return None,
            }
            rest = behind;
        }
        text.push_str(rest);
        // A text that was printed is left out.
        if text == "…" && matches!(self.ast.kind(*arguments.last()?), ExprKind::String(_)) {
            return Some((String::new(), vec![]));
        }
        Some((text, places))
    }
}
