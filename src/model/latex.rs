//! Answers as LaTeX, to be pasted into a display of a paper. An expression is a formula; what has
//! several entries is an `aligned` block with one line each; words are `\text{…}`.
//!
//! ```text
//! equations(L)      \begin{aligned} -m \ddot{x} - k x &= 0 \end{aligned}
//! vector_field(L)   \begin{aligned} \ddot{x} &= -\frac{k x}{m} \end{aligned}
//! ```

use super::set::Branch;
use super::show::{expr_text, field_text, force_text, form_text, key_shown, main_of, matrix_text, text};
use super::value::{Answer, Family, KeyPart, Value, Written};
use crate::algebra::print::Style;
use crate::algebra::{Inquiry, SymbolKind, Verdict};

const STYLE: Style = Style::LATEX;

/// The value as a formula of mathematical mode.
pub fn latex(cx: &Inquiry, value: &Value) -> String {
    match value {
        Value::Expr(e) => expr_text(cx, *e, STYLE),
        Value::Form(f) => form_text(cx, f, STYLE),
        Value::Field(x) => field_text(cx, x, STYLE),
        Value::OnSpace(declared) => latex(cx, &declared.value),
        Value::OnBranch(along) => latex(cx, &along.value),
        Value::Matrix(m) => matrix_text(cx, m, STYLE),
        Value::List(items) => list(cx, items),
        Value::Family(family) if family.entries.is_empty() => words("none"),
        Value::Family(family) => aligned(&family_rows(cx, family)),
        Value::Point(p) => {
            let entries: Vec<String> = p
                .entries
                .iter()
                .map(|e| {
                    let name = match e.symbols.first() {
                        Some(symbol) => STYLE.symbol(*symbol),
                        None => words(&e.text),
                    };
                    let number = e.double().map(crate::motion::double::latex_number);
                    format!("{name} = {}", number.unwrap_or_else(|| expr_text(cx, e.value, STYLE)))
                })
                .collect();
            format!(r"\left\{{ {} \right\}}", entries.join(r",\; "))
        }
        Value::Set(s) if s.branches().is_empty() => r"\varnothing".into(),
        Value::Set(s) => s.branches().iter().map(|x| branch(cx, x)).collect::<Vec<_>>().join(r" \cup "),
        Value::Distribution(d) => span(d.fields(cx).iter().map(|x| field_text(cx, x, STYLE)).collect()),
        Value::Codistribution(c) => span(c.forms(cx).iter().map(|f| form_text(cx, f, STYLE)).collect()),
        Value::Answer(answer) => answer_latex(cx, answer),
        Value::System(s) => match (s.lagrangian(), s.components(cx)) {
            // A Lagrangian alone is shown as it is, as in text.
            (Some(l), _) => expr_text(cx, l.function(), STYLE),
            (None, Some(family)) => aligned(&family_rows(cx, &family)),
            (None, None) => words(&text(cx, value)),
        },
        Value::Force(f) => force_text(cx, f, STYLE),
        Value::Map(m) => lines(&m.describe(cx, STYLE)),
        Value::Section(s) => lines(&s.describe(cx, STYLE)),
        Value::Claim(c) => {
            let sign = match c.relation.text() {
                "!=" => r"\neq",
                "<=" => r"\leq",
                ">=" => r"\geq",
                other => other,
            };
            format!("{} {sign} {}", latex(cx, &c.left), latex(cx, &c.right))
        }
        Value::Float(x) => crate::motion::double::latex_number(*x),
        Value::Run(run) => run.latex(),
        Value::Series(series) => series.latex(),
        Value::Sweep(table) => table.latex(),
        Value::Steps(steps) => steps.latex(cx),
        Value::Rank(r) if r.values.len() > 1 && !r.complete.is_unknown() => {
            let stratum = |(x, n): &(Branch, usize)| format!(r"{n} \text{{ where }} {}", branch(cx, x));
            r.strata.iter().map(stratum).collect::<Vec<_>>().join(r",\; ")
        }
        Value::Picture(_) => "% drawn for a terminal; with `to \"picture.svg\"` it is a file".into(),
        // A rank, a verdict, a label, a text: said in words.
        other => text(cx, other).lines().map(words).collect::<Vec<_>>().join(r" \\ "),
    }
}

/// Words in a formula, with the signs that TeX keeps for itself protected; signs of mathematics stand between the words.
pub(super) fn words(text: &str) -> String {
    let mut out = String::from(r"\text{");
    for c in text.chars() {
        if let Some(sign) = sign_of_mathematics(c) {
            out.push_str(&format!(r"}}{sign}\text{{"));
            continue;
        }
        match c {
            '{' | '}' | '_' | '#' | '%' | '&' | '$' => out.extend(['\\', c]),
            '\\' => out.push_str(r"\textbackslash{}"),
            '^' => out.push_str(r"\textasciicircum{}"),
            '~' => out.push_str(r"\textasciitilde{}"),
            c => out.push(c),
        }
    }
    (out + "}").replace(r"\text{}", "")
}

/// A sign that stands in words of ours and that TeX knows in formulas only.
fn sign_of_mathematics(c: char) -> Option<String> {
    let digit = |zero: char, mark: &str| {
        let n = u32::from(c).checked_sub(u32::from(zero)).filter(|n| *n < 10)?;
        Some(format!("{{}}{mark}{{{n}}}"))
    };
    let word = match c {
        '∂' => r"\partial ",
        '′' => "'",
        '″' => "''",
        '∧' => r"\wedge ",
        '∇' => r"\nabla ",
        '≠' => r"\neq ",
        '≤' => r"\leq ",
        '≥' => r"\geq ",
        '→' => r"\to ",
        '∞' => r"\infty ",
        '×' => r"\times ",
        '·' => r"\cdot ",
        '−' => "-",
        '¹' => "{}^{1}",
        '²' => "{}^{2}",
        '³' => "{}^{3}",
        'ʳ' => "{}^{r}",
        'ᵢ' => "{}_{i}",
        _ if !c.is_ascii() && c.is_alphabetic() => {
            let spelled = crate::algebra::print::name::spelled(&c.to_string())?;
            return Some(format!(r"\{spelled} "));
        }
        '⁴'..='⁹' => return digit('⁰', "^"),
        _ => return digit('₀', "_"),
    };
    Some(word.to_string())
}

/// One line for each row: what it is, and its value.
fn aligned(rows: &[(String, String)]) -> String {
    let body: Vec<String> = rows.iter().map(line).collect();
    format!(r"\begin{{aligned}} {} \end{{aligned}}", body.join(r" \\ "))
}

fn line((key, value): &(String, String)) -> String {
    match key.is_empty() {
        true => format!("& {value}"),
        false => format!(r"{key} &\colon\; {value}"),
    }
}

/// Lines that are formulas already.
pub(super) fn lines(text: &str) -> String {
    let rows: Vec<(String, String)> = text.lines().map(|line| (String::new(), line.to_string())).collect();
    if let [(_, only)] = rows.as_slice() { only.clone() } else { aligned(&rows) }
}

fn list(cx: &Inquiry, items: &[Value]) -> String {
    let entries: Vec<String> = items.iter().map(|x| latex(cx, x)).collect();
    if entries.iter().any(|e| e.contains(r"\begin{aligned}")) || entries.iter().map(String::len).sum::<usize>() > 400 {
        let rows: Vec<(String, String)> = entries.into_iter().map(|e| (String::new(), e)).collect();
        return aligned(&rows);
    }
    format!(r"\left[ {} \right]", entries.join(r",\; "))
}

fn family_rows(cx: &Inquiry, family: &Family) -> Vec<(String, String)> {
    family.entries.iter().map(|(key, value)| (key_shown(key, STYLE), latex(cx, value))).collect()
}

pub(super) fn branch(cx: &Inquiry, branch: &Branch) -> String {
    if branch.is_everything() {
        return words("everywhere");
    }
    let equations = branch.equations.iter().map(|e| format!("{} = 0", expr_text(cx, *e, STYLE)));
    let nonzero = branch.nonzero.iter().map(|e| format!(r"{} \neq 0", expr_text(cx, *e, STYLE)));
    format!(r"\left\{{ {} \right\}}", equations.chain(nonzero).collect::<Vec<_>>().join(r",\; "))
}

fn span(generators: Vec<String>) -> String {
    format!(r"\operatorname{{span}}\left( {} \right)", generators.join(r",\; "))
}

/// Equations as a paper has them, a line for each; nothing for answers that are none.
pub fn equations(cx: &Inquiry, answer: &Answer) -> Option<String> {
    let vanishes = |value: &Value| format!("{} &= 0", latex(cx, value));
    let mut rows: Vec<String> = vec![];
    for (key, value) in &answer.family()?.entries {
        let name = key_shown(key, STYLE);
        rows.push(match answer.written {
            Written::Beside => return None,
            Written::Vanishes => vanishes(value),
            // Of an entry that has two names the one of the left side is written.
            Written::Momenta if !is_momentum(key) => continue,
            Written::Equals | Written::Momenta => format!("{name} &= {}", latex(cx, value)),
            Written::Rate => match key.as_slice() {
                [KeyPart::Symbol(s)] if let Some((coordinate, order @ 1..)) = s.as_jet() => {
                    format!("{} &= {}", STYLE.symbol(coordinate.jet(order + 1)), latex(cx, value))
                }
                _ => format!(r"\dot{{{name}}} &= {}", latex(cx, value)),
            },
        });
    }
    if let Some(Ok(Value::List(constraints))) = answer.get(cx, "constraints") {
        rows.extend(constraints.iter().map(vanishes));
    }
    if let Some(Ok(hamiltonian)) = answer.get(cx, "H").filter(|_| answer.written == Written::Rate) {
        rows.push(format!("H &= {}", latex(cx, &hamiltonian)));
    }
    let conditions: Vec<String> = answer.conditions.iter().map(|c| latex(cx, &super::show::condition(c))).collect();
    if let Some(last) = rows.last_mut().filter(|_| !conditions.is_empty()) {
        *last += &format!(r" \qquad \text{{where }} {}", conditions.join(r",\; "));
    }
    Some(format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n")))
}

fn is_momentum(key: &[KeyPart]) -> bool {
    matches!(key, [KeyPart::Symbol(s)] if matches!(s.kind(), SymbolKind::Momentum { .. }))
}

fn answer_latex(cx: &Inquiry, answer: &Answer) -> String {
    if let Some(equations) = equations(cx, answer) {
        return equations;
    }
    let said = super::summary::sentence(cx, answer);
    let mut rows: Vec<(String, String)> = said.iter().map(|said| (String::new(), words(said))).collect();
    match (&answer.main, answer.family()) {
        (Some(Value::Family(family)), _) => rows.extend(family_rows(cx, family)),
        (main, family) => {
            rows.extend(main.as_ref().map(|main| (String::new(), main_of(cx, answer, |cx| latex(cx, main)))));
            rows.extend(family.map(|f| family_rows(cx, f)).unwrap_or_default());
        }
    }
    for name in answer.part_names() {
        let is_said = answer.main.is_some() && answer.is_main_part(name);
        if !answer.is_shown(name) || is_said || super::summary::is_repeated(cx, answer, name) {
            continue;
        }
        let title = words(&name.replace('_', " "));
        match answer.get(cx, name) {
            Some(Ok(value)) => rows.push((title, part_latex(cx, &value))),
            Some(Err(refused)) => rows.push((title, words(&format!("none ({})", refused.title)))),
            None => {}
        }
    }
    rows.extend(answer.conditions.iter().map(|c| (words("where"), latex(cx, &super::show::condition(c)))));
    match rows.as_slice() {
        [(key, only)] if key.is_empty() => only.clone(),
        _ => {
            let rows: Vec<String> = rows.iter().map(line).collect();
            format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n"))
        }
    }
}

/// The value of a part. Of what is proved a paper says that it is so; the ground of anything else belongs to it.
fn part_latex(cx: &Inquiry, value: &Value) -> String {
    match value {
        Value::Verdict(found) => match &found.verdict {
            Verdict::Yes(ground) if ground.is_proved() => words("yes"),
            Verdict::No(ground) if ground.is_proved() => words("no"),
            _ => latex(cx, value),
        },
        _ => latex(cx, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Mode, Session, SessionOptions};

    /// The LaTeX of the last question of a program.
    fn check(program: &str, expected: &str) {
        let mut session = Session::new(SessionOptions::default());
        let outcomes = session.feed("program", program, Mode::File);
        let answer = outcomes.iter().rev().find_map(|o| o.answer.as_ref()).expect("an answer");
        assert_eq!(answer.latex(), expected, "{program}");
    }

    #[test]
    fn answers_are_formulas() {
        check("1/2 + 1/3", r"\frac{5}{6}");
    }

    #[test]
    fn words_are_protected() {
        assert_eq!(words("a_b 100% {x}"), r"\text{a\_b 100\% \{x\}}");
        assert_eq!(words("rank Δ > 1"), r"\text{rank }\Delta \text{ > 1}");
        assert_eq!(words("∂A′/∂q₂"), r"\partial \text{A}'\text{/}\partial \text{q}{}_{2}");
        assert_eq!(
            aligned(&[("x".into(), "1".into()), (String::new(), "2".into())]),
            r"\begin{aligned} x &\colon\; 1 \\ & 2 \end{aligned}"
        );
    }

    #[test]
    fn equations_are_written_as_in_a_paper() {
        let oscillator =
            "manifold Y over t { x }\nparam m, k\nassume m > 0\nlagrangian L on J1(Y) = m*x'^2/2 - k*x^2/2\n";
        let lines = |rows: &[&str]| format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n"));
        check(&format!("{oscillator}equations(L)"), &lines(&[r"-m \ddot{x} - k x &= 0"]));
        check(&format!("{oscillator}vector_field(L)"), &lines(&[r"\ddot{x} &= -\frac{k x}{m}"]));
        check(&format!("{oscillator}momenta(L)"), &lines(&[r"p_{x} &= m \dot{x}"]));
        let hamilton =
            [r"\dot{x} &= \frac{p_{x}}{m}", r"\dot{p_{x}} &= -k x", r"H &= \frac{p_{x}^{2}}{2 m} + \frac{k x^{2}}{2}"];
        check(&format!("{oscillator}hamilton(L)"), &lines(&hamilton));
    }

    #[test]
    fn momenta_of_higher_order_have_powers_in_brackets() {
        let beam = "manifold Y over t { u }\nlagrangian L on J2(Y) = u''^2/2\nhamilton(L)";
        let rows = [
            r"\dot{u} &= \dot{u}",
            r"\ddot{u} &= p^{1}_{u}",
            r"\dot{p_{u}} &= 0",
            r"\dot{p^{1}_{u}} &= -p_{u}",
            r"H &= p_{u} \dot{u} + \frac{\left(p^{1}_{u}\right)^{2}}{2}",
        ];
        check(beam, &format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n")));
    }

    #[test]
    fn several_entries_are_lines() {
        let program =
            "manifold Y over t { x }\nparam m, k\nlagrangian L on J1(Y) = m*x'^2/2 - k*x^2/2\nequations(L)[x]";
        check(program, r"-m \ddot{x} - k x");
        check(
            "manifold Y over t { x, y }\nspan(dx, dy)",
            r"\operatorname{span}\left( \mathrm{d}x,\; \mathrm{d}y \right)",
        );
        check("manifold Y over t { x }\nlet p = { x = 1, x' = 2 }\np", r"\left\{ x = 1,\; \dot{x} = 2 \right\}");
        check("[1, 2/3]", r"\left[ 1,\; \frac{2}{3} \right]");
        // A sentence first, what is proved without its ground, and nothing twice.
        let at_rest = "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 - x^2/2\nlinearize(L, { x = 0 })";
        let rows = [
            r"& \text{a stable equilibrium}",
            r"& \begin{pmatrix} 0 & 1 \\ -1 & 0 \end{pmatrix}",
            r"\text{equilibrium} &\colon\; \text{yes}",
            r"\text{relative} &\colon\; \text{yes}",
            r"\text{bounded} &\colon\; \text{yes}",
            r"\text{asymptotic} &\colon\; \text{no}",
            r"\text{unstable} &\colon\; \text{no}",
            r"\text{energy} &\colon\; \text{yes}",
            r"\text{stable} &\colon\; \text{yes}",
        ];
        check(at_rest, &format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}", rows.join(" \\\\\n")));
    }
}
