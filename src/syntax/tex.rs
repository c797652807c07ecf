//! TeX as it is copied from a paper: `\frac{1}{2} m \dot\theta^2`, and what it says in our signs. Only the words that formulas of
//! mechanics are made of are known; everything else stays a foreign sign.

/// A word behind a backslash, and what stands for it here.
enum Meaning {
    /// A sign or a name.
    Is(&'static str),
    /// A function of the group that follows, `\sqrt{x}`; or of brackets that follow, `\sin(x)`.
    Function(&'static str),
    /// A derivative by the time of the group that follows.
    Primes(&'static str),
    /// A quotient of two groups.
    Quotient,
    /// A group as it stands, `\mathbf{r}`.
    Group,
}

use Meaning::{Function, Group, Is, Primes, Quotient};

const WORDS: &[(&[&str], Meaning)] = &[
    (&["frac", "dfrac", "tfrac"], Quotient),
    (&["dot"], Primes("'")),
    (&["ddot"], Primes("''")),
    (&["dddot"], Primes("'''")),
    (&["sqrt"], Function("sqrt")),
    (&["sin"], Function("sin")),
    (&["cos"], Function("cos")),
    (&["tan"], Function("tan")),
    (&["exp"], Function("exp")),
    (&["ln", "log"], Function("log")),
    (&["sinh"], Function("sinh")),
    (&["cosh"], Function("cosh")),
    (&["tanh"], Function("tanh")),
    (&["arcsin"], Function("asin")),
    (&["arccos"], Function("acos")),
    (&["arctan"], Function("atan")),
    (&["mathrm", "mathbf", "mathit", "boldsymbol", "text", "vec", "operatorname"], Group),
    (&["cdot", "times", "ast"], Is("*")),
    (&["wedge"], Is("/\\")),
    (&["le", "leq", "leqslant"], Is("<=")),
    (&["ge", "geq", "geqslant"], Is(">=")),
    (&["ne", "neq"], Is("!=")),
    (&["left", "right", "bigl", "bigr", "big", "Big", "Bigl", "Bigr", "quad", "qquad"], Is("")),
    (&["varphi"], Is("phi")),
    (&["vartheta"], Is("theta")),
    (&["varepsilon"], Is("epsilon")),
];

/// Greek letters are written with their names.
const LETTERS: &[&str] = &[
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Phi", "Psi", "Omega", "ell",
];

/// How deep groups and accents may be nested; no formula that one reads has as many.
const DEEPEST: usize = 16;

/// What a text that begins with `\`, `^{` or `_{` says there, and how many bytes of it say it.
pub fn read(text: &str) -> Option<(usize, String)> {
    read_inside(text, 0)
}

fn read_inside(text: &str, depth: usize) -> Option<(usize, String)> {
    if depth > DEEPEST {
        return None;
    }
    let rest = match text.as_bytes() {
        [b'^', b'{', ..] => {
            let (length, inside) = group(&text[1..], depth)?;
            let atom = inside.chars().all(|c| c.is_alphanumeric());
            return Some((length + 1, if atom { format!("^{inside}") } else { format!("^({inside})") }));
        }
        [b'_', b'{', ..] => {
            let (length, inside) = group(&text[1..], depth)?;
            let plain = inside.chars().all(|c| c.is_alphanumeric());
            return plain.then(|| (length + 1, format!("_{inside}")));
        }
        // Thin and wide blanks.
        [b'\\', b',' | b';' | b'!' | b' ' | b':', ..] => return Some((2, " ".to_string())),
        [b'\\', ..] => &text[1..],
        _ => return None,
    };
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (word, behind) = rest.split_at(end);
    if LETTERS.contains(&word) {
        return Some((1 + end, word.to_string()));
    }
    let (_, meaning) = WORDS.iter().find(|(words, _)| words.contains(&word))?;
    let from = 1 + end;
    Some(match meaning {
        Is(sign) => (from, sign.to_string()),
        Function(name) => match group(behind, depth) {
            Some((length, inside)) => (from + length, format!("{name}({inside})")),
            None => (from, name.to_string()),
        },
        Primes(primes) => {
            let (length, inside) = group(behind, depth).or_else(|| letter(behind, depth))?;
            (from + length, format!("{inside}{primes}"))
        }
        Group => {
            let (length, inside) = group(behind, depth)?;
            (from + length, inside)
        }
        Quotient => {
            let (above, numerator) = group(behind, depth)?;
            let (below, denominator) = group(&behind[above..], depth)?;
            let atom = |s: &str| if s.chars().all(char::is_alphanumeric) { s.to_string() } else { format!("({s})") };
            (from + above + below, format!("({}/{})", atom(&numerator), atom(&denominator)))
        }
    })
}

/// `{…}`, with what stands in it translated.
fn group(text: &str, depth: usize) -> Option<(usize, String)> {
    let start = text.len() - text.trim_start().len();
    let inside = text[start..].strip_prefix('{')?;
    let mut open = 1;
    let end = inside.find(|c| {
        open += i32::from(c == '{') - i32::from(c == '}');
        open == 0 || c == '\n'
    })?;
    inside[end..].starts_with('}').then(|| (start + end + 2, translated(&inside[..end], depth + 1)))
}

/// The letter or word behind an accent without braces, `\dot x` or `\dot\theta`.
fn letter(text: &str, depth: usize) -> Option<(usize, String)> {
    let start = text.len() - text.trim_start().len();
    let rest = &text[start..];
    match rest.chars().next()? {
        '\\' => read_inside(rest, depth + 1).map(|(length, said)| (start + length, said)),
        c if c.is_alphabetic() => Some((start + c.len_utf8(), c.to_string())),
        _ => None,
    }
}

fn translated(text: &str, depth: usize) -> String {
    let (mut out, mut at) = (String::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        match read_inside(&text[at..], depth) {
            Some((length, said)) => {
                out.push_str(&said);
                at += length;
            }
            None => {
                out.push(c);
                at += c.len_utf8();
            }
        }
    }
    out.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn formulas_of_papers() {
        fn said(text: &str) -> Option<(String, &str)> {
            read(text).map(|(length, said)| (said, &text[length..]))
        }
        assert_eq!(said(r"\frac{1}{2} m"), Some(("(1/2)".to_string(), " m")));
        assert_eq!(said(r"\dot{\theta}^2"), Some(("theta'".to_string(), "^2")));
        assert_eq!(said(r"\ddot x + y"), Some(("x''".to_string(), " + y")));
        assert_eq!(said(r"\frac{\dot{q}^{2}}{2 m}"), Some(("((q'^2)/(2 m))".to_string(), "")));
        assert_eq!(said(r"\sqrt{x + \frac{a}{b}}"), Some(("sqrt(x + (a/b))".to_string(), "")));
        assert_eq!(said("^{2}"), Some(("^2".to_string(), "")));
        assert_eq!(said("_{1}'"), Some(("_1".to_string(), "'")));
        assert_eq!(said(r"\left(a"), Some((String::new(), "(a")));
        assert_eq!((said(r"\foo"), said("_{"), said(r"\frac{1"), said("")), (None, None, None, None));
    }
}
