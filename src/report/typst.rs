//! Formulas for Typst. What we write as LaTeX has few words: fractions, roots, dots, indices, Greek letters, names of functions.
//! They are translated here word by word; what is not among them is no formula of ours, and gives nothing.
//!
//! ```text
//! \frac{\ddot{x}}{2} + k_{1} \cos\left(\theta\right)        frac(dot.double(x), 2) + k_(1) cos(theta)
//! ```

/// Words of LaTeX that have another name in Typst; Greek letters and functions have the same.
const WORDS: &[(&str, &str)] = &[
    ("phi", "phi.alt"),
    ("varphi", "phi"),
    ("epsilon", "epsilon.alt"),
    ("varepsilon", "epsilon"),
    ("hbar", "ħ"),
    ("cdot", "dot.op"),
    ("times", "times"),
    ("infty", "infinity"),
    ("partial", "diff"),
    ("neq", "!="),
    ("leq", "<="),
    ("geq", ">="),
    ("wedge", "and"),
    ("quad", "quad"),
    ("colon", ":"),
    (",", "thin"),
    (";", "med"),
    (" ", "space"),
    ("\\", "\\"),
    ("{", "{"),
    ("}", "}"),
];

/// Words that take arguments in braces, and the function of Typst that takes them.
const CALLS: &[(&str, usize, &str)] = &[
    ("frac", 2, "frac"),
    ("sqrt", 1, "sqrt"),
    ("dot", 1, "dot"),
    ("ddot", 1, "dot.double"),
    ("dddot", 1, "dot.triple"),
    ("bar", 1, "macron"),
    ("tilde", 1, "tilde"),
];

/// Letters that are called the same in both.
const LETTERS: &[&str] = &[
    "alpha", "beta", "gamma", "delta", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "pi",
    "rho", "sigma", "tau", "upsilon", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma",
    "Upsilon", "Phi", "Psi", "Omega", "ell",
];

/// Functions that are called the same in both.
const FUNCTIONS: &[&str] = &[
    "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "arcsin", "arccos", "arctan", "exp",
    "log", "ln", "min", "max", "det",
];

/// A formula of Typst from one of our own in LaTeX; nothing if a word of it is not known.
pub fn typst(latex: &str) -> Option<String> {
    let mut reader = Reader { rest: latex, out: vec![] };
    reader.until_closed()?;
    reader.rest.is_empty().then(|| tidy(&reader.out.join(" ")))
}

/// Indices and arguments stand close to what they belong to.
fn tidy(text: &str) -> String {
    let mut out = text.replace(" ^ ", "^").replace(" _ ", "_");
    for (wide, close) in [("( ", "("), (" )", ")"), (" ,", ","), (" ^", "^"), (" _", "_")] {
        out = out.replace(wide, close);
    }
    for function in FUNCTIONS {
        out = out.replace(&format!("{function} ("), &format!("{function}("));
    }
    out
}

struct Reader<'a> {
    rest: &'a str,
    out: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Reads to the end, or to the brace that closes a group, which stays.
    fn until_closed(&mut self) -> Option<()> {
        while let Some(c) = self.rest.chars().next().filter(|c| *c != '}') {
            let (this, after) = self.rest.split_at(c.len_utf8());
            self.rest = after;
            match c {
                '\\' => self.word()?,
                '{' => {
                    let inner = self.group()?;
                    self.out.push(inner);
                }
                '^' | '_' => {
                    self.out.push(this.to_string());
                    let index = self.argument()?;
                    self.out.push(format!("({index})"));
                }
                c if c.is_ascii_digit() || c == '.' => {
                    let digits = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
                    self.out.push(format!("{c}{}", &after[..digits]));
                    self.rest = &after[digits..];
                }
                c if c.is_whitespace() => {}
                // Signs that mean something else between dollars.
                '/' | '#' | '$' | '"' => self.out.push(format!("\\{c}")),
                _ => self.out.push(this.to_string()),
            }
        }
        Some(())
    }

    /// The inside of a group, behind its opening brace.
    fn group(&mut self) -> Option<String> {
        let outer = std::mem::take(&mut self.out);
        let inner = self.until_closed();
        let inner = inner.map(|()| std::mem::replace(&mut self.out, outer).join(" "))?;
        self.rest = self.rest.strip_prefix('}')?;
        Some(inner)
    }

    /// What stands behind a word or below a letter: a group, or one sign.
    fn argument(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        if let Some(after) = self.rest.strip_prefix('{') {
            self.rest = after;
            return self.group();
        }
        let c = self.rest.chars().next().filter(|c| c.is_alphanumeric())?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c.to_string())
    }

    /// The text of a group, as it stands.
    fn text(&mut self) -> Option<String> {
        let (text, after) = self.rest.strip_prefix('{')?.split_once('}')?;
        self.rest = after;
        (!text.contains(['{', '\\', '"'])).then(|| text.to_string())
    }

    /// Values by cases, behind the word that begins them.
    fn cases(&mut self) -> Option<String> {
        const BEGIN: &str = r"\begin{cases}";
        const END: &str = r"\end{cases}";
        self.rest = self.rest.strip_prefix("{cases}")?;
        let (mut open, mut at) = (1, 0);
        while open > 0 {
            let end = at + self.rest[at..].find(END)?;
            (open, at) = match self.rest[at..end].find(BEGIN) {
                Some(begin) => (open + 1, at + begin + BEGIN.len()),
                None => (open - 1, end + END.len()),
            };
        }
        let mut inner = Reader { rest: &self.rest[..at - END.len()], out: vec![] };
        self.rest = &self.rest[at..];
        inner.until_closed()?;
        let rows: Vec<String> = inner.out.split(|token| token == "\\").map(|row| row.join(" ")).collect();
        inner.rest.is_empty().then(|| format!("cases({})", rows.join(", ")))
    }

    /// What a backslash begins.
    fn word(&mut self) -> Option<()> {
        let letters = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        let length = if letters == 0 { self.rest.chars().next()?.len_utf8() } else { letters };
        let (word, after) = self.rest.split_at(length);
        self.rest = after;
        if let Some((_, count, function)) = CALLS.iter().find(|(name, ..)| *name == word) {
            let arguments: Option<Vec<String>> = (0..*count).map(|_| self.argument()).collect();
            self.out.push(format!("{function}({})", arguments?.join(", ")));
            return Some(());
        }
        let written = match word {
            // A bracket that grows is one in Typst without a word.
            "left" | "right" => match self.rest.chars().next()? {
                '.' => {
                    self.rest = &self.rest[1..];
                    String::new()
                }
                _ => return Some(()),
            },
            "mathrm" | "text" => format!("upright(\"{}\")", self.text()?),
            "operatorname" => format!("op(\"{}\")", self.text()?),
            "begin" => self.cases()?,
            _ if LETTERS.contains(&word) || FUNCTIONS.contains(&word) => word.to_string(),
            _ => WORDS.iter().find(|(name, _)| *name == word)?.1.to_string(),
        };
        self.out.push(written);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_have_the_words_of_typst() {
        let check = |latex: &str, expected: &str| assert_eq!(typst(latex).as_deref(), Some(expected), "{latex}");
        check(r"\frac{\ddot{x}}{2} + k x^{2}", "frac(dot.double(x), 2) + k x^(2)");
        check(r"\ddot{\theta}_{1} &= -g \sin\left(\theta_{1}\right)", "dot.double(theta)_(1) & = - g sin(theta_(1))");
        check(r"\mathrm{mass}\, \sqrt{12.5} a", "upright(\"mass\") thin sqrt(12.5) a");
        check(r"\operatorname{erf}\left(x / 2\right)", "op(\"erf\") (x \\/ 2)");
        check(r"q_{2, 3}^{(4)}", "q_(2, 3)^((4))");
        check(
            r"\begin{cases} w & \text{if } w > 0 \\ \begin{cases} 1 & \text{if } v > 0 \\ 2 & \text{otherwise} \end{cases} & \text{otherwise} \end{cases} - v",
            "cases(w & upright(\"if \") w > 0, cases(1 & upright(\"if \") v > 0, 2 & upright(\"otherwise\")) & upright(\"otherwise\")) - v",
        );
    }

    #[test]
    fn what_is_not_known_is_nothing() {
        for latex in [r"\begin{matrix} 1 \end{matrix}", r"\begin{cases} 1", r"\frac{1}", "{x", "x}", r"\nosuchword x"] {
            assert_eq!(typst(latex), None, "{latex}");
        }
    }
}
