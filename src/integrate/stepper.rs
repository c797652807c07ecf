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
    }
}
