//! The spaces that are named after `on`: manifolds, JʳY and J¹(JʳY).

use super::Resolver;
use crate::algebra::Coordinate;
use crate::algebra::print::name::spelled;
use crate::diagnostic::{Diagnostic, Goes, codes, suggest};
use crate::geometry::jet::{FiberedManifold, JetSpace};
use crate::model::value::{Fallible, Value};
use crate::questions;
use crate::session::scope::Meaning;
use crate::source::Span;
use crate::syntax::ast::{Path, Space};

impl Resolver<'_> {
    /// A space JʳY after `on`.
    pub fn space(&self, space: &Space) -> Fallible<JetSpace> {
        let found = self.any_space(space)?;
        if !found.is_free() {
            return Ok(found);
        }
        let holonomic = found.manifold().jets(found.order() + 1);
        Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, format!("the space {found} has velocities that are no derivatives"))
                .label(space.span, format!("a system lives on {holonomic}, which lies in it as vel(q) = q'"))
                .repair(format!("declare it on {holonomic}"), space.span, holonomic.to_string()),
        ))
    }

    /// A space JʳY or J¹(JʳY) after `on`.
    pub fn any_space(&self, space: &Space) -> Fallible<JetSpace> {
        let mut found = self.manifold(&space.manifold)?.jets(0);
        for word in space.jets.iter().rev() {
            match jet_word(&word.node) {
                Some(n) => found = jets_of(&found, existing_order(n, word.span)?, space.span)?,
                None => {
                    let d = Diagnostic::error(&codes::WRONG_KIND, format!("`{}` is not a jet space", word.node))
                        .label(word.span, "J1, J2, … are");
                    let jets = format!("write `J1({})` for positions and velocities", found.manifold().name());
                    return Err(Box::new(d.repair(jets, word.span, "J1")));
                }
            }
        }
        Ok(found)
    }

    pub fn manifold(&self, path: &Path) -> Fallible<FiberedManifold> {
        let mut scope = self.scope;
        let (last, before) = path.words.split_last().expect("a path is not empty");
        for word in before {
            match scope.value(&word.node).map(|b| &b.meaning) {
                Some(Meaning::Library(library)) => scope = library,
                _ => return Err(Box::new(self.unknown(&word.node, word.span))),
            }
        }
        match scope.value(&last.node).map(|b| &b.meaning) {
            Some(Meaning::Value(Value::Manifold(m))) => Ok(m.clone()),
            Some(_) => Err(Box::new(
                Diagnostic::error(&codes::WRONG_MANIFOLD, format!("`{}` is not a manifold", last.node))
                    .label(last.span, "a manifold is needed here"),
            )),
            None => {
                let names: Vec<String> = scope.manifolds.iter().map(|m| m.name().to_string()).collect();
                let diagnostic =
                    Diagnostic::error(&codes::UNKNOWN_NAME, format!("the manifold `{}` is not declared", last.node))
                        .about(&last.node);
                // TY, the space of positions and velocities without time.
                let tangent = last.node.strip_prefix('T').filter(|of| names.iter().any(|name| name == of));
                if let Some(of) = tangent {
                    let help = format!("positions and velocities, with time, are `J1({of})`");
                    let d = diagnostic.label(last.span, "not known here");
                    return Err(Box::new(d.repair(help, last.span, format!("J1({of})"))));
                }
                let only = names.first().filter(|_| names.len() == 1).map(String::as_str);
                let near = suggest::nearest(&last.node, names.iter().map(String::as_str));
                Err(Box::new(match near.or(only) {
                    Some(near) => diagnostic.label(last.span, "not known here").repair(
                        format!("did you mean `{near}`?"),
                        last.span,
                        near,
                    ),
                    None => diagnostic.label(last.span, "not known here").repair_at(
                        Goes::LineBefore,
                        format!("declare it before: `manifold {} over t {{ x }}`", last.node),
                        last.span,
                        format!("manifold {} over t {{ x }}", last.node),
                    ),
                }))
            }
        }
    }
}

/// The coordinate of that name on a manifold, those below a tower included. A Greek letter also means its spelling.
pub fn coordinate_of(manifold: &FiberedManifold, name: &str) -> Option<Coordinate> {
    manifold.coordinate_named(name).or_else(|| manifold.coordinate_named(&spelled(name)?))
}

/// The digits of `J3`.
pub(super) fn jet_word(word: &str) -> Option<&str> {
    word.strip_prefix('J').filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The order that the digits of `J3` say, if there is such a jet space.
pub(super) fn existing_order(digits: &str, span: Span) -> Fallible<u32> {
    let order = digits.parse::<u32>().ok().filter(|n| *n <= questions::MAX_JET_ORDER);
    order.ok_or_else(|| questions::no_such_order(digits, span, format!("J{}", questions::MAX_JET_ORDER)))
}

/// Jⁿ of a manifold or a jet space: JʳY, and J¹(JʳY) with its own velocities.
pub fn jets_of(below: &JetSpace, order: u32, span: Span) -> Fallible<JetSpace> {
    match (below.order(), order) {
        (0, _) if !below.is_free() => Ok(below.manifold().jets(order)),
        (_, 0) => Ok(below.clone()),
        (_, 1) if !below.is_free() => Ok(below.free()),
        (r, n) => {
            let holonomic = below.manifold().jets(r + n + u32::from(below.is_free()));
            Err(Box::new(
                Diagnostic::error(
                    &codes::WRONG_KIND,
                    format!("there is no J{n}({below}): a jet space has first jets only"),
                )
                .label(span, "`J1(J2(Y))` has the velocities of the coordinates of `J2(Y)`")
                .repair(
                    format!("the derivatives of that order are on {holonomic}"),
                    span,
                    holonomic.to_string(),
                ),
            ))
        }
    }
}
