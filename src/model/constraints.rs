//! Constraints as declared items, handed to the theory: what a block says, what several of them say together, and the
//! constrained system that a system with constraints is.

use super::evaluate_at::assignment;
use super::item::{Constraint, System};
use super::value::{Fallible, OnBranch, SolvedTower, Value};
use crate::algebra::expr::Condition;
use crate::algebra::{Expr, Inquiry, Symbol};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::form::Form;
use crate::geometry::jet::FiberedManifold;
use crate::mechanics::constrained_form::{ConstrainedForm, level_of};
use crate::mechanics::constraint_structure::{BranchChoice, ConstraintStructure, Declared, Equation};
use crate::mechanics::rank_condition::{self, RankCondition};
use crate::model::operate::as_expr;
use std::rc::Rc;

impl Constraint {
    /// What the block declares.
    pub fn declared(&self, cx: &Inquiry) -> Fallible<Declared> {
        let choice = |value: &Value| -> Fallible<BranchChoice> {
            match value.main() {
                Value::Point(point) => Ok(BranchChoice::Through(assignment(&point))),
                Value::Claim(claim) => {
                    let left = as_expr(cx, &claim.left)? - as_expr(cx, &claim.right)?;
                    Ok(BranchChoice::Where(Condition { relation: claim.relation, left }))
                }
                other => Err(Box::new(
                    Diagnostic::error(
                        &codes::WRONG_KIND,
                        format!("`branch:` takes a condition or a point, not {}", super::operate::describe(&other)),
                    )
                    .label(self.span, "in this constraint")
                    .help("write `branch: z' > 0`, or a point such as `branch: { x' = 3, z' = 5 }`"),
                )),
            }
        };
        Ok(Declared {
            manifold: self.space.manifold().clone(),
            equations: self
                .equations
                .iter()
                .map(|(function, span)| Equation { function: *function, span: *span })
                .collect(),
            dependent: self.dependent.clone(),
            branch: self.branch.iter().map(choice).collect::<Fallible<_>>()?,
        })
    }
}

/// Several blocks as one, `Q1 and Q2`; `None` of nothing.
pub fn together(blocks: &[Rc<Constraint>]) -> Option<Constraint> {
    let first = blocks.iter().max_by_key(|c| c.space.order())?;
    let all = |get: fn(&Constraint) -> &Option<Vec<Form>>| {
        let given: Vec<Form> = blocks.iter().filter_map(|c| get(c).clone()).flatten().collect();
        blocks.iter().any(|c| get(c).is_some()).then_some(given)
    };
    Some(Constraint {
        name: blocks.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(" and "),
        space: first.space.clone(),
        equations: blocks.iter().flat_map(|c| c.equations.iter().copied()).collect(),
        dependent: blocks.iter().flat_map(|c| c.dependent.iter().copied()).collect(),
        branch: blocks.iter().flat_map(|c| c.branch.iter().cloned()).collect(),
        reactions: all(|c| &c.reactions),
        forms: all(|c| &c.forms),
        span: first.span,
        examined: Default::default(),
    })
}

/// What several blocks say together, in this order.
pub fn jointly(cx: &Inquiry, manifold: &FiberedManifold, blocks: &[Rc<Constraint>]) -> Fallible<Declared> {
    let mut all = Declared { manifold: manifold.clone(), equations: vec![], dependent: vec![], branch: vec![] };
    for block in blocks {
        let one = block.declared(cx)?;
        all.equations.extend(one.equations);
        all.dependent.extend(one.dependent);
        all.branch.extend(one.branch);
    }
    Ok(all)
}

impl Constraint {
    /// The rank condition, examined once.
    pub fn rank_condition(&self, cx: &Inquiry) -> Fallible<Rc<RankCondition>> {
        let examine = |cx: &Inquiry| Ok(Rc::new(rank_condition::rank_condition(cx, &self.declared(cx)?)?));
        self.examined.get(cx, |found| found.is_ok(), examine)
    }
}

impl System {
    /// The rank condition of its constraints, examined once.
    pub fn rank_condition(&self, cx: &Inquiry) -> Fallible<Rc<RankCondition>> {
        if let [only] = self.constraints.as_slice() {
            return only.rank_condition(cx);
        }
        let examine = |cx: &Inquiry| Ok(Rc::new(rank_condition::rank_condition(cx, &self.declared_constraints(cx)?)?));
        self.derived.examined(cx, examine)
    }

    /// What its constraints say together.
    pub fn declared_constraints(&self, cx: &Inquiry) -> Fallible<Declared> {
        jointly(cx, &self.manifold, &self.constraints)
    }

    /// The structure of its constraints, tested, on the level of the system; derived once.
    pub fn constraint_structure(&self, cx: &Inquiry) -> Fallible<Rc<ConstraintStructure>> {
        let derive = |cx: &Inquiry| -> Fallible<Rc<ConstraintStructure>> {
            let (declared, condition) = self.tested_constraints(cx)?;
            let level = level_of(cx, &*self.dynamical_form(cx)?);
            Ok(Rc::new(structure_of(cx, &condition, &declared, level)?))
        };
        self.derived.structure(cx, derive)
    }

    /// Dependent jets as functions of the others, lowest first, as far as they are found.
    pub fn dependent_jets(&self, cx: &Inquiry) -> Fallible<Vec<(Symbol, Expr)>> {
        let (declared, condition) = self.tested_constraints(cx)?;
        let level = level_of(cx, &*self.dynamical_form(cx)?);
        let redundant = matches!(condition.kind, rank_condition::Kind::Overconstrained);
        let kept = declared.keeping(|i| !redundant || condition.independent.contains(&i));
        ConstraintStructure::dependent_values(cx, &kept, level)
    }

    /// The structure without a chart, for a motion that needs none; where the rank is lost on one component of Q only, on the others.
    /// None where the user chose a chart or a branch.
    pub fn uncharted_structure(&self, cx: &Inquiry) -> Fallible<Option<ConstraintStructure>> {
        let (declared, condition) = self.given_constraints(cx)?;
        let chosen = !declared.dependent.is_empty() || !declared.branch.is_empty();
        if let Some(refusal) = condition.refusal(cx, &declared).filter(|_| chosen || !condition.holds_elsewhere) {
            return Err(Box::new(refusal));
        }
        if chosen {
            return Ok(None);
        }
        let level = level_of(cx, &*self.dynamical_form(cx)?);
        let redundant = matches!(condition.kind, rank_condition::Kind::Overconstrained);
        let independent = redundant.then_some(&condition.independent[..]);
        Ok(Some(ConstraintStructure::uncharted(cx, &declared, independent, level)?))
    }

    /// The same for a motion that starts where some constraints, by number, span the differentials of all: their rank is
    /// followed along the motion, and nothing is said of other places.
    pub fn structure_near(&self, cx: &Inquiry, independent: Option<&[usize]>) -> Fallible<ConstraintStructure> {
        let level = level_of(cx, &*self.dynamical_form(cx)?);
        ConstraintStructure::uncharted(cx, &self.declared_constraints(cx)?, independent, level)
    }

    /// Its constraints with their rank condition; refused where they have reactions of their own.
    fn given_constraints(&self, cx: &Inquiry) -> Fallible<(Declared, Rc<RankCondition>)> {
        if let Some(own) = self.constraints.iter().find(|c| c.reactions.is_some() || c.forms.is_some()) {
            return Err(Box::new(
                Diagnostic::error(&codes::NOT_APPLICABLE, "this is a notion for constraints with Chetaev's reactions")
                    .label(own.span, "it has forms or reactions of its own")
                    .note("a constrained system on Q is a class of 2-forms modulo the ideal of Chetaev's forms (Krupková 11.1); no theorem makes one of other forces")
                    .help(match own.forms.is_some() {
                        true => "`balance(S)` treats such constraints (Lewis §5)",
                        false => "`reduction(S)` and `integrability(S)`, the constraint algorithm of pairs, treat such constraints (Barone et al. §4, §7)",
                    }),
            ));
        }
        Ok((self.declared_constraints(cx)?, self.rank_condition(cx)?))
    }

    /// The same, where the condition holds.
    fn tested_constraints(&self, cx: &Inquiry) -> Fallible<(Declared, Rc<RankCondition>)> {
        let (declared, condition) = self.given_constraints(cx)?;
        match condition.refusal(cx, &declared) {
            Some(refusal) => Err(Box::new(refusal)),
            None => Ok((declared, condition)),
        }
    }

    /// The constrained system: both parts on the level of the system, reduced; derived once.
    pub fn constrained_form(&self, cx: &Inquiry) -> Fallible<Rc<ConstrainedForm>> {
        let derive = |cx: &Inquiry| -> Fallible<Rc<ConstrainedForm>> {
            let structure = self.constraint_structure(cx)?;
            Ok(Rc::new(ConstrainedForm::new(cx, self.dynamical_form(cx)?, structure)?))
        };
        self.derived.constrained(cx, derive)
    }
}

/// The structure on a level; of overconstrained equations by those that are independent.
pub fn structure_of(
    cx: &Inquiry,
    condition: &RankCondition,
    declared: &Declared,
    level: u32,
) -> Fallible<ConstraintStructure> {
    match condition.kind {
        rank_condition::Kind::Overconstrained => {
            ConstraintStructure::overconstrained(cx, declared, &condition.independent, level)
        }
        _ => ConstraintStructure::new(cx, declared, level),
    }
}

/// A value that lives on the constraint: compared there, and given at points of it.
pub fn on_constraint(q: &ConstraintStructure, order: u32, value: Value) -> Value {
    Value::OnBranch(Rc::new(OnBranch {
        value,
        coordinates: q.manifold().jets(q.level().max(order)).symbols(),
        branch: q.set(),
        tower: Some(SolvedTower { solved: q.solved_jets(), says_all: q.is_solved(), sample: q.sample().to_vec() }),
        anew: None,
    }))
}
