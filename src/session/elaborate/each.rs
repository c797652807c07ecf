//! Repetitions: `sum(i in 1..n, …)`, `list`, `product`, and the integral, whose variable is bound in the same way.

use super::{Evaluator, refuse};
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::operate;
use crate::model::value::{Fallible, Value};
use crate::source::Span;
use crate::syntax::ast::{Binder, Each, ExprId, ExprKind};
use std::rc::Rc;

impl<'s> Evaluator<'s> {
    /// A sum inside a repetition whose body mentions no index but its own: the sums to 1, 2, …, k are prefixes of
    /// one another, and each is the one before plus a term. So the velocities Σ_{i≤k} q′ᵢ cos qᵢ of a
    /// chain share their parts. `None` if it is not such a sum.
    pub(super) fn prefix_sum(&self, id: ExprId, each: &Each) -> Fallible<Option<Expr>> {
        let ([binder], false) = (each.binders.as_slice(), self.locals.is_empty()) else { return Ok(None) };
        let ExprKind::Range { from, to } = self.ast.kind(binder.range) else { return Ok(None) };
        let others = |id: ExprId| {
            let name = self.ast.name(id)?;
            self.locals.iter().find(|(local, _)| *local == name.text && *local != binder.index.node)
        };
        if self.ast.inside(self.ast.span(each.body)).any(|id| others(id).is_some()) {
            return Ok(None);
        }
        let (from, to) = (self.integer(*from)?, self.integer(*to)?);
        range_guard(from, to)?;
        if to < from {
            return Ok(None);
        }
        let key = (Rc::as_ptr(&self.ast) as usize, id, from);
        let mut sums = self.prefixes.borrow_mut().remove(&key).unwrap_or_default();
        let mut inner = self.on_answer(&Value::number(0));
        inner.prefixes = self.prefixes.clone();
        for index in from + sums.len() as i64..=to {
            inner.locals.push((binder.index.node.clone(), Value::number(index)));
            let term = inner.eval(each.body);
            inner.locals.pop();
            let Ok(term) = operate::as_expr(&self.cx, &term?) else { return Ok(None) };
            sums.push(sums.last().map_or(term, |before| *before + term));
        }
        let sum = sums[(to - from) as usize];
        self.prefixes.borrow_mut().insert(key, sums);
        Ok(Some(sum))
    }

    /// The values of a repetition.
    pub fn each(&self, id: ExprId) -> Fallible<Vec<Value>> {
        let mut values = Vec::new();
        self.each_with(id, &mut |inner, body| {
            match inner.ast.kind(body) {
                ExprKind::Each(each) if &*each.function.node == "list" => values.extend(inner.each(body)?),
                _ => values.push(inner.eval(body)?),
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// Runs `work` on the body of a repetition, once for every choice of the indices.
    pub fn each_with(&self, id: ExprId, work: &mut dyn FnMut(&Evaluator, ExprId) -> Fallible<()>) -> Fallible<()> {
        let ast = self.ast.clone();
        let ExprKind::Each(each) = ast.kind(id) else { return work(self, id) };
        let mut inner = self.under(&self.cx);
        fn run(
            inner: &mut Evaluator,
            binders: &[Binder],
            body: ExprId,
            work: &mut dyn FnMut(&Evaluator, ExprId) -> Fallible<()>,
        ) -> Fallible<()> {
            let Some((binder, rest)) = binders.split_first() else { return work(inner, body) };
            let Value::List(values) = inner.eval(binder.range)?.main() else {
                return Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "an index runs over a range or a list")
                        .label(inner.ast.span(binder.range), "this is neither"),
                ));
            };
            for value in values.iter() {
                inner.locals.push((binder.index.node.clone(), value.clone()));
                let result = run(inner, rest, body, work);
                inner.locals.pop();
                result?;
            }
            Ok(())
        }
        run(&mut inner, &each.binders, each.body, work)
    }

    /// `integral(u in a..b, f)` = (b − a)·∫₀¹ f(a + (b − a)u) du, in closed form where there is one.
    pub(super) fn integral(&self, each: &Each, span: Span) -> Fallible<Value> {
        let [binder] = each.binders.as_slice() else {
            return refuse(&codes::WRONG_ARGUMENTS, "an integral is over one variable");
        };
        let ExprKind::Range { from, to } = self.ast.kind(binder.range) else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "the limits of an integral are a range")
                    .label(self.ast.span(binder.range), "write `0..1`"),
            ));
        };
        let (from, to) = (self.expr(*from)?, self.expr(*to)?);
        let u = Symbol::bound(&binder.index.node);
        let width = to - from;
        let mut inner = self.on_answer(&Value::number(0));
        inner.locals.push((binder.index.node.clone(), Value::Expr(from + width * Expr::symbol(u))));
        let body = inner.expr(each.body)?;
        operate::defined(width * crate::algebra::antiderivative::unit_integral(&self.cx, body, u), span)
    }
}

pub(super) fn range_guard(from: i64, to: i64) -> Fallible<()> {
    if to.saturating_sub(from) > 1_000_000 {
        return refuse(&codes::BUDGET, "this range has more than a million members");
    }
    Ok(())
}
