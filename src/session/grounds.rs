//! What an answer rests on without a proof. A declaration whose promise holds as far as sampling tells is accepted
//! and marked; everything that is built on it repeats the mark.

use crate::algebra::Ground;
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::source::Span;
use std::cell::RefCell;
use std::rc::Rc;

/// A name that was used, and the ground on which its promise holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampled {
    pub name: String,
    pub ground: Rc<str>,
    pub span: Span,
}

thread_local! {
    static USED: RefCell<Vec<Sampled>> = const { RefCell::new(vec![]) };
}

/// Notes that a marked name was used here.
pub fn rests_on(name: &str, ground: &Rc<str>, span: Span) {
    USED.with_borrow_mut(|used| {
        if used.iter().all(|s| s.name != name) {
            used.push(Sampled { name: name.into(), ground: ground.clone(), span });
        }
    });
}

/// Notes that an answer itself rests on a ground, if that is not a proof.
pub fn answer_rests_on(ground: &Ground, span: Span) {
    if !ground.is_proved() {
        rests_on("", &ground.to_string().into(), span);
    }
}

/// Runs a statement and hands back the marked names that it used; those around it see them too.
pub fn collect<T>(run: impl FnOnce() -> T) -> (T, Vec<Sampled>) {
    let before = USED.take();
    let result = run();
    let used = USED.replace(before);
    for s in &used {
        rests_on(&s.name, &s.ground, s.span);
    }
    (result, used)
}

impl Sampled {
    /// The mark, repeated.
    pub fn remark(&self) -> Diagnostic {
        if self.name.is_empty() {
            let title = format!("this holds as far as sampling tells ({})", self.ground);
            return Diagnostic::new(Severity::Note, &codes::SAMPLED, title).label(self.span, "not proved");
        }
        let title = format!("this rests on `{}`, which holds as far as sampling tells ({})", self.name, self.ground);
        Diagnostic::new(Severity::Note, &codes::SAMPLED, title).label(self.span, "not proved")
    }
}
