//! Whether an integral curve can pass through a stratum on which no vector is tangent to the stratum itself.
//!
//! The field of an open branch may be continued through its boundary: for q·q″ + q′ − 1 = 0 the curve q = t crosses
//! {q = 0, q′ = 1}, and no vector there is tangent to that set. What a curve x(t) with M(x) ẋ = r(x) cannot escape are the
//! equations differentiated along it, at the moment at which it is on the stratum:
//!
//! ```text
//! M ẋ − r = 0,   d/dt (M ẋ − r) = 0,   d²/dt² (M ẋ − r) = 0,   …        in x, ẋ, ẍ, …
//! ```
//!
//! Where these contradict the equations and inequations of the stratum no smooth curve passes; what is left of the stratum
//! otherwise is the projection of their zero set. That is docs/theory/odes.md §9.4 at the points of one stratum, and a proof in
//! one direction only: a formal curve is not yet a curve.
//!
//! A curve through the stratum that lies in a larger set near that moment satisfies the equations of this set as well, and
//! all their derivatives. Those were found by differentiating already, so that little more of it shows much more: on
//! y′² + 2xz = 0 with x″ = z and y″ = z(1 + 2y) a curve through x = z = x′ = y′ = 0 has y′ = z′t²/2 + … and x = z′t³/6 + …, and so
//! z′ = 0. A curve may change from one set to another at the moment: its derivatives there are limits of those on one of them.

use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::polynomial::Polynomial;
use crate::algebra::stratum::leaves::{LinearSystem, Row};
use crate::algebra::stratum::tangent::projection;
use crate::algebra::stratum::{Branch, Cell, Frame};
use crate::algebra::{Coordinate, Expr, Symbol};
use crate::budget::{Budgeted, Exhausted};
use std::cell::OnceCell;

/// The curves that are looked for: M ẋ = r for some coordinates, the speeds of the others being given.
pub(crate) struct Curves<'a> {
    pub frame: &'a Frame,
    pub time: Symbol,
    pub known: &'a [(Symbol, Expr)],
    pub unknowns: &'a [Symbol],
    pub system: &'a LinearSystem,
    /// The derivatives of the unknown coordinates are the jets of these.
    pub velocities: &'a OnceCell<Vec<Coordinate>>,
}

/// How often the equations are differentiated.
const DERIVATIVES: usize = 4;

impl Curves<'_> {
    /// Cells that contain every point of the stratum through which a smooth curve in the larger set passes: none if there is no
    /// such point.
    pub fn crossing(&self, cx: &Inquiry, stratum: &Cell, within: &Cell) -> Budgeted<Vec<Cell>> {
        let branch: Branch = self.frame.branch(cx, stratum)?;
        let speeds = self.speeds(cx)?;
        let around = within.generators(cx, self.frame)?;
        let mut orders: Vec<Vec<Expr>> = vec![self.rows(&speeds)];
        let mut of_set: Vec<Expr> = around.iter().map(|g| self.frame.write(g)).collect();
        for _ in 0..DERIVATIVES {
            let next = |list: &[Expr]| list.iter().map(|e| self.along(cx, &speeds, *e)).collect::<Vec<Expr>>();
            of_set = next(&of_set);
            let rows = orders.last().map(|rows| next(rows)).unwrap_or_default();
            orders.push(rows.into_iter().filter(|e| !of_set.contains(e)).chain(of_set.iter().copied()).collect());
        }
        let mut functions: Vec<Expr> = branch.equations.iter().chain(&branch.nonzero).copied().collect();
        functions.extend(orders.iter().flatten());
        let lifted = self.lifted(cx, &speeds, &functions)?;
        let mut cells = lifted.cells(cx, &branch)?;
        for rows in &orders {
            match self.cut(cx, &lifted, &cells, rows) {
                Ok(rest) => cells = rest,
                Err(Exhausted::Interrupted) => return Err(Exhausted::Interrupted),
                // What was found so far holds.
                Err(_) => break,
            }
            if cells.is_empty() {
                return Ok(vec![]);
            }
        }
        let mut found = Vec::new();
        for cell in &cells {
            let keep = |s: Symbol| self.frame.coordinates().contains(&s);
            let equations = projection(cx, &lifted, cell, keep)?.into_iter().map(|p| lifted.write(&p));
            let equations = equations.map(|e| self.frame.read_numerator(cx, e)).collect::<Budgeted<Vec<_>>>()?;
            for piece in self.frame.refine(cx, stratum, &equations, &[])? {
                if !found.contains(&piece) {
                    found.push(piece);
                }
            }
        }
        Ok(found)
    }

    fn cut(&self, cx: &Inquiry, lifted: &Frame, cells: &[Cell], rows: &[Expr]) -> Budgeted<Vec<Cell>> {
        let equations = rows.iter().map(|e| lifted.read_numerator(cx, *e)).collect::<Budgeted<Vec<_>>>()?;
        let mut rest = Vec::new();
        for cell in cells {
            cx.check()?;
            rest.extend(lifted.refine(cx, cell, &equations, &[])?);
        }
        Ok(rest)
    }

    /// The frame with the derivatives of the unknown coordinates among its own, of those that the equations do not give.
    fn lifted(&self, cx: &Inquiry, speeds: &[Expr], functions: &[Expr]) -> Budgeted<Frame> {
        let derivatives = |c: &Coordinate| (1..=DERIVATIVES as u32 + 1).map(|k| c.jet(k)).collect::<Vec<_>>();
        let moving = self.open(speeds).flat_map(|(_, c)| derivatives(&c));
        let coordinates: Vec<Symbol> = self.frame.coordinates().iter().copied().chain(moving).collect();
        Frame::new(cx, &coordinates, functions)
    }

    /// The unknown coordinates whose speeds are not given by the equations.
    fn open<'s>(&'s self, speeds: &'s [Expr]) -> impl Iterator<Item = (Symbol, Coordinate)> + 's {
        let all = self.unknowns.iter().copied().zip(self.velocities().iter().copied());
        all.zip(speeds).filter(|((_, c), speed)| **speed == Expr::symbol(c.jet(1))).map(|(pair, _)| pair)
    }

    fn velocities(&self) -> &[Coordinate] {
        let declare = |s: &Symbol| Coordinate::declare(&format!("vel({s})"), false);
        self.velocities.get_or_init(|| self.unknowns.iter().map(declare).collect())
    }

    /// The speeds of the unknown coordinates: those that stand in an equation with a number before them by the others.
    fn speeds(&self, cx: &Inquiry) -> Budgeted<Vec<Expr>> {
        let mut active = self.system.rows.clone();
        let mut used: Vec<(usize, Row)> = Vec::new();
        let is_pivot = |c: &Polynomial| c.is_constant() && !c.is_zero();
        while let Some((i, j)) =
            active.iter().enumerate().find_map(|(i, row)| Some((i, row.coefficients.iter().position(is_pivot)?)))
        {
            let pivot = active.remove(i);
            for row in active.iter_mut().filter(|row| !row.coefficients[j].is_zero()) {
                *row = row.without(cx, &pivot, j)?;
            }
            used.push((j, pivot));
        }
        let mut speeds: Vec<Expr> = self.velocities().iter().map(|c| Expr::symbol(c.jet(1))).collect();
        for (j, row) in used.iter().rev() {
            let others = row.coefficients.iter().enumerate().filter(|(c, a)| c != j && !a.is_zero());
            let rest = Expr::add_all(others.map(|(c, a)| self.frame.write(a) * speeds[c]));
            speeds[*j] = (self.frame.write(&row.right) - rest) / self.frame.write(&row.coefficients[*j]);
        }
        Ok(speeds)
    }

    /// M ẋ − r, as far as it is not satisfied by the speeds.
    fn rows(&self, speeds: &[Expr]) -> Vec<Expr> {
        let row = |row: &Row| {
            let terms = row.coefficients.iter().zip(speeds).filter(|(a, _)| !a.is_zero());
            let left = Expr::add_all(terms.map(|(a, v)| self.frame.write(a) * *v));
            left - self.frame.write(&row.right)
        };
        self.system.rows.iter().map(row).filter(|e| !e.is_zero()).collect()
    }

    /// The derivative along the curve.
    fn along(&self, cx: &Inquiry, speeds: &[Expr], e: Expr) -> Expr {
        let mut terms = vec![partial(cx, e, self.time)];
        terms.extend(self.known.iter().map(|(q, speed)| partial(cx, e, *q) * *speed));
        terms.extend(self.unknowns.iter().zip(speeds).map(|(x, speed)| partial(cx, e, *x) * *speed));
        for (_, c) in self.open(speeds) {
            terms.extend((1..=DERIVATIVES as u32).map(|k| partial(cx, e, c.jet(k)) * Expr::symbol(c.jet(k + 1))));
        }
        Expr::add_all(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::stratum::rank::system_of;

    /// What is left of a stratum of q, p = q′ for M·p′ = r.
    fn left_of(
        cx: &Inquiry,
        m: impl Fn(Expr, Expr) -> Expr,
        r: impl Fn(Expr, Expr) -> Expr,
        equations: &[Expr],
    ) -> Vec<Branch> {
        let (q, time) = (coordinate(), time());
        let symbols = [time, q.jet(0), q.jet(1)];
        let (x, v) = (Expr::symbol(q.jet(0)), Expr::symbol(q.jet(1)));
        let (m, r) = (m(x, v), r(x, v));
        let all: Vec<Expr> = equations.iter().chain([&m, &r]).copied().collect();
        let frame = Frame::new(cx, &symbols, &all).unwrap();
        let system = system_of(cx, &frame, &[vec![m]], &[r]).unwrap();
        let stratum = frame.cells(cx, &Branch { equations: equations.to_vec(), nonzero: vec![] }).unwrap();
        let curves = Curves {
            frame: &frame,
            time,
            known: &[(q.jet(0), v)],
            unknowns: &[q.jet(1)],
            system: &system,
            velocities: &OnceCell::new(),
        };
        let found = curves.crossing(cx, &stratum[0], &frame.everything()).unwrap();
        found.iter().map(|cell| frame.branch(cx, cell).unwrap()).collect()
    }

    fn coordinate() -> Coordinate {
        thread_local!(static Q: Coordinate = Coordinate::declare("q", false));
        Q.with(|q| *q)
    }

    fn time() -> Symbol {
        thread_local!(static T: Symbol = Symbol::base("t"));
        T.with(|t| *t)
    }

    fn q(order: u32) -> Expr {
        Expr::symbol(coordinate().jet(order))
    }

    /// q·q″ = 1 − q′ has q = t; the stratum q = 0, q′ = 1 is crossed.
    #[test]
    fn a_curve_that_crosses_is_not_lost() {
        let cx = &Inquiry::free();
        let stratum = [q(0), q(1) - Expr::one()];
        let left = left_of(cx, |x, _| x, |_, v| Expr::one() - v, &stratum);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].equations.len(), 2);
    }

    /// q·q″ = q + q′ needs q′ = 0 where q = 0; of these curves there is one, q = 0.
    #[test]
    fn a_stratum_shrinks_to_what_the_derivatives_allow() {
        let cx = &Inquiry::free();
        let left = left_of(cx, |x, _| x, |x, v| x + v, &[q(0)]);
        assert_eq!(left, [Branch { equations: vec![q(0), q(1)], nonzero: vec![] }]);
    }

    /// q·q″ = q′² + t can hold at t = 0 where q = q′ = 0, but its derivative q·q‴ = q′q″ + 1 cannot.
    #[test]
    fn contradictory_derivatives_exclude_a_stratum() {
        let cx = &Inquiry::free();
        let t = Expr::symbol(time());
        assert!(left_of(cx, |x, _| x, |_, v| v * v + t, &[q(0), q(1), t]).is_empty());
    }
}
