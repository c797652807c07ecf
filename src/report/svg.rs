//! Pictures as SVG documents, complete in themselves: no script, no font, no other file. The names of curves stand beside
//! the frame and not over the curves; margins follow the texts that stand in them.

use super::plot::{Plot, Room};
use super::thin::{Covered, Point, thinned};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The size of a picture in a file, in pixels.
pub const PAGE: (usize, usize) = (720, 480);

/// Points of one curve beyond which its pixels are written instead.
const MANY: usize = 20_000;

/// Points below which they are drawn larger.
const FEW: usize = 200;

/// The width of the longest name beside the frame.
const NAME: f64 = 220.0;

/// How far the curves stay from the frame.
const INSET: f64 = 6.0;

/// The frame of a picture, in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn x(&self, place: f64) -> f64 {
        self.left + INSET + place * (self.width - 2.0 * INSET)
    }

    fn y(&self, place: f64) -> f64 {
        self.top + self.height - INSET - place * (self.height - 2.0 * INSET)
    }
}

/// How wide a text is, roughly: a little more than it is in the usual fonts.
fn text_width(text: &str, size: f64) -> f64 {
    text.width() as f64 * size * 0.62
}

/// The size of a title, and how far its lines are from each other.
const TITLE: (f64, f64) = (15.0, 19.0);

/// A title in lines that fit into a room, two at most.
fn title_lines(title: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in title.split_whitespace() {
        let full = lines.len() == 2;
        match lines.last_mut() {
            Some(line) if full || text_width(&format!("{line} {word}"), TITLE.0) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.iter().map(|line| shortened(line, TITLE.0, room)).collect()
}

/// A text as far as it fits, and a sign that there is more.
fn shortened(text: &str, size: f64, room: f64) -> String {
    if text_width(text, size) <= room {
        return text.to_string();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if text_width(&format!("{kept}{c}…"), size) > room {
            break;
        }
        kept.push(c);
    }
    format!("{}…", kept.trim_end())
}

/// Beginning and end of a text that does not fit: curves of several runs begin alike, and the name of the run stands at the end.
fn abridged(text: &str, size: f64, room: f64) -> String {
    if text_width(text, size) <= room {
        return text.to_string();
    }
    let signs: Vec<char> = text.chars().collect();
    let (mut head, mut tail) = (0, 0);
    let shown = |head: usize, tail: usize| -> String {
        let (start, end) = (&signs[..head], &signs[signs.len() - tail..]);
        start.iter().chain(&['…']).chain(end).collect()
    };
    while head + tail < signs.len() {
        let next = if tail < head { (head, tail + 1) } else { (head + 1, tail) };
        if text_width(&shown(next.0, next.1), size) > room {
            break;
        }
        (head, tail) = next;
    }
    shown(head, tail)
}

/// A number at an axis, with a minus sign in place of a hyphen.
fn number(text: &str) -> String {
    text.replacen('-', "−", usize::from(text.starts_with('-')))
}

impl Plot {
    /// The plot as an SVG document of this size.
    pub fn svg(&self, width: usize, height: usize) -> String {
        let (width, height) = (width.max(160), height.max(120));
        let (columns, entries) = self.names_beside(width as f64, height as f64);
        let beside: f64 = columns.iter().sum();
        let title = title_lines(&self.title, width as f64 - 40.0);
        let top = if title.is_empty() { 16.0 } else { 21.0 + TITLE.1 * title.len() as f64 };
        let room = |w: f64, h: f64| Room {
            aspect: (w - 2.0 * INSET).max(1.0) / (h - 2.0 * INSET).max(1.0),
            x_count: ((w / 90.0) as usize).max(2),
            y_count: ((h / 55.0) as usize).max(2),
        };
        let h = (height as f64 - top - 54.0).max(40.0);
        // The numbers decide about the margin, and the margin about the room for the curves.
        let guess = self.drawn(room(width as f64 - 90.0 - beside, h));
        let numbers = guess.y.ticks.iter().map(|t| text_width(&t.text, 12.0)).fold(12.0, f64::max);
        let left = 34.0 + numbers;
        let frame = Frame { left, top, width: (width as f64 - left - 20.0 - beside).max(40.0), height: h };
        let drawn = self.drawn(room(frame.width, frame.height));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        let middle = frame.left + frame.width / 2.0;
        for (i, line) in title.iter().enumerate() {
            let half = text_width(line, TITLE.0) / 2.0;
            // Above the frame, or as near to it as the page allows.
            let x = middle.min(width as f64 - 8.0 - half).max(8.0 + half);
            let more = format!(" font-size=\"{}\"", TITLE.0);
            text(&mut out, (x, 25.0 + TITLE.1 * i as f64), "middle", &more, line, f64::INFINITY);
        }
        let (low, high) = (pixel(frame.top), pixel(frame.top + frame.height));
        let mut free = f64::NEG_INFINITY;
        for tick in &drawn.x.ticks {
            let p = frame.x(tick.place);
            let _ = writeln!(out, "<path d=\"M{} {low}V{high}\" stroke=\"#ddd\"/>", pixel(p));
            let half = text_width(&tick.text, 12.0) / 2.0;
            if p - half > free {
                text(&mut out, (p, frame.top + frame.height + 17.0), "middle", "", &number(&tick.text), f64::INFINITY);
                free = p + half + 4.0;
            }
        }
        self.minor(&mut out, frame, &drawn);
        let (from, to) = (pixel(frame.left), pixel(frame.left + frame.width));
        for tick in &drawn.y.ticks {
            let p = frame.y(tick.place);
            let _ = writeln!(out, "<path d=\"M{from} {}H{to}\" stroke=\"#ddd\"/>", pixel(p));
            text(&mut out, (frame.left - 6.0, p + 4.0), "end", "", &number(&tick.text), f64::INFINITY);
        }
        let (w, h) = (pixel(frame.width), pixel(frame.height));
        let _ = writeln!(
            out,
            "<rect x=\"{from}\" y=\"{low}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"black\"/>"
        );
        for (index, pieces) in drawn.curves.iter().enumerate() {
            self.curve(&mut out, frame, index, pieces);
        }
        let right = frame.left + frame.width + 14.0;
        for (index, (dx, dy)) in entries.iter().enumerate() {
            self.name_beside(&mut out, (right + dx, frame.top + 12.0 + dy), index);
        }
        if let Some(&(dx, dy)) = entries.last()
            && entries.len() < self.curves.len()
        {
            let more = format!("and {} more", self.curves.len() - entries.len());
            text(&mut out, (right + dx, frame.top + 28.0 + dy), "start", "", &more, f64::INFINITY);
        }
        let below = frame.top + frame.height + 38.0;
        text(&mut out, (middle, below), "middle", "", &drawn.x.label(&self.x.label), frame.width);
        let side = frame.top + frame.height / 2.0;
        let turned = format!(" transform=\"rotate(-90 16 {})\"", pixel(side));
        text(&mut out, (16.0, side), "middle", &turned, &drawn.y.label(&self.y.label), frame.height);
        if let Some(remark) = drawn.remark {
            text(&mut out, (frame.left, below + 13.0), "start", " font-size=\"10\"", &remark, frame.width);
        }
        out.push_str("</svg>\n");
        out
    }

    /// Short strokes inside the frame for the places between the numbers.
    fn minor(&self, out: &mut String, frame: Frame, drawn: &super::plot::Drawn) {
        let (low, left) = (frame.top + frame.height, frame.left);
        let below = drawn.x.minor.iter().map(|u| format!("M{} {}v-4", pixel(frame.x(*u)), pixel(low)));
        let beside = drawn.y.minor.iter().map(|u| format!("M{} {}h4", pixel(left), pixel(frame.y(*u))));
        let path: String = below.chain(beside).collect();
        if !path.is_empty() {
            let _ = writeln!(out, "<path d=\"{path}\" stroke=\"#888\"/>");
        }
    }

    /// One curve: its points joined, or the pixels that it covers.
    fn curve(&self, out: &mut String, frame: Frame, index: usize, pieces: &[Vec<Point>]) {
        let (color, dash) = stroke(index, self.points);
        let place = |p: &Point| (frame.x(p.0), frame.y(p.1));
        let placed: Vec<Vec<Point>> = pieces.iter().map(|piece| piece.iter().map(place).collect()).collect();
        let kept: Vec<Vec<Point>> = match self.points {
            true => placed.clone(),
            false => placed.iter().map(|piece| thinned(piece)).collect(),
        };
        let mut path = String::new();
        if kept.iter().map(Vec::len).sum::<usize>() > MANY {
            let mut covered = Covered::new((frame.left + frame.width) as usize, (frame.top + frame.height) as usize);
            match self.points {
                true => placed.iter().for_each(|piece| covered.dots(piece)),
                false => placed.iter().for_each(|piece| covered.curve(piece)),
            }
            for (x, y, n) in covered.runs() {
                let _ = write!(path, "M{x} {y}.5h{n}");
            }
            // A little wider than a row, so that no seams are seen where the picture is shown in another size.
            let _ = writeln!(
                out,
                "<path class=\"curve\" d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.25\"/>"
            );
            return;
        }
        for piece in &kept {
            for (i, p) in piece.iter().enumerate() {
                let command = if i == 0 || self.points { 'M' } else { 'L' };
                let _ = write!(path, "{command}{} {}", pixel(p.0), pixel(p.1));
                if self.points || piece.len() == 1 {
                    path.push_str("h0");
                }
            }
        }
        let pen = match self.points {
            // A few points are to be seen, and many to be told apart.
            true if kept.iter().map(Vec::len).sum::<usize>() < FEW => "stroke-width=\"5\" stroke-linecap=\"round\"",
            true => "stroke-width=\"2.5\" stroke-linecap=\"round\"",
            false => "stroke-width=\"1.5\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
        };
        let _ = writeln!(out, "<path class=\"curve\" d=\"{path}\" fill=\"none\" stroke=\"{color}\" {pen}{dash}/>");
    }

    /// A line of the list of names.
    fn name_beside(&self, out: &mut String, (x, y): Point, index: usize) {
        let (color, dash) = stroke(index, self.points);
        let line = if self.points { "m12 0h0" } else { "h24" };
        let pen = if self.points { "stroke-width=\"5\" stroke-linecap=\"round\"" } else { "stroke-width=\"1.5\"" };
        let _ = writeln!(
            out,
            "<path d=\"M{} {}{line}\" fill=\"none\" stroke=\"{color}\" {pen}{dash}/>",
            pixel(x),
            pixel(y - 4.0)
        );
        text(out, (x + 30.0, y), "start", "", &self.curves[index].name, NAME);
    }

    /// The widths of the columns in which the names of several curves stand, and where each name stands in them.
    fn names_beside(&self, width: f64, height: f64) -> (Vec<f64>, Vec<Point>) {
        if self.curves.len() < 2 {
            return (vec![], vec![]);
        }
        let rows = ((height - 100.0) / 16.0).max(2.0) as usize;
        let (mut columns, mut entries): (Vec<f64>, Vec<Point>) = (vec![], vec![]);
        for column in self.curves.chunks(rows) {
            let wide = column.iter().map(|c| text_width(&c.name, 12.0).min(NAME)).fold(70.0, f64::max) + 44.0;
            let used: f64 = columns.iter().sum();
            if used + wide > width / 2.0 && !columns.is_empty() {
                // The rest is counted in the last line.
                entries.pop();
                break;
            }
            entries.extend((0..column.len()).map(|i| (used, 16.0 * i as f64)));
            columns.push(wide);
        }
        (columns, entries)
    }
}

/// A text, abridged where it would be wider than its room; whoever points at it sees the whole.
fn text(out: &mut String, (x, y): Point, anchor: &str, more: &str, words: &str, room: f64) {
    let shown = abridged(words, 12.0, room);
    let whole = if shown == words { String::new() } else { format!("<title>{}</title>", escaped(words)) };
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\"{more}>{}{whole}</text>",
        pixel(x),
        pixel(y),
        escaped(&shown)
    );
}

/// Colours that differ for every kind of sight (Okabe and Ito), with dashes for paper: as many curves as have a name beside the
/// picture look different.
pub fn stroke(index: usize, points: bool) -> (&'static str, &'static str) {
    const COLORS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00"];
    const DASHES: [&str; 10] = [
        "",
        " stroke-dasharray=\"6 3\"",
        " stroke-dasharray=\"2 3\"",
        " stroke-dasharray=\"8 3 2 3\"",
        " stroke-dasharray=\"14 4\"",
        " stroke-dasharray=\"8 3 2 3 2 3\"",
        " stroke-dasharray=\"2 8\"",
        " stroke-dasharray=\"14 3 2 3\"",
        " stroke-dasharray=\"6 3 6 9\"",
        " stroke-dasharray=\"2 3 2 9\"",
    ];
    (COLORS[index % COLORS.len()], if points { "" } else { DASHES[index / COLORS.len() % DASHES.len()] })
}

/// A length with two decimals.
pub fn pixel(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A text inside a document; what no document may contain is left out.
pub fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::axis::Scale;
    use super::super::plot::tests::{curve, odd_curves, plot};
    use super::super::plot::{Curve, Wish};
    use super::*;
    use std::rc::Rc;

    #[test]
    fn long_names_of_curves_keep_what_tells_them_apart() {
        let name = |run: &str| abridged(&format!("(q[1]^2 + q[2]^2 + q[3]^2)/2 + sin(q[4]) ({run})"), 12.0, 200.0);
        assert!(name("first").ends_with("(first)") && name("second").ends_with("(second)"));
        assert!(name("first").starts_with("(q[1]") && text_width(&name("first"), 12.0) <= 200.0);
        assert_eq!(abridged("theta", 12.0, 200.0), "theta");
    }

    /// The points of the curves of a document, in pixels.
    fn curves(svg: &str) -> Vec<Vec<Point>> {
        let paths = svg.lines().filter(|l| l.contains("class=\"curve\""));
        let numbers = |path: &str| -> Vec<Point> {
            let data = path.split("d=\"").nth(1).and_then(|d| d.split('"').next()).expect("a path");
            let points = data.split(['M', 'L']).filter(|p| !p.is_empty());
            points
                .map(|p| {
                    let (x, y) = p.trim_end_matches("h0").split_once(' ').expect("two numbers");
                    (x.parse().expect("x"), y.parse().expect("y"))
                })
                .collect()
        };
        paths.map(numbers).collect()
    }

    /// The places of the texts of a document.
    fn places(svg: &str) -> Vec<(String, Point)> {
        let attribute = |line: &str, name: &str| -> f64 {
            let found = line.split(&format!(" {name}=\"")).nth(1).and_then(|r| r.split('"').next());
            found.and_then(|n| n.parse().ok()).expect("a number")
        };
        svg.lines()
            .filter(|l| l.starts_with("<text"))
            .map(|l| {
                let words = l.split('>').nth(1).and_then(|r| r.split('<').next()).expect("a text");
                (words.to_string(), (attribute(l, "x"), attribute(l, "y")))
            })
            .collect()
    }

    fn place_of(places: &[(String, Point)], words: &str) -> Point {
        places.iter().find(|(w, _)| w == words).unwrap_or_else(|| panic!("no {words} in {places:?}")).1
    }

    #[test]
    fn data_stand_where_the_numbers_at_the_axes_say() {
        let squares = curve("x", |t| (t, t * t));
        let svg = plot(vec![squares.clone()]).svg(720, 480);
        let places = places(&svg);
        // Two numbers at each axis fix its scale; the text of the vertical axis stands four pixels below its line.
        let (x0, x1) = (place_of(&places, "0").0, place_of(&places, "10").0);
        let vertical: Vec<&(String, Point)> =
            places.iter().filter(|(_, p)| p.0 == places.iter().find(|(w, _)| w == "100").expect("100").1.0).collect();
        let level = |words: &str| vertical.iter().find(|(w, _)| w == words).expect("a level").1.1 - 4.0;
        let (y0, y100) = (level("0"), level("100"));
        let x0 = if vertical.iter().any(|(_, p)| p.0 == x0) {
            places.iter().rfind(|(w, p)| w == "0" && p.0 != x0).map_or(x0, |t| t.1.0)
        } else {
            x0
        };
        let drawn = &curves(&svg)[0];
        for (px, py) in drawn {
            let (t, x) = ((px - x0) / (x1 - x0) * 10.0, (py - y0) / (y100 - y0) * 100.0);
            // A pixel is 1/60 of a unit of t and 1/4 of a unit of x here; the slope is at most 20.
            assert!((x - t * t).abs() < 0.2, "({t}, {x})");
        }
        assert!(drawn.len() > 20 && (drawn[0].0 - x0).abs() < 0.02, "{:?}", drawn[0]);
        // Everything is inside the picture.
        assert!(places.iter().all(|(_, p)| p.0 > 0.0 && p.0 < 720.0 && p.1 > 0.0 && p.1 < 480.0), "{places:?}");
    }

    #[test]
    fn a_logarithmic_axis_makes_powers_straight() {
        let mut plot = plot(vec![curve("x", |t| (t + 1.0, (t + 1.0).powi(3)))]);
        (plot.x.scale, plot.y.scale) = (Scale::Log, Scale::Log);
        let drawn = &curves(&plot.svg(720, 480))[0];
        let slope = |a: Point, b: Point| (b.1 - a.1) / (b.0 - a.0);
        let whole = slope(drawn[0], drawn[drawn.len() - 1]);
        let straight =
            drawn.windows(2).filter(|w| w[1].0 - w[0].0 > 5.0).all(|w| (slope(w[0], w[1]) / whole - 1.0).abs() < 0.02);
        assert!(straight, "{drawn:?}");
    }

    #[test]
    fn a_circle_is_round() {
        let circle = curve("y", |s| (s.cos(), s.sin()));
        let drawn = &curves(&Plot { equal: true, ..plot(vec![circle]) }.svg(720, 480))[0];
        let range = |f: fn(&Point) -> f64| {
            let (low, high) = drawn.iter().map(f).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
            high - low
        };
        assert!((range(|p| p.0) - range(|p| p.1)).abs() < 0.3, "{} {}", range(|p| p.0), range(|p| p.1));
    }

    #[test]
    fn names_stand_beside_the_curves_and_are_escaped() {
        let many: Vec<Curve> =
            (0..12).map(|k| curve(&format!("a<b & \"{k}\""), move |t| (t, (t + f64::from(k)).sin()))).collect();
        let svg = Plot { title: "Waves".into(), ..plot(many) }.svg(720, 480);
        let right = curves(&svg).concat().iter().fold(0.0f64, |m, p| m.max(p.0));
        let places = places(&svg);
        let names: Vec<&Point> = places.iter().filter(|(w, _)| w.contains("&lt;b")).map(|(_, p)| p).collect();
        assert_eq!(names.len(), 12);
        assert!(names.iter().all(|p| p.0 > right + 10.0), "{names:?} {right}");
        assert!(svg.contains("a&lt;b &amp; &quot;0&quot;") && svg.contains(">Waves<"));
        // No two names in one place.
        assert!(names.windows(2).all(|w| (w[0].1 - w[1].1).abs() >= 14.0));
    }

    #[test]
    fn curves_that_are_named_look_different() {
        let looks: std::collections::HashSet<_> = (0..60).map(|index| stroke(index, false)).collect();
        assert_eq!(looks.len(), 60);
    }

    #[test]
    fn more_curves_than_names_fit_are_counted() {
        let many: Vec<Curve> = (0..200).map(|k| curve(&format!("q[{k}]"), move |t| (t, t + f64::from(k)))).collect();
        let svg = plot(many).svg(720, 480);
        let named = places(&svg).iter().filter(|(w, _)| w.starts_with("q[")).count();
        assert!(svg.contains(&format!("and {} more", 200 - named)), "{named}");
    }

    #[test]
    fn odd_data_are_drawn_or_left_out_but_never_break() {
        for curve in odd_curves() {
            let svg = plot(vec![curve]).svg(640, 400);
            assert!(
                svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"),
                "{svg}"
            );
        }
    }

    #[test]
    fn a_picture_of_many_points_is_small() {
        let n = 200_000;
        let wave = |f: &dyn Fn(f64) -> (f64, f64)| {
            let (x, y): (Vec<f64>, Vec<f64>) = (0..n).map(|i| f(f64::from(i))).unzip();
            Curve { name: "x".into(), x: Rc::new(x), y: Rc::new(y), ..Curve::default() }
        };
        let label = Wish::default();
        // A function of time, a curve that fills an area, and points that are scattered over it.
        let series = wave(&|i| (i, (0.7 * i).sin()));
        let filling = wave(&|i| ((1.31 * i).sin(), (1.7 * i).cos()));
        for (curve, points) in [(series, false), (filling.clone(), false), (filling, true)] {
            let plot = Plot { x: label.clone(), y: label.clone(), curves: vec![curve], points, ..Plot::default() };
            let size = plot.svg(720, 480).len();
            assert!(size < 1_000_000, "{size}");
        }
    }
}
