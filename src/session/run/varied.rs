//! Runs of `variation(S)`: a motion and its first variation. The motion starts as it would alone; the variations are what `from`
//! says about `delta(x)`, completed so that they are tangent to the set on which the motion stays.

use super::{Context, Determined, parameters_of};
use crate::algebra::stratum::Branch;
use crate::algebra::{Expr, Inquiry};
use crate::codegen::lower::Signature;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::value::Fallible;
use crate::motion::cache::SurfaceLevel;
use crate::motion::start::{Start, Surface, not_a_state};
use crate::motion::variation::without_jumps;

impl Context<'_> {
    /// The law with variations, from the variations that were given.
    pub(super) fn varied(&self, cx: &Inquiry, found: Determined, count: u32) -> Fallible<Determined> {
        let given = &self.clauses.varied;
        if count == 0 {
            return match given.first() {
                None => Ok(found),
                Some((symbol, _, span)) => Err(Box::new(
                    not_a_state(&found.law, *symbol, *span).help("`simulate variation(S) { … }` runs variations too"),
                )),
            };
        }
        if given.is_empty() {
            return Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "no variation is given, so all of them stay 0")
                    .label(self.clauses.from_span.unwrap_or(self.clauses.simulate), "nothing about variations")
                    .help(format!("add `from delta({}) = 1`", found.law.states[0])),
            ));
        }
        without_jumps(&found.law).map_err(|d| Box::new(d.or_at(self.span, "varied here")))?;
        let n = found.law.states.len();
        let law = found.law.varied(cx, count);
        let mut start = Start { given: vec![true; n], ..found.start };
        start.state.resize(law.states.len(), 0.0);
        start.given.resize(law.states.len(), false);
        for (symbol, value, span) in given {
            let Some(i) = law.states.iter().position(|s| s == symbol) else {
                return Err(not_a_state(&law, *symbol, *span));
            };
            (start.state[i], start.given[i]) = (self.numbers.number_at(cx, *value, *span)?, true);
        }
        let (mut filled, mut surface) = (found.filled, found.surface);
        let tangent: Vec<SurfaceLevel> =
            surface.iter().flat_map(|level| level.varied(cx, &law.states[..n], count)).collect();
        if !tangent.is_empty() {
            let equations: Vec<Expr> = tangent.iter().flat_map(|level| level.equations.iter().copied()).collect();
            let signature = Signature { parameters: parameters_of(&equations), ..self.signature(&law) };
            let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
            let branch = Branch { equations, nonzero: vec![] };
            let place = |o| self.obstacle(&o, self.span);
            match Surface::new(cx, &branch, &[], &signature, &values).map_err(place)?.settle(&start, &law.states) {
                Ok((settled, more)) => {
                    start = settled;
                    filled.extend(more);
                }
                Err(off) => {
                    return Err(Box::new(off.diagnostic(&law, &start, self.clauses.given().span, self.span)));
                }
            }
            surface.extend(tangent);
        }
        Ok(Determined {
            law,
            start,
            filled,
            surface,
            side: found.side,
            completion: found.completion,
            ends: found.ends,
            constraints: found.constraints,
            rank: found.rank,
        })
    }
}
