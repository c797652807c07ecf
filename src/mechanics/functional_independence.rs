//! Functional independence: which of some functions are not functions of the ones before them.
//!
//! Functions are independent near a point where their differentials are. So the rank of the matrix of derivatives at one
//! point, computed exactly, is a lower bound that is proved. It is the number of independent functions if it cannot be larger
//! either: because there are no more functions, because first integrals of a field that is not zero have a rank below
//! the number of coordinates, or because elimination with functions in the place of numbers finds no more.

use super::{Answered, exhausted, vanishes};
use crate::algebra::derive::partial;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Inquiry, Rational, Symbol, Verdict, conditions};
use crate::budget::share;
use rustc_hash::FxHashMap;

/// Functions that are independent, and whether the others are functions of them.
#[derive(Clone, Debug)]
pub struct FunctionallyIndependent {
    /// Their places in the list, each as early as it can be.
    pub places: Vec<usize>,
    /// Yes: near general points every other one is a function of these.
    pub maximal: Verdict,
}

/// How many points are tried where the differentials may be more independent than at the first.
const POINTS: usize = 3;

/// The functions of a list that are independent. Parameters have general values. `field` holds the components of a field along
/// which all functions are constant.
pub fn functionally_independent(
    cx: &Inquiry,
    functions: &[Expr],
    coordinates: &[Symbol],
    field: &[Expr],
) -> Answered<FunctionallyIndependent> {
    let jacobian =
        Matrix::from_fn(coordinates.len(), functions.len(), |i, j| partial(cx, functions[j], coordinates[i]));
    let mut places: Vec<usize> = vec![];
    for k in 0..POINTS {
        // Leftmost pivots: the earliest functions.
        let here = jacobian.at(&point(coordinates, k));
        let (rank, _) = conditions::collect(cx, |cx| here.rank(cx));
        let mut columns = rank.map_err(exhausted)?.columns;
        columns.sort_unstable();
        if columns.len() > places.len() {
            places = columns;
        }
        if places.len() == functions.len().min(coordinates.len()) {
            break;
        }
    }
    let moves = field.iter().any(|x| vanishes(cx, *x).is_no());
    let maximal = if places.len() == functions.len() {
        Verdict::yes("there are no others")
    } else if places.len() == coordinates.len() || (moves && places.len() + 1 == coordinates.len()) {
        Verdict::yes(format!("{} coordinates leave room for no more", coordinates.len()))
    } else {
        let (rank, _) = conditions::collect(cx, |cx| cx.aside(share::INDEPENDENCE, || jacobian.rank(cx)));
        match rank.map_err(exhausted)? {
            Some(rank) if rank.value == places.len() => rank.verdict,
            // More than at the points: the minor of these does not vanish.
            Some(rank) => {
                places = rank.columns;
                places.sort_unstable();
                rank.verdict
            }
            None => Verdict::unknown("the rank of their differentials was only computed at points"),
        }
    };
    Ok(FunctionallyIndependent { places, maximal })
}

/// Values without a pattern that integrals might share.
fn point(coordinates: &[Symbol], k: usize) -> FxHashMap<Symbol, Rational> {
    let value = |i: usize| {
        let (i, k) = (i as i64, k as i64);
        let size = Rational::ratio(3 + i * i + 5 * k + 2 * i * k, 2 + i + k);
        if (i + k) % 3 == 1 { -&size } else { size }
    };
    coordinates.iter().enumerate().map(|(i, s)| (*s, value(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanics::cases::Stage;

    /// In space x, y, u, w: x² + y² and (x² + y²)² depend on each other, xu − yw and x² + y² do not, and of three functions of
    /// x and y two are independent. All by hand.
    #[test]
    fn functions_of_the_ones_before_are_left_out() {
        let cx = &Inquiry::free();
        let mut stage = Stage::new(&["x", "y", "u", "w"]);
        let coordinates = ["x", "y", "u", "w"].map(|n| stage.symbol(n));
        let mut places = |list: &[&str]| {
            let functions: Vec<Expr> = list.iter().map(|f| stage.read(f)).collect();
            let found = functionally_independent(cx, &functions, &coordinates, &[]).expect("an answer");
            assert!(matches!(&found.maximal, Verdict::Yes(g) if g.is_proved()), "{list:?}: {:?}", found.maximal);
            found.places
        };
        assert_eq!(places(&["x^2 + y^2", "(x^2 + y^2)^2", "x*u - y*w"]), [0, 2]);
        assert_eq!(places(&["x*y", "x + y", "x^2 + y^2", "u"]), [0, 1, 3]);
        assert_eq!(places(&["1/sqrt(x^2 + y^2)", "x^2 + y^2", "sin(u)", "cos(u)"]), [0, 2]);
        assert_eq!(places(&["x", "y", "u", "w", "x*w"]), [0, 1, 2, 3]);
        assert_eq!(places(&[]), [] as [usize; 0]);
    }
}
