//! The colours of what is written to a terminal. Nobody says whether its ground is dark or white, so each colour is one that can
//! be read on both; what is meant by it is always said in words too.

/// A colour by its number among the 256 of terminals. From 16 on they are the same in all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ink(pub u8);

/// Errors, and what does not hold.
pub const RED: Ink = Ink(160);
/// Warnings, what is not known, and numbers.
pub const OCHRE: Ink = Ink(130);
/// Texts, and what holds.
pub const GREEN: Ink = Ink(28);
/// Notes and helps.
pub const TEAL: Ink = Ink(30);
/// The prompt, functions, and second places.
pub const BLUE: Ink = Ink(32);
/// Words of the language, in the session.
#[cfg(any(test, feature = "repl"))]
pub const VIOLET: Ink = Ink(97);
/// What may be passed over: comments, hints, margins, the grounds of verdicts.
pub const GREY: Ink = Ink(243);

impl Ink {
    /// The text in this colour.
    pub fn paint(self, text: &str) -> String {
        format!("\x1b[38;5;{}m{text}\x1b[0m", self.0)
    }

    /// The text in this colour, heavier, as the session writes it.
    #[cfg(feature = "repl")]
    pub fn bold(self, text: &str) -> String {
        format!("\x1b[1;38;5;{}m{text}\x1b[0m", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of full light that a colour of the 6 × 6 × 6 cube, or of the greys after it, gives (WCAG 2, relative luminance).
    fn luminance(ink: Ink) -> f64 {
        let channels: [u8; 3] = match ink.0 {
            grey @ 232.. => [8 + 10 * (grey - 232); 3],
            cube => {
                let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
                let i = cube - 16;
                [level(i / 36), level(i / 6 % 6), level(i % 6)]
            }
        };
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(channels[0]) + 0.7152 * linear(channels[1]) + 0.0722 * linear(channels[2])
    }

    /// 3 : 1 is what WCAG 2 asks of graphics and large letters; we ask for a little more, on either ground.
    #[test]
    fn every_colour_can_be_read_on_black_and_on_white() {
        for ink in [RED, OCHRE, GREEN, TEAL, BLUE, VIOLET, GREY] {
            let light = luminance(ink);
            let (on_white, on_black) = (1.05 / (light + 0.05), (light + 0.05) / 0.05);
            assert!(on_white > 3.5 && on_black > 3.5, "{ink:?}: {on_white:.2} on white, {on_black:.2} on black");
        }
    }
}
