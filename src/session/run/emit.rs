//! The vector field of a system as text of another language, so that it can leave Lepage. Parameters are arguments of
//! the function, in the order that its first lines state.

use super::{Subject, SubjectKind, parameters_of};
use crate::algebra::print::Style;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::codegen::emit::{Language, emit as write};
use crate::codegen::lower::Signature;
use crate::diagnostic::{Diagnostic, codes};
use crate::model::item::Base;
use crate::model::set::branch_text;
use crate::model::show::expr_text;
use crate::model::value::Fallible;
use crate::motion::law::{Body, Derivatives, Law};
use crate::questions::constrained_motion::{ConstrainedMotion, constrained_motion};
use crate::session::interpreter::Interpreter;
use crate::session::term::Term;

/// The languages by name.
const LANGUAGES: &[(&str, Language)] = &[
    ("c", Language::C),
    ("rust", Language::Rust),
    ("python", Language::Python),
    ("julia", Language::Julia),
    ("latex", Language::Latex),
    ("clif", Language::Clif),
];

/// The vector field of the system that an expression names, in `c`, `rust`, `python`, `julia`, `latex` or `clif`.
pub fn emit(cx: &Inquiry, state: &Interpreter, system: &Term, language: &str) -> Fallible<String> {
    let Some((_, language)) = LANGUAGES.iter().find(|(name, _)| *name == language) else {
        let names: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        return Err(Box::new(
            Diagnostic::error(&codes::BAD_OPTION, format!("a vector field is not written as `{language}`"))
                .note(format!("the languages are {}", names.join(", "))),
        ));
    };
    if *language == Language::Clif && !cfg!(feature = "jit") {
        return Err(Box::new(Diagnostic::missing_feature(
            "this build makes no machine code, so there is no IR",
            "jit",
        )));
    }
    let subject = Subject::read(cx, state, system)?;
    let law = law_of(cx, &subject)?;
    let bodies: Vec<Body> = state.bodies.values().cloned().collect();
    let law = law.with_bodies(cx, &bodies);
    if *language == Language::Latex {
        return Ok(latex(cx, &law));
    }
    let signature = Signature {
        time: Some(law.time()),
        states: law.states.clone(),
        parameters: parameters_of(&law.expressions()),
        tables: state.tables.clone(),
    };
    let mut kernel = law.field(&signature).map_err(|o| {
        Box::new(
            Diagnostic::error(&codes::MISSING_PARAMETER, format!("the field cannot be computed: {o}"))
                .label(subject.span, "this system"),
        )
    })?;
    kernel.name = format!("{}_field", subject.name);
    write(&kernel, *language).map_err(|why| {
        Box::new(Diagnostic::error(&codes::NOT_AVAILABLE, "this field cannot be written").label(subject.span, why))
    })
}

/// The equations of motion as a paper has them, one in a line.
fn latex(cx: &Inquiry, law: &Law) -> String {
    let text = |e: Expr| expr_text(cx, e, Style::LATEX);
    let lines: Vec<String> = match &law.derivatives {
        Derivatives::Implicit { a, b, highest, .. } => {
            let row = |(a, row): (&Expr, &Vec<Expr>)| {
                row.iter().zip(highest).fold(*a, |sum, (entry, q)| sum + *entry * Expr::symbol(*q))
            };
            a.iter().zip(b).map(|pair| format!("{} &= 0", text(row(pair)))).collect()
        }
        Derivatives::Explicit(right) => {
            let left = |state: &Symbol| match state.as_jet() {
                Some((coordinate, order)) => Style::LATEX.symbol(coordinate.jet(order + 1)),
                None => format!("\\frac{{d {}}}{{dt}}", Style::LATEX.symbol(*state)),
            };
            law.states.iter().zip(right).map(|(state, e)| format!("{} &= {}", left(state), text(*e))).collect()
        }
    };
    format!("\\begin{{aligned}}\n{}\n\\end{{aligned}}\n", lines.join(" \\\\\n"))
}

/// The law of a regular system, or on the one branch of a singular one on which the motion is determined.
fn law_of(cx: &Inquiry, subject: &Subject) -> Fallible<Law> {
    let system = match &subject.kind {
        SubjectKind::Explicit(law) => return Ok(law.clone()),
        SubjectKind::Canonical(system, gauge) => return Law::canonical(cx, &*system.dynamical_form(cx)?, *gauge),
        SubjectKind::System(system) => system,
    };
    if !system.constraints.is_empty() || matches!(system.base, Base::Generated(_)) {
        return match constrained_motion(cx, system)? {
            ConstrainedMotion::Law(found) => Ok(Law::constrained(&system.manifold, &found.equations)),
            ConstrainedMotion::Branches(_) => Err(Box::new(
                Diagnostic::error(
                    &codes::NOT_DETERMINED,
                    "a motion that lives on a final set is not written as a field",
                )
                .label(subject.span, "a constraint without a reaction")
                .help("`integrability(S).final.accelerations` are its equations"),
            )),
        };
    }
    let form = system.dynamical_form(cx)?;
    if !super::is_singular_everywhere(cx, &form)? {
        return Ok(Law::of_equations(cx, &form));
    }
    let found = system.dynamics(cx)?;
    if found.proper.branches.is_empty() && found.proper.empty.is_yes() {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_MOTION, "this system has no motion")
                .label(subject.span, "its equations contradict each other")
                .help("`explain dynamics(S)` shows every step"),
        ));
    }
    let determined: Vec<_> = found.proper.branches.iter().filter(|b| b.determined.is_yes()).collect();
    let law = match determined.as_slice() {
        [only] => Law::on_branch(&form, only),
        _ => None,
    };
    law.ok_or_else(|| {
        let mut refused =
            Diagnostic::error(&codes::NOT_DETERMINED, "this system has no vector field that is determined everywhere")
                .label(subject.span, "a singular system");
        for branch in &found.proper.branches {
            let free: Vec<Symbol> = branch.accelerations.iter().filter(|(_, e)| e.is_none()).map(|(s, _)| *s).collect();
            let names: Vec<String> = free.iter().map(Symbol::to_string).collect();
            let what = if names.is_empty() { "determined".to_string() } else { format!("free: {}", names.join(", ")) };
            refused = refused.note(format!("on {}: {what}", branch_text(cx, &branch.branch)));
        }
        Box::new(refused)
    })
}
