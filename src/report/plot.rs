//! Plots: curves with axes, in the terminal and as SVG.
//!
//! In the terminal a character cell holds 2 × 4 braille dots, so a plot of 60 × 15 cells has 120 × 60
//! points. Curves are told apart by the letter at their end, not by colour; in SVG by dashes too.
//!
//! ```text
//!    1 ┤⢣⠀⠀⠀⠀⠀⢀⠞⠙⡄
//!      │⠀⢇⠀⠀⠀⠀⡜⠀⠀⠸⡀
//!    0 ┤⠀⠘⡄⠀⠀⢰⠁⠀⠀⠀⢇
//!      │⠀⠀⠸⡀⢀⠇⠀⠀⠀⠀⠸⡀
//!   -1 ┤⠀⠀⠀⠳⠎⠀⠀⠀⠀⠀⠀x
//!      └┬────┬────┬────
//!       0    5    10  t
//! ```

use super::table::short;
use std::fmt::Write;

/// Points to be joined in their order. A point that is no number interrupts the curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    pub name: String,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

/// A picture of some curves over one pair of axes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plot {
    pub title: String,
    /// What the axes show: `t`, `x`.
    pub x_name: String,
    pub curves: Vec<Curve>,
    /// After this much the horizontal (vertical) axis begins again: 2π for an angle. Such a
    /// coordinate is drawn between minus and plus half of it.
    pub x_period: Option<f64>,
    pub y_period: Option<f64>,
}

/// A range of an axis with round numbers to write at it.
#[derive(Clone, PartialEq, Debug)]
struct Axis {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// The range of the values, widened if it is empty, with about `count` ticks.
    fn over(values: impl Iterator<Item = f64>, count: usize) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values.filter(|v| v.is_finite()) {
            low = low.min(v);
            high = high.max(v);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // Values that differ by rounding only are one value.
        let size = low.abs().max(high.abs());
        if high - low <= 1e-12 * size || !(high - low).is_normal() {
            let middle = low / 2.0 + high / 2.0;
            let half = if size > 1e-300 { size * 0.5 } else { 1.0 };
            (low, high) = (middle - half, middle + half);
        }
        let step = round_step((high - low) / count.max(1) as f64);
        // An end that nearly is a round number becomes one, so that it is written.
        let (floor, ceiling) = ((low / step).floor() * step, (high / step).ceil() * step);
        if low - floor < 0.1 * step {
            low = floor;
        }
        if ceiling - high < 0.1 * step {
            high = ceiling;
        }
        let first = (low / step).ceil();
        let mut ticks = vec![];
        let mut k = first;
        // A range near the largest numbers has no step that fits; a few ticks are enough.
        while k * step <= high + step * 1e-9 && ticks.len() < 2 * count + 2 {
            // −0 is written 0.
            ticks.push(k * step + 0.0);
            k += 1.0;
        }
        Axis { low, high, ticks }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        // Halved, so that the span of the largest numbers is one too.
        (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
    }
}

/// 1, 2 or 5 times a power of ten, not below `step`.
fn round_step(step: f64) -> f64 {
    if !step.is_finite() || step <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let factor = step / power;
    power
        * if factor <= 1.0 + 1e-9 {
            1.0
        } else if factor <= 2.0 {
            2.0
        } else if factor <= 5.0 {
            5.0
        } else {
            10.0
        }
}

/// A number at an axis; what is tiny against the step is zero.
fn tick_text(value: f64, axis: &Axis) -> String {
    let step = match axis.ticks.as_slice() {
        [a, b, ..] => b - a,
        _ => axis.high - axis.low,
    };
    short(if value.abs() < step * 1e-6 { 0.0 } else { value })
}

/// The representative of `value` between minus and plus half a period.
fn wrapped(value: f64, period: Option<f64>) -> f64 {
    match period {
        Some(period) if period > 0.0 => value - period * (value / period).round(),
        _ => value,
    }
}

impl Plot {
    /// The points of a curve as they are drawn: wrapped, and in pieces where it jumps or has no value.
    fn pieces(&self, curve: &Curve) -> Vec<Vec<(f64, f64)>> {
        let mut pieces: Vec<Vec<(f64, f64)>> = vec![vec![]];
        let jump = |a: f64, b: f64, period: Option<f64>| period.is_some_and(|p| (a - b).abs() > p / 2.0);
        for (&x, &y) in curve.x.iter().zip(&curve.y) {
            let point = (wrapped(x, self.x_period), wrapped(y, self.y_period));
            let last = pieces.last().and_then(|p| p.last()).copied();
            let jumps = last.is_some_and(|(a, b)| jump(a, point.0, self.x_period) || jump(b, point.1, self.y_period));
            let drawable = point.0.is_finite() && point.1.is_finite();
            if (jumps || !drawable) && last.is_some() {
                pieces.push(vec![]);
            }
            if drawable && let Some(piece) = pieces.last_mut() {
                piece.push(point);
            }
        }
        pieces.retain(|p| !p.is_empty());
        pieces
    }

    fn drawn(&self) -> Vec<Vec<Vec<(f64, f64)>>> {
        self.curves.iter().map(|c| self.pieces(c)).collect()
    }

    fn axes(&self, drawn: &[Vec<Vec<(f64, f64)>>], columns: usize, rows: usize) -> (Axis, Axis) {
        let points = || drawn.iter().flatten().flatten();
        (Axis::over(points().map(|p| p.0), columns), Axis::over(points().map(|p| p.1), rows))
    }

    /// The plot in at most `columns` × `rows` characters; without colour, every curve named.
    pub fn terminal(&self, columns: usize, rows: usize) -> String {
        let drawn = self.drawn();
        let height = rows.saturating_sub(4).clamp(3, 60);
        let (x, y) = self.axes(&drawn, (columns / 12).clamp(2, 10), (height / 3).max(2));
        let labels: Vec<(usize, String)> = y
            .ticks
            .iter()
            .map(|t| (((1.0 - y.place(*t)) * (height - 1) as f64).round() as usize, tick_text(*t, &y)))
            .collect();
        let margin = labels.iter().map(|(_, text)| text.len()).max().unwrap_or(0) + 1;
        let width = columns.saturating_sub(margin + 2).clamp(10, 200);
        let mut canvas = Canvas::new(width, height);
        let at = |(px, py): (f64, f64)| {
            let dot = |place: f64, size: usize| (place.clamp(0.0, 1.0) * (size - 1) as f64).round() as i64;
            (dot(x.place(px), 2 * width), dot(1.0 - y.place(py), 4 * height))
        };
        for (index, pieces) in drawn.iter().enumerate() {
            for piece in pieces {
                canvas.dot(at(piece[0]));
                for pair in piece.windows(2) {
                    canvas.line(at(pair[0]), at(pair[1]));
                }
            }
            if let Some(end) = pieces.last().and_then(|p| p.last())
                && self.curves.len() > 1
            {
                canvas.letter(at(*end), letter(index));
            }
        }
        let mut out = String::new();
        if !self.title.is_empty() {
            let _ = writeln!(out, "{:margin$}  {}", "", self.title);
        }
        for row in 0..height {
            let label = labels.iter().find(|(r, _)| *r == row).map(|(_, text)| text.as_str());
            let bar = if label.is_some() { '┤' } else { '│' };
            let _ = writeln!(out, "{:>margin$}{bar}{}", format!("{} ", label.unwrap_or("")), canvas.row(row));
        }
        out.push_str(&self.horizontal_axis(&x, margin, width));
        if self.curves.len() > 1 {
            let legend: Vec<String> =
                self.curves.iter().enumerate().map(|(i, c)| format!("{}: {}", letter(i), c.name)).collect();
            let _ = writeln!(out, "{:margin$} {}", "", legend.join("   "));
        } else if let [only] = self.curves.as_slice()
            && self.title.is_empty()
        {
            // The name of the only curve stands above its axis.
            out = format!("{:>margin$}\n{out}", format!("{} ", only.name));
        }
        out.lines().map(|l| l.trim_end().to_string() + "\n").collect()
    }

    /// The line below the plot, its numbers, and the name of the axis.
    fn horizontal_axis(&self, x: &Axis, margin: usize, width: usize) -> String {
        let mut line = vec!['─'; width];
        let mut numbers = vec![' '; width + 24];
        let mut free = 0;
        for tick in &x.ticks {
            let column = (x.place(*tick) * (width - 1) as f64).round() as usize;
            line[column.min(width - 1)] = '┬';
            let text: Vec<char> = tick_text(*tick, x).chars().collect();
            let start = column.saturating_sub(text.len() / 2);
            if start >= free && start + text.len() <= numbers.len() {
                numbers[start..start + text.len()].copy_from_slice(&text);
                free = start + text.len() + 2;
            }
        }
        let line: String = line.into_iter().collect();
        let numbers: String = numbers.into_iter().collect();
        format!("{:margin$}└{line}\n{:margin$} {}  {}\n", "", "", numbers.trim_end(), self.x_name)
    }

    /// The plot as an SVG document of this size.
    pub fn svg(&self, width: usize, height: usize) -> String {
        let drawn = self.drawn();
        let (left, right, top, bottom) = (70.0, 20.0, if self.title.is_empty() { 20.0 } else { 40.0 }, 50.0);
        let (x, y) = self.axes(&drawn, (width / 90).max(2), (height / 60).max(2));
        let (w, h) = ((width as f64 - left - right).max(10.0), (height as f64 - top - bottom).max(10.0));
        let px = |v: f64| left + x.place(v) * w;
        let py = |v: f64| top + (1.0 - y.place(v)) * h;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        if !self.title.is_empty() {
            let _ =
                writeln!(out, "<text x=\"{}\" y=\"22\" font-size=\"15\">{}</text>", pixel(left), escaped(&self.title));
        }
        for tick in &x.ticks {
            let (p, text) = (pixel(px(*tick)), tick_text(*tick, &x));
            let _ = writeln!(
                out,
                "<path d=\"M{p} {}V{}\" stroke=\"#ddd\"/><text x=\"{p}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
                pixel(top),
                pixel(top + h),
                pixel(top + h + 18.0)
            );
        }
        for tick in &y.ticks {
            let (p, text) = (pixel(py(*tick)), tick_text(*tick, &y));
            let _ = writeln!(
                out,
                "<path d=\"M{} {p}H{}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{text}</text>",
                pixel(left),
                pixel(left + w),
                pixel(left - 6.0),
                pixel(py(*tick) + 4.0)
            );
        }
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\"/>",
            pixel(left),
            pixel(top),
            pixel(w),
            pixel(h)
        );
        for (index, pieces) in drawn.iter().enumerate() {
            let mut path = String::new();
            for piece in pieces {
                for (i, point) in piece.iter().enumerate() {
                    let _ =
                        write!(path, "{}{} {}", if i == 0 { "M" } else { "L" }, pixel(px(point.0)), pixel(py(point.1)));
                }
            }
            let (color, dash) = stroke(index);
            let _ = writeln!(
                out,
                "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\" stroke-linejoin=\"round\"{dash}/>"
            );
        }
        for (index, curve) in self.curves.iter().enumerate() {
            let (color, dash) = stroke(index);
            let level = pixel(top + 16.0 + 16.0 * index as f64);
            let _ = writeln!(
                out,
                "<path d=\"M{} {level}h24\" stroke=\"{color}\" stroke-width=\"1.5\"{dash}/><text x=\"{}\" y=\"{}\">{}</text>",
                pixel(left + 10.0),
                pixel(left + 40.0),
                pixel(top + 20.0 + 16.0 * index as f64),
                escaped(&curve.name)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n</svg>",
            pixel(left + w / 2.0),
            pixel(top + h + 38.0),
            escaped(&self.x_name)
        );
        out
    }
}

/// a, b, c, … and again.
fn letter(index: usize) -> char {
    char::from(b'a' + (index % 26) as u8)
}

/// Colours that differ for every kind of sight (Okabe and Ito), with dashes for paper.
fn stroke(index: usize) -> (&'static str, &'static str) {
    const COLORS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00"];
    const DASHES: [&str; 4] =
        ["", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\"", " stroke-dasharray=\"8 3 2 3\""];
    (COLORS[index % COLORS.len()], DASHES[index % DASHES.len()])
}

/// A length with two decimals.
fn pixel(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Braille dots, 2 × 4 per character cell, with letters on top.
struct Canvas {
    width: usize,
    height: usize,
    dots: Vec<u8>,
    letters: Vec<Option<char>>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, dots: vec![0; width * height], letters: vec![None; width * height] }
    }

    fn cell(&self, (x, y): (i64, i64)) -> Option<usize> {
        let (column, row) = (usize::try_from(x / 2).ok()?, usize::try_from(y / 4).ok()?);
        (column < self.width && row < self.height).then_some(row * self.width + column)
    }

    fn dot(&mut self, point: (i64, i64)) {
        // The bits of a braille character, by row and column of its dots.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        if let Some(cell) = self.cell(point) {
            self.dots[cell] |= BITS[(point.1 % 4) as usize][(point.0 % 2) as usize];
        }
    }

    /// Bresenham's line, both ends included.
    fn line(&mut self, (x0, y0): (i64, i64), (x1, y1): (i64, i64)) {
        let (dx, dy) = ((x1 - x0).abs(), -(y1 - y0).abs());
        let (sx, sy) = ((x1 - x0).signum(), (y1 - y0).signum());
        let (mut x, mut y, mut error) = (x0, y0, dx + dy);
        loop {
            self.dot((x, y));
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

    fn letter(&mut self, point: (i64, i64), letter: char) {
        if let Some(cell) = self.cell(point) {
            self.letters[cell] = Some(letter);
        }
    }

    fn row(&self, row: usize) -> String {
        let cells = row * self.width..(row + 1) * self.width;
        let text: String = cells
            .map(|i| match (self.letters[i], self.dots[i]) {
                (Some(letter), _) => letter,
                (None, 0) => ' ',
                (None, dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '),
            })
            .collect();
        text.trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, f: impl Fn(f64) -> (f64, f64)) -> Curve {
        let (x, y) = (0..=200).map(|i| f(f64::from(i) / 20.0)).unzip();
        Curve { name: name.to_string(), x, y }
    }

    fn plot(curves: Vec<Curve>) -> Plot {
        Plot { x_name: "t".to_string(), curves, ..Plot::default() }
    }

    #[test]
    fn a_straight_line_is_straight() {
        let shown = plot(vec![curve("x", |t| (t, t))]).terminal(24, 9);
        assert_eq!(shown.lines().count(), 8, "{shown}");
        assert_eq!(shown.lines().last(), Some("    0        5       10  t"), "{shown}");
        assert!(shown.contains("10 ┤") && shown.contains(" 5 ┤") && shown.contains(" 0 ┤"), "{shown}");
        // Every row but the axis holds a part of the line, further left the lower it is.
        let first = |line: &str| line.chars().position(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
        let columns: Vec<usize> = shown.lines().skip(1).take(5).map(|l| first(l).expect("a dot")).collect();
        assert!(columns.windows(2).all(|w| w[0] > w[1]), "{columns:?}\n{shown}");
    }

    #[test]
    fn two_curves_are_told_apart_by_letters() {
        let shown = plot(vec![curve("sin", |t| (t, t.sin())), curve("cos", |t| (t, t.cos()))]).terminal(60, 16);
        assert!(shown.contains("a: sin   b: cos"), "{shown}");
        let body: String = shown.lines().take(12).collect();
        assert!(body.contains('a') && body.contains('b'), "{shown}");
        assert!(shown.lines().all(|l| l.chars().count() <= 66) && shown.lines().count() <= 16, "{shown}");
    }

    #[test]
    fn odd_data_are_drawn_or_left_out_but_never_break() {
        let cases: Vec<Curve> = vec![
            Curve { name: "none".into(), x: vec![], y: vec![] },
            Curve { name: "one".into(), x: vec![1.0], y: vec![1.0] },
            Curve { name: "constant".into(), x: vec![0.0, 1.0], y: vec![3.0, 3.0] },
            Curve { name: "nan".into(), x: vec![0.0, 1.0, 2.0], y: vec![1.0, f64::NAN, 2.0] },
            Curve { name: "huge".into(), x: vec![0.0, 1.0], y: vec![-f64::MAX, f64::MAX] },
            Curve { name: "tiny".into(), x: vec![0.0, 1.0], y: vec![5e-324, 1e-323] },
            Curve { name: "endless".into(), x: vec![0.0, 1.0], y: vec![0.0, f64::INFINITY] },
        ];
        for curve in cases {
            let plot = plot(vec![curve]);
            for (columns, rows) in [(0, 0), (10, 5), (80, 24), (400, 100)] {
                assert!(plot.terminal(columns, rows).contains('└'));
            }
            let svg = plot.svg(640, 400);
            assert!(
                svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"),
                "{svg}"
            );
        }
    }

    #[test]
    fn an_angle_begins_again_after_a_turn() {
        let turning = curve("theta", |t| (t, 3.0 * t));
        let plot = Plot { y_period: Some(std::f64::consts::TAU), ..plot(vec![turning]) };
        let pieces = plot.pieces(&plot.curves[0]);
        // 30 radians are 4.77 turns, begun in the middle of one.
        assert_eq!(pieces.len(), 6);
        assert!(pieces.iter().flatten().all(|p| p.1.abs() <= std::f64::consts::PI + 1e-12));
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(Axis::over([0.0, 10.0].into_iter(), 4).ticks, [0.0, 5.0, 10.0]);
        assert_eq!(Axis::over([-1.0, 1.0].into_iter(), 4).ticks, [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(round_step(0.013), 0.02);
        assert_eq!(round_step(0.3), 0.5);
    }

    #[test]
    fn names_are_escaped_in_svg() {
        let svg = plot(vec![curve("a<b & \"c\"", |t| (t, t))]).svg(300, 200);
        assert!(svg.contains("a&lt;b &amp; &quot;c&quot;"));
    }
}
