//! The colours of an answer: the names of its parts, yes, no and unknown, and what they rest on.

use crate::diagnostic::palette::{GREEN, GREY, Ink, OCHRE, RED, TEAL};

/// An answer with colours: the names of its parts, yes, no and unknown, and what they rest on.
pub fn painted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(answer_line).collect();
    lines.join("\n")
}

/// The words of verdicts, each with its colour.
const VERDICTS: &[(&str, Ink)] = &[("yes", GREEN), ("no", RED), ("unknown", OCHRE)];

fn answer_line(line: &str) -> String {
    let blanks = line.len() - line.trim_start().len();
    let rest = &line[blanks..];
    // A name of a part, or a jet, with its colon.
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || "_'(), ".contains(c))
            && name.split(' ').count() < 3
            && name.matches('(').count() == name.matches(')').count()
    };
    let (name, value) = match rest.split_once(':') {
        Some((name, value)) if is_name(name) && (value.is_empty() || value.starts_with(' ')) => (name, value),
        _ => ("", rest),
    };
    let head = if name.is_empty() { String::new() } else { TEAL.paint(&format!("{name}:")) };
    let said = value.trim_start();
    let gap = &value[..value.len() - said.len()];
    for (word, ink) in VERDICTS {
        if let Some(ground) = said.strip_prefix(word)
            && (ground.is_empty() || ground.starts_with(" ("))
        {
            let ground = if ground.is_empty() { String::new() } else { GREY.paint(ground) };
            return format!("{}{head}{gap}{}{ground}", &line[..blanks], ink.paint(word));
        }
    }
    format!("{}{head}{value}", &line[..blanks])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_names_and_verdicts() {
        let shown = painted("regular: yes (proved: det B != 0)\nx: -x'' - x\n  a sentence, without a name\norder: 2");
        let (teal, green, grey) = (TEAL.paint("regular:"), GREEN.paint("yes"), GREY.paint(" (proved: det B != 0)"));
        let expected = format!(
            "{teal} {green}{grey}\n{} -x'' - x\n  a sentence, without a name\n{} 2",
            TEAL.paint("x:"),
            TEAL.paint("order:")
        );
        assert_eq!(shown, expected);
        assert_eq!(painted("no"), RED.paint("no"));
        assert_eq!(painted("nothing"), "nothing");
    }
}
