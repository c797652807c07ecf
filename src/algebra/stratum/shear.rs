//! Shears v ↦ v + c·w of the coordinates, under which equations get shorter.
//!
//! The double pendulum in Cartesian coordinates has the equation (x₂ − x₁)² + (y₂ − y₁)² = l², nine terms that are three in
//! the coordinates u = x₂ − x₁, v = y₂ − y₁; its ideal has a basis of 8 elements instead of 33 in the one case, and where the mass
//! matrix degenerates the two differ by a factor of ten thousand in time. A shear is an automorphism of the ring of
//! polynomials: membership, dimension and emptiness can be asked on either side of it.

use super::super::generator::{Generator, Kind};
use super::super::number::Rational;
use super::super::polynomial::Polynomial;
use super::cell::Frame;
use crate::algebra::Inquiry;
use crate::budget::Budgeted;

/// Equations of more terms than this are not looked at for shears, nor those of a higher degree.
const MAX_TERMS: usize = 40;
const MAX_DEGREE: u32 = 2;

/// An automorphism of the ring of polynomials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shear {
    forth: Vec<(u32, Polynomial)>,
    back: Vec<(u32, Polynomial)>,
}

/// v ↦ v + c·w.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    v: u32,
    w: u32,
    c: Rational,
}

impl Step {
    fn value(&self) -> Polynomial {
        &Polynomial::variable(self.v) + &Polynomial::variable(self.w).scale(&self.c)
    }

    fn inverse(&self) -> Step {
        Step { c: -&self.c, ..self.clone() }
    }

    fn apply(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Polynomial> {
        p.substitute(cx, self.v, &self.value())
    }
}

impl Shear {
    /// Shears that leave fewer products in the shortest equations, the best one first, until none helps; `None` if there
    /// are none, or they save less than a quarter.
    pub fn shortening(cx: &Inquiry, frame: &Frame, equations: &[Polynomial]) -> Budgeted<Option<Shear>> {
        let moves = |v: u32| matches!(Generator(v).kind(), Kind::Symbol(_)) && !frame.is_constant(v);
        let degree = |p: &Polynomial| -> u32 {
            let of_term = |m: &[(u32, u32)]| m.iter().filter(|(v, _)| moves(*v)).map(|(_, e)| *e).sum();
            p.terms().map(|(m, _)| of_term(&m)).max().unwrap_or(0)
        };
        let is_short = |p: &&Polynomial| p.n_terms() <= MAX_TERMS && degree(p) <= MAX_DEGREE;
        let mut short: Vec<Polynomial> = equations.iter().filter(is_short).cloned().collect();
        // A product of different coordinates weighs more than a square: what is short modulo other equations has squares.
        let weight = |m: &[(u32, u32)]| m.iter().filter(|(v, _)| moves(*v)).count().pow(2);
        let total = |list: &[Polynomial]| list.iter().flat_map(|p| p.terms().map(|(m, _)| weight(&m))).sum::<usize>();
        let before = total(&short);
        let mut steps: Vec<Step> = Vec::new();
        loop {
            cx.check()?;
            let mut best: Option<(usize, Step, Vec<Polynomial>)> = None;
            for step in candidates(&short, moves) {
                let after = short.iter().map(|p| step.apply(cx, p)).collect::<Budgeted<Vec<_>>>()?;
                let n = total(&after);
                if n < best.as_ref().map_or(total(&short), |(n, _, _)| *n) {
                    best = Some((n, step, after));
                }
            }
            let Some((_, step, after)) = best else { break };
            short = after;
            steps.push(step);
        }
        if total(&short) * 4 > before * 3 {
            return Ok(None);
        }
        Shear::of(cx, &steps).map(Some)
    }

    fn of(cx: &Inquiry, steps: &[Step]) -> Budgeted<Shear> {
        let inverses: Vec<Step> = steps.iter().rev().map(Step::inverse).collect();
        let images = |steps: &[Step]| -> Budgeted<Vec<(u32, Polynomial)>> {
            let mut moved: Vec<u32> = steps.iter().map(|s| s.v).collect();
            moved.sort_unstable();
            moved.dedup();
            let image = |v: u32| steps.iter().try_fold(Polynomial::variable(v), |p, s| s.apply(cx, &p));
            moved.into_iter().map(|v| Ok((v, image(v)?))).collect()
        };
        Ok(Shear { forth: images(steps)?, back: images(&inverses)? })
    }

    /// The polynomial in the coordinates in which the equations are short.
    pub fn forth(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Polynomial> {
        p.substitute_all(cx, &self.forth)
    }

    /// The polynomial in the coordinates of the frame.
    pub fn back(&self, cx: &Inquiry, p: &Polynomial) -> Budgeted<Polynomial> {
        p.substitute_all(cx, &self.back)
    }

    /// Whether polynomials in the variables that are kept are taken to such polynomials.
    pub fn preserves(&self, is_kept: impl Fn(u32) -> bool) -> bool {
        self.forth.iter().filter(|(v, _)| is_kept(*v)).all(|(_, image)| image.variables().iter().all(|w| is_kept(*w)))
    }
}

/// The steps that complete a square, a·v² + b·v·w, or join two terms, a·v·z + b·w·z.
fn candidates(equations: &[Polynomial], moves: impl Fn(u32) -> bool) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    let mut propose = |v: u32, w: u32, c: Rational| {
        let step = Step { v, w, c };
        if v != w && !found.contains(&step) {
            found.push(step);
        }
    };
    for p in equations {
        let terms: Vec<_> = p.terms().filter(|(m, _)| m.iter().any(|(v, _)| moves(*v))).collect();
        let coefficient = |m: &[(u32, u32)]| terms.iter().find(|(n, _)| n.as_slice() == m).map(|(_, c)| c);
        for (m, a) in &terms {
            for &(v, e) in m.iter().filter(|(v, _)| moves(*v)) {
                // The monomial with one v less, and in its place one w.
                for &w in p.variables().iter().filter(|w| moves(**w)) {
                    let mut other: Vec<(u32, u32)> = m.iter().copied().filter(|(u, _)| *u != v).collect();
                    if e > 1 {
                        other.push((v, e - 1));
                    }
                    match other.iter_mut().find(|(u, _)| *u == w) {
                        Some((_, n)) => *n += 1,
                        None => other.push((w, 1)),
                    }
                    other.sort_unstable();
                    if let Some(b) = coefficient(&other) {
                        propose(v, w, -&(b / &(a * &Rational::from(i64::from(e)))));
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::Scope;

    /// x₁² + y₁² = 4, and (x₂ − x₁)² + (y₂ − y₁)² = 1 as it is modulo the first.
    fn links(cx: &Inquiry) -> (Frame, Vec<Polynomial>, [u32; 2]) {
        let mut scope = Scope::new();
        let symbols = ["x1", "y1", "x2", "y2"].map(|name| scope.symbol(name));
        let texts = ["x1^2 + y1^2 - 4", "x2^2 + y2^2 - 2*x1*x2 - 2*y1*y2 + 3", "x1", "x2"];
        let all = texts.map(|text| scope.read(text));
        let frame = Frame::new(cx, &symbols, &all).expect("small");
        let [first, second, x1, x2] = all.map(|e| frame.read_numerator(cx, e).expect("small"));
        (frame, vec![first, second], [x1, x2].map(|p| p.variables()[0]))
    }

    #[test]
    fn relative_coordinates_are_found() {
        let cx = &Inquiry::free();
        let (frame, equations, _) = links(cx);
        let shear = Shear::shortening(cx, &frame, &equations).expect("small").expect("there is one");
        let cross = |p: &Polynomial| p.terms().any(|(m, _)| m.len() > 1);
        assert!(equations.iter().any(cross));
        for e in &equations {
            let short = shear.forth(cx, e).expect("small");
            assert!(!cross(&short), "{short}");
            assert_eq!(shear.back(cx, &short).expect("small"), *e);
        }
        assert!(Shear::shortening(cx, &frame, &equations[..1]).expect("small").is_none());
    }

    #[test]
    fn what_is_kept_is_preserved_as_a_whole() {
        let cx = &Inquiry::free();
        let (frame, equations, [x1, x2]) = links(cx);
        let shear = Shear::shortening(cx, &frame, &equations).expect("small").expect("there is one");
        assert!(shear.preserves(|_| true) && shear.preserves(|_| false));
        // One of the two coordinates is turned into their sum, and does not stay by itself.
        assert!(shear.preserves(|v| v == x1) != shear.preserves(|v| v == x2));
    }
}
