//! The vector field of a system as text of another language, so that it can leave Lepage. Parameters are arguments of
//! the function, in the order that its first lines state. Its Jacobian, the matrix behind it and the constraints are functions of
//! their own with the same arguments.

use super::sweep::made_by;
use super::{Subject, SubjectKind, parameters_of};
use crate::algebra::print::Style;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::codegen::emit::{Language, emit as write};
use crate::codegen::ir::{Bank, Kernel};
use crate::codegen::jacobian::jacobian;
use crate::codegen::lower::{Obstacle, Signature, expressions};
use crate::diagnostic::{Diagnostic, codes};
use crate::model::item::Base;
use crate::model::set::branch_text;
use crate::model::show::expr_text;
use crate::model::value::Fallible;
use crate::motion::law::{Body, Derivatives, Law, with_bodies};
use crate::questions::constrained_motion::{ConstrainedMotion, constrained_motion};
use crate::report::typst::typst;
use crate::session::interpreter::Interpreter;
use crate::session::term::Term;

/// What is written: a program from a kernel, or formulas.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Program(Language),
    Latex,
    Typst,
}

/// The languages by name.
const LANGUAGES: &[(&str, Target)] = &[
    ("c", Target::Program(Language::C)),
    ("rust", Target::Program(Language::Rust)),
    ("python", Target::Program(Language::Python)),
    ("numpy", Target::Program(Language::Numpy)),
    ("julia", Target::Program(Language::Julia)),
    ("latex", Target::Latex),
    ("typst", Target::Typst),
    ("clif", Target::Program(Language::Clif)),
];

/// What is written besides the field where it is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Jacobian,
    Matrix,
    Constraints,
}

const PARTS: &[(&str, Part)] =
    &[("jacobian", Part::Jacobian), ("matrix", Part::Matrix), ("constraints", Part::Constraints)];

/// A row of a table by its name.
fn named<T: Copy>(table: &[(&str, T)], name: &str, title: &str, all: &str) -> Fallible<T> {
    let row = table.iter().find(|(known, _)| *known == name);
    row.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        Box::new(Diagnostic::error(&codes::BAD_OPTION, title).note(format!("{all} are {}", names.join(", "))))
    })
}

/// The vector field of the system that an expression names, in `c`, `rust`, `python`, `numpy`, `julia`, `latex`, `typst` or `clif`, and with it its
/// `jacobian`, the `matrix` that is solved for the highest derivatives, the `constraints`.
pub fn emit(cx: &Inquiry, state: &Interpreter, system: &Term, language: &str, with: &[String]) -> Fallible<String> {
    let title = format!("a vector field is not written as `{language}`");
    let language = named(LANGUAGES, language, &title, "the languages")?;
    let part = |name: &String| named(PARTS, name, &format!("a vector field has no part `{name}`"), "its parts");
    let parts: Vec<Part> = with.iter().map(part).collect::<Fallible<_>>()?;
    if language == Target::Program(Language::Clif) && !cfg!(feature = "jit") {
        return Err(Box::new(Diagnostic::missing_feature(
            "this build makes no machine code, so there is no IR",
            "jit",
        )));
    }
    let subject = Subject::read(cx, state, system)?;
    if subject.variations > 0 {
        return Err(Box::new(
            Diagnostic::error(&codes::NOT_APPLICABLE, "variations are not written as code")
                .label(subject.span, "a variation")
                .help("write the system itself, with its Jacobian matrix"),
        ));
    }
    let (law, constraints) = law_of(cx, &subject)?;
    let bodies: Vec<Body> = state.bodies.values().cloned().collect();
    let law = law.with_bodies(cx, &bodies);
    let constraints: Vec<Expr> = constraints.into_iter().map(|e| with_bodies(cx, e, &bodies)).collect();
    let Target::Program(language) = language else {
        if with.is_empty() {
            return formulas(cx, &subject, &law, language, &model(state, &subject));
        }
        return Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, "formulas are the equations, and nothing besides")
                .label(subject.span, "this system")
                .help("leave out `--with`, or choose another language"),
        ));
    };
    let mut all = law.expressions();
    all.extend(constraints.iter().copied().filter(|_| parts.contains(&Part::Constraints)));
    let signature = Signature {
        time: Some(law.time()),
        states: law.states.clone(),
        parameters: parameters_of(&all),
        tables: state.tables.clone(),
    };
    let obstacle = |o: Obstacle| {
        Box::new(
            Diagnostic::error(&codes::MISSING_PARAMETER, format!("the field cannot be computed: {o}"))
                .label(subject.span, "this system"),
        )
    };
    let model = model(state, &subject);
    let write = |mut kernel: Kernel, what: &str, says: String| {
        kernel.name = format!("{}_{what}", subject.name);
        write(&kernel, &[model.clone(), says], language).map_err(|why| {
            Box::new(Diagnostic::error(&codes::NOT_AVAILABLE, "this field cannot be written").label(subject.span, why))
        })
    };
    let field = law.field(&signature).map_err(obstacle)?;
    let says = "out: the derivatives of the states in time; angles are in radians";
    let mut text = write(field.clone(), "field", says.to_string())?;
    for part in parts {
        let (what, says, kernel) = match part {
            Part::Jacobian => {
                let says = "out: the derivatives of the field by the states, row by row".to_string();
                ("jacobian", says, jacobian(&field, Bank::State).dense())
            }
            Part::Matrix => {
                let (says, list) = matrix(&law, &subject)?;
                ("matrix", says, expressions("matrix", &signature, &list).map_err(obstacle)?)
            }
            Part::Constraints => {
                let (says, list) = surface(&constraints, &subject)?;
                ("constraints", says, expressions("constraints", &signature, &list).map_err(obstacle)?)
            }
        };
        text.push('\n');
        text.push_str(&write(kernel, what, says)?);
    }
    Ok(text)
}

/// Which system of which program it is.
fn model(state: &Interpreter, subject: &Subject) -> String {
    let origin = made_by(state, &[]);
    let [program, input] = ["program", "input"].map(|key| origin.get(key).unwrap_or_default());
    format!("model: {} of {program}, {input}", subject.name)
}

/// B and A of B y + A = 0.
fn matrix(law: &Law, subject: &Subject) -> Fallible<(String, Vec<(String, Expr)>)> {
    let Derivatives::Implicit { a, b, highest, .. } = &law.derivatives else {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, "no matrix is solved for this motion")
                .label(subject.span, "its field is explicit"),
        ));
    };
    let entry = |i: usize, (q, e): (&Symbol, &Expr)| (format!("B[{}, {}]", i + 1, q.name()), *e);
    let entries = b.iter().enumerate().flat_map(|(i, row)| highest.iter().zip(row).map(move |pair| entry(i, pair)));
    let list = entries.chain(a.iter().enumerate().map(|(i, e)| (format!("A[{}]", i + 1), *e))).collect();
    let unknowns: Vec<String> = highest.iter().map(|q| q.name()).collect();
    let says = format!(
        "out: B row by row, then A, of the equations B y + A = 0 for y = ({}), with the signs of E = dL/dq - d/dt dL/dq'",
        unknowns.join(", ")
    );
    Ok((says, list))
}

/// What vanishes along a motion.
fn surface(constraints: &[Expr], subject: &Subject) -> Fallible<(String, Vec<(String, Expr)>)> {
    if constraints.is_empty() {
        return Err(Box::new(
            Diagnostic::error(&codes::NO_EFFECT, "this system has no constraints")
                .label(subject.span, "all states are allowed"),
        ));
    }
    let list = constraints.iter().enumerate().map(|(i, e)| (format!("g{}", i + 1), *e)).collect();
    let says = "out: what vanishes along a motion, constraints and their derivatives".to_string();
    Ok((says, list))
}

/// The equations of motion as a paper has them, one in a line.
fn formulas(cx: &Inquiry, subject: &Subject, law: &Law, target: Target, model: &str) -> Fallible<String> {
    let text = |e: Expr| expr_text(cx, e, Style::LATEX);
    let lines: Vec<String> = match &law.derivatives {
        Derivatives::Staged { of, .. } => return formulas(cx, subject, of, target, model),
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
    let says = match &law.derivatives {
        Derivatives::Explicit(_) => "the first-order equations of the motion; dots are derivatives in time",
        _ => "the equations of motion E = 0, with the signs of E = dL/dq - d/dt dL/dq'; dots are derivatives in time",
    };
    let head = |sign: &str| {
        let written = format!("{}, written by Lepage {}", subject.name, env!("CARGO_PKG_VERSION"));
        [&written, model, says].map(|line| format!("{sign} {line}\n")).concat()
    };
    if target == Target::Latex {
        return Ok(format!("{}\\begin{{aligned}}\n{}\n\\end{{aligned}}\n", head("%"), lines.join(" \\\\\n")));
    }
    let written: Option<Vec<String>> = lines.iter().map(|line| typst(line)).collect();
    match written {
        Some(lines) => Ok(format!("{}$\n{}\n$\n", head("//"), lines.join(" \\\n"))),
        None => Err(Box::new(
            Diagnostic::error(&codes::NOT_AVAILABLE, "a function in these equations has no name in Typst")
                .label(subject.span, "this system")
                .help("write them as `latex`"),
        )),
    }
}

/// The law of a regular system, or on the one branch of a singular one on which the motion is determined; and what
/// vanishes along it.
fn law_of(cx: &Inquiry, subject: &Subject) -> Fallible<(Law, Vec<Expr>)> {
    let system = match &subject.kind {
        SubjectKind::Explicit(law) | SubjectKind::Reduced(_, law) => return Ok((law.clone(), vec![])),
        SubjectKind::Canonical(system, gauge) => {
            return Ok((Law::canonical(cx, &*system.dynamical_form(cx)?, *gauge)?, vec![]));
        }
        SubjectKind::System(system) => system,
    };
    if !system.constraints.is_empty() || matches!(system.base, Base::Generated(_)) {
        return match constrained_motion(cx, system)? {
            ConstrainedMotion::Law(found) => {
                let surface = found.equations.surface.iter().map(|e| e.function).collect();
                Ok((Law::constrained(&system.manifold, &found.equations), surface))
            }
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
        return Ok((Law::of_equations(cx, &form), vec![]));
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
        [only] => Law::on_branch(&form, only).map(|law| (law, only.branch.equations.clone())),
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
