//! Runs of constrained systems. The state lies on the constraint: dependent velocities that `from` leaves out are filled in level
//! by level, and a state that does not fit is refused with the residual of every constraint and of every derivative of it.

use super::{Context, Determined, End, parameters_of};
use crate::algebra::Inquiry;
use crate::algebra::conditions::{self, Recorded};
use crate::algebra::derive::partial;
use crate::algebra::expr::{Condition, Relation};
use crate::algebra::substitute::substitute;
use crate::algebra::{Expr, Symbol, decide};
use crate::budget::share;
use crate::codegen::lower::Signature;
use crate::diagnostic::{Diagnostic, codes};
use crate::integrate::method::Family;
use crate::integrate::problem::{Direction, Event};
use crate::integrate::rank_watch;
use crate::mechanics::constrained_form::ConstrainedEquations;
use crate::mechanics::constraint_structure::{BranchChoice, Constraint};
use crate::mechanics::integrability::FinalBranch;
use crate::mechanics::jet;
use crate::mechanics::rank_condition::Kind;
use crate::model::item::System;
use crate::model::set::branch_text;
use crate::model::value::Fallible;
use crate::motion::cache::SurfaceLevel;
use crate::motion::discrete::Constraints;
use crate::motion::law::{self, Law};
use crate::motion::start::{self, Off, Side, Start, Surface};
use crate::questions::constrained::refused_motion;
use crate::questions::constrained_motion::{
    ConstrainedLaw, ConstrainedMotion, constrained_motion, final_branches, has_own_reactions, law_on, uncharted_law,
};
use crate::questions::said_where;
use crate::report::table::short;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Determinants of larger matrices than this are not watched along a run.
pub(super) const GRAM: usize = 3;

/// Dependent jets as functions of the others, lowest first, as far as they are found quickly.
pub(super) fn dependent_jets(cx: &Inquiry, system: &System) -> Vec<(Symbol, Expr)> {
    let chart = |cx: &Inquiry| cx.within(share::CHART, || system.dependent_jets(cx));
    conditions::collect_all(cx, chart).0.unwrap_or_default()
}

impl Context<'_> {
    /// The law of a constrained system, and a state on the constraint.
    pub(super) fn on_constraint(&self, cx: &Inquiry, system: &Rc<System>) -> Fallible<Determined> {
        if let Some((_, span)) = &self.clauses.branch {
            return Err(Box::new(
                Diagnostic::error(&codes::NO_EFFECT, "`branch` has no effect on a constrained system")
                    .label(*span, "no effect here")
                    .help("the root of a constraint is chosen where it is declared"),
            ));
        }
        let at = |d: Box<Diagnostic>| Box::new(d.or_at(self.span, "of this system"));
        // Coordinates in which the constraint was solved have their conditions; the saddle system needs no such chart.
        let find = |cx: &Inquiry| -> Fallible<(ConstrainedMotion, bool, Option<String>)> {
            match self.is_rank_decided(cx, system)? {
                false => {
                    let (law, rank) = self.law_near_start(cx, system)?;
                    Ok((ConstrainedMotion::Law(law), false, Some(rank)))
                }
                true => match uncharted_law(cx, system)? {
                    Some(law) => Ok((ConstrainedMotion::Law(law), false, None)),
                    None => Ok((constrained_motion(cx, system)?, true, None)),
                },
            }
        };
        let (found, recorded) = conditions::collect_all(cx, find);
        let (found, charted, rank) = match found {
            // What is singular everywhere may move on a smaller set.
            Err(d) if std::ptr::eq(d.code, &codes::DEGENERATE) && !has_own_reactions(system) => {
                let (branches, recorded) = conditions::collect_all(cx, |cx| final_branches(cx, system));
                return match branches {
                    Ok(branches) => {
                        conditions::record_all(cx, &recorded);
                        self.on_final_set(cx, system, &branches)
                    }
                    Err(_) => Err(at(self.without_motion(cx, refused_motion(cx, system, d), &recorded)?)),
                };
            }
            Err(d) => return Err(at(self.without_motion(cx, d, &recorded)?)),
            Ok(found) => found,
        };
        let found = match found {
            ConstrainedMotion::Law(found) => found,
            ConstrainedMotion::Branches(branches) => {
                conditions::record_all(cx, &recorded);
                return self.on_final_set(cx, system, &branches);
            }
        };
        let equations = &found.equations;
        if !equations.chart_free {
            conditions::record_all(cx, &recorded);
        }
        let law = Law::constrained(&system.manifold, equations).with_bodies(cx, &self.clauses.bodies);
        let given = Start::read(cx, &law, self.clauses.given(), self.numbers)?;
        let side = self.side(cx, system, &law)?;
        let (surface, functions) = self.constraint_surface(cx, &law, equations, &side)?;
        let solved = match charted || rank.is_some() || surface.holds(&given) {
            true => found.solved.clone(),
            false => dependent_jets(cx, system),
        };
        let (completed, mut filled, completion) = self.complete(cx, &solved, &law, &given)?;
        let start = match surface.settle(&completed, &law.states) {
            Ok((start, more)) => {
                filled.retain(|(s, _)| more.iter().all(|(other, _)| other != s));
                filled.extend(more);
                start
            }
            // What was filled in may have been what did not fit.
            Err(_) => match surface.settle(&given, &law.states) {
                Ok((start, found)) => {
                    filled = found;
                    start
                }
                Err(off) => {
                    // An end of the branch, as the apex of a cone: the equations hold there, and determine nothing.
                    if off.residuals.is_empty() && self.is_singular(cx, &law, &given)? {
                        return Err(self.singular_start(cx, system, rank.is_some()));
                    }
                    return Err(self.off_constraint(&found, &law, &given, &off));
                }
            },
        };
        if self.is_singular(cx, &law, &start)? {
            // Reactions that do not hold the motion on the constraint may do so on a smaller set; so may equations that are singular here.
            let branches = || match has_own_reactions(system) {
                true => final_branches(cx, system),
                false => cx.within(share::RANK, || final_branches(cx, system)),
            };
            if rank.is_none()
                && let Ok(branches) = branches()
            {
                let found = self.on_final_set(cx, system, &branches);
                let everywhere = || {
                    let motion = system.constrained_form(cx).and_then(|form| form.motion(cx).map(drop));
                    motion.is_err_and(|d| std::ptr::eq(d.code, &codes::DEGENERATE))
                };
                if has_own_reactions(system) || found.is_ok() || everywhere() {
                    return found;
                }
            }
            return Err(self.singular_start(cx, system, rank.is_some()));
        }
        let ends = self.ends(cx, system, rank.is_some())?;
        let surface = SurfaceLevel::by_order(&functions, &law.states);
        // Functions as they were given; their derivatives follow.
        let order = |e: &Expr| e.symbols().iter().filter_map(|s| s.as_jet()).map(|(_, order)| order).max().unwrap_or(0);
        let own = equations.surface.iter().zip(&functions).filter(|(e, _)| e.constraint.is_some() && e.derivative == 0);
        let own = self.independent(cx, &law, &start, own.map(|(_, f)| *f).collect(), &order)?;
        let (holonomic, nonholonomic) = own.into_iter().partition(|f| order(f) == 0);
        let constraints = Constraints { holonomic, nonholonomic };
        Ok(Determined {
            surface,
            side,
            filled,
            completion,
            ends,
            constraints,
            rank,
            ..Determined::everywhere(law, start)
        })
    }

    /// A refusal that says where it was derived; where that is not here, it says nothing about this run.
    fn without_motion(&self, cx: &Inquiry, d: Box<Diagnostic>, recorded: &Recorded) -> Fallible<Box<Diagnostic>> {
        if std::ptr::eq(d.code, &codes::NO_MOTION) {
            recorded.nonzero.iter().try_for_each(|e| self.holds_for_the_parameters(cx, *e))?;
        }
        Ok(said_where(d, recorded))
    }

    /// Whether the law determines nothing at a state.
    fn is_singular(&self, cx: &Inquiry, law: &Law, start: &Start) -> Fallible<bool> {
        let signature = self.signature(law);
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        start::is_singular_at(law, &signature, &values, start).map_err(|o| self.obstacle(&o, self.span))
    }

    /// Which root of the constraints is meant: what `branch:` says of states, and the states that it names. Where the root was not solved for,
    /// det F_D has one sign on it, that of the point named.
    pub(super) fn side(&self, cx: &Inquiry, system: &System, law: &Law) -> Fallible<Side> {
        let mut side = Side::default();
        let put = |e: Expr| law::with_bodies(cx, e, &self.clauses.bodies);
        let is_state = |s: &Symbol| s.is_parameter() || *s == law.time() || law.states.contains(s);
        let declared = system.declared_constraints(cx)?;
        if declared.branch.is_empty() {
            return Ok(side);
        }
        let structure = match has_own_reactions(system) {
            true => None,
            false => conditions::collect_all(cx, |cx| system.constraint_structure(cx)).0.ok(),
        };
        let coordinates: Vec<Symbol> = match &structure {
            Some(q) => q.dependent().iter().map(|sigma| q.coordinate(*sigma)).collect(),
            None => declared.dependent.clone(),
        };
        let is_dependent = |s: &Symbol| s.as_jet().is_some_and(|(q, _)| coordinates.contains(&q.jet(0)));
        side.dependent = law.states.iter().copied().filter(is_dependent).collect();
        for choice in declared.branch {
            match choice {
                BranchChoice::Where(condition) => {
                    side.conditions.push(Condition { left: put(condition.left), ..condition });
                }
                BranchChoice::Through(point) => {
                    let value = |s: &Symbol| point.get(s).and_then(|e| self.numbers.number(cx, put(*e)));
                    side.places.push(law.states.iter().map(value).collect());
                    let sign = structure.as_ref().and_then(|q| q.root_through(cx, &point));
                    side.conditions.extend(sign.map(|c| Condition { left: put(c.left), ..c }));
                }
            }
        }
        side.conditions.retain(|c| c.left.symbols().iter().all(is_state));
        Ok(side)
    }

    /// Whether the rank condition can be examined before the run: not where its minors outgrow what is spent on it, and not where
    /// constraints are dependent and it stayed open whether they determine the motion nevertheless.
    fn is_rank_decided(&self, cx: &Inquiry, system: &System) -> Fallible<bool> {
        let declared = system.declared_constraints(cx)?;
        let chosen = !declared.dependent.is_empty() || !declared.branch.is_empty();
        if has_own_reactions(system) || chosen {
            return Ok(true);
        }
        match cx.within(share::RANK, || system.rank_condition(cx)) {
            Ok(condition) => Ok(condition.kind != Kind::DeficientOnQ || !condition.verdict.is_unknown()),
            Err(d) if std::ptr::eq(d.code, &codes::BUDGET) && !cx.is_over() => Ok(false),
            // Refused with its reason where the structure is asked for.
            Err(_) => Ok(true),
        }
    }

    /// The saddle system of those constraints that are independent at the initial state, by numbers, and what is known then.
    fn law_near_start(&self, cx: &Inquiry, system: &System) -> Fallible<(ConstrainedLaw, String)> {
        let all = system.structure_near(cx, None)?;
        let refuse = || {
            Box::new(
                Diagnostic::error(&codes::BUDGET, "the rank of these constraints was not found out")
                    .label(self.span, "of this system")
                    .help("write numbers for the parameters, or fewer constraints"),
            )
        };
        let found = law_on(cx, system, &all)?.ok_or_else(refuse)?;
        let law = Law::constrained(&system.manifold, &found.equations).with_bodies(cx, &self.clauses.bodies);
        let given = Start::read(cx, &law, self.clauses.given(), self.numbers)?;
        let (surface, _) = self.constraint_surface(cx, &law, &found.equations, &Side::default())?;
        // A state that does not fit is refused later, with its residuals.
        let start = surface.settle(&given, &law.states).map_or(given, |(start, _)| start);
        let f = all.chetaev();
        let (k, m) = (f.n_rows(), f.n_columns());
        let put = |e: &Expr| law::with_bodies(cx, *e, &self.clauses.bodies);
        let entries: Vec<Expr> = (0..k).flat_map(|i| f.row(i).iter().map(&put).collect::<Vec<_>>()).collect();
        let signature = Signature { parameters: parameters_of(&entries), ..self.signature(&law) };
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        let slopes =
            start::values_at(&entries, &signature, &values, &start).map_err(|o| self.obstacle(&o, self.span))?;
        let independent = rank_watch::independent_rows(&slopes, k, m);
        let watched = "their rank was found by numbers at the start, and is followed along the run";
        match independent.len() == k {
            true => Ok((found, format!("all {k} constraints are independent: {watched}"))),
            false => {
                let q = system.structure_near(cx, Some(&independent))?;
                let rank = independent.len();
                Ok((
                    law_on(cx, system, &q)?.ok_or_else(refuse)?,
                    format!("{rank} of {k} constraints are independent: {watched}"),
                ))
            }
        }
    }

    /// Constraints for a variational method, without those whose differentials depend on the others' at the initial state: their multipliers are
    /// not unique. They hold all the same, as consequences of the rest.
    fn independent(
        &self,
        cx: &Inquiry,
        law: &Law,
        start: &Start,
        all: Vec<Expr>,
        order: &dyn Fn(&Expr) -> u32,
    ) -> Fallible<Vec<Expr>> {
        let Family::Variational = self.clauses.method.row().family else { return Ok(all) };
        let fibres = law.manifold.fibres();
        let slope = |f: &Expr| {
            let order = order(f);
            fibres.iter().map(|q| partial(cx, *f, q.coordinate.jet(order))).collect::<Vec<_>>()
        };
        let entries: Vec<Expr> = all.iter().flat_map(slope).collect();
        let signature = Signature { parameters: parameters_of(&entries), ..self.signature(law) };
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        let slopes =
            start::values_at(&entries, &signature, &values, start).map_err(|o| self.obstacle(&o, self.span))?;
        if slopes.iter().any(|x| !x.is_finite()) {
            return Ok(all);
        }
        let kept = rank_watch::independent_rows(&slopes, all.len(), fibres.len());
        Ok(kept.into_iter().map(|i| all[i]).collect())
    }

    /// Where the branch of a constraint ends, and where constraints on velocities or redundant ones lose rank.
    fn ends(&self, cx: &Inquiry, system: &System, rank_is_watched: bool) -> Fallible<Vec<End>> {
        let mut ends = vec![];
        let put = |e: Expr| law::with_bodies(cx, e, &self.clauses.bodies);
        for c in &system.constraints {
            for choice in c.declared(cx)?.branch {
                let BranchChoice::Where(condition) = choice else { continue };
                let value = match condition.relation {
                    Relation::Greater | Relation::GreaterEqual => condition.left,
                    Relation::Less | Relation::LessEqual => -condition.left,
                    _ => continue,
                };
                let event = Event::stop(format!("the branch {value} > 0 ends"), Direction::Either);
                ends.push(End { value: put(value), event, span: c.span, says: "the branch of a constraint ends" });
            }
        }
        if has_own_reactions(system) || rank_is_watched {
            return Ok(ends);
        }
        let q = match system.uncharted_structure(cx)? {
            Some(q) => Rc::new(q),
            None => system.constraint_structure(cx)?,
        };
        let f = q.chetaev();
        let bends = |i: usize, c: &Constraint| {
            let tops = (0..q.manifold().n_coordinates()).map(|sigma| jet(q.manifold(), sigma, c.order));
            c.order > 0 && tops.into_iter().any(|top| f.row(i).iter().any(|e| e.contains(top)))
        };
        let redundant = !q.redundant().is_empty();
        let bent = q.constraints().iter().enumerate().find(|(i, c)| redundant || bends(*i, c)).map(|(_, c)| c);
        // What is lost by constraints on positions is followed along the motion.
        let of_velocities = q.constraints().iter().all(|c| c.order > 0);
        let watched = bent.or_else(|| q.constraints().first().filter(|_| of_velocities));
        if let Some(c) = watched
            && q.n_constraints() <= GRAM
        {
            let gram = f.mul(&f.transpose()).det(cx)?;
            if bent.is_some() || !decide::sign(cx, gram).is_nonzero() {
                let event = Event::stop("the constraints lose rank", Direction::Either);
                ends.push(End { value: put(gram), event, span: c.span, says: "the constraints lose rank" });
            }
        }
        Ok(ends)
    }

    /// The explicit motion on the final set through the initial state.
    fn on_final_set(&self, cx: &Inquiry, system: &System, branches: &[FinalBranch]) -> Fallible<Determined> {
        let y = system.manifold.unfolded();
        let jets = |k: u32| y.fibres().iter().map(move |f| f.coordinate.jet(k));
        let order = match has_own_reactions(system) {
            true => 2,
            false => system.dynamical_form(cx)?.order().max(1),
        };
        let mut nearest: Option<(Off, Law, Start)> = None;
        let mut free = None;
        for branch in branches {
            let Some(accelerations) = branch.accelerations.iter().copied().collect::<Option<Vec<Expr>>>() else {
                free = Some(branch);
                continue;
            };
            let below = (1..order).flat_map(|k| jets(k - 1).zip(jets(k).map(Expr::symbol)));
            let right = below.chain(jets(order - 1).zip(accelerations));
            let law = Law::explicit(&y, right.collect()).with_bodies(cx, &self.clauses.bodies);
            let start = Start::read(cx, &law, self.clauses.given(), self.numbers)?;
            let mut side = self.side(cx, system, &law)?;
            side.conditions.extend(Side::off(&branch.branch.nonzero).conditions);
            let (surface, _) = self.surface_of(cx, &law, &branch.branch.equations, &side)?;
            match surface.settle(&start, &law.states) {
                Ok((start, filled)) => {
                    let found = self.on(cx, &branch.branch, law, start, filled);
                    return Ok(Determined { side, ..found });
                }
                Err(off) => {
                    let closer =
                        nearest.as_ref().is_none_or(|(best, _, _)| off.distance(&start) < best.distance(&start));
                    if closer {
                        nearest = Some((off, law, start));
                    }
                }
            }
        }
        if let Some(branch) = free {
            return Err(Box::new(
                Diagnostic::error(
                    &codes::NOT_DETERMINED,
                    "the motion of this system is not determined by its equations",
                )
                .label(self.span, "accelerations are free")
                .note(format!("on {}", branch_text(cx, &branch.branch)))
                .help(match has_own_reactions(system) {
                    true => "`integrability(S)` says what is determined",
                    false => "`dynamics(S)` says what is determined",
                }),
            ));
        }
        Err(match nearest {
            Some((off, law, start)) => Box::new(off.diagnostic(&law, &start, self.clauses.given().span, self.span)),
            None => Box::new(
                Diagnostic::error(&codes::NO_MOTION, "there is no motion from this state")
                    .label(self.span, "of this system"),
            ),
        })
    }

    /// Dependent jets that were left out, from the normal form of their level, the lowest first.
    fn complete(
        &self,
        cx: &Inquiry,
        solved: &[(Symbol, Expr)],
        law: &Law,
        given: &Start,
    ) -> Fallible<(Start, Vec<(Symbol, f64)>, Vec<(Symbol, Expr)>)> {
        let mut start = given.clone();
        let mut completion = vec![];
        let mut point: FxHashMap<Symbol, Expr> = law.states.iter().map(|s| (*s, Expr::zero())).collect();
        point.insert(law.time(), Expr::zero());
        point.extend(self.clauses.given().values.iter().map(|(s, value, _)| (*s, *value)));
        let mut filled = vec![];
        for (symbol, value) in solved.iter().copied() {
            let Some(i) = law.states.iter().position(|s| *s == symbol) else { continue };
            if start.given[i] {
                continue;
            }
            let solved = law::with_bodies(cx, value, &self.clauses.bodies);
            completion.push((symbol, solved));
            let value = substitute(solved, &point);
            if value.as_undefined().is_some() {
                continue;
            }
            let Some(number) = self.numbers.number(cx, value).filter(|x| x.is_finite()) else { continue };
            start.state[i] = number;
            point.insert(symbol, value);
            if number != 0.0 {
                filled.push((symbol, number));
            }
        }
        Ok((start, filled, completion))
    }

    fn constraint_surface(
        &self,
        cx: &Inquiry,
        law: &Law,
        equations: &ConstrainedEquations,
        side: &Side,
    ) -> Fallible<(Surface, Vec<Expr>)> {
        let equations: Vec<Expr> = equations.surface.iter().map(|e| e.function).collect();
        self.surface_of(cx, law, &equations, side)
    }

    /// A set of states, and its equations, with the bodies of this run.
    pub(super) fn surface_of(
        &self,
        cx: &Inquiry,
        law: &Law,
        equations: &[Expr],
        side: &Side,
    ) -> Fallible<(Surface, Vec<Expr>)> {
        let equations: Vec<Expr> = equations.iter().map(|e| law::with_bodies(cx, *e, &self.clauses.bodies)).collect();
        let all: Vec<Expr> = equations.iter().copied().chain(side.functions()).collect();
        let signature = Signature { parameters: parameters_of(&all), ..self.signature(law) };
        let values = self.numbers.values_of(cx, &signature.parameters, self.span)?;
        let surface = Surface::on_side(cx, &equations, side, &[], &signature, &values)
            .map_err(|o| self.obstacle(&o, self.span))?;
        Ok((surface, equations))
    }

    /// Which constraints, or derivatives of them, the state violates, and by how much.
    pub(super) fn off_constraint(
        &self,
        found: &ConstrainedLaw,
        law: &Law,
        start: &Start,
        off: &Off,
    ) -> Box<Diagnostic> {
        let mut refusal = off.diagnostic(law, start, self.clauses.given().span, self.span);
        for (function, residual) in &off.residuals {
            let Some(equation) = found.equations.surface.iter().find(|e| e.function == *function) else { continue };
            let Some(constraint) = equation.constraint else { continue };
            let what = match equation.derivative {
                0 => "this constraint".to_string(),
                1 => "its first derivative".to_string(),
                2 => "its second derivative".to_string(),
                n => format!("its derivative of order {n}"),
            };
            let Some(span) = found.spans.get(constraint) else { continue };
            refusal = refusal.label(*span, format!("{what} has the residual {}", short(*residual)));
        }
        Box::new(refusal)
    }

    /// The state lies where the constraints lose rank, or the constrained system is singular.
    fn singular_start(&self, cx: &Inquiry, system: &System, rank_is_watched: bool) -> Box<Diagnostic> {
        if !has_own_reactions(system)
            && !rank_is_watched
            && let Err(d) = system.constrained_form(cx).and_then(|form| form.motion(cx))
        {
            return Box::new(refused_motion(cx, system, d).or_at(self.span, "of this system"));
        }
        Box::new(
            Diagnostic::error(&codes::NO_MOTION, "there is no determined motion from this state")
                .label(self.clauses.given().span, "this initial state")
                .label(self.span, "of this system")
                .note(
                    "there the constraints lose rank, or the constrained equations do not determine the accelerations",
                )
                .help("`reduced(S).locus` and `rank_condition(S).locus` say where"),
        )
    }
}
