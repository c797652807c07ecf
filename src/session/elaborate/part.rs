//! Parts of answers, members of families, and points.

use super::{Evaluator, at, coordinate_of, refuse};
use crate::algebra::{Expr, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;
use crate::model::operate;
use crate::model::value::{Fallible, Point, PointEntry, Value};
use crate::session::scope::{Binding, Meaning};
use crate::session::{parts, unknown};
use crate::source::Span;
use crate::syntax::ast::{ExprId, ExprKind, Name};
use smallvec::SmallVec;

impl<'s> Evaluator<'s> {
    pub(super) fn part(&self, of: ExprId, key: &Name, key_span: Span) -> Fallible<Value> {
        if let Some(Name { text, primes: 0 }) = self.ast.name(of)
            && !self.locals.iter().any(|(n, _)| n == text)
            && let Some(binding) = self.scope.value(text)
        {
            match &binding.meaning {
                // Y.x: the coordinate of that manifold.
                Meaning::Value(Value::Manifold(m)) => {
                    return match coordinate_of(m, &key.text) {
                        Some(c) => Ok(Value::Expr(Expr::symbol(c.jet(key.primes)))),
                        None => Err(Box::new(unknown::no_coordinate(m, &key.text, key_span))),
                    };
                }
                Meaning::Library(library) => {
                    let inner = Evaluator::new(&self.cx, library, &self.ast);
                    return match inner.lookup(&key.text, key.primes, key_span)? {
                        Some(value) => Ok(value),
                        None => Err(Box::new(inner.unknown(&key.text, key_span))),
                    };
                }
                _ => {}
            }
        }
        let value = self.eval(of)?;
        at(parts::part(&self.cx, &value, &key.text, key.primes, self), key_span)
    }

    /// `A.q[3]''`: the entry of an answer for a jet of a member of a family of coordinates.
    pub(super) fn member_part(&self, id: ExprId, primes: u32) -> Fallible<Option<Value>> {
        let ExprKind::Index { of, keys } = self.ast.kind(id) else { return Ok(None) };
        let ExprKind::Part { of: answer, key } = self.ast.kind(*of) else { return Ok(None) };
        let Some(Value::Indexed(family)) = self.lookup(&key.node.text, 0, key.span)? else { return Ok(None) };
        let value = self.eval(*answer)?;
        if matches!(&value, Value::Answer(a) if a.get(&self.cx, &key.node.text).is_some()) {
            return Ok(None);
        }
        let member = parts::member(&family, &self.integers(keys)?)?;
        let jet = operate::as_expr(&self.cx, &member)?.as_symbol().and_then(|s| s.as_jet());
        let jet = jet.map(|(coordinate, order)| coordinate.jet(order + primes));
        at(parts::at_symbol(&value, jet, &key.node.text), key.span).map(Some)
    }

    /// `dq[i]''`: the differential of a jet of a member of a family, as `dx''` is that of x″.
    pub(super) fn primed_differential(&self, id: ExprId, primes: u32) -> Fallible<Option<Value>> {
        let ExprKind::Index { of, keys } = self.ast.kind(id) else { return Ok(None) };
        self.member_differential(*of, keys, primes)
    }

    /// `dq[i]`: the differential of a member of a family.
    fn member_differential(&self, of: ExprId, keys: &[ExprId], primes: u32) -> Fallible<Option<Value>> {
        if let Some(Name { text, primes: 0 }) = self.ast.name(of)
            && self.lookup(text, 0, self.ast.span(of))?.is_none()
            && let Some(rest) = text.strip_prefix('d')
            && let Some(Value::Indexed(family)) = self.lookup(rest, 0, self.ast.span(of))?
        {
            let member = parts::member(&family, &self.integers(keys)?)?;
            let symbol = operate::as_expr(&self.cx, &member)?.as_symbol();
            let raised = |s: Symbol| match s.as_jet() {
                Some((coordinate, order)) => coordinate.jet(order + primes),
                None => s,
            };
            return match symbol {
                Some(s) => Ok(Some(Value::Form(Form::differential(raised(s))))),
                None => refuse(&codes::WRONG_KIND, format!("`{rest}` is not a family of coordinates")),
            };
        }
        Ok(None)
    }

    pub(super) fn index(&self, of: ExprId, keys: &[ExprId]) -> Fallible<Value> {
        if let Some(value) = self.member_differential(of, keys, 0)? {
            return Ok(value);
        }
        // p_q[i]: the momentum conjugate to a member of a family.
        if let Some(Name { text, primes: 0 }) = self.ast.name(of)
            && self.lookup(text, 0, self.ast.span(of))?.is_none()
            && let Some((prefix, order, tail)) = Symbol::split_momentum(text, |p| self.scope.has_momentum_prefix(p))
            && let Some(Value::Indexed(family)) = self.lookup(tail, 0, self.ast.span(of))?
        {
            let member = parts::member(&family, &self.integers(keys)?)?;
            return match operate::as_expr(&self.cx, &member)?.as_symbol().and_then(Symbol::as_jet) {
                Some((coordinate, 0)) => {
                    Ok(Value::Expr(Expr::symbol(Symbol::momentum_named(prefix, coordinate.jet(order)))))
                }
                _ => refuse(&codes::WRONG_KIND, format!("`{tail}` is not a family of coordinates")),
            };
        }
        let mut value = self.eval(of)?;
        // A force is a form, and has its coefficients.
        if let Value::Force(force) = &value {
            value = Value::Form(force.form());
        }
        if let Value::Indexed(family) = &value {
            return parts::member(family, &self.integers(keys)?);
        }
        parts::index(&self.cx, &value, keys, self)
    }

    pub(super) fn integers(&self, keys: &[ExprId]) -> Fallible<SmallVec<[i64; 2]>> {
        keys.iter().map(|k| self.integer(*k)).collect()
    }

    /// The entries of `{ x = 1, x' = 2 }`, or a named point.
    pub fn point(&self, id: ExprId) -> Fallible<Point> {
        let ast = self.ast.clone();
        let ExprKind::Point(entries) = ast.kind(id) else {
            return match self.eval(id)?.main() {
                Value::Point(point) => Ok((*point).clone()),
                other => Err(Box::new(
                    Diagnostic::error(&codes::WRONG_KIND, "a point is needed here")
                        .label(ast.span(id), format!("this is {}", operate::describe(&other)))
                        .help("write it as `{ x = 1, x' = 2 }`"),
                )),
            };
        };
        let mut point = Point::default();
        for &entry in entries {
            self.point_entry(entry, &mut point)?;
        }
        Ok(point)
    }

    pub(super) fn point_entry(&self, entry: ExprId, point: &mut Point) -> Fallible<()> {
        let ast = self.ast.clone();
        if let ExprKind::Each(_) = ast.kind(entry) {
            return self.each_with(entry, &mut |inner, body| inner.point_entry(body, point));
        }
        let Some((left, right)) = ast.equation(entry) else {
            return Err(Box::new(
                Diagnostic::error(&codes::WRONG_KIND, "an entry of a point is an equation")
                    .label(ast.span(entry), "write `name = value`"),
            ));
        };
        let symbols = self.point_symbols(left)?;
        let value = self.expr(right)?;
        let text = symbols.first().map(|s| s.name()).unwrap_or_default();
        if let Some(twice) = point.entries.iter().find(|e| e.symbols == symbols) {
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{}` is given twice in this point", twice.text))
                    .label(ast.span(left), "given before"),
            ));
        }
        point.entries.push(PointEntry { symbols, text, value, of_run: false });
        Ok(())
    }

    /// All symbols a key of a point may mean: a name that several manifolds share means each of them.
    pub(super) fn point_symbols(&self, id: ExprId) -> Fallible<SmallVec<[Symbol; 1]>> {
        if let Some(name) = self.ast.name(id)
            && self.on.as_ref().and_then(|m| coordinate_of(m, &name.text)).is_none()
            && !self.locals.iter().any(|(n, _)| *n == name.text)
            && let Some(Binding { meaning: Meaning::Coordinate(candidates), .. }) = self.scope.value(&name.text)
        {
            return Ok(candidates.iter().map(|(_, c)| c.jet(name.primes)).collect());
        }
        Ok(SmallVec::from_elem(self.jet_symbol(id)?, 1))
    }
}
