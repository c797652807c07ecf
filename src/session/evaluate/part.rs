//! Entries of answers, members of families, and points.

use super::{Asks, Evaluator, at, refuse, undecided};
use crate::algebra::{Expr, Symbol, conditions};
use crate::diagnostic::{Diagnostic, Goes, codes};
use crate::geometry::form::Form;
use crate::model::operate;
use crate::model::value::{Fallible, Indexed, Point, PointEntry, Value};
use crate::session::parts;
use crate::session::term::{Key, Reading, Term, TermKind};
use crate::source::Span;
use smallvec::SmallVec;

impl<'s> Evaluator<'s> {
    /// Parts of sets, distributions and ranks are computed; entries are there.
    pub(super) fn part(&self, of: &Term, key: &Key) -> Fallible<Value> {
        let value = self.eval_of_part(of, key)?;
        let is_there = matches!(value.meant(), Value::Family(_) | Value::Point(_) | Value::Run(_) | Value::Series(_));
        if self.asks == Asks::Formulas && !is_there {
            return undecided(key.span);
        }
        at(parts::part(self, &value, key).map_err(|d| parts::mend_part(&value, key, d)), key.span)
    }

    /// What a part is taken from. A part that says where the answer holds does not rest on its holding.
    fn eval_of_part(&self, of: &Term, key: &Key) -> Fallible<Value> {
        if !parts::says_where_it_holds(&key.name.text) {
            return self.eval(of);
        }
        let (value, mut recorded) = conditions::collect_all(&self.cx, |cx| self.under(cx).eval(of));
        let value = value?;
        if matches!(&value, Value::Answer(_)) {
            recorded.nonzero.clear();
        }
        conditions::record_all(&self.cx, &recorded);
        Ok(value)
    }

    /// `A.q[3]''`: the entry for a jet of a member of a family of coordinates, unless the answer has a part of that name.
    pub(super) fn entry(
        &self,
        of: &Term,
        key: &Key,
        family: &Indexed,
        indices: &[Term],
        primes: u32,
    ) -> Fallible<Value> {
        let value = self.eval(of)?;
        let text = &key.name.text;
        if matches!(&value, Value::Answer(a) if a.get(&self.cx, text).is_some()) {
            let part = at(parts::part(self, &value, key), key.span)?;
            let entry = parts::index(self, &part, indices)?;
            return operate::prime(&self.cx, &entry, primes);
        }
        let member = parts::member(family, &self.integers(indices)?)?;
        let jet = operate::as_expr(&self.cx, &member)?.as_symbol().and_then(|s| s.as_jet());
        let jet = jet.map(|(coordinate, order)| coordinate.jet(order + primes));
        at(parts::at_symbol(&value, jet, text), key.span)
    }

    /// `dq[i]''`: the differential of a jet of a member of a family; `p_q[i]`: the momentum conjugate to it.
    pub(super) fn member(&self, family: &Term, name: &str, indices: &[Term], reading: &Reading) -> Fallible<Value> {
        let no_family = || refuse(&codes::WRONG_KIND, format!("`{name}` is not a family of coordinates"));
        let Value::Indexed(family) = self.eval(family)? else { return no_family() };
        let member = parts::member(&family, &self.integers(indices)?)?;
        let Some(symbol) = operate::as_expr(&self.cx, &member)?.as_symbol() else { return no_family() };
        match (reading, symbol.as_jet()) {
            (Reading::Differential { primes }, Some((coordinate, order))) => {
                Ok(Value::Form(Form::differential(coordinate.jet(order + primes))))
            }
            (Reading::Differential { .. }, None) => Ok(Value::Form(Form::differential(symbol))),
            (Reading::Momentum { prefix, order }, Some((coordinate, 0))) => {
                Ok(Value::Expr(Expr::symbol(Symbol::momentum_named(prefix, coordinate.jet(*order)))))
            }
            (Reading::Momentum { .. }, _) => no_family(),
        }
    }

    pub(super) fn index(&self, of: &Term, keys: &[Term], whole: Span) -> Fallible<Value> {
        let mut value = self.eval(of)?;
        // A force is a form, and has its coefficients.
        if let Value::Force(force) = &value {
            value = Value::Form(force.form());
        }
        if let Value::Indexed(family) = &value {
            return parts::member(family, &self.integers(keys)?);
        }
        parts::index(self, &value, keys).map_err(|d| parts::mend_index(&value, of, keys, whole, d))
    }

    fn integers(&self, keys: &[Term]) -> Fallible<SmallVec<[i64; 2]>> {
        keys.iter().map(|k| self.integer(k)).collect()
    }

    /// The entries of `{ x = 1, x' = 2 }`, or a named point.
    pub fn point(&self, term: &Term) -> Fallible<Point> {
        let TermKind::Point(entries) = &term.kind else {
            return match self.eval(term)?.main() {
                Value::Point(point) => Ok((*point).clone()),
                other => {
                    let d = Diagnostic::error(&codes::WRONG_KIND, "a point is needed here")
                        .label(term.span, format!("this is {}", operate::describe(&other)));
                    // `x = 1 and x' = 0`
                    Err(Box::new(match &term.kind {
                        TermKind::And(all) if all.iter().all(|entry| entry.equation().is_some()) => {
                            let places = all.iter().map(|entry| entry.outer).collect();
                            let written = vec!["…"; all.len()].join(", ");
                            d.repair_at(
                                Goes::Quoting(places),
                                "its entries are separated by commas",
                                term.span,
                                written,
                            )
                        }
                        // `[1, 0]`, the coordinates and then the velocities
                        TermKind::List(values) if self.state_of(values.len()).is_some() => {
                            let names = self.state_of(values.len()).unwrap_or_default();
                            let entries: Vec<String> = names.iter().map(|name| format!("{name} = …")).collect();
                            let places = values.iter().map(|value| value.outer).collect();
                            let help = format!("states have names instead of places: `{}`", names.join("`, `"));
                            d.repair_at(Goes::Quoting(places), help, term.span, entries.join(", "))
                        }
                        _ => d.help("write it as `{ x = 1, x' = 2 }`"),
                    }))
                }
            };
        };
        let mut point = Point::default();
        for entry in entries {
            self.each_with(entry, &mut |inner, entry| inner.point_entry(entry, &mut point))?;
        }
        Ok(point)
    }

    /// The coordinates, or the coordinates and the velocities, if there are so many.
    fn state_of(&self, count: usize) -> Option<Vec<String>> {
        let names: Vec<String> = self.on.as_ref()?.fibres().iter().map(|f| f.coordinate.name()).collect();
        let rates = names.iter().map(|name| format!("{name}'"));
        match count {
            0 => None,
            n if n == names.len() => Some(names),
            n if n == 2 * names.len() => Some(names.iter().cloned().chain(rates).collect()),
            _ => None,
        }
    }

    fn point_entry(&self, entry: &Term, point: &mut Point) -> Fallible<()> {
        if let TermKind::Each(_) = entry.kind {
            return self.each_with(entry, &mut |inner, entry| inner.point_entry(entry, point));
        }
        let Some((left, right)) = entry.equation() else {
            return refuse(&codes::WRONG_KIND, "an entry of a point is an equation");
        };
        let symbols = self.point_symbols(left)?;
        let value = self.expr(right)?;
        let text = symbols.first().map(|s| s.name()).unwrap_or_default();
        if let Some(twice) = point.entries.iter().find(|e| e.symbols == symbols) {
            return Err(Box::new(
                Diagnostic::error(&codes::DECLARED_TWICE, format!("`{}` is given twice in this point", twice.text))
                    .label(left.span, "given before"),
            ));
        }
        point.entries.push(PointEntry { symbols, text, value, of_run: false });
        Ok(())
    }

    /// All symbols a key of a point may mean: a name that several manifolds share means each of them.
    fn point_symbols(&self, left: &Term) -> Fallible<SmallVec<[Symbol; 1]>> {
        match &left.kind {
            TermKind::Shared(shared) => Ok(shared.choices.iter().map(|(_, c)| c.jet(shared.primes)).collect()),
            _ => Ok(SmallVec::from_elem(self.jet_symbol(left)?, 1)),
        }
    }
}
