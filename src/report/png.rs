//! Pictures as PNG files, for documents that take no SVG. The SVG document of the picture is drawn pixel by pixel, with a font that is
//! part of the program, so a picture is the same on every machine.
//!
//! The font is a part of DejaVu Sans: Latin, Greek and Cyrillic letters, numbers raised and lowered, signs of mathematics
//! (`font/LICENSE`).

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

const FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");
const FAMILY: &str = "DejaVu Sans";

/// Pixels of the file for each pixel of the document: sharp on paper.
const SCALE: f32 = 2.0;

/// An SVG document as the bytes of a PNG file, or why that cannot be.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = Options { font_family: FAMILY.to_string(), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    let tree = Tree::from_str(svg, &options).map_err(|why| why.to_string())?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("the picture is too large")?;
    let mut picture = Pixmap::new(size.width(), size.height()).ok_or("the picture is too large")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut picture.as_mut());
    picture.encode_png().map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::plot::tests::{curve, plot};
    use super::*;

    /// The pixels of a picture, by colour.
    fn count(bytes: &[u8], like: impl Fn(u8, u8, u8) -> bool) -> usize {
        let picture = Pixmap::decode_png(bytes).expect("a picture");
        picture.pixels().iter().filter(|p| like(p.red(), p.green(), p.blue())).count()
    }

    #[test]
    fn curves_and_texts_are_drawn() {
        let bytes = png(&plot(vec![curve("x", |t| (t, t * t))]).svg(720, 480)).expect("a picture");
        let picture = Pixmap::decode_png(&bytes).expect("a picture");
        assert_eq!((picture.width(), picture.height()), (1440, 960));
        // The first colour of curves, #0072b2: a diagonal of some thousand pixels.
        assert!(count(&bytes, |r, g, b| (r, g, b) == (0, 0x72, 0xb2)) > 1000);
        // Texts are black, as the frame is: without them there is the frame alone, and nothing outside it.
        let left: usize =
            picture.pixels().chunks(1440).map(|row| row[..60].iter().filter(|p| p.red() < 100).count()).sum();
        assert!(left > 30, "no label at the left: {left}");
    }

    #[test]
    fn every_sign_of_the_axes_has_a_shape() {
        // A sign without a shape would be the same box as any other such sign.
        let shape = |sign: &str| {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"40\" font-family=\"sans-serif\"><text x=\"5\" y=\"30\" font-size=\"24\">{sign}</text></svg>"
            );
            png(&svg).expect("a picture")
        };
        let missing = shape("\u{10ffff}");
        for sign in "0π−·⁻⁰¹²³⁴⁵⁶⁷⁸⁹₁₂…′″θφψωλΔ∂∞≤√→éЖ".chars() {
            let drawn = shape(&sign.to_string());
            assert_ne!(drawn, missing, "{sign}");
            assert!(Pixmap::decode_png(&drawn).expect("a picture").pixels().iter().any(|p| p.alpha() > 0), "{sign}");
        }
    }
}
