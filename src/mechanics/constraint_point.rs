//! Real points of a constraint. What holds at one of them is no accident of an expression: the point is found by Newton's method and
//! [proved](crate::algebra::ball::zero) to be there with balls, without a chart and without a determinant.

use crate::algebra::assume::{Sign, sign_of};
use crate::algebra::ball::{Ball, zero};
use crate::algebra::expr::symbols_of;
use crate::algebra::number::Rational;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::budget::Budgeted;

/// From how many places a point is looked for.
const PLACES: i64 = 3;

/// Whether a point of the surface is found at which the facts hold and the values of `list` are as they should be. The unknowns are moved,
/// parameters and the time are not.
pub(super) fn holds_somewhere(
    cx: &Inquiry,
    surface: &[Expr],
    is_unknown: impl Fn(Symbol) -> bool,
    list: &[Expr],
    are_right: impl Fn(Vec<Ball>) -> bool,
) -> Budgeted<bool> {
    let facts: Vec<(Expr, Sign)> = cx.facts().iter().collect();
    let all: Vec<Expr> = surface.iter().chain(list).chain(facts.iter().map(|(e, _)| e)).copied().collect();
    let symbols = symbols_of(&all);
    let unknowns: Vec<Symbol> = symbols.iter().copied().filter(|s| is_unknown(*s)).collect();
    for place in 0..PLACES {
        let value = |(k, s): (usize, &Symbol)| match is_unknown(*s) {
            true => (*s, Rational::ratio((3 * k as i64 + 5 * place + 1) % 13 - 6, 7)),
            // A sign that is known is obeyed.
            false => {
                let size = Rational::ratio(k as i64 % 5 + 2 + place, 3);
                let is_negative = sign_of(cx, Expr::symbol(*s)).is_nonpositive();
                (*s, if is_negative { -&size } else { size })
            }
        };
        let start = symbols.iter().enumerate().map(value).collect();
        let Some(point) = zero::zero_near(cx, surface, &unknowns, &start)? else { continue };
        let signs: Vec<Expr> = facts.iter().map(|(e, _)| *e).collect();
        let obeyed = zero::values(cx, &signs, &point)?.is_some_and(|values| {
            values.iter().zip(&facts).all(|(x, (_, sign))| match x.sign() {
                Some(1) => sign.can_be_positive,
                Some(-1) => sign.can_be_negative,
                _ => false,
            })
        });
        if obeyed
            && let Some(values) = zero::values(cx, list, &point)?
            && are_right(values)
        {
            return Ok(true);
        }
    }
    Ok(false)
}
