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

/// Where the line is broken: the outermost place in its second half, the last of them; else the last place there is.
fn best_break(line: &[char], room: usize) -> Option<usize> {
    let first = line.iter().position(|c| *c != ' ').unwrap_or(0);
    let mut depth = 0usize;
    let (mut best, mut any): (Option<(usize, usize)>, Option<usize>) = (None, None);
    for i in first + 1..=room.min(line.len() - 1) {
        match line[i - 1] {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // After a comma, and before a sign that stands between blanks.
        let after_comma = line[i - 1] == ',' && line[i] == ' ';
        let sign = line[i - 1] == ' ' && matches!(line[i], '+' | '-' | '/' | '=') && line.get(i + 1) == Some(&' ');
        let product = line[i] == '*' && (depth > 0 || i > room / 2);
        if after_comma || sign || product {
            any = Some(i);
            // Products are broken where nothing else is left.
            let rank = 2 * depth + usize::from(product && !after_comma && !sign) * 7;
            if i > room / 2 && best.is_none_or(|(least, _)| rank <= least) {
                best = Some((rank, i));
            }
        }
    }
    best.map(|(_, i)| i).or(any)
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
