//! Curves of many points, for a picture of few pixels: what cannot be seen is not written.
//!
//! A function of time keeps in each column of pixels its first, lowest, highest and last point (Jugel, Jerzak, Hackenbroich,
//! Markl, *M4*, VLDB 2014): drawn, it covers the same pixels. Another curve keeps the points from which it would be seen to
//! differ. If that still is much, the curve covers areas, and the pixels that it covers are written, row by row.

/// A point of a picture, in pixels.
pub type Point = (f64, f64);

/// How far a curve may be from what is drawn, in pixels.
const TOLERANCE: f64 = 0.1;

/// Points of a curve that are looked over before one is kept.
const LOOK_BACK: usize = 64;

/// The points of a curve that can be seen.
pub fn thinned(points: &[Point]) -> Vec<Point> {
    let forward = points.windows(2).all(|w| w[0].0 <= w[1].0);
    let backward = points.windows(2).all(|w| w[0].0 >= w[1].0);
    let ends = points.first().zip(points.last());
    let width = ends.map_or(0.0, |(a, b)| (a.0 - b.0).abs());
    if (forward || backward) && points.len() as f64 > 8.0 * (width + 1.0) {
        by_columns(points)
    } else {
        straightened(points)
    }
}

/// First, lowest, highest and last point of each column of pixels.
fn by_columns(points: &[Point]) -> Vec<Point> {
    let mut kept = vec![];
    for column in points.chunk_by(|a, b| a.0.floor() == b.0.floor()) {
        let extreme = |better: fn(f64, f64) -> bool| {
            (1..column.len()).fold(0, |best, i| if better(column[i].1, column[best].1) { i } else { best })
        };
        let mut indices = [0, extreme(|a, b| a < b), extreme(|a, b| a > b), column.len() - 1];
        indices.sort_unstable();
        for (i, index) in indices.iter().enumerate() {
            if i == 0 || indices[i - 1] != *index {
                kept.push(column[*index]);
            }
        }
    }
    kept
}

/// The points without which the curve would be seen to differ.
fn straightened(points: &[Point]) -> Vec<Point> {
    let Some((&first, rest)) = points.split_first() else { return vec![] };
    let mut kept = vec![first];
    let mut skipped: Vec<Point> = vec![];
    let mut anchor = first;
    for &point in rest {
        if skipped.last().is_some_and(|last| near(*last, point)) {
            continue;
        }
        let fits = skipped.len() < LOOK_BACK && skipped.iter().all(|p| distance(*p, anchor, point) < TOLERANCE);
        if !fits && let Some(last) = skipped.last().copied() {
            kept.push(last);
            anchor = last;
            skipped.clear();
        }
        skipped.push(point);
    }
    kept.extend(skipped.last());
    kept
}

fn near(a: Point, b: Point) -> bool {
    (a.0 - b.0).abs() < TOLERANCE / 4.0 && (a.1 - b.1).abs() < TOLERANCE / 4.0
}

/// The distance of a point from a segment.
fn distance(p: Point, a: Point, b: Point) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { (((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (p.0 - a.0 - along * dx).hypot(p.1 - a.1 - along * dy)
}

/// Bresenham's line, both ends included.
pub fn line((x0, y0): (i64, i64), (x1, y1): (i64, i64), mut dot: impl FnMut(i64, i64)) {
    let (dx, dy) = ((x1 - x0).abs(), -(y1 - y0).abs());
    let (sx, sy) = ((x1 - x0).signum(), (y1 - y0).signum());
    let (mut x, mut y, mut error) = (x0, y0, dx + dy);
    loop {
        dot(x, y);
        if (x, y) == (x1, y1) {
            return;
        }
        let twice = 2 * error;
        if twice >= dy {
            error += dy;
            x += sx;
        }
        if twice <= dx {
            error += dx;
            y += sy;
        }
    }
}

/// The pixels that curves cover.
pub struct Covered {
    width: usize,
    height: usize,
    pixels: Vec<bool>,
}

impl Covered {
    pub fn new(width: usize, height: usize) -> Covered {
        Covered { width, height, pixels: vec![false; width * height] }
    }

    pub fn curve(&mut self, points: &[Point]) {
        let cell = |p: Point| (p.0.floor() as i64, p.1.floor() as i64);
        let mut last = None;
        for point in points {
            let here = cell(*point);
            if last != Some(here) {
                line(last.unwrap_or(here), here, |x, y| self.dot(x, y));
                last = Some(here);
            }
        }
    }

    pub fn dots(&mut self, points: &[Point]) {
        points.iter().for_each(|p| self.dot(p.0.floor() as i64, p.1.floor() as i64));
    }

    fn dot(&mut self, x: i64, y: i64) {
        if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y))
            && x < self.width
            && y < self.height
        {
            self.pixels[y * self.width + x] = true;
        }
    }

    /// Row by row, where pixels in a line begin and how many they are.
    pub fn runs(&self) -> Vec<(usize, usize, usize)> {
        let mut runs = vec![];
        for (y, row) in self.pixels.chunks(self.width.max(1)).enumerate() {
            let mut x = 0;
            for same in row.chunk_by(|a, b| a == b) {
                if same[0] {
                    runs.push((x, y, same.len()));
                }
                x += same.len();
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(points: &[Point]) -> Vec<(usize, usize, usize)> {
        let mut pixels = Covered::new(300, 200);
        pixels.curve(points);
        pixels.runs()
    }

    #[test]
    fn a_function_covers_the_same_pixels_with_four_points_in_a_column() {
        // A fast oscillation with one spike, which must not be lost.
        let mut points: Vec<Point> =
            (0..100_000).map(f64::from).map(|i| (i * 0.003, 100.0 + 40.0 * (i * 0.37).sin())).collect();
        points[54_321].1 = 190.0;
        let thin = thinned(&points);
        assert!(thin.len() <= 4 * 300, "{}", thin.len());
        assert_eq!(covered(&thin), covered(&points));
    }

    #[test]
    fn a_smooth_curve_stays_within_a_tenth_of_a_pixel() {
        let circle: Vec<Point> = (0..=20_000)
            .map(|i| f64::from(i) * 1e-3)
            .map(|s| (150.0 + 90.0 * s.cos(), 100.0 + 90.0 * s.sin()))
            .collect();
        let thin = thinned(&circle);
        assert!(thin.len() < 500, "{}", thin.len());
        assert_eq!((thin[0], thin[thin.len() - 1]), (circle[0], circle[circle.len() - 1]));
        // The middle of a chord of a circle is where it is farthest from it.
        for w in thin.windows(2) {
            let middle = ((w[0].0 + w[1].0) / 2.0 - 150.0, (w[0].1 + w[1].1) / 2.0 - 100.0);
            assert!(90.0 - middle.0.hypot(middle.1) < TOLERANCE, "{w:?}");
        }
    }

    #[test]
    fn runs_are_the_rows_of_what_is_covered() {
        let mut pixels = Covered::new(10, 3);
        pixels.curve(&[(1.5, 1.5), (4.5, 1.5)]);
        pixels.dots(&[(9.0, 1.0), (0.0, 2.9), (-1.0, 0.0), (10.0, 1.0)]);
        assert_eq!(pixels.runs(), [(1, 1, 4), (9, 1, 1), (0, 2, 1)]);
    }
}
