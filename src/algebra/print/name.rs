//! Names in three alphabets: as typed, with Greek letters, and in LaTeX.

/// Spelled letter, Unicode letter. In LaTeX it is the spelling behind a backslash.
static GREEK: [(&str, char); 37] = [
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("epsilon", 'ε'),
    ("zeta", 'ζ'),
    ("eta", 'η'),
    ("theta", 'θ'),
    ("iota", 'ι'),
    ("kappa", 'κ'),
    ("lambda", 'λ'),
    ("mu", 'μ'),
    ("nu", 'ν'),
    ("xi", 'ξ'),
    ("pi", 'π'),
    ("rho", 'ρ'),
    ("sigma", 'σ'),
    ("tau", 'τ'),
    ("upsilon", 'υ'),
    ("phi", 'φ'),
    ("varphi", 'ϕ'),
    ("chi", 'χ'),
    ("psi", 'ψ'),
    ("omega", 'ω'),
    ("Gamma", 'Γ'),
    ("Delta", 'Δ'),
    ("Theta", 'Θ'),
    ("Lambda", 'Λ'),
    ("Xi", 'Ξ'),
    ("Pi", 'Π'),
    ("Sigma", 'Σ'),
    ("Upsilon", 'Υ'),
    ("Phi", 'Φ'),
    ("Psi", 'Ψ'),
    ("Omega", 'Ω'),
    ("ell", 'ℓ'),
    ("hbar", 'ħ'),
];

fn greek(word: &str) -> Option<char> {
    GREEK.iter().find(|(name, _)| *name == word).map(|(_, c)| *c)
}

/// `theta` becomes θ, `theta1` θ1, `p_theta` p_θ, `q[2]` stays.
pub fn unicode(name: &str) -> String {
    let mut out = String::new();
    for piece in pieces(name) {
        match piece {
            Piece::Word(w) => match greek(w) {
                Some(c) => out.push(c),
                None => out.push_str(w),
            },
            Piece::Other(o) => out.push_str(o),
        }
    }
    out
}

/// `θ1` becomes `theta1`: the spelling of a name with Greek letters; `None` if it has none.
pub fn spelled(name: &str) -> Option<String> {
    if name.is_ascii() {
        return None;
    }
    let mut out = String::new();
    for c in name.chars() {
        match GREEK.iter().find(|(_, letter)| *letter == c) {
            Some((word, _)) => out.push_str(word),
            None => out.push(c),
        }
    }
    (out != name).then_some(out)
}

/// The letter and the subscript of a name: `theta1` is `\theta` and `1`, `p_theta` is `p` and `\theta`,
/// `q[2, 3]` is `q` and `2, 3`, `mass` is `\mathrm{mass}`.
pub fn latex_parts(name: &str) -> (String, String) {
    let mut letter = String::new();
    let mut below: Vec<String> = Vec::new();
    for (i, piece) in pieces(name).into_iter().enumerate() {
        let written = match piece {
            Piece::Word(w) => latex_word(w),
            Piece::Other(o) => {
                let o: String = o.chars().filter(|c| !matches!(c, '_' | '[' | ']')).collect();
                let o = o.trim().to_string();
                if o.is_empty() {
                    continue;
                }
                o
            }
        };
        if i == 0 { letter = written } else { below.push(written) }
    }
    if letter.is_empty() {
        letter = below.drain(..1.min(below.len())).collect();
    }
    (letter, below.join(" "))
}

/// A name without derivatives.
pub fn latex(name: &str) -> String {
    let (letter, below) = latex_parts(name);
    if below.is_empty() { letter } else { format!("{letter}_{{{below}}}") }
}

fn latex_word(word: &str) -> String {
    if let Some((name, _)) = GREEK.iter().find(|(name, c)| *name == word || word.chars().eq([*c])) {
        return format!(r"\{name}");
    }
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(_), None) => word.into(),
        _ => format!(r"\mathrm{{{word}}}"),
    }
}

enum Piece<'a> {
    /// A run of letters.
    Word(&'a str),
    /// Digits, underscores, indices.
    Other(&'a str),
}

fn pieces(name: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let letters = c.is_alphabetic();
        let mut end = rest.find(|c: char| c.is_alphabetic() != letters).unwrap_or(rest.len());
        // An underscore ends what came before it: `p1_x` is p, 1, x.
        if !letters && let Some((at, _)) = rest[..end].char_indices().skip(1).find(|(_, c)| *c == '_') {
            end = at;
        }
        out.push(if letters { Piece::Word(&rest[..end]) } else { Piece::Other(&rest[..end]) });
        rest = &rest[end..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_three_alphabets() {
        for (name, greek, tex) in [
            ("theta", "θ", r"\theta"),
            ("theta1", "θ1", r"\theta_{1}"),
            ("p_theta", "p_θ", r"p_{\theta}"),
            ("p1_x", "p1_x", r"p_{1 x}"),
            ("q[2]", "q[2]", r"q_{2}"),
            ("lambda_1", "λ_1", r"\lambda_{1}"),
            ("mass", "mass", r"\mathrm{mass}"),
            ("omega_max", "ω_max", r"\omega_{\mathrm{max}}"),
            ("I1", "I1", "I_{1}"),
            ("θ", "θ", r"\theta"),
        ] {
            assert_eq!((unicode(name).as_str(), latex(name).as_str()), (greek, tex));
            assert_eq!(spelled(greek).unwrap_or(name.into()), if name == "θ" { "theta" } else { name });
        }
    }
}
