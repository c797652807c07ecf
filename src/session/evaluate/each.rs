//! Repetitions: `sum(i in 1..n, …)`, `list`, `product`, and the integral, whose variable is bound in the same way.

use super::{Evaluator, Prefixes, refuse};
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::operate;
use crate::model::value::{Fallible, Value};
use crate::session::term::{Each, Integral, Repetition, Term, TermKind};
use crate::source::Span;
use std::rc::Rc;

impl<'s> Evaluator<'s> {
    pub(super) fn repetition(&self, each: &Rc<Each>) -> Fallible<Value> {
        if each.of == Repetition::Sum
            && let Some(sum) = self.prefix_sum(each)?
        {
            return Ok(Value::Expr(sum));
        }
        let values = self.each(each)?;
        let place = each.body.span;
        match each.of {
            Repetition::Sum if values.is_empty() => Ok(Value::number(0)),
            Repetition::Sum => operate::sum(&self.cx, values.into_iter().map(|v| (false, v, place)).collect()),
            Repetition::Product if values.is_empty() => Ok(Value::number(1)),
            Repetition::Product => operate::product(&self.cx, values.into_iter().map(|v| (false, v, place)).collect()),
            Repetition::List => operate::list(&self.cx, values),
        }
    }

    /// A sum inside a repetition whose body mentions no index but its own: the sums to 1, 2, …, k are prefixes of
    /// one another, and each is the one before plus a term. So the velocities Σ_{i≤k} q′ᵢ cos qᵢ of a
    /// chain share their parts. `None` if it is not such a sum.
    fn prefix_sum(&self, each: &Rc<Each>) -> Fallible<Option<Expr>> {
        let ([range], true) = (each.ranges.as_slice(), each.is_alone && !self.frame.is_empty()) else {
            return Ok(None);
        };
        let TermKind::Range { from, to } = &range.kind else { return Ok(None) };
        let (from, to) = (self.integer(from)?, self.integer(to)?);
        range_guard(from, to)?;
        if to < from {
            return Ok(None);
        }
        let key = (Rc::as_ptr(each), from);
        let mut sums = self.prefixes.borrow_mut().remove(&key).unwrap_or_default();
        let mut inner = self.under(&self.cx);
        for index in from + sums.len() as i64..=to {
            inner.frame.push(Value::number(index));
            let term = inner.eval(&each.body);
            inner.frame.pop();
            let Ok(term) = operate::as_expr(&self.cx, &term?) else { return Ok(None) };
            sums.push(sums.last().map_or(term, |before| *before + term));
        }
        let sum = sums[(to - from) as usize];
        self.prefixes.borrow_mut().insert(key, sums);
        Ok(Some(sum))
    }

    /// The values of a repetition.
    pub(super) fn each(&self, each: &Each) -> Fallible<Vec<Value>> {
        let mut values = Vec::new();
        self.each_of(each, &mut |inner, body| {
            match &body.kind {
                TermKind::Each(each) if each.of == Repetition::List => values.extend(inner.each(each)?),
                _ => values.push(inner.eval(body)?),
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// Runs `work` on an entry of a block; on the body of a repetition, once for every choice of the indices.
    pub fn each_with(&self, entry: &Term, work: &mut dyn FnMut(&Evaluator, &Term) -> Fallible<()>) -> Fallible<()> {
        match &entry.kind {
            TermKind::Each(each) => self.each_of(each, work),
            _ => work(self, entry),
        }
    }

    fn each_of(&self, each: &Each, work: &mut dyn FnMut(&Evaluator, &Term) -> Fallible<()>) -> Fallible<()> {
        fn run(
            inner: &mut Evaluator,
            ranges: &[Term],
            body: &Term,
            work: &mut dyn FnMut(&Evaluator, &Term) -> Fallible<()>,
        ) -> Fallible<()> {
            let Some((range, rest)) = ranges.split_first() else { return work(inner, body) };
            let Value::List(values) = inner.eval(range)?.main() else {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "an index runs over a range or a list")
                        .label(range.span, "this is neither"),
                ));
            };
            for value in values.iter() {
                inner.frame.push(value.clone());
                let result = run(inner, rest, body, work);
                inner.frame.pop();
                result?;
            }
            Ok(())
        }
        run(&mut self.under(&self.cx), &each.ranges, &each.body, work)
    }

    /// `integral(u in a..b, f)` = (b − a)·∫₀¹ f(a + (b − a)u) du, in closed form where there is one.
    pub(super) fn integral(&self, integral: &Integral, span: Span) -> Fallible<Value> {
        let (from, to) = (self.expr(&integral.from)?, self.expr(&integral.to)?);
        let u = Symbol::bound(&integral.variable);
        let width = to - from;
        let mut inner = Evaluator { prefixes: Prefixes::default(), ..self.under(&self.cx) };
        inner.frame.push(Value::Expr(from + width * Expr::symbol(u)));
        let body = inner.expr(&integral.body)?;
        operate::defined(width * crate::algebra::antiderivative::unit_integral(&self.cx, body, u), span)
    }
}

pub(super) fn range_guard(from: i64, to: i64) -> Fallible<()> {
    if to.saturating_sub(from) > 1_000_000 {
        return refuse(&codes::BUDGET, "this range has more than a million members");
    }
    Ok(())
}
