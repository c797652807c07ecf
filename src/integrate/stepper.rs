//! What every method can do: advance by one step of controlled error, and look inside that step.

use super::control::StopReason;

/// Counts of a run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Statistics {
    pub steps: u64,
    pub rejected: u64,
    /// Evaluations of the vector field, or of its Taylor coefficients.
    pub evaluations: u64,
    pub smallest_step: f64,
    pub largest_step: f64,
    /// The order of the method.
    pub order: u32,
}

impl Statistics {
    /// Counts an accepted step.
    #[inline]
    pub fn accept(&mut self, h: f64) {
        let h = h.abs();
        if self.steps == 0 {
            self.smallest_step = h;
        }
        self.steps += 1;
        self.smallest_step = self.smallest_step.min(h);
        self.largest_step = self.largest_step.max(h);
    }
}

impl Statistics {
    /// The counts of two methods that worked one after the other; the order is that of the second.
    pub fn after(self, before: Statistics) -> Statistics {
        let shortest = match (self.steps, before.steps) {
            (_, 0) => self.smallest_step,
            (0, _) => before.smallest_step,
            _ => self.smallest_step.min(before.smallest_step),
        };
        Statistics {
            steps: self.steps + before.steps,
            rejected: self.rejected + before.rejected,
            evaluations: self.evaluations + before.evaluations,
            smallest_step: shortest,
            largest_step: self.largest_step.max(before.largest_step),
            order: self.order,
        }
    }

    /// Counts several accepted steps, of which the shortest and the longest are known.
    pub fn accept_many(&mut self, steps: u64, [shortest, longest]: [f64; 2]) {
        if self.steps == 0 {
            self.smallest_step = shortest;
        }
        self.steps += steps;
        self.smallest_step = self.smallest_step.min(shortest);
        self.largest_step = self.largest_step.max(longest);
    }
}

/// A method at work.
pub trait Stepper {
    fn time(&self) -> f64;

    fn state(&self) -> &[f64];

    /// Where the last step began.
    fn previous_time(&self) -> f64;

    /// Advances by one accepted step that does not pass `limit`.
    fn step(&mut self, limit: f64) -> Result<(), StopReason>;

    /// Advances by one or more steps: at least one, at most `most`, none after one that reaches or passes `until`. For those
    /// who look at the last of them only.
    fn advance(&mut self, limit: f64, until: f64, most: u64) -> Result<(), StopReason> {
        let _ = (until, most);
        self.step(limit)
    }

    /// The state at a time inside the last step, as accurate as the dense output of the method.
    fn interpolate(&mut self, t: f64, out: &mut [f64]);

    /// The state at a time inside the last step, as accurate as a step.
    fn state_at(&mut self, t: f64, out: &mut [f64]) {
        self.interpolate(t, out);
    }

    /// Ends the last step earlier, at a time inside it.
    fn cut(&mut self, t: f64);

    /// Moves the state at the end of the last step a little, as a projection does.
    fn replace(&mut self, state: &[f64]);

    /// Whether a step ends on the constraints of the motion by itself.
    fn ends_on_constraints(&self) -> bool {
        false
    }

    /// Continues from the current state with other decisions, as after a kink.
    fn restart(&mut self, modes: &[f64]);

    /// The polynomial of the last step, to be kept.
    fn segment(&mut self) -> Segment;

    fn statistics(&self) -> Statistics;
}

/// The interpolant of one step: y(t₀ + θ h) for θ in [0, 1].
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    pub start: f64,
    pub step: f64,
    pub form: Form,
    /// Coefficient by coefficient, n numbers each.
    pub coefficients: Vec<f64>,
}

/// How coefficients make a polynomial in θ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// c₀ + c₁ θ + c₂ θ² + …
    Powers,
    /// c₀ + θ (c₁ + (1−θ) (c₂ + θ (c₃ + (1−θ) (…)))): the dense output of dop853.
    Nested,
    /// c₀ + c₁ T₁(2θ − 1) + c₂ T₂(2θ − 1) + …, for high degrees.
    Chebyshev,
}

impl Segment {
    pub fn evaluate(&self, t: f64, out: &mut [f64]) {
        let theta = (t - self.start) / self.step;
        evaluate(self.form, &self.coefficients, out.len(), theta, out);
    }
}

/// The cubic with the values and slopes of both ends of a step; without slopes, the straight line.
pub fn cubic(start: f64, step: f64, [from, to]: [&[f64]; 2], slopes: [Option<Vec<f64>>; 2]) -> Segment {
    let difference: Vec<f64> = to.iter().zip(from).map(|(a, b)| a - b).collect();
    let scaled = |slope: Vec<f64>| slope.into_iter().map(|x| step * x).collect::<Vec<f64>>();
    let [first, last] = match slopes {
        [Some(first), Some(last)] => [scaled(first), scaled(last)],
        _ => [difference.clone(), difference.clone()],
    };
    let mut coefficients = from.to_vec();
    coefficients.extend(&first);
    coefficients.extend((0..from.len()).map(|i| 3.0 * difference[i] - 2.0 * first[i] - last[i]));
    coefficients.extend((0..from.len()).map(|i| first[i] + last[i] - 2.0 * difference[i]));
    Segment { start, step, form: Form::Powers, coefficients }
}

/// Evaluates coefficients with a distance of `stride` between one and the next.
pub fn evaluate(form: Form, coefficients: &[f64], stride: usize, theta: f64, out: &mut [f64]) {
    let n = out.len();
    let count = coefficients.len() / stride;
    if form == Form::Chebyshev {
        // Clenshaw's recurrence.
        let twice = 2.0 * (2.0 * theta - 1.0);
        for i in 0..n {
            let (mut last, mut before) = (0.0, 0.0);
            for k in (1..count).rev() {
                (last, before) = (coefficients[k * stride + i] + twice * last - before, last);
            }
            out[i] = coefficients[i] + 0.5 * twice * last - before;
        }
        return;
    }
    out.fill(0.0);
    for k in (0..count).rev() {
        let c = &coefficients[k * stride..k * stride + n];
        // The factor between coefficient k and what is inside it.
        let factor = match form {
            Form::Nested if k % 2 == 1 => 1.0 - theta,
            _ => theta,
        };
        for i in 0..n {
            out[i] = c[i] + factor * out[i];
        }
    }
}

/// The coefficients of [`Form::Chebyshev`] for a polynomial of some degree, from its values at Chebyshev's points.
pub fn chebyshev(n: usize, degree: usize, mut value: impl FnMut(f64, &mut [f64])) -> Vec<f64> {
    let count = degree + 1;
    let mut coefficients = vec![0.0; n * count];
    let mut at = vec![0.0; n];
    for q in 0..count {
        let angle = std::f64::consts::PI * (q as f64 + 0.5) / count as f64;
        value(0.5 * (1.0 + angle.cos()), &mut at);
        for p in 0..count {
            let weight = (p as f64 * angle).cos() * if p == 0 { 1.0 } else { 2.0 } / count as f64;
            for (c, x) in coefficients[p * n..(p + 1) * n].iter_mut().zip(&at) {
                *c += weight * x;
            }
        }
    }
    coefficients
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_what_they_say() {
        let mut y = [0.0];
        evaluate(Form::Powers, &[1.0, 2.0, 3.0], 1, 0.5, &mut y);
        assert_eq!(y, [1.0 + 1.0 + 0.75]);
        evaluate(Form::Nested, &[1.0, 2.0, 3.0, 4.0], 1, 0.25, &mut y);
        assert_eq!(y, [1.0 + 0.25 * (2.0 + 0.75 * (3.0 + 0.25 * 4.0))]);
        // z = 1/2: T₂ = 2 z² − 1 = −1/2, T₃ = 4 z³ − 3 z = −1.
        evaluate(Form::Chebyshev, &[1.0, 2.0, 3.0, 4.0], 1, 0.75, &mut y);
        assert_eq!(y, [1.0 + 1.0 - 1.5 - 4.0]);
        let powers = [1.0, 2.0, -3.0, 0.5];
        let made = chebyshev(1, 3, |theta, out| evaluate(Form::Powers, &powers, 1, theta, out));
        let mut expected = [0.0];
        evaluate(Form::Chebyshev, &made, 1, 0.3, &mut y);
        evaluate(Form::Powers, &powers, 1, 0.3, &mut expected);
        assert!((y[0] - expected[0]).abs() < 1e-15);
    }
}
