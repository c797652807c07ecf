//! Whether the rows of a sparse matrix are independent at every point of a set, shown without a basis of the set's equations.
//!
//! The set is given by its equations as they arose, and a basis of them may be out of reach: n rods of a chain are n quadratic
//! equations. What is asked of them here is little at a time. A row whose entries in columns of its own, where every other
//! row is zero, do not vanish together is independent of the others and is set aside; that some entries do not vanish together is a
//! contradiction between them and an equation or two. A matrix that was seen before, up to the scaling and the order of its
//! rows, needs no second proof.
//!
//! Nothing is concluded from a proof that is not found.

use super::super::generator::{Generator, Kind};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::super::symbol::Symbol;
use super::cell::Frame;
use super::leaves::{LinearSystem, leaves};
use crate::algebra::Inquiry;
use crate::budget::{Budgeted, share};

/// A set {equations = 0, nonzero ≠ 0} without a basis, and the matrices that are known to have independent rows on it.
pub struct Ground<'a> {
    frame: &'a Frame,
    equations: Vec<Polynomial>,
    nonzero: Vec<Polynomial>,
    /// Each with its rows in [normal form](normal_rows).
    known: Vec<Vec<Vec<Polynomial>>>,
}

/// Blocks of more rows are not looked at by cases.
const MAX_BLOCK: usize = 4;

/// More equations than this are not put beside the functions together.
const MAX_TOGETHER: usize = 4;

impl<'a> Ground<'a> {
    pub fn new(frame: &'a Frame, equations: &[Polynomial], nonzero: &[Polynomial]) -> Ground<'a> {
        Ground { frame, equations: equations.to_vec(), nonzero: nonzero.to_vec(), known: vec![] }
    }

    /// Takes a matrix in whose rows are known to be independent, by whatever proof.
    pub fn learn(&mut self, cx: &Inquiry, rows: &[Vec<Polynomial>]) -> Budgeted<()> {
        let rows = self.normal_rows(cx, rows)?;
        if !self.known.contains(&rows) {
            self.known.push(rows);
        }
        Ok(())
    }

    /// Whether the matrix, its rows scaled and exchanged, is one that was learned.
    pub fn knows(&self, cx: &Inquiry, rows: &[Vec<Polynomial>]) -> Budgeted<bool> {
        Ok(self.known.contains(&self.normal_rows(cx, rows)?))
    }

    /// Whether a function vanishes nowhere on the set, seen at once.
    pub fn is_nonzero(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<bool> {
        if p.is_zero() {
            return Ok(false);
        }
        for f in self.frame.factors(cx, p).iter() {
            if !self.nonzero.contains(f) && !self.frame.is_nowhere_zero(cx, f)? && !self.divides_a_square(cx, f)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether f divides the square of something that does not vanish: 1 − sin u and 1 + sin u do not vanish where cos u does not.
    fn divides_a_square(&self, cx: &Inquiry, f: &Polynomial) -> Budgeted<bool> {
        for h in &self.nonzero {
            let square = self.frame.everything().reduce(cx, self.frame, &h.square(cx)?)?;
            if !square.is_zero() && square.div_exact(cx, f)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether it is shown that at no point of the set all the functions vanish.
    pub fn never_vanish_together(&self, cx: &Inquiry, functions: &[Polynomial]) -> Budgeted<bool> {
        let functions: Vec<Polynomial> = functions.iter().filter(|f| !f.is_zero()).cloned().collect();
        for f in &functions {
            if self.is_nonzero(cx, f)? {
                return Ok(true);
            }
        }
        if functions.is_empty() {
            return Ok(false);
        }
        let shares = |g: &&Polynomial| g.variables().iter().any(|v| functions.iter().any(|f| f.contains(*v)));
        let related: Vec<&Polynomial> = self.equations.iter().filter(shares).collect();
        let contradict = |some: &[&Polynomial]| -> Budgeted<bool> {
            let all: Vec<Polynomial> = functions.iter().chain(some.iter().copied()).cloned().collect();
            let found = cx.aside(share::CONTRADICTION, || self.frame.split(cx, &all, &self.nonzero))?;
            Ok(found.is_some_and(|pieces| pieces.is_empty()))
        };
        for g in &related {
            if contradict(&[*g])? {
                return Ok(true);
            }
        }
        Ok((2..=MAX_TOGETHER).contains(&related.len()) && contradict(&related)?)
    }

    /// Whether it is shown that the rows are independent at every point of the set.
    pub fn are_independent(&self, cx: &Inquiry, rows: &[Vec<Polynomial>]) -> Budgeted<bool> {
        let mut rows: Vec<Vec<Polynomial>> = rows.to_vec();
        loop {
            cx.check()?;
            if rows.is_empty() {
                return Ok(true);
            }
            let before = rows.len();
            self.set_aside(cx, &mut rows)?;
            if rows.len() < before {
                continue;
            }
            let mut is_less = false;
            for block in blocks(&rows) {
                let part: Vec<Vec<Polynomial>> = block.iter().map(|i| rows[*i].clone()).collect();
                if self.knows(cx, &part)? || self.are_independent_by_cases(cx, &part)? {
                    rows = rows.into_iter().enumerate().filter(|(i, _)| !block.contains(i)).map(|(_, r)| r).collect();
                    is_less = true;
                    break;
                }
            }
            if !is_less {
                return Ok(false);
            }
        }
    }

    /// Leaves out rows whose entries in columns of their own do not vanish together.
    fn set_aside(&self, cx: &Inquiry, rows: &mut Vec<Vec<Polynomial>>) -> Budgeted<()> {
        let mut i = 0;
        while i < rows.len() {
            let is_own = |j: &usize| rows.iter().enumerate().all(|(k, row)| k == i || row[*j].is_zero());
            let own: Vec<Polynomial> = (0..rows[i].len()).filter(is_own).map(|j| rows[i][j].clone()).collect();
            if self.never_vanish_together(cx, &own)? {
                rows.remove(i);
                i = 0;
            } else {
                i += 1;
            }
        }
        Ok(())
    }

    fn are_independent_by_cases(&self, cx: &Inquiry, rows: &[Vec<Polynomial>]) -> Budgeted<bool> {
        if rows.len() > MAX_BLOCK {
            return Ok(false);
        }
        let used: Vec<usize> = (0..rows[0].len()).filter(|j| rows.iter().any(|row| !row[*j].is_zero())).collect();
        let matrix: Vec<Vec<Polynomial>> =
            rows.iter().map(|row| used.iter().map(|j| row[*j].clone()).collect()).collect();
        let variables: Vec<u32> = matrix.iter().flatten().flat_map(|p| p.variables().iter().copied()).collect();
        let is_related = |g: &&Polynomial| g.variables().iter().any(|v| variables.contains(v));
        let related: Vec<Polynomial> = self.equations.iter().filter(is_related).take(MAX_TOGETHER).cloned().collect();
        let system = LinearSystem::homogeneous(used.len(), matrix);
        let found = cx.aside(share::MINOR, || {
            for cell in self.frame.split(cx, &related, &self.nonzero)? {
                if leaves(cx, self.frame, &system, &cell)?.iter().any(|leaf| leaf.rank < rows.len()) {
                    return Ok(false);
                }
            }
            Ok(true)
        })?;
        Ok(found.unwrap_or(false))
    }

    /// The rows [without common factors](Self::without_factor), in order; zero columns left out.
    fn normal_rows(&self, cx: &Inquiry, rows: &[Vec<Polynomial>]) -> Budgeted<Vec<Vec<Polynomial>>> {
        let width = rows.first().map_or(0, Vec::len);
        let used: Vec<usize> = (0..width).filter(|j| rows.iter().any(|row| !row[*j].is_zero())).collect();
        let mut normal = Vec::with_capacity(rows.len());
        for row in rows {
            let row: Vec<Polynomial> = used.iter().map(|j| row[*j].clone()).collect();
            normal.push(self.without_factor(cx, row)?);
        }
        normal.sort();
        Ok(normal)
    }

    /// A row without the common factor of its entries, if that vanishes nowhere, and with 1 as its first coefficient.
    pub fn without_factor(&self, cx: &Inquiry, row: Vec<Polynomial>) -> Budgeted<Vec<Polynomial>> {
        let entries: Vec<Polynomial> = row.iter().filter(|p| !p.is_zero()).cloned().collect();
        let Some(first) = entries.first() else { return Ok(row) };
        let common = Polynomial::gcd_of(cx, &entries)?;
        let divisor = if self.is_nonzero(cx, &common)? { common } else { Polynomial::one() };
        let lead = first.div_exact(cx, &divisor)?.unwrap_or_else(|| first.clone()).leading_coefficient();
        let scale = if lead.is_zero() { Rational::ONE } else { lead };
        let divided = |p: &Polynomial| -> Budgeted<Polynomial> {
            let p = p.div_exact(cx, &divisor)?.unwrap_or_else(|| p.clone());
            Ok(p.unscale(&scale).unwrap_or(p))
        };
        row.iter().map(divided).collect()
    }
}

impl Frame {
    /// The one irreducible equation that says the same as p = 0 on the part where the others do not vanish, with a
    /// differential that says where curves in it may go; `None` if cases have to be told apart, or nothing is left to say.
    pub fn one_equation(&self, cx: &Inquiry, p: &Polynomial, nonzero: &[Polynomial]) -> Budgeted<Option<Polynomial>> {
        if p.variables().iter().all(|v| self.is_constant(*v)) {
            return Ok(None);
        }
        // Linear in a coordinate, with coprime coefficients: irreducible, and of both signs.
        let is_inside = |s: Symbol| p.variables().iter().any(|w| !is_symbol(*w) && Generator(*w).meaning().contains(s));
        for &v in p.variables().iter().rev() {
            if let Kind::Symbol(s) = Generator(v).kind()
                && p.degree_in(v) == 1
                && !self.is_constant(v)
                && !is_inside(s)
                && p.coefficient_in(v, 1).gcd(cx, &p.coefficient_in(v, 0))?.is_constant()
            {
                return Ok(Some(p.primitive_part()));
            }
        }
        Ok(match self.cases_of(cx, p, nonzero)? {
            None => Some(p.primitive_part()),
            Some(cases) => match cases.as_slice() {
                [case] if case.len() == 1 && case[0] != *p => self.one_equation(cx, &case[0], nonzero)?,
                _ => None,
            },
        })
    }

    /// Whether a polynomial vanishes nowhere in the domain, by what is known of its factors.
    pub fn vanishes_nowhere(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<bool> {
        Ground::new(self, &[], &[]).is_nonzero(cx, p)
    }
}

fn is_symbol(v: u32) -> bool {
    matches!(Generator(v).kind(), Kind::Symbol(_))
}

/// The rows in groups that have no column in common.
pub fn blocks(rows: &[Vec<Polynomial>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let meets = |group: &Vec<usize>| {
            let has_both = |k: usize| rows[k].iter().zip(row).any(|(a, b)| !a.is_zero() && !b.is_zero());
            group.iter().any(|k| has_both(*k))
        };
        let (met, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(meets);
        let mut group: Vec<usize> = met.into_iter().flatten().chain([i]).collect();
        group.sort_unstable();
        groups = apart;
        groups.push(group);
    }
    groups.sort();
    groups
}
