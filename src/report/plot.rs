//! Pictures of curves: what is drawn, and over which axes. [`braille`](super::braille) draws them in the terminal,
//! [`svg`](super::svg) in a file.
//!
//! A picture is readable without a setting: angles are written in π and begin again after a turn, paths in space have one
//! scale for both axes, numbers at an axis differ, and curves are told apart by colour and by a mark or dashes.

use super::axis::{Axis, Range, Scale};
use std::rc::Rc;

/// Points to be joined in their order. A point that is no number interrupts the curve.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curve {
    pub name: String,
    pub x: Rc<Vec<f64>>,
    pub y: Rc<Vec<f64>>,
    /// After this much the horizontal (vertical) axis begins again: 2π for an angle. Such a
    /// coordinate is drawn between minus and plus half of it.
    pub x_period: Option<f64>,
    pub y_period: Option<f64>,
}

/// One axis, as it is asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Wish {
    /// The quantity, with its unit if it has one: `t / s`.
    pub label: String,
    pub scale: Scale,
}

/// A picture of some curves over one pair of axes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plot {
    pub title: String,
    pub x: Wish,
    pub y: Wish,
    pub curves: Vec<Curve>,
    /// One unit is equally long on both axes.
    pub equal: bool,
    /// Points that are not joined.
    pub points: bool,
}

/// Where a picture is shown: a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    pub columns: usize,
    pub rows: usize,
    pub color: bool,
}

impl Default for Screen {
    /// A page.
    fn default() -> Screen {
        Screen { columns: 72, rows: 18, color: false }
    }
}

impl Screen {
    /// The part of it that a picture takes: it is wider than high, and what was asked stays above it.
    pub fn for_pictures(self) -> Screen {
        let rows = self.rows.saturating_sub(3).min(self.columns * 2 / 5).max(8);
        Screen { rows, ..self }
    }
}

/// The curves in pieces, over their axes; a place of a picture lies between 0 and 1 in both directions.
pub struct Drawn {
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Vec<Vec<(f64, f64)>>>,
    /// What cannot be shown, in words.
    pub remark: Option<String>,
}

/// The room of a picture: its width over its height, and how many numbers its axes take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Room {
    pub aspect: f64,
    pub x_count: usize,
    pub y_count: usize,
}

/// The representative of `value` between minus and plus half a period.
fn wrapped(value: f64, period: Option<f64>) -> f64 {
    match period {
        Some(period) if period > 0.0 => value - period * (value / period).round(),
        _ => value,
    }
}

/// Where a curve leaves the picture between two points, and where it comes back: half a period from the middle. `None` where
/// it jumps in both directions at once.
fn edges(curve: &Curve, from: (f64, f64), to: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    // Along one coordinate: the edge, and the part of the way there.
    let crossing = |a: f64, b: f64, period: Option<f64>| {
        let period = period.filter(|p| (a - b).abs() > p / 2.0)?;
        let edge = if a > b { period / 2.0 } else { -period / 2.0 };
        let unwrapped = if a > b { b + period } else { b - period };
        let part = (edge - a) / (unwrapped - a);
        part.is_finite().then_some((edge, part.clamp(0.0, 1.0)))
    };
    match (crossing(from.0, to.0, curve.x_period), crossing(from.1, to.1, curve.y_period)) {
        (Some((edge, part)), None) => {
            let y = from.1 + part * (to.1 - from.1);
            Some(((edge, y), (-edge, y)))
        }
        (None, Some((edge, part))) => {
            let x = from.0 + part * (to.0 - from.0);
            Some(((x, edge), (x, -edge)))
        }
        _ => None,
    }
}

impl Plot {
    /// The points of a curve as they are drawn: wrapped, and in pieces where it jumps or has no value. A curve that is joined
    /// leaves the picture at its edge and comes back at the other one.
    fn pieces(&self, curve: &Curve) -> Vec<Vec<(f64, f64)>> {
        let mut pieces: Vec<Vec<(f64, f64)>> = vec![vec![]];
        let jump = |a: f64, b: f64, period: Option<f64>| period.is_some_and(|p| (a - b).abs() > p / 2.0);
        let shown = |v: f64, scale: Scale| v.is_finite() && (scale == Scale::Linear || v > 0.0);
        for (&x, &y) in curve.x.iter().zip(curve.y.iter()) {
            let point = (wrapped(x, curve.x_period), wrapped(y, curve.y_period));
            let last = pieces.last().and_then(|p| p.last()).copied();
            let jumps = last.is_some_and(|(a, b)| jump(a, point.0, curve.x_period) || jump(b, point.1, curve.y_period));
            let drawable = shown(point.0, self.x.scale) && shown(point.1, self.y.scale);
            if (jumps || !drawable) && last.is_some() {
                let edges = last.filter(|_| drawable && !self.points).and_then(|last| edges(curve, last, point));
                if let (Some((out, _)), Some(piece)) = (edges, pieces.last_mut()) {
                    piece.push(out);
                }
                pieces.push(edges.map(|(_, back)| back).into_iter().collect());
            }
            if drawable && let Some(piece) = pieces.last_mut() {
                piece.push(point);
            }
        }
        pieces.retain(|p| !p.is_empty());
        pieces
    }

    /// How many points have no place on a logarithmic axis.
    fn n_left_out(&self) -> usize {
        let lost = |v: f64, scale: Scale| scale == Scale::Log && v <= 0.0;
        let points = self.curves.iter().flat_map(|c| c.x.iter().zip(c.y.iter()));
        points.filter(|(x, y)| lost(**x, self.x.scale) || lost(**y, self.y.scale)).count()
    }

    /// Everything in its place.
    pub fn drawn(&self, room: Room) -> Drawn {
        let mut curves: Vec<Vec<Vec<(f64, f64)>>> = self.curves.iter().map(|c| self.pieces(c)).collect();
        let points = || curves.iter().flatten().flatten();
        let (x_range, y_range) = (Range::of(points().map(|p| p.0)), Range::of(points().map(|p| p.1)));
        let all = |period: fn(&Curve) -> bool| !self.curves.is_empty() && self.curves.iter().all(period);
        let linear = self.x.scale == Scale::Linear && self.y.scale == Scale::Linear;
        let (x, y) = if self.equal && linear && x_range.half().is_normal() && y_range.half().is_normal() {
            // The shorter range is widened; a little room is left around the path.
            let half = (x_range.half() / room.aspect).max(y_range.half()) * 1.04;
            let (x_range, y_range) = (x_range.around(half * room.aspect), y_range.around(half));
            (Axis::exact(x_range, room.x_count), Axis::exact(y_range, room.y_count))
        } else {
            (
                Axis::new(x_range, self.x.scale, all(|c| c.x_period.is_some()), room.x_count),
                Axis::new(y_range, self.y.scale, all(|c| c.y_period.is_some()), room.y_count),
            )
        };
        for point in curves.iter_mut().flatten().flatten() {
            *point = (x.place(point.0).clamp(0.0, 1.0), y.place(point.1).clamp(0.0, 1.0));
        }
        let remark = match self.n_left_out() {
            0 if curves.iter().all(Vec::is_empty) => Some("there are no points".to_string()),
            0 => None,
            1 => Some("one point that is not positive is left out".to_string()),
            n => Some(format!("{n} points that are not positive are left out")),
        };
        Drawn { x, y, curves, remark }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    pub fn curve(name: &str, f: impl Fn(f64) -> (f64, f64)) -> Curve {
        let (x, y): (Vec<f64>, Vec<f64>) = (0..=200).map(|i| f(f64::from(i) / 20.0)).unzip();
        Curve { name: name.to_string(), x: Rc::new(x), y: Rc::new(y), ..Curve::default() }
    }

    pub fn plot(curves: Vec<Curve>) -> Plot {
        let label = |text: &str| Wish { label: text.to_string(), scale: Scale::Linear };
        Plot { x: label("t"), y: label("x"), curves, ..Plot::default() }
    }

    /// Data of every odd kind.
    pub fn odd_curves() -> Vec<Curve> {
        let odd = |name: &str, x: &[f64], y: &[f64]| Curve {
            name: name.into(),
            x: Rc::new(x.to_vec()),
            y: Rc::new(y.to_vec()),
            ..Curve::default()
        };
        vec![
            odd("none", &[], &[]),
            odd("one", &[1.0], &[1.0]),
            odd("constant", &[0.0, 1.0], &[3.0, 3.0]),
            odd("nan", &[0.0, 1.0, 2.0], &[1.0, f64::NAN, 2.0]),
            odd("huge", &[0.0, 1.0], &[-f64::MAX, f64::MAX]),
            odd("tiny", &[0.0, 1.0], &[5e-324, 1e-323]),
            odd("endless", &[0.0, 1.0], &[0.0, f64::INFINITY]),
        ]
    }

    const ROOM: Room = Room { aspect: 2.0, x_count: 5, y_count: 5 };

    #[test]
    fn an_angle_begins_again_after_a_turn() {
        let turning = Curve { y_period: Some(TAU), ..curve("theta", |t| (t, 3.0 * t)) };
        let plot = plot(vec![turning]);
        let pieces = plot.pieces(&plot.curves[0]);
        // 30 radians are 4.77 turns, begun in the middle of one.
        assert_eq!(pieces.len(), 6);
        assert!(pieces.iter().flatten().all(|p| p.1.abs() <= PI + 1e-12));
        // It leaves at π when 3 t = π, 3π, …, and comes back at −π at once.
        for (k, pair) in pieces.windows(2).enumerate() {
            let (out, back) = (pair[0][pair[0].len() - 1], pair[1][0]);
            let t = (2 * k + 1) as f64 * PI / 3.0;
            assert!((out.0 - t).abs() < 1e-12 && out.0 == back.0 && out.1 == PI && back.1 == -PI, "{out:?} {back:?}");
        }
    }

    #[test]
    fn only_the_angle_of_two_curves_is_wrapped() {
        let turning = Curve { y_period: Some(TAU), ..curve("theta", |t| (t, t)) };
        let plot = plot(vec![turning, curve("x", |t| (t, t))]);
        assert_eq!((plot.pieces(&plot.curves[0]).len(), plot.pieces(&plot.curves[1]).len()), (3, 1));
    }

    #[test]
    fn a_path_in_space_has_one_scale() {
        let circle = curve("y", |s| (3.0 + s.cos(), s.sin()));
        let drawn = Plot { equal: true, ..plot(vec![circle]) }.drawn(ROOM);
        // A unit is as long on both axes: the room is twice as wide as high.
        let unit = |axis: &Axis| axis.place(1.0) - axis.place(0.0);
        assert!((unit(&drawn.x) * 2.0 - unit(&drawn.y)).abs() < 1e-12);
        assert!((drawn.x.place(3.0) - 0.5).abs() < 1e-3);
    }

    #[test]
    fn what_is_not_positive_has_no_logarithm_and_is_counted() {
        let falling = curve("x", |t| (t, 1.0 - t));
        let mut plot = plot(vec![falling]);
        plot.y.scale = Scale::Log;
        let drawn = plot.drawn(ROOM);
        // 0, 0.05, …, 0.95 are below one.
        assert_eq!(drawn.curves[0].concat().len(), 20);
        assert_eq!(drawn.remark.as_deref(), Some("181 points that are not positive are left out"));
    }

    #[test]
    fn a_picture_of_nothing_says_so() {
        let mut curves = odd_curves();
        curves.truncate(2);
        assert_eq!(plot(curves.clone()).drawn(ROOM).remark, None);
        curves.truncate(1);
        assert_eq!(plot(curves).drawn(ROOM).remark.as_deref(), Some("there are no points"));
    }
}
