//! Lyapunov exponents of a run: how fast neighbouring motions part, direction by direction.
//!
//! The motion runs again with as many variations as it has independent directions (`variation`), which begin as an
//! orthonormal frame. From time to time the frame is made orthonormal again, and the logarithms of the lengths are
//! added up (Benettin, Galgani, Giorgilli, Strelcyn, *Meccanica* 15, 1980). If Φ(T) is the derivative of the last state by
//! the first and Φ(T) = QR its decomposition with positive diagonal,
//!
//! ```text
//! λ_i = log R_ii / T        Σ λ_i = log |det Φ(T)| / T, the mean divergence along the run (Liouville)
//! ```
//!
//! whenever the frame was made orthonormal. These are the exponents of the run, of a finite time: those of the motion are
//! their limit, which nothing here can see. Where the motion stays on a set, the frame is tangent to it.

use super::run::Run;
use super::variation::{displacements, followed, varied_motion, varied_problem};
use crate::algebra::Inquiry;
use crate::diagnostic::{Diagnostic, Fallible, codes};
use crate::integrate::problem::InitialValueProblem;

/// A frame may grow so much before it is made orthonormal again: half of the digits of a double are left.
const GROWTH: f64 = 1e4;

/// In how many pieces a run is cut at least, and at most.
const PIECES: (f64, f64) = (100.0, 1e7);

/// A direction that is shorter than this part of its length is one of the others.
const DEPENDENT: f64 = 1e-8;

/// The exponents of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Spectrum {
    /// The largest first.
    pub exponents: Vec<f64>,
    /// The same at half of the time: how far they are from their limit.
    pub at_half: Vec<f64>,
    pub time: f64,
    /// How often the frame was made orthonormal.
    pub pieces: usize,
}

/// The exponents of a run, as many as there are independent directions.
pub fn spectrum(cx: &Inquiry, run: &Run) -> Fallible<Spectrum> {
    let (start, end) = (run.problem.start, run.trajectory.end);
    if start == end {
        return Err(Box::new(Diagnostic::error(&codes::NOT_APPLICABLE, "a run of no time has no exponents")));
    }
    let n = run.states.len();
    let mut frame = first_frame(cx, run)?;
    let motion = varied_motion(cx, run, &vec![None; frame.len()])?;
    let whole = varied_problem(run, &frame);
    let mut sums = vec![0.0; frame.len()];
    let mut at_half: Option<Vec<f64>> = None;
    let (mut t, mut state) = (start, run.problem.state.clone());
    let mut piece = (end - start) / PIECES.0;
    let half = 0.5 * (start + end);
    let mut pieces = 0;
    while t != end {
        cx.check().map_err(|stop| Box::new(Diagnostic::from(stop)))?;
        // A piece ends at half of the time and at the end exactly.
        let goal = if at_half.is_none() { half } else { end };
        let next = if (goal - t).abs() <= piece.abs() * 1.000_001 { goal } else { t + piece };
        let problem = InitialValueProblem {
            start: t,
            state: state.iter().chain(frame.iter().flatten()).copied().collect(),
            end: next,
            ..whole.clone()
        };
        let found = followed(cx, &motion, &problem)?;
        let last = found.last();
        let mut moved: Vec<Vec<f64>> = last[n..].chunks(n).map(<[f64]>::to_vec).collect();
        let lengths = orthonormalise(&mut moved);
        let growth = lengths.iter().fold(1.0f64, |m, r| m.max(*r).max(1.0 / r));
        // What the directions had beyond each other is lost in their lengths: the piece is made again, in shorter ones.
        if growth > GROWTH && (next - t).abs() > (end - start).abs() / PIECES.1 {
            piece = (next - t) / 4.0;
            continue;
        }
        state = last[..n].to_vec();
        frame = moved;
        if let Some(i) = lengths.iter().position(|r| !(r.is_finite() && *r > 0.0)) {
            return Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, "the variations of this run become dependent").note(format!(
                    "direction {} at {} = {t}",
                    i + 1,
                    run.time
                )),
            ));
        }
        for (sum, r) in sums.iter_mut().zip(&lengths) {
            *sum += r.ln();
        }
        pieces += 1;
        t = next;
        if t == half && at_half.is_none() {
            at_half = Some(sums.iter().map(|s| s / (half - start).abs()).collect());
        }
        if growth < GROWTH.sqrt() && (piece * 2.0).abs() <= (end - start).abs() / PIECES.0 {
            piece *= 2.0;
        }
    }
    let time = (end - start).abs();
    let in_order = |mut list: Vec<f64>| {
        list.sort_by(|a, b| b.total_cmp(a));
        list
    };
    Ok(Spectrum {
        exponents: in_order(sums.iter().map(|s| s / time).collect()),
        at_half: in_order(at_half.unwrap_or_default()),
        time,
        pieces,
    })
}

/// An orthonormal basis of the directions in which the first state may be moved.
fn first_frame(cx: &Inquiry, run: &Run) -> Fallible<Vec<Vec<f64>>> {
    let mut frame: Vec<Vec<f64>> = vec![];
    for direction in displacements(cx, run)? {
        frame.push(direction);
        let lengths = orthonormalise(&mut frame);
        if lengths.last().is_some_and(|r| *r < DEPENDENT) {
            frame.pop();
        }
    }
    Ok(frame)
}

/// Makes the vectors orthonormal, one after the other, and returns what each had beyond those before it. Twice, so that the
/// result is orthogonal to rounding (Kahan and Parlett: twice is enough).
fn orthonormalise(frame: &mut [Vec<f64>]) -> Vec<f64> {
    let mut lengths = Vec::with_capacity(frame.len());
    for i in 0..frame.len() {
        let (before, rest) = frame.split_at_mut(i);
        let own = &mut rest[0];
        for _ in 0..2 {
            for other in before.iter() {
                let along: f64 = own.iter().zip(other).map(|(a, b)| a * b).sum();
                own.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let length = own.iter().map(|a| a * a).sum::<f64>().sqrt();
        if length > 0.0 {
            own.iter_mut().for_each(|a| *a /= length);
        }
        lengths.push(length);
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_becomes_orthonormal_and_its_volume_is_the_product_of_the_lengths() {
        let mut frame = vec![vec![3.0, 0.0, 4.0], vec![1.0, 2.0, 0.0], vec![0.5, -1.0, 2.0]];
        // det [3 0 4; 1 2 0; 0.5 −1 2] = 3·(4 − 0) − 0 + 4·(−1 − 1) = 4.
        let lengths = orthonormalise(&mut frame);
        assert!((lengths.iter().product::<f64>() - 4.0).abs() < 1e-14);
        for (i, a) in frame.iter().enumerate() {
            for (j, b) in frame.iter().enumerate() {
                let product: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-15);
            }
        }
    }
}
