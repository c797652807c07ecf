//! Long lines, broken where a reader would: at a comma or before an operator, as far outside of brackets as the width allows. What follows is
//! indented further than the line it belongs to, so that parts of an answer still stand below each other.
//!
//! ```text
//! x'': -sin(theta)*(m*l*cos(theta)*theta'^2 + (M + m)*g)
//!        /(l*(m*sin(theta)^2 + M))
//! ```

/// How much further the rest of a line stands.
const HANG: usize = 4;

/// Lines narrower than this are not looked for: there would be more breaks than text.
const NARROWEST: usize = 24;

/// The text with no line wider than `width`, as far as there are places to break. Pictures stay as they are.
pub fn wrapped(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| wrapped_line(line, width)).collect();
    lines.join("\n")
}

fn wrapped_line(line: &str, width: usize) -> String {
    if line.chars().count() <= width || width < NARROWEST || is_picture(line) {
        return line.to_string();
    }
    if let Some(rows) = matrix_rows(line) {
        return wrapped(&rows.join("\n"), width);
    }
    let indent = line.chars().take_while(|c| *c == ' ').count();
    let hang = " ".repeat((indent + HANG).min(width / 2));
    let mut out = String::new();
    let mut rest: Vec<char> = line.chars().collect();
    let mut room = width;
    while rest.len() > room {
        let Some(at) = best_break(&rest, room) else { break };
        let tail = rest.split_off(at);
        out.push_str(rest.iter().collect::<String>().trim_end());
        out.push('\n');
        out += &hang;
        rest = tail.into_iter().skip_while(|c| *c == ' ').collect();
        room = width - hang.len();
    }
    out.extend(rest);
    out
}

/// The rows of a matrix, each on a line of its own below the others; the names of rows and columns go before it.
fn matrix_rows(line: &str) -> Option<Vec<String>> {
    let start = line.find("[[")?;
    let mut depth = 0usize;
    let mut cuts = vec![];
    let mut end = None;
    for (i, c) in line.char_indices().skip_while(|(i, _)| *i < start) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 1 => cuts.push(i + 1),
            _ => {}
        }
        if depth == 0 {
            end = Some(i + 1);
            break;
        }
    }
    let end = end.filter(|_| !cuts.is_empty())?;
    let indent = " ".repeat(line[..start].chars().count() + 1);
    let names = line[end..].trim_start();
    let is_named = start == 0 && names.starts_with("//");
    let mut rows: Vec<String> = if is_named { vec![names.to_string()] } else { vec![] };
    let mut from = 0;
    cuts.push(if is_named { end } else { line.len() });
    for cut in cuts {
        let row = line[from..cut].trim_start();
        rows.push(if from == 0 { line[..cut].to_string() } else { format!("{indent}{row}") });
        from = cut;
    }
    Some(rows)
}

/// A plot, or a table drawn with lines.
fn is_picture(line: &str) -> bool {
    line.chars().any(|c| ('\u{2800}'..='\u{28ff}').contains(&c) || ('\u{2500}'..='\u{257f}').contains(&c))
}

/// Where the line is broken. Prose is broken between words. A formula is broken at the outermost place in its last two thirds, the last
/// of them; else at the last place there is.
fn best_break(line: &[char], room: usize) -> Option<usize> {
    let first = line.iter().position(|c| *c != ' ').unwrap_or(0);
    let prose = prose_begin(line);
    // A bracket of a function counts twice; one that was opened on a line before brings us further out.
    let mut open: Vec<i32> = vec![];
    let mut depth = 0;
    let (mut best, mut any): (Option<(i32, usize)>, Option<usize>) = (None, None);
    for i in first + 1..=room.min(line.len() - 1) {
        match line[i - 1] {
            '(' | '[' | '{' => {
                let of_function = i >= 2 && (line[i - 2].is_alphanumeric() || "_'".contains(line[i - 2]));
                open.push(if of_function { 2 } else { 1 });
                depth += if of_function { 2 } else { 1 };
            }
            ')' | ']' | '}' => depth -= open.pop().unwrap_or(1),
            _ => {}
        }
        if i > prose {
            if line[i] == ' ' && !beside_sign(line, i) {
                (best, any) = (Some((0, i)), Some(i));
            }
            continue;
        }
        // After a comma, and before a sign that stands between blanks.
        let after_comma = line[i - 1] == ',' && line[i] == ' ';
        let sign = line[i - 1] == ' ' && matches!(line[i], '+' | '-' | '/' | '=') && line.get(i + 1) == Some(&' ');
        let product = matches!(line[i], '*' | '/') && line[i - 1] != ' ' && (depth != 0 || i > room / 2);
        if after_comma || sign || product {
            any = Some(i);
            // Products are broken where nothing else is left outside of the arguments of a function, except behind a bracket.
            let of_product = if line[i - 1] == ')' { 1 } else { 3 };
            let rank = 2 * depth + i32::from(product && !after_comma && !sign) * of_product;
            if i > room / 3 && best.is_none_or(|(least, _)| rank <= least) {
                best = Some((rank, i));
            }
        }
    }
    best.map(|(_, i)| i).or(any)
}

/// Whether a blank stands before or behind a sign, as in `x = 1`, or in `rank B`.
fn beside_sign(line: &[char], blank: usize) -> bool {
    let is_sign = |c: Option<&char>| c.is_some_and(|c| "=<>≤≥+-/".contains(*c));
    let alone = |c: Option<&char>| c.is_none_or(|c| *c == ' ' || "=!<>".contains(*c));
    let before = blank.checked_sub(1).map(|i| line.get(i)).is_some_and(is_sign)
        && blank.checked_sub(2).is_none_or(|i| alone(line.get(i)));
    let behind = (is_sign(line.get(blank + 1)) || line.get(blank + 1) == Some(&'!')) && alone(line.get(blank + 2));
    let of = |word: &str| line[..blank].ends_with(&word.chars().collect::<Vec<_>>());
    before || behind || of(" rank") || of(" det")
}

/// Where the words of a line begin: behind the ground of a verdict, or at the first of three words in a row.
fn prose_begin(line: &[char]) -> usize {
    let text: String = line.iter().collect();
    let place = |byte: usize| text[..byte].chars().count();
    for ground in ["yes (", "no (", "unknown (", "none ("] {
        if let Some(at) = text.find(ground) {
            return place(at);
        }
    }
    let is_word = |w: &str| {
        w.chars().filter(|c| c.is_alphabetic()).count() >= 2
            && w.chars().all(|c| c.is_alphabetic() || ",;:.-`–".contains(c))
    };
    let (mut at, mut run, mut begin) = (0, 0, 0);
    for word in text.split(' ') {
        if is_word(word) {
            begin = if run == 0 { at } else { begin };
            run += 1;
            if run == 3 {
                return place(begin);
            }
        } else if !word.is_empty() {
            run = 0;
        }
        at += word.len() + 1;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_broken_before_a_sign_and_lists_after_a_comma() {
        let sum = "x: aaaaaaaaaa + bbbbbbbbbb + cccccccccc";
        assert_eq!(wrapped(sum, 30), "x: aaaaaaaaaa + bbbbbbbbbb\n    + cccccccccc");
        let list = "[aaaaaaaaaa, bbbbbbbbbb, cccccccccc]";
        assert_eq!(wrapped(list, 26), "[aaaaaaaaaa, bbbbbbbbbb,\n    cccccccccc]");
    }

    #[test]
    fn a_break_stands_outside_of_brackets_where_there_is_one() {
        let text = "aaaaaaaaaaaaaaaaaaaa + sin(b + c + d)*eeee";
        assert_eq!(wrapped(text, 36), "aaaaaaaaaaaaaaaaaaaa\n    + sin(b + c + d)*eeee");
    }

    #[test]
    fn sentences_are_broken_between_words() {
        let verdict = "bounded: yes (proved: no eigenvalue has a positive real part)";
        assert_eq!(wrapped(verdict, 40), "bounded: yes (proved: no eigenvalue has\n    a positive real part)");
        let sentence = "parity: ms = 4 is even and s = 2: where det B != 0 every representative has rank one";
        assert!(wrapped(sentence, 60).lines().all(|l| l.chars().count() <= 60 && !l.trim_start().starts_with('=')));
    }

    #[test]
    fn an_equation_in_a_sentence_stays_whole() {
        let verdict = "weakly_regular: no (proved: rank B < rank (B|A) at y = 1, x' = 2)";
        let expected = "weakly_regular: no (proved: rank B < rank (B|A) at\n    y = 1, x' = 2)";
        assert_eq!(wrapped(verdict, 54), expected);
        let verdict = "weakly_regular: yes (proved: there is no point with rank B < rank (B|A))";
        let expected = "weakly_regular: yes (proved: there is no point with\n    rank B < rank (B|A))";
        assert_eq!(wrapped(verdict, 60), expected);
    }

    #[test]
    fn a_difference_stays_in_its_function() {
        let text = "b: ((m1 + m2)*l1*p_b - m2*l2*cos(a - b)*p_a)/(m2*l1*l2^2*(m2*sin(a - b)^2 + m1))";
        let expected = "b: ((m1 + m2)*l1*p_b - m2*l2*cos(a - b)*p_a)\n    /(m2*l1*l2^2*(m2*sin(a - b)^2 + m1))";
        assert_eq!(wrapped(text, 60), expected);
        let text = "b'': (m2*l2*sin(2*a - 2*b)*b'^2/2 + (m1 + m2)*l1*sin(a - b)*a'^2 - (m1 + m2)*g*sin(b)/2 \
                    + (m1 + m2)*g*sin(2*a - b)/2)/(l2*(m2*sin(a - b)^2 + m1))";
        assert!(!wrapped(text, 60).contains("2*a\n"), "{}", wrapped(text, 60));
    }

    #[test]
    fn rows_of_a_matrix_stand_below_each_other_under_their_names() {
        let matrix = "[[aaaaaaaaaa, bbbbbbbbbb], [bbbbbbbbbb, cccccccccc]]  // x', y'";
        assert_eq!(wrapped(matrix, 30), "// x', y'\n[[aaaaaaaaaa, bbbbbbbbbb],\n [bbbbbbbbbb, cccccccccc]]");
        let part = "A: [[aaaaaaaaaa, bbbbbbbbbb], [bbbbbbbbbb, cccccccccc]]";
        assert_eq!(wrapped(part, 30), "A: [[aaaaaaaaaa, bbbbbbbbbb],\n    [bbbbbbbbbb, cccccccccc]]");
        let row = "[[aaaaaaaaaa, bbbbbbbbbb]]";
        assert_eq!(wrapped(row, 24), "[[aaaaaaaaaa,\n    bbbbbbbbbb]]");
    }

    #[test]
    fn nothing_is_lost_and_tokens_stay_whole() {
        let text = "cos(alpha - beta)*theta'' + sin(alpha)*m*l*g/(m + M) - (a*b*c + d)^2*exp(-t), [x, y, z]".repeat(5);
        for width in 24..100 {
            let folded = wrapped(&text, width);
            let bare = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(bare(&folded), bare(&text));
            assert!(!folded.contains("co\n") && !folded.contains("th\n"), "{folded}");
        }
    }

    #[test]
    fn short_lines_and_pictures_stay_as_they_are() {
        assert_eq!(wrapped("x: 1\ny: 2", 30), "x: 1\ny: 2");
        let picture = "     0 ┤⠉⠉⠫⢍⡉⠉⠉⠉⠑⠒⠤⣀⠉⠉⠫⢍⡉⠉⠉⠉⠑⠒⠤⣀";
        assert_eq!(wrapped(picture, 24), picture);
    }
}
