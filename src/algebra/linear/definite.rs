//! Definiteness of symmetric matrices, by Sylvester's minors under the declared facts, and LDLᵀ.
//!
//! ```text
//! positive     all leading minors are positive
//! negative     the leading minors are negative, positive, negative, …
//! indefinite   everywhere both signs: two diagonal entries of opposite sign, a negative principal minor of
//!              order 2, or a determinant that vanishes nowhere together with one indefinite point
//! none         none of these: the determinant vanishes at some point, or the signs change with the point
//! conditions   undecided: positive definite where the leading minors are positive
//! ```
//!
//! The mass matrix of a planar chain, c_ij cos(θ_i − θ_j) with numbers or parameters c_ij, has minors that outgrow everything; but with
//! z_k = v_k exp(iθ_k) its form is vᵀWv = Re z̄ᵀCz = z̄ᵀCz, so it is definite where C is.

use super::{Matrix, record_factors};
use crate::algebra::Inquiry;
use crate::algebra::assume::Sign;
use crate::algebra::ball;
use crate::algebra::decide::witness::{POINTS, Sampler};
use crate::algebra::decide::{is_nonzero_everywhere, is_zero, sign};
use crate::algebra::expr::Expr;
use crate::algebra::function::Elementary;
use crate::algebra::normal::{normal_form, simplify};
use crate::algebra::substitute::substitute;
use crate::algebra::symbol::Symbol;
use crate::algebra::verdict::Ground;
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// What is known about the definiteness of a symmetric matrix on its whole domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definiteness {
    Positive,
    Negative,
    Indefinite,
    /// Not of one kind everywhere.
    None,
    /// Undecided: it depends on the signs of the leading minors.
    Conditions,
}

impl Definiteness {
    /// The label of the language.
    pub fn label(self) -> &'static str {
        match self {
            Definiteness::Positive => "positive",
            Definiteness::Negative => "negative",
            Definiteness::Indefinite => "indefinite",
            Definiteness::None => "none",
            Definiteness::Conditions => "conditions",
        }
    }
}

/// A = L·D·Lᵀ with ones on the diagonal of the lower triangular L.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ldl {
    pub l: Matrix,
    pub d: Vec<Expr>,
}

impl Matrix {
    /// Whether a symmetric matrix is positive (1) or negative (−1) definite at every point, by its leading minors one after the other;
    /// `None` at the first that does not have the sign.
    pub fn definite_sign(&self, cx: &Inquiry) -> Budgeted<Option<i32>> {
        if let Some(c) = self.without_phases(cx)? {
            return c.definite_sign(cx);
        }
        let mut kind = None;
        for k in 0..self.n_rows() {
            let all: Vec<usize> = (0..=k).collect();
            let found = sign(cx, self.minor(&all, &all).det(cx)?);
            let here = match (found.is_positive(), found.is_negative()) {
                (true, _) if k % 2 == 1 => kind,
                (true, _) => Some(1),
                (_, true) if k % 2 == 0 => Some(-1),
                _ => None,
            };
            if here.is_none() || (k > 0 && here != kind) {
                return Ok(None);
            }
            kind = here;
        }
        Ok(kind)
    }

    /// The definiteness of a symmetric matrix; only its lower triangle matters.
    pub fn definiteness(&self, cx: &Inquiry) -> Budgeted<Definiteness> {
        debug_assert!(self.is_square());
        let n = self.n_rows();
        if n == 0 {
            return Ok(Definiteness::None);
        }
        let by_phases = match self.without_phases(cx)? {
            Some(c) => c.definite_sign(cx)?,
            None => None,
        };
        match by_phases {
            Some(1..) => return Ok(Definiteness::Positive),
            Some(_) => return Ok(Definiteness::Negative),
            None => {}
        }
        let minors = self.leading_minors(cx)?;
        let signs: Vec<Sign> = minors.iter().map(|m| sign(cx, *m)).collect();
        if signs.iter().all(|s| s.is_positive()) {
            return Ok(Definiteness::Positive);
        }
        if signs.iter().enumerate().all(|(k, s)| if k % 2 == 0 { s.is_negative() } else { s.is_positive() }) {
            return Ok(Definiteness::Negative);
        }
        let determinant = minors[n - 1];
        if is_zero(cx, determinant).is_yes() {
            return Ok(Definiteness::None);
        }
        let diagonal: Vec<Sign> = (0..n).map(|i| sign(cx, self[(i, i)])).collect();
        if diagonal.iter().any(|s| s.is_positive()) && diagonal.iter().any(|s| s.is_negative()) {
            return Ok(Definiteness::Indefinite);
        }
        for i in 0..n {
            for j in 0..i {
                if sign(cx, self.minor(&[j, i], &[j, i]).det(cx)?).is_negative() {
                    return Ok(Definiteness::Indefinite);
                }
            }
        }
        if n.is_multiple_of(2) && signs[n - 1].is_negative() {
            return Ok(Definiteness::Indefinite);
        }
        self.definiteness_by_points(cx, &minors)
    }

    /// C, where the entries are c_ij cos(θ_i − θ_j) and each θ is a symbol or 0: fewer symbols than before.
    pub fn without_phases(&self, cx: &Inquiry) -> Budgeted<Option<Matrix>> {
        let n = self.n_rows();
        let varies = |s: &Symbol| !s.is_parameter();
        let mut phases: Vec<Option<Symbol>> = Vec::with_capacity(n);
        for i in 0..n {
            let mut moving = (0..n)
                .filter(|j| *j != i)
                .map(|j| self[(i, j)].symbols())
                .map(|list| list.into_iter().filter(varies).collect::<Vec<_>>());
            let mut common = moving.by_ref().find(|list| !list.is_empty()).unwrap_or_default();
            for list in moving.filter(|list| !list.is_empty()) {
                common.retain(|s| list.contains(s));
            }
            phases.push(common.into_iter().find(|s| !phases.contains(&Some(*s))));
        }
        let zero: FxHashMap<Symbol, Expr> = phases.iter().flatten().map(|s| (*s, Expr::zero())).collect();
        if zero.is_empty() {
            return Ok(None);
        }
        let angle = |i: usize| phases[i].map_or_else(Expr::zero, Expr::symbol);
        let c = Matrix::from_fn(n, n, |i, j| substitute(self[(i, j)], &zero));
        for i in 0..n {
            for j in 0..=i {
                let turned = c[(i, j)] * Expr::apply(Elementary::Cos, &[angle(i) - angle(j)]);
                let is_same = is_zero(cx, self[(i, j)] - turned);
                if !is_same.is_yes() || !is_same.ground().is_some_and(Ground::is_proved) {
                    return Ok(None);
                }
            }
        }
        Ok(Some(c))
    }

    /// The kinds that occur at sample points. Parameters keep one value each while the coordinates vary: a
    /// parameter of unknown sign is a matter for conditions, a coordinate is not.
    fn definiteness_by_points(&self, cx: &Inquiry, minors: &[Expr]) -> Budgeted<Definiteness> {
        let n = self.n_rows();
        let determinant = minors[n - 1];
        let nowhere_singular = is_nonzero_everywhere(cx, determinant).is_yes();
        // One expression that holds all symbols and facts.
        let sampler = Sampler::new(cx, Expr::add_all(minors.iter().map(|m| m.pow(2))));
        let varies = minors.iter().flat_map(|m| m.symbols()).any(|s| !s.is_parameter());
        let mut first = None;
        let mut kinds: Vec<&'static str> = Vec::new();
        for i in 0..POINTS {
            let Some(mut point) = sampler.point(cx, i)? else { continue };
            match &first {
                None => first = Some(point.clone()),
                Some(first) => {
                    for (s, value) in first.iter().filter(|(s, _)| s.is_parameter()) {
                        point.insert(*s, value.clone());
                    }
                }
            }
            let mut signs = Vec::new();
            for m in minors {
                match ball::certified_sign(cx, *m, &point, 256)? {
                    Some(sign) => signs.push(sign),
                    None => break,
                }
            }
            if signs.len() < n {
                continue;
            }
            let kind = if signs.iter().all(|s| *s > 0) {
                "positive"
            } else if signs.iter().enumerate().all(|(k, s)| if k % 2 == 0 { *s < 0 } else { *s > 0 }) {
                "negative"
            } else if signs[n - 1] == 0 {
                "singular"
            } else if signs.contains(&0) {
                // A minor vanishes on the way: the kind is not read off the minors here.
                continue;
            } else {
                "indefinite"
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        Ok(match kinds.as_slice() {
            // The number of negative eigenvalues is constant where the determinant has no zero.
            ["indefinite"] if nowhere_singular => Definiteness::Indefinite,
            ["singular"] if varies => Definiteness::None,
            [_, _, ..] if varies => Definiteness::None,
            _ => Definiteness::Conditions,
        })
    }

    /// A = L·D·Lᵀ for a symmetric matrix without exchanging rows. Pivots that are not known to be nonzero
    /// are recorded; `None` if one is zero, or cannot be shown not to be.
    pub fn ldl(&self, cx: &Inquiry) -> Budgeted<Option<Ldl>> {
        debug_assert!(self.is_square());
        let n = self.n_rows();
        let (mut l, mut d) = (Matrix::identity(n), Vec::with_capacity(n));
        for j in 0..n {
            let known = Expr::add_all((0..j).map(|k| l[(j, k)].pow(2) * d[k]));
            let pivot = simplify(cx, self[(j, j)] - known)?;
            if j + 1 < n {
                if !is_zero(cx, pivot).is_no() {
                    return Ok(None);
                }
                let above = normal_form(cx, pivot)?.fraction(cx)?.0;
                record_factors(cx, &above);
            }
            for i in j + 1..n {
                let known = Expr::add_all((0..j).map(|k| l[(i, k)] * l[(j, k)] * d[k]));
                l[(i, j)] = simplify(cx, (self[(i, j)] - known) / pivot)?;
            }
            d.push(pivot);
        }
        Ok(Some(Ldl { l, d }))
    }
}
