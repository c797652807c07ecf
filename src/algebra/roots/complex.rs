//! All roots of a polynomial with real coefficients, each in a disc of its own.
//!
//! Approximations come from Aberth's iteration, whatever they are worth; what is *said* comes from discs that are computed
//! afterwards, with balls. For a monic polynomial f of degree n and different numbers z₁, …, z_n the discs
//!
//! ```text
//! |z − z_j| ≤ n·|W_j|,      W_j = f(z_j) / ∏_{k ≠ j} (z_j − z_k)
//! ```
//!
//! contain all roots, and each connected set of m of them contains m roots (Smith, *J. ACM* 17, 1970, by Gershgorin's theorem). So discs
//! that do not meet hold one root each. A root is real if its disc meets the mirror image of no disc but its own: the conjugate
//! root lies in that image, and is therefore the root itself.
//!
//! Coefficients are asked for with as many bits as are needed, so that they may be any numbers that balls enclose.

use crate::algebra::ball::Ball;
use crate::algebra::ball::float::{Float, Mag};
use crate::algebra::number::Rational;
use crate::budget::{Budget, Budgeted};

/// A complex number, enclosed.
#[derive(Clone, Debug)]
pub struct ComplexBall {
    pub re: Ball,
    pub im: Ball,
}

/// Bits with which the coefficients are known at first, and at last.
const FIRST_BITS: u32 = 128;
const LAST_BITS: u32 = 4096;

/// Rounds of the iteration for one precision.
const MAX_ROUNDS: usize = 160;

/// Bits to which a root is wanted, beside those in front of the point.
const WANTED_BITS: i64 = 80;

impl ComplexBall {
    fn new(re: Ball, im: Ball) -> ComplexBall {
        ComplexBall { re, im }
    }

    fn rational(re: &Rational, im: &Rational, p: u32) -> ComplexBall {
        ComplexBall::new(Ball::from_rational(re, p), Ball::from_rational(im, p))
    }

    fn real(re: Ball) -> ComplexBall {
        ComplexBall::new(re, Ball::exact(Float::ZERO))
    }

    /// Whether its imaginary part is 0, exactly.
    pub fn is_real(&self) -> bool {
        self.im.is_exact() && self.im.mid().is_zero()
    }

    fn add(&self, other: &ComplexBall, p: u32) -> ComplexBall {
        ComplexBall::new(self.re.add(&other.re, p), self.im.add(&other.im, p))
    }

    fn sub(&self, other: &ComplexBall, p: u32) -> ComplexBall {
        ComplexBall::new(self.re.sub(&other.re, p), self.im.sub(&other.im, p))
    }

    fn mul(&self, other: &ComplexBall, p: u32) -> ComplexBall {
        let re = self.re.mul(&other.re, p).sub(&self.im.mul(&other.im, p), p);
        let im = self.re.mul(&other.im, p).add(&self.im.mul(&other.re, p), p);
        ComplexBall::new(re, im)
    }

    /// |z|².
    fn norm(&self, p: u32) -> Ball {
        self.re.mul(&self.re, p).add(&self.im.mul(&self.im, p), p)
    }

    /// `None` if the divisor may be 0.
    fn div(&self, other: &ComplexBall, p: u32) -> Option<ComplexBall> {
        let norm = other.norm(p);
        if norm.contains_zero() {
            return None;
        }
        let conjugate = ComplexBall::new(other.re.clone(), other.im.neg());
        let above = self.mul(&conjugate, p);
        Some(ComplexBall::new(above.re.div(&norm, p)?, above.im.div(&norm, p)?))
    }

    /// The number in its middle, exactly.
    fn middle(&self) -> ComplexBall {
        ComplexBall::new(Ball::exact(self.re.mid().clone()), Ball::exact(self.im.mid().clone()))
    }

    fn conjugate(&self) -> ComplexBall {
        ComplexBall::new(self.re.clone(), self.im.neg())
    }
}

/// The roots of Σ cᵢ zⁱ, real ones first and by size, then pairs of conjugates, the upper one first. `coefficients` encloses them with
/// so many bits. `None` if the roots were not separated, as when two of them coincide.
pub fn isolate_roots(
    cx: &Budget,
    coefficients: impl Fn(u32) -> Budgeted<Option<Vec<Ball>>>,
) -> Budgeted<Option<Vec<ComplexBall>>> {
    let mut guesses: Option<Vec<ComplexBall>> = None;
    let mut bits = FIRST_BITS;
    while bits <= LAST_BITS {
        let Some(monic) = coefficients(bits)?.and_then(|list| monic(list, bits)) else {
            bits *= 2;
            continue;
        };
        let n = monic.len() - 1;
        let start = guesses.take().unwrap_or_else(|| circle(&monic, n, bits));
        let near = iterate(cx, &monic, start, bits)?;
        if let Some(found) = separated(cx, &monic, &near, bits)? {
            return Ok(Some(ordered(found)));
        }
        guesses = Some(near);
        bits *= 2;
    }
    Ok(None)
}

fn monic(list: Vec<Ball>, p: u32) -> Option<Vec<Ball>> {
    let lead = list.last()?.clone();
    if lead.contains_zero() {
        return None;
    }
    list.iter().map(|c| c.div(&lead, p)).collect()
}

/// Numbers around 0, as far away as the roots can be: 2·max |c_{n−i}|^(1/i) bounds them (Fujiwara).
fn circle(monic: &[Ball], n: usize, p: u32) -> Vec<ComplexBall> {
    let mut top = -64;
    for (i, c) in monic[..n].iter().enumerate().filter(|(_, c)| !(c.is_exact() && c.mid().is_zero())) {
        let size = c.magnitude().to_float().top();
        top = top.max(1 + size.div_euclid((n - i) as i64));
    }
    let turn = ComplexBall::rational(&Rational::ratio(2, 5), &Rational::ratio(9, 10), p);
    let radius = ComplexBall::real(Ball::exact(Float::ONE.shifted(top)));
    let mut guesses = vec![radius];
    for j in 1..n {
        let next = guesses[j - 1].mul(&turn, p).middle();
        guesses.push(next);
    }
    guesses
}

/// f and f′ at z, by Horner's scheme.
pub(crate) fn values(monic: &[Ball], z: &ComplexBall, p: u32) -> (ComplexBall, ComplexBall) {
    let zero = || ComplexBall::real(Ball::exact(Float::ZERO));
    let (mut value, mut slope) = (zero(), zero());
    for c in monic.iter().rev() {
        slope = slope.mul(z, p).add(&value, p);
        value = value.mul(z, p).add(&ComplexBall::real(c.clone()), p);
    }
    (value, slope)
}

/// Aberth's iteration, z_j − w/(1 − w·Σ 1/(z_j − z_k)) with w = f/f′, until nothing changes.
fn iterate(cx: &Budget, monic: &[Ball], mut z: Vec<ComplexBall>, p: u32) -> Budgeted<Vec<ComplexBall>> {
    let monic: Vec<Ball> = monic.iter().map(|c| Ball::exact(c.mid().clone())).collect();
    let one = ComplexBall::real(Ball::exact(Float::ONE));
    let mut settled = vec![false; z.len()];
    for _ in 0..MAX_ROUNDS {
        for j in 0..z.len() {
            cx.check()?;
            cx.spend(8 * z.len() as u64)?;
            let (value, slope) = values(&monic, &z[j], p);
            let Some(newton) = value.middle().div(&slope.middle(), p) else { continue };
            let newton = newton.middle();
            let mut sum = ComplexBall::real(Ball::exact(Float::ZERO));
            for (_, other) in z.iter().enumerate().filter(|(k, _)| *k != j) {
                if let Some(part) = one.div(&z[j].sub(other, p).middle(), p) {
                    sum = sum.add(&part, p).middle();
                }
            }
            let below = one.sub(&newton.mul(&sum, p), p).middle();
            let step = newton.div(&below, p).unwrap_or(newton).middle();
            let size = |b: &ComplexBall| b.re.mid().top().max(b.im.mid().top());
            settled[j] = size(&step) < size(&z[j]).max(-i64::from(p) / 2) - i64::from(p) + 24;
            z[j] = z[j].sub(&step, p).middle();
        }
        if settled.iter().all(|s| *s) {
            break;
        }
    }
    Ok(z)
}

/// The discs, if they are small and do not meet.
fn separated(cx: &Budget, monic: &[Ball], z: &[ComplexBall], p: u32) -> Budgeted<Option<Vec<ComplexBall>>> {
    let n = z.len();
    let mut radii = Vec::with_capacity(n);
    for (j, at) in z.iter().enumerate() {
        cx.check()?;
        let mut product = ComplexBall::real(Ball::exact(Float::ONE));
        for (_, other) in z.iter().enumerate().filter(|(k, _)| *k != j) {
            product = product.mul(&at.sub(other, p), p);
        }
        let Some(w) = values(monic, at, p).0.div(&product, p) else { return Ok(None) };
        let size = w.re.magnitude() + w.im.magnitude();
        let radius = size.scaled(n as u64);
        let scale = at.re.mid().top().max(at.im.mid().top()).max(0);
        if radius.is_infinite() || radius.to_float().top() > scale - WANTED_BITS {
            return Ok(None);
        }
        radii.push(radius);
    }
    // Whether two discs are certainly apart.
    let apart = |a: &ComplexBall, r: Mag, b: &ComplexBall, s: Mag| {
        let distance = a.sub(b, p).norm(p);
        let reach = Ball::exact((r + s).to_float());
        distance.sub(&reach.mul(&reach, p), p).sign() == Some(1)
    };
    let mut found = Vec::with_capacity(n);
    for j in 0..n {
        if (0..j).any(|k| !apart(&z[j], radii[j], &z[k], radii[k])) {
            return Ok(None);
        }
        let mirror = z[j].conjugate();
        let meets_others = (0..n).any(|k| k != j && !apart(&mirror, radii[j], &z[k], radii[k]));
        let re = Ball::new(z[j].re.mid().clone(), radii[j]);
        let im = Ball::new(z[j].im.mid().clone(), radii[j]);
        if !im.contains_zero() {
            found.push(ComplexBall::new(re, im));
        } else if !meets_others {
            found.push(ComplexBall::real(re));
        } else {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// Of a pair the upper root is kept, and its mirror image put beside it.
fn ordered(found: Vec<ComplexBall>) -> Vec<ComplexBall> {
    let (mut real, rest): (Vec<ComplexBall>, Vec<ComplexBall>) = found.into_iter().partition(ComplexBall::is_real);
    let mut upper: Vec<ComplexBall> = rest.into_iter().filter(|z| z.im.mid().signum() > 0).collect();
    let by_place = |a: &ComplexBall, b: &ComplexBall| {
        a.re.mid().cmp_value(b.re.mid()).then_with(|| a.im.mid().cmp_value(b.im.mid()))
    };
    real.sort_by(by_place);
    upper.sort_by(by_place);
    real.into_iter().chain(upper.into_iter().flat_map(|z| [z.clone(), z.conjugate()])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(coefficients: &[i64]) -> Vec<ComplexBall> {
        let cx = &Budget::unlimited();
        let list = |p| Ok(Some(coefficients.iter().map(|c| Ball::from_rational(&Rational::from(*c), p)).collect()));
        isolate_roots(cx, list).expect("no limit").expect("different roots")
    }

    fn contains(z: &ComplexBall, re: &str, im: &str) -> bool {
        let number = |text: &str| Rational::parse(text).expect("a number").expect("a small one");
        // There are thirty digits, and discs have 24 of them at least.
        let slack = Rational::from(10).pow(-23).expect("small");
        let meets = |b: &Ball, x: Rational| {
            let mid = b.mid().to_rational().expect("small");
            (&mid - &x).abs() <= &slack * &x.abs().max(Rational::ONE)
        };
        let minus = |text: &str| text.strip_prefix('-').map_or_else(|| number(text), |t| -&number(t));
        meets(&z.re, minus(re)) && meets(&z.im, minus(im))
    }

    /// Digits from mpmath 1.3, polyroots with 40 digits: tests/oracle/eigenvalues.py.
    #[test]
    fn roots_have_the_digits_of_another_program() {
        let cases: [(&[i64], &[(&str, &str)]); 4] = [
            (
                &[-1, -1, 0, 1],
                &[
                    ("1.32471795724474602596090885448", "0"),
                    ("-0.662358978622373012980454427239", "0.562279512062301243899182144909"),
                    ("-0.662358978622373012980454427239", "-0.562279512062301243899182144909"),
                ],
            ),
            (
                &[-1, -1, 0, 0, 0, 1],
                &[
                    ("1.16730397826141868425604589985", "0"),
                    ("-0.764884433600584726029823187709", "0.352471546031726249317947091403"),
                    ("-0.764884433600584726029823187709", "-0.352471546031726249317947091403"),
                    ("0.181232444469875383901800237781", "1.08395410131771066843034449298"),
                    ("0.181232444469875383901800237781", "-1.08395410131771066843034449298"),
                ],
            ),
            (
                &[1, -3, 0, 1],
                &[
                    ("-1.87938524157181676810821855465", "0"),
                    ("0.347296355333860697703433253539", "0"),
                    ("1.53208888623795607040478530111", "0"),
                ],
            ),
            // Two roots that are close to each other (Mignotte): x³ − 2(1000x − 1)².
            (
                &[-2, 4000, -2_000_000, 1],
                &[
                    ("0.000999977640070195654960775018737", "0"),
                    ("0.00100002236142980434753922498651", "0"),
                    ("1999999.9979999999984999999975", "0"),
                ],
            ),
        ];
        for (coefficients, expected) in cases {
            let found = roots(coefficients);
            assert_eq!(found.len(), expected.len(), "{coefficients:?}");
            for (z, (re, im)) in found.iter().zip(expected) {
                assert!(contains(z, re, im), "{coefficients:?}: {z:?} is not {re} + i {im}");
                assert_eq!(z.is_real(), *im == "0", "{coefficients:?}");
            }
        }
    }

    /// Wilkinson's polynomial with the roots 1, …, 12, and what they are.
    #[test]
    fn roots_that_are_hard_to_tell_apart() {
        let mut c = vec![Rational::ONE];
        for k in 1..=12i64 {
            let mut next = vec![Rational::ZERO; c.len() + 1];
            for (i, a) in c.iter().enumerate() {
                next[i] = &next[i] - &(a * &Rational::from(k));
                next[i + 1] = &next[i + 1] + a;
            }
            c = next;
        }
        let list = |p| Ok(Some(c.iter().map(|c| Ball::from_rational(c, p)).collect()));
        let found = isolate_roots(&Budget::unlimited(), list).expect("no limit").expect("different roots");
        for (k, z) in (1..).zip(&found) {
            assert!(z.is_real() && z.re.contains(&Rational::from(k)), "{k}: {z:?}");
        }
        assert_eq!(found.len(), 12);
    }

    /// A double root is not separated, and nothing is said.
    #[test]
    fn double_roots_are_left_open() {
        let list = |p| Ok(Some([1, -2, 1].iter().map(|c| Ball::from_rational(&Rational::from(*c), p)).collect()));
        assert!(isolate_roots(&Budget::unlimited(), list).expect("no limit").is_none());
    }
}
