//! A function given by a table: the cubic spline through its points, twice continuously differentiable.
//!
//! On [xᵢ, xᵢ₊₁] the spline is a cubic in u = x − xᵢ whose second derivatives Mᵢ at the knots solve the usual
//! tridiagonal system (de Boor, *A Practical Guide to Splines*, chapter IV) with the not-a-knot condition at
//! both ends, so that data of a cubic are reproduced exactly. Two points give a line, three a parabola.
//!
//! Outside the range the value is NaN, which ends a run with the table and the argument named, unless
//! [`Outside`] asks for something else.

/// What a table means outside its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Outside {
    /// No value.
    #[default]
    Undefined,
    /// The value at the end.
    Hold,
    /// The cubic of the last interval.
    Extrapolate,
}

/// The spline of a table. Knots increase strictly.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    pub name: String,
    pub outside: Outside,
    knots: Vec<f64>,
    /// Per interval: value, slope, half the second, and a sixth of the third derivative at its left end.
    pieces: Vec<[f64; 4]>,
}

/// Why points do not make a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableError {
    TooFewPoints { points: usize },
    NotIncreasing { row: usize },
    NotFinite { row: usize },
}

impl TableError {
    /// The row that is to blame, from 1.
    pub fn row(&self) -> Option<usize> {
        match self {
            TableError::TooFewPoints { .. } => None,
            TableError::NotIncreasing { row } | TableError::NotFinite { row } => Some(*row),
        }
    }
}

impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            TableError::TooFewPoints { points } => {
                write!(f, "a table needs at least two points, this one has {points}")
            }
            TableError::NotIncreasing { row } => {
                write!(f, "the arguments of a table must increase; row {row} does not")
            }
            TableError::NotFinite { row } => write!(f, "row {row} of the table is not a number"),
        }
    }
}

impl Table {
    /// The spline through the points (x, y).
    pub fn spline(name: impl Into<String>, points: &[(f64, f64)], outside: Outside) -> Result<Table, TableError> {
        if points.len() < 2 {
            return Err(TableError::TooFewPoints { points: points.len() });
        }
        for (i, (x, y)) in points.iter().enumerate() {
            if !(x.is_finite() && y.is_finite()) {
                return Err(TableError::NotFinite { row: i + 1 });
            }
            if i > 0 && *x <= points[i - 1].0 {
                return Err(TableError::NotIncreasing { row: i + 1 });
            }
        }
        let bend = second_derivatives(points);
        let pieces = (0..points.len() - 1)
            .map(|i| {
                let h = points[i + 1].0 - points[i].0;
                let slope = (points[i + 1].1 - points[i].1) / h - h * (2.0 * bend[i] + bend[i + 1]) / 6.0;
                [points[i].1, slope, bend[i] / 2.0, (bend[i + 1] - bend[i]) / (6.0 * h)]
            })
            .collect();
        Ok(Table { name: name.into(), outside, knots: points.iter().map(|p| p.0).collect(), pieces })
    }

    /// The first and last argument.
    pub fn range(&self) -> (f64, f64) {
        (self.knots[0], self.knots[self.knots.len() - 1])
    }

    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The cubic that holds at x, in powers of (x − its first entry). Outside the range, what [`Outside`] says.
    pub fn piece(&self, x: f64) -> (f64, [f64; 4]) {
        let (first, last) = self.range();
        if !(x >= first && x <= last) {
            match self.outside {
                Outside::Extrapolate if !x.is_nan() => {}
                Outside::Hold if x < first => return (first, [self.pieces[0][0], 0.0, 0.0, 0.0]),
                Outside::Hold if x > last => {
                    let i = self.pieces.len() - 1;
                    let end = horner(self.pieces[i], last - self.knots[i], 0);
                    return (last, [end, 0.0, 0.0, 0.0]);
                }
                _ => return (first, [f64::NAN; 4]),
            }
        }
        let i = self.knots.partition_point(|&k| k <= x).clamp(1, self.pieces.len()) - 1;
        (self.knots[i], self.pieces[i])
    }

    /// The piece that begins (`upward`) or ends at a place, with both its ends. At a knot this is the piece on that side;
    /// elsewhere the piece around it. `None` where the table has no value.
    pub fn piece_beside(&self, x: f64, upward: bool) -> Option<(f64, [f64; 4], f64)> {
        let (first, last) = self.range();
        let n = self.pieces.len();
        let after =
            if upward { self.knots.partition_point(|&k| k <= x) } else { self.knots.partition_point(|&k| k < x) };
        let outside = |end: f64, i: usize, value: f64| match self.outside {
            Outside::Undefined => None,
            Outside::Hold => Some((end, [value, 0.0, 0.0, 0.0])),
            Outside::Extrapolate => Some((self.knots[i], self.pieces[i])),
        };
        if after == 0 {
            let (left, piece) = outside(first, 0, self.pieces[0][0])?;
            let end = if self.outside == Outside::Hold { first } else { self.knots[1] };
            return Some((left, piece, end));
        }
        if after > n {
            let end = horner(self.pieces[n - 1], last - self.knots[n - 1], 0);
            let (left, piece) = outside(last, n - 1, end)?;
            return Some((left, piece, f64::MAX));
        }
        Some((self.knots[after - 1], self.pieces[after - 1], self.knots[after]))
    }

    /// The value, or a derivative of it, at x.
    pub fn evaluate(&self, derivative: u8, x: f64) -> f64 {
        let (left, piece) = self.piece(x);
        horner(piece, x - left, derivative)
    }
}

fn horner([a, b, c, d]: [f64; 4], u: f64, derivative: u8) -> f64 {
    match derivative {
        0 => a + u * (b + u * (c + u * d)),
        1 => b + u * (2.0 * c + u * (3.0 * d)),
        2 => 2.0 * c + u * (6.0 * d),
        3 => 6.0 * d,
        // Of a polynomial of degree three; an argument without a value still gives none.
        _ => 0.0 * (a + u),
    }
}

/// The second derivatives at the knots of the not-a-knot spline.
fn second_derivatives(points: &[(f64, f64)]) -> Vec<f64> {
    let n = points.len();
    let h: Vec<f64> = points.windows(2).map(|w| w[1].0 - w[0].0).collect();
    let slope: Vec<f64> = points.windows(2).map(|w| (w[1].1 - w[0].1) / (w[1].0 - w[0].0)).collect();
    if n == 2 {
        return vec![0.0; 2];
    }
    if n == 3 {
        let bend = 2.0 * (slope[1] - slope[0]) / (h[0] + h[1]);
        return vec![bend; 3];
    }
    // Interior equations h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (s_i − s_{i-1}), with M_0 and
    // M_{n-1} eliminated by the continuity of the third derivative at the second and the last but one knot.
    let m = n - 2;
    let mut lower = vec![0.0; m];
    let mut diagonal = vec![0.0; m];
    let mut upper = vec![0.0; m];
    let mut rhs = vec![0.0; m];
    for i in 0..m {
        lower[i] = h[i];
        diagonal[i] = 2.0 * (h[i] + h[i + 1]);
        upper[i] = h[i + 1];
        rhs[i] = 6.0 * (slope[i + 1] - slope[i]);
    }
    let (a, b) = (h[0], h[1]);
    diagonal[0] += a * (a + b) / b;
    upper[0] -= a * a / b;
    let (a, b) = (h[n - 2], h[n - 3]);
    diagonal[m - 1] += a * (a + b) / b;
    lower[m - 1] -= a * a / b;
    for i in 1..m {
        let w = lower[i] / diagonal[i - 1];
        diagonal[i] -= w * upper[i - 1];
        rhs[i] -= w * rhs[i - 1];
    }
    let mut bend = vec![0.0; n];
    bend[m] = rhs[m - 1] / diagonal[m - 1];
    for i in (0..m - 1).rev() {
        bend[i + 1] = (rhs[i] - upper[i] * bend[i + 2]) / diagonal[i];
    }
    bend[0] = bend[1] + (bend[1] - bend[2]) * h[0] / h[1];
    bend[n - 1] = bend[n - 2] + (bend[n - 2] - bend[n - 3]) * h[n - 2] / h[n - 3];
    bend
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not-a-knot splines reproduce cubics; the data are a cubic at uneven knots.
    #[test]
    fn a_cubic_is_its_own_spline() {
        let cubic = |x: f64| 1.0 - 2.0 * x + 0.5 * x * x + 0.25 * x * x * x;
        for n in [4, 5, 9] {
            let points: Vec<_> =
                (0..n).map(|i| (i as f64 + 0.1 * (i * i) as f64, 0.0)).map(|(x, _)| (x, cubic(x))).collect();
            let table = Table::spline("f", &points, Outside::Undefined).unwrap();
            let (first, last) = table.range();
            for i in 0..=50 {
                let x = first + (last - first) * i as f64 / 50.0;
                let scale = 1.0 + cubic(x).abs();
                assert!((table.evaluate(0, x) - cubic(x)).abs() < 1e-12 * scale, "n = {n}, x = {x}");
                let slope = -2.0 + x + 0.75 * x * x;
                assert!((table.evaluate(1, x) - slope).abs() < 1e-11 * (1.0 + slope.abs()));
            }
        }
    }

    /// The spline is C²: value, slope and curvature agree at every interior knot from both sides.
    #[test]
    fn pieces_join_smoothly() {
        let points: Vec<_> = (0..12).map(|i| (i as f64 * 0.7, (i as f64 * 1.3).sin())).collect();
        let table = Table::spline("f", &points, Outside::Undefined).unwrap();
        for i in 1..11 {
            let u = table.knots[i] - table.knots[i - 1];
            for d in 0..3 {
                let left = horner(table.pieces[i - 1], u, d);
                let right = horner(table.pieces[i], 0.0, d);
                assert!((left - right).abs() < 1e-12, "derivative {d} at knot {i}: {left} and {right}");
            }
        }
    }

    #[test]
    fn outside_is_what_was_asked_for() {
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, 5.0)];
        let at = |outside, x| Table::spline("f", &points, outside).unwrap().evaluate(0, x);
        assert!(at(Outside::Undefined, -1.0).is_nan());
        assert_eq!(at(Outside::Hold, -1.0), 1.0);
        assert_eq!(at(Outside::Hold, 9.0), 5.0);
        assert_eq!(at(Outside::Extrapolate, 3.0), 10.0);
        assert!(at(Outside::Hold, f64::NAN).is_nan());
    }

    #[test]
    fn knots_have_two_sides() {
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, 5.0), (3.0, 4.0), (4.0, 4.0)];
        let table = Table::spline("f", &points, Outside::Undefined).unwrap();
        let ends = |x, upward| table.piece_beside(x, upward).map(|(left, _, right)| (left, right));
        assert_eq!(ends(1.0, true), Some((1.0, 2.0)));
        assert_eq!(ends(1.0, false), Some((0.0, 1.0)));
        assert_eq!(ends(2.5, false), Some((2.0, 3.0)));
        assert_eq!(ends(0.0, false), None);
        assert_eq!(ends(4.0, true), None);
        assert_eq!(ends(0.0, true), Some((0.0, 1.0)));
    }

    #[test]
    fn bad_tables_say_which_row() {
        assert_eq!(Table::spline("f", &[(0.0, 1.0)], Outside::Hold), Err(TableError::TooFewPoints { points: 1 }));
        let rows = [(0.0, 1.0), (0.0, 2.0)];
        assert_eq!(Table::spline("f", &rows, Outside::Hold), Err(TableError::NotIncreasing { row: 2 }));
        let rows = [(0.0, 1.0), (1.0, f64::NAN)];
        assert_eq!(Table::spline("f", &rows, Outside::Hold), Err(TableError::NotFinite { row: 2 }));
    }
}
