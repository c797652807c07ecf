//! Pictures in the terminal. A character cell holds 2 × 4 braille dots, so a plot of 60 × 15 cells has 120 × 60 points, and
//! the dots are as far from each other in both directions. A curve has a colour, where there are colours, and a letter that
//! stands on it in some places; the names are below the axes.
//!
//! ```text
//!    x
//!    1 ┤⢣⠀⠀⠀⠀⠀⢀⠞⠙⡄
//!      │⠀⢇⠀⠀⠀⠀⡜⠀⠀⠸⡀
//!    0 ┤⠀⠘⡄⠀⠀⢰⠁⠀⠀⠀⢇
//!      │⠀⠀⠸⡀⢀⠇⠀⠀⠀⠀⠸⡀
//!   -1 ┤⠀⠀⠀⠳⠎⠀⠀⠀⠀⠀⠀⢳
//!      └┬────┬────┬────
//!       0    5    10  t
//! ```

use super::axis::{Axis, Tick};
use super::plot::{Drawn, Plot, Room, Screen};
use super::thin::line;
use crate::source::visible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Colours that are seen on a dark and on a light ground.
const COLORS: [u8; 6] = [33, 166, 35, 133, 245, 136];

/// Marks on a curve, besides the one at its end.
const MARKS: usize = 3;

/// So few points that each is drawn as a disk.
const FEW: usize = 60;

impl Plot {
    /// The plot in at most so many characters, if a plot of three lines fits into them.
    pub fn terminal(&self, screen: Screen) -> String {
        let columns = screen.columns.clamp(24, 240);
        let legend = self.legend(columns);
        let heading = usize::from(!self.title.is_empty());
        let room = |width: usize, height: usize| Room {
            aspect: (2 * width) as f64 / (4 * height) as f64,
            x_count: (width / 12).clamp(2, 10),
            y_count: (height / 3).clamp(2, 10),
        };
        let height = |remark: usize| screen.rows.saturating_sub(4 + heading + legend.len() + remark).clamp(4, 80);
        // The numbers decide about the margin, and the margin about the room for the curves; a remark has a line of its own.
        let guess = columns.saturating_sub(8);
        let (mut sketch, mut height, with_remark) = (self.drawn(room(guess, height(0))), height(0), height(1));
        if sketch.remark.is_some() {
            (sketch, height) = (self.drawn(room(guess, with_remark)), with_remark);
        }
        let margin = sketch.y.ticks.iter().map(|t| t.text.width()).max().unwrap_or(0) + 1;
        // A short name stands behind the numbers.
        let right = self.x.label.width() + 2;
        let width = columns.saturating_sub(margin + 1 + if right <= 10 { right } else { 2 }).max(10);
        let drawn = self.drawn(room(width, height));
        let canvas = self.canvas(&drawn, width, height);
        let mut lines = vec![];
        if !self.title.is_empty() {
            lines.push(centred(&fitted(&self.title, width), margin + 1, width));
        }
        lines.push(format!("{:>margin$}", format!("{} ", fitted(&drawn.y.label(&self.y.label), columns - 1))));
        let row_of = |t: &Tick| ((1.0 - t.place) * (height - 1) as f64).round() as usize;
        for row in 0..height {
            let label = drawn.y.ticks.iter().find(|t| row_of(t) == row).map(|t| t.text.as_str());
            let bar = if label.is_some() { '┤' } else { '│' };
            let label = label.unwrap_or("");
            let blanks = " ".repeat(margin.saturating_sub(label.width() + 1));
            lines.push(format!("{blanks}{label} {bar}{}", canvas.row(row, screen.color)));
        }
        lines.extend(horizontal_axis(&drawn.x, &self.x.label, margin, width, columns));
        lines.extend(legend.iter().map(|line| {
            let painted = line.iter().map(|index| {
                let text = self.named(*index);
                if screen.color { painted(&text, *index) } else { text }
            });
            format!("{:margin$} {}", "", painted.collect::<Vec<_>>().join("   "))
        }));
        lines.extend(drawn.remark.map(|remark| format!("{:margin$} {remark}", "")));
        lines.iter().map(|l| l.trim_end().to_string() + "\n").collect()
    }

    /// The curves as dots, with their letters.
    fn canvas(&self, drawn: &Drawn, width: usize, height: usize) -> Canvas {
        let mut canvas = Canvas::new(width, height);
        let at = |(x, y): (f64, f64)| {
            let dot = |place: f64, size: usize| (place * (size - 1) as f64).round() as i64;
            (dot(x, 2 * width), dot(1.0 - y, 4 * height))
        };
        for (index, pieces) in drawn.curves.iter().enumerate() {
            for piece in pieces {
                let dots = path(piece.iter().map(|point| at(*point)), self.points);
                let mut last = None;
                for here in dots {
                    let from = if self.points { here } else { last.unwrap_or(here) };
                    line(from, here, |x, y| canvas.dot((x, y), index));
                    last = Some(here);
                }
            }
        }
        if self.points && drawn.curves.iter().flatten().map(Vec::len).sum::<usize>() <= FEW {
            for (index, point) in
                drawn.curves.iter().enumerate().flat_map(|(i, c)| c.iter().flatten().map(move |p| (i, p)))
            {
                canvas.letter(at(*point), '•', index);
            }
        }
        if self.curves.len() > 1 {
            for (index, pieces) in drawn.curves.iter().enumerate() {
                let points: Vec<(f64, f64)> = pieces.concat();
                // The end, and some places that are others for each curve.
                let shift = (index % 5) as f64 / 5.0;
                let places = (0..MARKS).map(|k| (k as f64 + 0.3 + 0.6 * shift) / (MARKS as f64 + 0.2));
                for place in places.chain([1.0]) {
                    let from = (place * points.len().saturating_sub(1) as f64) as usize;
                    // Where another letter stands already, a little before.
                    let free =
                        points[..points.len().min(from + 1)].iter().rev().map(|p| at(*p)).find(|p| canvas.is_free(*p));
                    if let Some(point) = free {
                        canvas.letter(point, self.sign(index), index);
                    }
                }
            }
        }
        canvas
    }

    /// The names of several curves, in lines.
    fn legend(&self, columns: usize) -> Vec<Vec<usize>> {
        let mut lines: Vec<Vec<usize>> = vec![];
        let mut room = 0;
        for index in 0..self.curves.len() {
            if self.curves.len() == 1 {
                break;
            }
            let width = self.named(index).width() + 3;
            match lines.last_mut() {
                Some(line) if room >= width => line.push(index),
                _ => {
                    lines.push(vec![index]);
                    room = columns.saturating_sub(10);
                }
            }
            room = room.saturating_sub(width);
        }
        lines
    }

    fn named(&self, index: usize) -> String {
        let name = abridged(&self.curves[index].name, 40);
        if self.own_letters() { name } else { format!("{}: {name}", letter(index)) }
    }

    /// The letter that stands on a curve: its name, where all names are letters.
    fn sign(&self, index: usize) -> char {
        let own = self.curves[index].name.chars().next().filter(|_| self.own_letters());
        own.unwrap_or(letter(index))
    }

    fn own_letters(&self) -> bool {
        let names = self.curves.iter().map(|c| c.name.as_str());
        let alone = |(i, name): (usize, &str)| {
            name.chars().count() == 1 && name.width() == 1 && !self.curves[..i].iter().any(|c| c.name == name)
        };
        names.enumerate().all(alone)
    }
}

/// The dots of a curve, each once in a row. A curve that is joined has no corners: of three dots that touch each other the one
/// between is left out, so that lines are one dot wide however many points they have.
fn path(dots: impl Iterator<Item = (i64, i64)>, points: bool) -> Vec<(i64, i64)> {
    let mut path: Vec<(i64, i64)> = vec![];
    for here in dots {
        if path.last() == Some(&here) {
            continue;
        }
        if let [.., before, _] = path.as_slice()
            && !points
            && (before.0 - here.0).abs() <= 1
            && (before.1 - here.1).abs() <= 1
        {
            path.pop();
        }
        path.push(here);
    }
    path
}

/// The text as a terminal may show it, cut where it is too long.
fn fitted(text: &str, width: usize) -> String {
    let text = visible(text).replace('\n', " ");
    if text.width() <= width {
        return text;
    }
    let mut used = 1;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= width
        })
        .collect();
    kept + "…"
}

/// Beginning and end of a text that is too long: the name of a run stands at the end.
fn abridged(text: &str, width: usize) -> String {
    let text = visible(text).replace('\n', " ");
    if text.width() <= width {
        return text;
    }
    let signs: Vec<char> = text.chars().collect();
    let (mut head, mut tail, mut used) = (0, 0, 1);
    while head + tail < signs.len() {
        let from_the_end = tail < head;
        let next = if from_the_end { signs[signs.len() - 1 - tail] } else { signs[head] };
        used += next.width().unwrap_or(0);
        if used > width {
            break;
        }
        (head, tail) = if from_the_end { (head, tail + 1) } else { (head + 1, tail) };
    }
    signs[..head].iter().chain(&['…']).chain(&signs[signs.len() - tail..]).collect()
}

fn centred(text: &str, margin: usize, width: usize) -> String {
    " ".repeat(margin + width.saturating_sub(text.width()) / 2) + text
}

fn painted(text: &str, index: usize) -> String {
    format!("\u{1b}[38;5;{}m{text}\u{1b}[0m", COLORS[index % COLORS.len()])
}

/// The line below the plot, its numbers, and the name of the axis: behind the numbers, or below them.
fn horizontal_axis(x: &Axis, name: &str, margin: usize, width: usize, columns: usize) -> Vec<String> {
    let mut line = vec!['─'; width];
    let mut numbers = String::new();
    for tick in &x.ticks {
        let column = ((tick.place * (width - 1) as f64).round() as usize).min(width - 1);
        line[column] = '┬';
        // The column of the first is that of the corner.
        let start = (column + 1).saturating_sub(tick.text.width() / 2);
        let fits = start + tick.text.width() <= width + 2;
        if fits && (numbers.is_empty() || start > numbers.width() + 1) {
            numbers += &" ".repeat(start - numbers.width());
            numbers += &tick.text;
        }
    }
    let line: String = line.into_iter().collect();
    let name = fitted(&x.label(name), columns.saturating_sub(2));
    let mut lines = vec![format!("{:margin$}└{line}", "")];
    if margin + numbers.width() + 2 + name.width() <= columns {
        lines.push(format!("{:margin$}{numbers}  {name}", ""));
    } else {
        lines.push(format!("{:margin$}{numbers}", ""));
        lines.push(" ".repeat((margin + 1 + width).saturating_sub(name.width())) + &name);
    }
    lines
}

/// a, b, c, …, then A, B, C, …, then α, β, γ, …, and again.
fn letter(index: usize) -> char {
    ('a'..='z').chain('A'..='Z').chain('α'..='ρ').chain('σ'..='ω').cycle().nth(index).unwrap_or('a')
}

/// Braille dots, 2 × 4 per character cell, with letters on top.
struct Canvas {
    width: usize,
    height: usize,
    dots: Vec<u8>,
    /// The curve that was drawn last in a cell.
    curves: Vec<usize>,
    letters: Vec<Option<char>>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Canvas {
        let cells = width * height;
        Canvas { width, height, dots: vec![0; cells], curves: vec![0; cells], letters: vec![None; cells] }
    }

    fn cell(&self, (x, y): (i64, i64)) -> Option<usize> {
        let (column, row) = (usize::try_from(x / 2).ok()?, usize::try_from(y / 4).ok()?);
        (column < self.width && row < self.height).then_some(row * self.width + column)
    }

    fn dot(&mut self, point: (i64, i64), curve: usize) {
        // The bits of a braille character, by row and column of its dots.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        if let Some(cell) = self.cell(point) {
            self.dots[cell] |= BITS[(point.1 % 4) as usize][(point.0 % 2) as usize];
            self.curves[cell] = curve;
        }
    }

    fn is_free(&self, point: (i64, i64)) -> bool {
        self.cell(point).is_some_and(|cell| self.letters[cell].is_none())
    }

    fn letter(&mut self, point: (i64, i64), letter: char, curve: usize) {
        if let Some(cell) = self.cell(point) {
            self.letters[cell] = Some(letter);
            self.curves[cell] = curve;
        }
    }

    fn row(&self, row: usize, color: bool) -> String {
        let cells = row * self.width..(row + 1) * self.width;
        let end = cells.clone().rev().find(|i| self.dots[*i] != 0).map_or(cells.start, |i| i + 1);
        let sign = |i: &usize| match (self.letters[*i], self.dots[*i]) {
            (Some(letter), _) => letter,
            (None, 0) => ' ',
            (None, dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '),
        };
        let cells: Vec<usize> = (cells.start..end).collect();
        if !color {
            return cells.iter().map(sign).collect();
        }
        let same =
            |a: &usize, b: &usize| self.dots[*a] == 0 && self.dots[*b] == 0 || self.curves[*a] == self.curves[*b];
        let stretches = cells.chunk_by(|a, b| same(a, b));
        stretches.map(|cells| painted(&cells.iter().map(sign).collect::<String>(), self.curves[cells[0]])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::plot::tests::{curve, odd_curves, plot};
    use super::*;

    #[test]
    fn long_names_of_curves_keep_what_tells_them_apart() {
        let shown = abridged("(q[1]^2 + q[2]^2 + q[3]^2)/2 + sin(q[4]) (second)", 20);
        assert_eq!(shown, "(q[1]^2 + … (second)");
        assert_eq!(shown.width(), 20);
    }

    fn screen(columns: usize, rows: usize) -> Screen {
        Screen { columns, rows, color: false }
    }

    #[test]
    fn a_straight_line_is_straight() {
        let shown = plot(vec![curve("x", |t| (t, t))]).terminal(screen(24, 9));
        assert_eq!(shown.lines().count(), 8, "{shown}");
        assert_eq!(shown.lines().last(), Some("    0       5      10  t"), "{shown}");
        assert!(shown.contains("10 ┤") && shown.contains(" 5 ┤") && shown.contains(" 0 ┤"), "{shown}");
        // Every row but the axis holds a part of the line, further left the lower it is.
        let first = |line: &str| line.chars().position(|c| ('\u{2801}'..='\u{28ff}').contains(&c));
        let columns: Vec<usize> = shown.lines().skip(1).take(5).map(|l| first(l).expect("a dot")).collect();
        assert!(columns.windows(2).all(|w| w[0] > w[1]), "{columns:?}\n{shown}");
    }

    #[test]
    fn a_line_is_one_dot_wide() {
        // Stairs become a diagonal, a corner of a square is kept, and points are all kept.
        let stairs = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 1), (2, 2)];
        assert_eq!(path(stairs.into_iter(), false), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(path([(0, 0), (3, 0), (3, 3)].into_iter(), false).len(), 3);
        assert_eq!(path(stairs.into_iter(), true).len(), 5);
    }

    #[test]
    fn two_curves_are_told_apart_by_letters_and_by_colour() {
        let both = plot(vec![curve("sin", |t| (t, t.sin())), curve("cos", |t| (t, t.cos()))]);
        let shown = both.terminal(screen(60, 16));
        assert!(shown.contains("a: sin   b: cos"), "{shown}");
        let body: String = shown.lines().take(12).collect();
        assert!(body.matches('a').count() >= 3 && body.matches('b').count() >= 3, "{shown}");
        assert!(shown.lines().all(|l| l.width() <= 60) && shown.lines().count() <= 16, "{shown}");
        assert!(!shown.contains('\u{1b}'));
        let painted = both.terminal(Screen { color: true, ..screen(60, 16) });
        assert!(painted.contains("\u{1b}[38;5;33ma: sin\u{1b}[0m"), "{painted}");
        // Without the colours it is the same picture.
        let mut bare = String::new();
        let mut rest = painted.as_str();
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            bare += before;
            rest = after.split_once('m').expect("the end of a colour").1;
        }
        let trimmed: String = (bare + rest).lines().map(|l| l.trim_end().to_string() + "\n").collect();
        assert_eq!(trimmed, shown);
    }

    #[test]
    fn many_curves_have_letters_of_their_own() {
        let letters: std::collections::HashSet<char> = (0..76).map(letter).collect();
        assert_eq!(letters.len(), 76);
        assert!(letters.iter().all(|c| c.width() == Some(1)));
        assert_eq!((letter(0), letter(25), letter(26), letter(52)), ('a', 'z', 'A', 'α'));
    }

    #[test]
    fn every_size_holds_and_odd_data_never_break() {
        for curve in odd_curves() {
            let plot =
                Plot { title: "a title that is much too long for a narrow terminal".into(), ..plot(vec![curve]) };
            for (columns, rows) in [(0, 0), (24, 10), (40, 12), (80, 24), (240, 80)] {
                let shown = plot.terminal(screen(columns, rows));
                assert!(shown.contains('└'));
                assert!(shown.lines().all(|l| l.width() <= columns.max(24)), "{columns}:\n{shown}");
                assert!(shown.lines().count() <= rows.max(10), "{rows}:\n{shown}");
            }
        }
    }

    #[test]
    fn a_name_does_not_steer_the_terminal() {
        let shown = plot(vec![curve("\u{1b}[2J", |t| (t, t)), curve("b", |t| (t, t))]).terminal(screen(60, 16));
        assert!(!shown.contains('\u{1b}') && shown.contains("a: \\u{1b}[2J"), "{shown}");
    }
}
