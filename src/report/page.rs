//! A page for a browser, complete in itself: formulas as MathML, pictures as SVG, one style, no script and no other file.
//!
//! Formulas come as LaTeX and are turned into MathML here. One that the converter does not know stays LaTeX, visibly.

use super::svg::escaped;
use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};
use std::fmt::Write;

/// What stands on a page, from top to bottom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// The title of a chapter (2) or of a part of it (3).
    Title(u8, String),
    Words(String),
    /// Text of a program, or of a message, line by line.
    Code(String),
    /// A formula, in LaTeX.
    Formula(String),
    /// A line of words below others.
    Remark(String),
    /// A label with formulas behind it.
    Found(String, Vec<String>),
    /// An SVG document.
    Picture(String),
    /// Rows of cells; the first row names the columns.
    Table(Vec<Vec<String>>),
    /// What is opened by a click, under a title.
    Folded(String, Vec<Block>),
}

/// A page with its title.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Page {
    pub title: String,
    pub blocks: Vec<Block>,
}

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.3rem;border-bottom:1px solid #bbb;margin-top:2.2rem}h3{font-size:1.05rem;margin:1.4rem 0 .3rem}
pre{background:#f4f4f4;padding:.7rem 1rem;overflow-x:auto;font:14px/1.4 ui-monospace,monospace}
.formula{overflow-x:auto;overflow-y:hidden;padding:.4rem 0}math[display=block]{text-align:left;width:max-content}
.found{overflow-x:auto;overflow-y:hidden;margin:.15rem 0 .15rem 1.5rem}.found math{margin-right:1rem}
math mover>mo:last-child{font-size:1em;padding-bottom:.06em}
svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:.6rem 0}
td,th{border:1px solid #ccc;padding:.2rem .7rem;text-align:left;font-variant-numeric:tabular-nums}
summary{cursor:pointer;font-weight:600}details{margin:.8rem 0}
";

impl Page {
    /// The page as an HTML document.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n<h1>{title}</h1>\n"
        );
        write_blocks(&mut out, &self.blocks, Formulas::new().as_ref());
        out.push_str("</body>\n</html>\n");
        out
    }
}

/// The converter of formulas.
struct Formulas(LatexToMathML);

impl Formulas {
    fn new() -> Option<Formulas> {
        LatexToMathML::new(MathCoreConfig::default()).ok().map(Formulas)
    }

    /// A formula as MathML, or nothing where it cannot be converted.
    fn mathml(&self, latex: &str, display: MathDisplay) -> Option<String> {
        let found = self.0.convert_with_local_state(latex, display).ok()?;
        // Without a font for mathematics an accent lies on its letter: the style lifts what stands over one.
        Some(found.mathml.replace("<mover accent=\"true\">", "<mover>"))
    }
}

/// A formula as it stands on the page.
fn formula(formulas: Option<&Formulas>, latex: &str, display: MathDisplay) -> String {
    let found = formulas.and_then(|f| f.mathml(latex, display));
    found.unwrap_or_else(|| format!("<code class=\"latex\">{}</code>", escaped(latex)))
}

fn write_blocks(out: &mut String, blocks: &[Block], formulas: Option<&Formulas>) {
    for block in blocks {
        // A string takes everything that is written to it.
        let _ = match block {
            Block::Title(level, text) => writeln!(out, "<h{level}>{}</h{level}>", escaped(text)),
            Block::Words(text) => writeln!(out, "<p>{}</p>", escaped(text)),
            Block::Code(text) => {
                let lines: Vec<String> =
                    text.trim_end().lines().map(|line| escaped(&line.replace('\t', "    "))).collect();
                writeln!(out, "<pre>{}</pre>", lines.join("\n"))
            }
            Block::Formula(latex) => {
                writeln!(out, "<div class=\"formula\">{}</div>", formula(formulas, latex, MathDisplay::Block))
            }
            Block::Remark(text) => writeln!(out, "<div class=\"found\">{}</div>", escaped(text)),
            Block::Found(label, list) => {
                let list: Vec<String> = list.iter().map(|l| formula(formulas, l, MathDisplay::Inline)).collect();
                let list = if list.is_empty() { "none".to_string() } else { list.join(" ") };
                writeln!(out, "<div class=\"found\">{}: {list}</div>", escaped(label))
            }
            Block::Picture(svg) => writeln!(out, "<figure>\n{}</figure>", svg),
            Block::Table(rows) => {
                out.push_str("<table>\n");
                for (i, row) in rows.iter().enumerate() {
                    let cell = if i == 0 { "th" } else { "td" };
                    let cells: String = row.iter().map(|c| format!("<{cell}>{}</{cell}>", escaped(c))).collect();
                    let _ = writeln!(out, "<tr>{cells}</tr>");
                }
                writeln!(out, "</table>")
            }
            Block::Folded(title, inner) => {
                let _ = writeln!(out, "<details open>\n<summary>{}</summary>", escaped(title));
                write_blocks(out, inner, formulas);
                writeln!(out, "</details>")
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(block: Block) -> String {
        Page { title: "a <page>".into(), blocks: vec![block] }.html()
    }

    #[test]
    fn formulas_are_mathml_and_texts_are_escaped() {
        let page = html(Block::Formula(r"\frac{a}{b} = \ddot{x}".into()));
        assert!(page.contains("<title>a &lt;page&gt;</title>"), "{page}");
        assert!(page.contains("<mfrac>") && page.contains("<math display=\"block\">"), "{page}");
        assert!(html(Block::Code("x < y\n\tz".into())).contains("<pre>x &lt; y\n    z</pre>"));
        assert!(html(Block::Table(vec![vec!["a&b".into()], vec!["1".into()]])).contains("<tr><th>a&amp;b</th></tr>"));
    }

    #[test]
    fn what_is_no_formula_is_shown_as_it_is() {
        let page = html(Block::Formula(r"\nosuchcommand{<}".into()));
        assert!(page.contains(r#"<code class="latex">\nosuchcommand{&lt;}</code>"#), "{page}");
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        let page = html(Block::Folded("more".into(), vec![Block::Picture("<svg></svg>\n".into())]));
        for word in ["http:", "https:", "<script", "<link", "@import", "url("] {
            assert!(!page.contains(word), "{word} in {page}");
        }
    }
}
