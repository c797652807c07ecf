//! A state: where a system is looked at. Some coordinates have values, and what is left open may satisfy equations that were not
//! solved, sin θ = 0 or Ω²R cos θ = g. Functions at the state are put in their values and reduced by these equations,
//! so what is found holds at every point that the state stands for.

use super::{Answered, exhausted, tidy, vanishes};
use crate::algebra::expr::symbols_of;
use crate::algebra::stratum::Branch;
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict};
use crate::geometry::jet::Chart;
use crate::geometry::restriction::Restriction;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Values of coordinates, and the branch on which the others lie.
#[derive(Clone, Debug, Default)]
pub struct State {
    values: FxHashMap<Symbol, Expr>,
    /// Equations that were not solved for a coordinate.
    along: Option<Restriction>,
    /// What was reduced before.
    known: RefCell<FxHashMap<Expr, Expr>>,
}

impl State {
    pub fn of_values(values: FxHashMap<Symbol, Expr>) -> State {
        State { values, ..State::default() }
    }

    /// All points of a branch at once.
    pub fn of_branch(cx: &Inquiry, chart: &Chart, branch: &Branch) -> Answered<State> {
        let restriction = Restriction::new(cx, chart, branch).map_err(exhausted)?;
        let values = restriction.dependent().into_iter().collect();
        let along = Some(restriction).filter(|r| !r.implicit().is_empty());
        Ok(State { values, along, known: RefCell::default() })
    }

    pub fn values(&self) -> &FxHashMap<Symbol, Expr> {
        &self.values
    }

    pub fn values_mut(&mut self) -> &mut FxHashMap<Symbol, Expr> {
        &mut self.values
    }

    /// Whether a function vanishes there. If it does at some points and not at others, or may, that is not known.
    pub fn vanishes(&self, cx: &Inquiry, e: Expr) -> Verdict {
        let value = self.at(cx, e);
        let open = symbols_of(self.along.as_ref().map_or(&[], Restriction::implicit));
        match vanishes(cx, value) {
            Verdict::No(_) if value.symbols().iter().any(|s| open.contains(s)) => {
                Verdict::unknown(format!("that {value} vanishes may depend on the point of the branch"))
            }
            verdict => verdict,
        }
    }

    /// A function there.
    pub fn at(&self, cx: &Inquiry, e: Expr) -> Expr {
        self.reduced(cx, tidy(cx, substitute(e, &self.values)))
    }

    /// A function in which the values are put in already.
    pub fn reduced(&self, cx: &Inquiry, e: Expr) -> Expr {
        let Some(along) = &self.along else { return e };
        let open = symbols_of(along.implicit());
        if !e.symbols().iter().any(|s| open.contains(s)) {
            return e;
        }
        if let Some(known) = self.known.borrow().get(&e) {
            return *known;
        }
        let found = along.function(cx, e).map_or(e, |e| tidy(cx, e));
        self.known.borrow_mut().insert(e, found);
        found
    }
}
