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

/// A plot, or a table drawn with lines.
fn is_picture(line: &str) -> bool {
    line.chars().any(|c| ('\u{2800}'..='\u{28ff}').contains(&c) || ('\u{2500}'..='\u{257f}').contains(&c))
}

/// Where the line is broken. Prose is broken between words. A formula is broken at the outermost place in its last two thirds, the last
/// of them; else at the last place there is.
fn best_break(line: &[char], room: usize) -> Option<usize> {
    let first = line.iter().position(|c| *c != ' ').unwrap_or(0);
    let prose = prose_begin(line);
    let mut depth = 0usize;
    let (mut best, mut any): (Option<(usize, usize)>, Option<usize>) = (None, None);
    for i in first + 1..=room.min(line.len() - 1) {
        match line[i - 1] {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if i > prose {
            if line[i] == ' ' {
                (best, any) = (Some((0, i)), Some(i));
            }
            continue;
        }
        // After a comma, and before a sign that stands between blanks.
        let after_comma = line[i - 1] == ',' && line[i] == ' ';
        let sign = line[i - 1] == ' ' && matches!(line[i], '+' | '-' | '/' | '=') && line.get(i + 1) == Some(&' ');
        let product = matches!(line[i], '*' | '/') && line[i - 1] != ' ' && (depth > 0 || i > room / 2);
        if after_comma || sign || product {
            any = Some(i);
            // Products are broken where nothing else is left outside of the arguments of a function.
            let rank = 2 * depth + usize::from(product && !after_comma && !sign) * 3;
            if i > room / 3 && best.is_none_or(|(least, _)| rank <= least) {
                best = Some((rank, i));
            }
        }
    }
    best.map(|(_, i)| i).or(any)
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
    fn a_difference_stays_in_its_function() {
        let text = "b: ((m1 + m2)*l1*p_b - m2*l2*cos(a - b)*p_a)/(m2*l1*l2^2*(m2*sin(a - b)^2 + m1))";
        assert!(!wrapped(text, 60).contains("(a\n"), "{}", wrapped(text, 60));
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
