//! Moving pictures: points, rods and circles that follow a run, as one SVG document that plays in a browser, or as a page with a
//! button to stop it. Nothing else is needed: the motion is written as the values of attributes over time (SMIL), and
//! a program that does not play it shows the first moment.
//!
//! ```text
//! point (x, y)              a disk at a place
//! rod (0, 0), (x, y)        a line between two
//! circle (x, y), r          a circle
//! trail 200                 the path of every point, as long as so many recorded rows
//! ```

use super::axis::{Axis, Range};
use super::svg::{escaped, pixel, stroke};
use std::fmt::Write;

/// A place or length over time, one value for each recorded row.
pub type Track = Vec<f64>;

/// What moves.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    Point { x: Track, y: Track },
    Rod { from: (Track, Track), to: (Track, Track) },
    Circle { x: Track, y: Track, radius: Track },
}

/// A moving picture.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Animation {
    /// The recorded times.
    pub times: Vec<f64>,
    pub time_name: String,
    pub x_label: String,
    pub y_label: String,
    pub shapes: Vec<Shape>,
    /// How many rows of their path points leave behind.
    pub trail: Option<usize>,
}

/// Moments that are written for a second; between them the browser moves things straight.
const FRAMES: f64 = 40.0;

/// How long a motion plays, in seconds: its own time, if that is neither too short nor too long to look at.
const SECONDS: (f64, f64) = (3.0, 30.0);

const SIZE: (f64, f64) = (640.0, 560.0);

/// From the frame of a picture to its pixels.
struct Stage {
    x: Axis,
    y: Axis,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// Pixels of a unit.
    unit: f64,
}

impl Stage {
    fn px(&self, v: f64) -> f64 {
        self.left + self.x.place(v) * self.width
    }

    fn py(&self, v: f64) -> f64 {
        self.top + (1.0 - self.y.place(v)) * self.height
    }
}

impl Animation {
    /// The tracks of all places, for the range of the axes: a circle reaches as far as its radius.
    fn ranges(&self) -> (Range, Range) {
        let (mut xs, mut ys): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
        for shape in &self.shapes {
            match shape {
                Shape::Point { x, y } => {
                    xs.extend(x);
                    ys.extend(y);
                }
                Shape::Rod { from, to } => {
                    xs.extend(from.0.iter().chain(&to.0));
                    ys.extend(from.1.iter().chain(&to.1));
                }
                Shape::Circle { x, y, radius } => {
                    for (k, r) in radius.iter().enumerate() {
                        xs.extend([x[k] - r, x[k] + r]);
                        ys.extend([y[k] - r, y[k] + r]);
                    }
                }
            }
        }
        (Range::of(xs.into_iter()), Range::of(ys.into_iter()))
    }

    fn stage(&self) -> Stage {
        let (left, top, width, height) = (70.0, 20.0, SIZE.0 - 90.0, SIZE.1 - 100.0);
        let (x, y) = self.ranges();
        let half = (x.half() * height / width).max(y.half()).max(1e-300) * 1.1;
        let (x, y) = (x.around(half * width / height), y.around(half));
        let unit = height / (2.0 * half);
        Stage { x: Axis::exact(x, 6), y: Axis::exact(y, 6), left, top, width, height, unit }
    }

    fn seconds(&self) -> f64 {
        let span = self.times.first().zip(self.times.last()).map_or(0.0, |(a, b)| (b - a).abs());
        span.clamp(SECONDS.0, SECONDS.1)
    }

    /// The values of a track at moments that are evenly spread over the time of the run.
    fn frames(&self, track: &[f64]) -> Vec<f64> {
        let n = ((FRAMES * self.seconds()) as usize).min(4 * self.times.len().max(1));
        let (Some(&start), Some(&end)) = (self.times.first(), self.times.last()) else { return vec![] };
        let sign = if end >= start { 1.0 } else { -1.0 };
        let at = |k: usize| {
            let t = start + (end - start) * k as f64 / (n - 1).max(1) as f64;
            let after = self.times.partition_point(|x| sign * x <= sign * t).clamp(1, (self.times.len() - 1).max(1));
            let before = after - 1;
            let Some(&next) = track.get(after) else { return track[before] };
            let step = self.times[after] - self.times[before];
            let part = if step == 0.0 { 0.0 } else { ((t - self.times[before]) / step).clamp(0.0, 1.0) };
            track[before] + part * (next - track[before])
        };
        (0..n).map(at).collect()
    }

    /// An attribute that changes, at its first value.
    fn moving(&self, name: &str, values: &[f64]) -> (String, String) {
        let first = values.first().map_or(String::new(), |v| format!(" {name}=\"{}\"", pixel(*v)));
        let list: Vec<String> = values.iter().map(|v| pixel(*v)).collect();
        let still = list.windows(2).all(|w| w[0] == w[1]);
        (first, if still { String::new() } else { self.animate(name, &list) })
    }

    fn animate(&self, name: &str, values: &[String]) -> String {
        format!(
            "<animate attributeName=\"{name}\" dur=\"{}s\" repeatCount=\"indefinite\" values=\"{}\"/>",
            pixel(self.seconds()),
            values.join(";")
        )
    }

    /// An element whose attributes change.
    fn element(&self, out: &mut String, tag: &str, looks: &str, attributes: &[(&str, Vec<f64>)]) {
        let (first, moves): (Vec<String>, Vec<String>) =
            attributes.iter().map(|(name, values)| self.moving(name, values)).unzip();
        let _ = writeln!(out, "<{tag}{} {looks}>{}</{tag}>", first.concat(), moves.concat());
    }

    pub fn svg(&self) -> String {
        let (w, h) = SIZE;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"white\"/>\n"
        );
        let stage = self.stage();
        self.axes(&mut out, &stage);
        let xs = |track: &[f64]| self.frames(track).into_iter().map(|v| stage.px(v)).collect::<Vec<_>>();
        let ys = |track: &[f64]| self.frames(track).into_iter().map(|v| stage.py(v)).collect::<Vec<_>>();
        for (index, shape) in self.shapes.iter().enumerate() {
            if let (Shape::Point { x, y }, Some(rows)) = (shape, self.trail) {
                self.draw_trail(&mut out, (xs(x), ys(y)), rows, stroke(index, true).0);
            }
        }
        for (index, shape) in self.shapes.iter().enumerate() {
            let color = stroke(index, true).0;
            match shape {
                Shape::Point { x, y } => {
                    let looks = format!("r=\"6\" fill=\"{color}\"");
                    self.element(&mut out, "circle", &looks, &[("cx", xs(x)), ("cy", ys(y))]);
                }
                Shape::Rod { from, to } => {
                    let ends = [("x1", xs(&from.0)), ("y1", ys(&from.1)), ("x2", xs(&to.0)), ("y2", ys(&to.1))];
                    self.element(
                        &mut out,
                        "line",
                        "stroke=\"#444\" stroke-width=\"2.5\" stroke-linecap=\"round\"",
                        &ends,
                    );
                }
                Shape::Circle { x, y, radius } => {
                    let lengths = self.frames(radius).into_iter().map(|r| r * stage.unit).collect();
                    let looks = format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"");
                    self.element(&mut out, "circle", &looks, &[("cx", xs(x)), ("cy", ys(y)), ("r", lengths)]);
                }
            }
        }
        self.clock(&mut out, &stage);
        out.push_str("</svg>\n");
        out
    }

    /// The path of a point: drawn as a whole, and shown from where it was some rows before to where it is.
    fn draw_trail(&self, out: &mut String, (xs, ys): (Vec<f64>, Vec<f64>), rows: usize, color: &str) {
        let mut path = String::new();
        let mut lengths = vec![0.0];
        for (k, (x, y)) in xs.iter().zip(&ys).enumerate() {
            let _ = write!(path, "{}{} {}", if k == 0 { 'M' } else { 'L' }, pixel(*x), pixel(*y));
            if k > 0 {
                lengths.push(lengths[k - 1] + (x - xs[k - 1]).hypot(y - ys[k - 1]));
            }
        }
        let whole = lengths.last().copied().unwrap_or(0.0) + 1.0;
        let behind = (rows * xs.len()).div_ceil(self.times.len().max(1));
        // Nothing, a gap to where the trail begins, the trail, and a gap that reaches beyond the end.
        let dashes: Vec<String> = (0..lengths.len())
            .map(|k| {
                let begin = lengths[k.saturating_sub(behind)];
                format!("0 {} {} {}", pixel(begin), pixel(lengths[k] - begin), pixel(whole))
            })
            .collect();
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-opacity=\"0.5\" stroke-width=\"1.5\">{}</path>",
            self.animate("stroke-dasharray", &dashes)
        );
    }

    fn axes(&self, out: &mut String, stage: &Stage) {
        let (right, low) = (stage.left + stage.width, stage.top + stage.height);
        for tick in &stage.x.ticks {
            let p = pixel(stage.left + tick.place * stage.width);
            let _ = writeln!(
                out,
                "<path d=\"M{p} {}V{}\" stroke=\"#eee\"/><text x=\"{p}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                pixel(stage.top),
                pixel(low),
                pixel(low + 17.0),
                tick.text
            );
        }
        for tick in &stage.y.ticks {
            let p = stage.top + (1.0 - tick.place) * stage.height;
            let _ = writeln!(
                out,
                "<path d=\"M{} {}H{}\" stroke=\"#eee\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                pixel(stage.left),
                pixel(p),
                pixel(right),
                pixel(stage.left - 6.0),
                pixel(p + 4.0),
                tick.text
            );
        }
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\"/>",
            pixel(stage.left),
            pixel(stage.top),
            pixel(stage.width),
            pixel(stage.height)
        );
        let (middle, side) = (stage.left + stage.width / 2.0, stage.top + stage.height / 2.0);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"16\" y=\"{side}\" text-anchor=\"middle\" \
             transform=\"rotate(-90 16 {side})\">{}</text>",
            pixel(middle),
            pixel(low + 35.0),
            escaped(&stage.x.label(&self.x_label)),
            escaped(&stage.y.label(&self.y_label))
        );
    }

    /// A bar that fills while time goes by, between its first and its last value.
    fn clock(&self, out: &mut String, stage: &Stage) {
        let level = SIZE.1 - 28.0;
        let (first, last) = (self.times.first(), self.times.last());
        let text = |t: Option<&f64>| t.map_or(String::new(), |t| super::table::short(*t));
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\">{} = {}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            pixel(stage.left),
            pixel(level + 20.0),
            escaped(&self.time_name),
            text(first),
            pixel(stage.left + stage.width),
            pixel(level + 20.0),
            text(last)
        );
        let bar = |out: &mut String, looks: &str, inside: &str| {
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" height=\"4\" {looks}>{inside}</rect>",
                pixel(stage.left),
                pixel(level)
            );
        };
        bar(out, &format!("width=\"{}\" fill=\"#ddd\"", pixel(stage.width)), "");
        let values = ["0".to_string(), pixel(stage.width)];
        bar(out, "width=\"0\" fill=\"#0072b2\"", &self.animate("width", &values));
    }

    /// A page with the picture, a button that stops it and a slider through its time.
    pub fn html(&self, title: &str) -> String {
        let seconds = pixel(self.seconds());
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title>\n\
             <style>body{{font-family:sans-serif;margin:2em}}input{{width:28em;vertical-align:middle}}</style></head>\n<body>\n{}\
             <p><button id=\"play\">Stop</button> <input id=\"time\" type=\"range\" min=\"0\" max=\"{seconds}\" step=\"any\" \
             value=\"0\" aria-label=\"time\"></p>\n<script>\n\
             const picture = document.querySelector('svg'), time = document.getElementById('time'), play = document.getElementById('play');\n\
             play.onclick = () => {{ const stopped = picture.animationsPaused(); stopped ? picture.unpauseAnimations() : picture.pauseAnimations(); play.textContent = stopped ? 'Stop' : 'Play'; }};\n\
             time.oninput = () => {{ picture.pauseAnimations(); picture.setCurrentTime(+time.value); play.textContent = 'Play'; }};\n\
             setInterval(() => {{ if (!picture.animationsPaused()) time.value = picture.getCurrentTime() % {seconds}; }}, 50);\n\
             </script>\n</body>\n</html>\n",
            self.svg(),
            title = escaped(title)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swing() -> Animation {
        let times: Vec<f64> = (0..=100).map(|k| f64::from(k) * 0.1).collect();
        let (x, y): (Track, Track) = times.iter().map(|t| (t.cos(), t.sin())).unzip();
        let zero = vec![0.0; times.len()];
        let rod = Shape::Rod { from: (zero.clone(), zero), to: (x.clone(), y.clone()) };
        let shapes = vec![Shape::Point { x, y }, rod];
        Animation { times, time_name: "t".into(), shapes, trail: Some(20), ..Animation::default() }
    }

    fn values(svg: &str, attribute: &str) -> Vec<f64> {
        let from = svg.split(&format!("attributeName=\"{attribute}\"")).nth(1).expect("the attribute");
        let list = from.split("values=\"").nth(1).and_then(|l| l.split('"').next()).expect("values");
        list.split(';').map(|v| v.parse().expect("a number")).collect()
    }

    #[test]
    fn a_point_goes_where_the_run_went() {
        let svg = swing().svg();
        let (cx, cy) = (values(&svg, "cx"), values(&svg, "cy"));
        assert_eq!((cx.len(), cy.len()), (400, 400));
        // A circle is a circle: all moments are as far from the middle of the extremes.
        let middle = |v: &[f64]| {
            let (low, high) = v.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
            ((low + high) / 2.0, (high - low) / 2.0)
        };
        let ((mx, rx), (my, ry)) = (middle(&cx), middle(&cy));
        assert!((rx - ry).abs() < 0.5, "{rx} {ry}");
        // Between two recorded rows the path is straight: 0.1² / 8 of the radius.
        assert!(cx.iter().zip(&cy).all(|(x, y)| ((x - mx).hypot(y - my) / rx - 1.0).abs() < 4e-3));
        // It starts at (1, 0) and goes up first, as y does.
        assert!((cx[0] - mx - rx).abs() < 0.5 && cy[5] < cy[0]);
        // The rod ends at the point and begins in the middle, which does not move.
        assert_eq!(values(&svg, "x2"), cx);
        assert!(!svg.contains("attributeName=\"x1\""));
        // It plays for the ten units of time that it lasts.
        assert!(svg.contains("dur=\"10s\""));
    }

    #[test]
    fn a_page_is_complete_in_itself() {
        let page = swing().html("a <swing>");
        assert!(page.contains("<title>a &lt;swing&gt;</title>") && page.ends_with("</html>\n"));
        for word in ["http://", "https://", "src=", "href="] {
            let rest = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!rest.contains(word), "{word}");
        }
    }

    #[test]
    fn one_row_and_a_run_backwards_are_drawn() {
        let still = Animation {
            times: vec![0.0],
            shapes: vec![Shape::Circle { x: vec![1.0], y: vec![2.0], radius: vec![0.5] }],
            ..Animation::default()
        };
        assert!(!still.svg().contains("NaN"));
        let mut back = swing();
        back.times.iter_mut().for_each(|t| *t = -*t);
        assert_eq!(values(&back.svg(), "cx"), values(&swing().svg(), "cx"));
    }
}
