//! Names and their primes. `theta''`, `θ̈` and `theta″` are a name and the number two.
//!
//! Newton's dots are combining marks; they count as primes wherever they stand in the word (`q̇_1` is
//! `q_1'`). Editors like to compose a letter and its mark into one character (`ẋ`), so the composed
//! letters that no language needs for names are taken apart again; `ä ö ü` stay letters.

use std::borrow::Cow;

/// Jets have no higher order, so a name has no more primes.
pub const MAX_PRIMES: u32 = 64;

/// The name without primes and dots, and how many there were.
pub fn read(word: &str) -> (Cow<'_, str>, u32) {
    let bare = word.trim_end_matches(super::lexer::is_prime);
    let primes: u32 = word[bare.len()..].chars().map(count_prime).sum();
    if bare.is_ascii() {
        return (Cow::Borrowed(bare), primes);
    }
    let mut dots = 0;
    let mut text = String::with_capacity(bare.len());
    for c in bare.chars() {
        let (letter, n) = undot(c);
        dots += n;
        text.extend(letter);
    }
    if dots == 0 { (Cow::Borrowed(bare), primes) } else { (Cow::Owned(text), primes + dots) }
}

/// How many primes a prime sign stands for.
pub fn count_prime(c: char) -> u32 {
    match c {
        '″' => 2,
        '‴' => 3,
        '⁗' => 4,
        _ => 1,
    }
}

/// The letter without its dots, and the number of dots.
fn undot(c: char) -> (Option<char>, u32) {
    const ONE: (&str, &str) = ("ȧḃċḋėḟġḣṁṅȯṗṙṡṫẇẋẏżȦḂĊḊĖḞĠḢṀṄȮṖṘṠṪẆẊẎŻ", "abcdefghmnoprstwxyzABCDEFGHMNOPRSTWXYZ");
    const TWO: (&str, &str) = ("ḧẗẅẍÿḦẄẌŸ", "htwxyHWXY");
    match c {
        '\u{307}' => (None, 1),
        '\u{308}' => (None, 2),
        '\u{20DB}' => (None, 3),
        '\u{20DC}' => (None, 4),
        _ => [(ONE, 1), (TWO, 2)]
            .iter()
            .find_map(|((dotted, plain), n)| {
                let at = dotted.chars().position(|d| d == c)?;
                Some((plain.chars().nth(at), *n))
            })
            .unwrap_or((Some(c), 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn dots_and_primes_are_counted() {
        let cases = [
            ("x", "x", 0),
            ("theta''", "theta", 2),
            ("q\u{307}", "q", 1),
            ("q\u{308}'", "q", 3),
            ("θ\u{307}", "θ", 1),
            ("q\u{307}_1", "q_1", 1),
            ("\u{1E8B}", "x", 1),
            ("\u{1E8D}1", "x1", 2),
            ("y\u{20DB}", "y", 3),
            ("x″", "x", 2),
            ("λ1", "λ1", 0),
            ("länge", "länge", 0),
            ("L\u{304}", "L\u{304}", 0),
            ("d\u{1E8B}", "dx", 1),
        ];
        for (word, name, primes) in cases {
            assert_eq!(read(word), (name.into(), primes), "{word}");
        }
    }
}
