//! Certificates: what the constraint algorithm says is checked, by code that shares nothing with it, before it is called proved.
//!
//! The answer for each branch N is a claim about points that exact arithmetic at a point can refute. For each branch a few
//! real points with rational coordinates are found, and at each of them
//!
//! - the equations of N hold and its inequations do too;
//! - rank = free + 1 ≤ dim N, and dim N is what the differentials of the equations allow;
//! - the fields X₀, X₁, … move along N: the curve of X₀ + u₁(t) X₁ + …, as a power series with arbitrary u, satisfies the
//!   equations of N **and the equations of motion**, to several orders;
//! - the equations of motion, differentiated several times, leave as many derivatives free as N says;
//!
//! and, if the answer is complete, points at which the equations of motion hold but which lie on no branch are shown to have no
//! formal motion ([`formal`]).
//!
//! The arithmetic ([`series`], [`evaluate`]) is that of power series over the rationals and evaluates the equations of motion
//! E_σ as they were given, or the 1-forms of Δ_α for the extended problem; no basis, cell, stratum or normal form is asked. A
//! certificate that fails is evidence of a fault of the algorithm: the branch is taken out of the answer and listed as
//! undecided, and nothing is called complete. One that is not made (no rational point, no work left) says so and changes
//! nothing.

mod evaluate;
mod formal;
mod point;
mod series;

#[cfg(test)]
mod tests;

use super::constraint_algorithm::{DynamicBranch, Dynamics, Problem, Undecided};
use super::lepage_class::LepageTwoForm;
use super::{jet_expr, tidy};
use crate::algebra::assume::Sign;
use crate::algebra::expr::symbols_of;
use crate::algebra::stratum::Branch;
use crate::algebra::{Expr, Ground, Inquiry, Rational, Symbol, Verdict};
use crate::budget::{Share, share};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::geometry::jet::total_derivatives;
use evaluate::{Evaluator, Point};
use formal::{Formal, Laws, time};
use point::{Inside, Search, Target, is_on, settled};
use rustc_hash::FxHashMap;
use series::{Exact, Gap, Poly, Series, rank};
use std::cell::Cell;

/// What the check of a branch, or of the whole, found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    pub outcome: Outcome,
    /// The coordinates of the first point that was looked at, those that have a rational value.
    pub point: Vec<(Symbol, Rational)>,
    /// What was checked, in words.
    pub checks: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Passed,
    /// Something does not hold; the evidence.
    Failed(String),
    /// Nothing was checked, or not enough to say anything; the reason.
    NotMade(String),
}

impl Certificate {
    pub fn not_made(why: impl Into<String>) -> Certificate {
        Certificate { outcome: Outcome::NotMade(why.into()), point: vec![], checks: vec![] }
    }

    fn failed(evidence: impl Into<String>, point: Vec<(Symbol, Rational)>) -> Certificate {
        Certificate { outcome: Outcome::Failed(evidence.into()), point, checks: vec![] }
    }

    /// passed, failed or not_made.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            Outcome::Passed => "passed",
            Outcome::Failed(_) => "failed",
            Outcome::NotMade(_) => "not_made",
        }
    }

    /// Yes where it passed, else unknown with the reason.
    pub fn verdict(&self) -> Verdict {
        match &self.outcome {
            Outcome::Passed => Verdict::yes("the checks hold, by separate code"),
            Outcome::Failed(evidence) => Verdict::unknown(format!("the certificate failed: {evidence}")),
            Outcome::NotMade(why) => Verdict::unknown(format!("no certificate was made: {why}")),
        }
    }
}

/// How many points of a branch are looked at.
const POINTS: usize = 3;
/// The degree to which curves are followed, or more for equations of a high order.
const DEGREE: usize = 4;
/// How often the equations are differentiated at a point of a branch, to begin with.
const PROLONGATIONS: usize = 3;
/// How many points off the branches are looked for.
const ELSEWHERE: usize = 18;
/// With more coordinates, where one point costs much and answers come from rows that are alike, fewer points are looked at.
const MANY_COORDINATES: usize = 24;

/// The dynamics with a certificate for each branch. What fails is not part of the answer any more. Of what the answer cost its
/// certificates may cost a part.
pub fn certified(cx: &Inquiry, alpha: &LepageTwoForm, mut found: Dynamics, cost: Share) -> Dynamics {
    let all = cx.common(cost.divided_by(share::CERTIFICATE_PART).max(share::CERTIFICATE));
    let notary = Notary::new(cx, alpha, &found);
    let list: Vec<Branch> = found.final_set();
    let mut parts = found.branches.len() as u64 + 1;
    // What one does not need is left to the others.
    let mut part = || {
        parts -= 1;
        cx.left_of(&all).divided_by(parts + 1)
    };
    for (i, branch) in found.branches.iter_mut().enumerate() {
        let others: Vec<&Branch> = list.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, b)| b).collect();
        branch.certificate = cx.within(part(), || notary.branch(cx, branch, &others));
    }
    found.coverage = cx.within(part(), || notary.coverage(cx, &found));
    withdrawn(found)
}

/// Says of a complete answer which of its branches no certificate has seen.
fn uncertified_said(mut found: Dynamics) -> Dynamics {
    let unseen = found.branches.iter().enumerate().filter_map(|(i, b)| match &b.certificate.outcome {
        Outcome::NotMade(why) => Some(format!("branch {} has no certificate: {why}", i + 1)),
        _ => None,
    });
    let unseen: Vec<String> = unseen.collect();
    if let (Verdict::Yes(Ground::Proved(by)), false) = (&found.complete, unseen.is_empty()) {
        found.complete = Verdict::yes(format!("{by}; {}", unseen.join("; ")));
    }
    found
}

/// Takes back what a failed certificate contradicts.
fn withdrawn(mut found: Dynamics) -> Dynamics {
    let mut faults = Vec::new();
    let mut kept = Vec::new();
    for (i, branch) in std::mem::take(&mut found.branches).into_iter().enumerate() {
        match &branch.certificate.outcome {
            Outcome::Failed(evidence) => {
                let fault = format!("the certificate of branch {} failed: {evidence}", i + 1);
                found.undecided.push(Undecided { branch: branch.branch.clone(), reason: fault.clone() });
                faults.push(fault);
            }
            _ => kept.push(branch),
        }
    }
    found.branches = kept;
    if let Outcome::Failed(evidence) = &found.coverage.outcome {
        faults.push(format!("the certificate of the whole failed: {evidence}"));
    }
    let Some(fault) = faults.first() else { return uncertified_said(found) };
    if !matches!(found.coverage.outcome, Outcome::Failed(_)) {
        found.coverage = Certificate::failed(fault.clone(), vec![]);
    }
    if found.complete.is_yes() {
        found.complete = Verdict::unknown(fault.clone());
    }
    found.secondary = Verdict::unknown(fault.clone());
    if found.branches.is_empty() {
        found.empty = Verdict::unknown(fault.clone());
    }
    found
}

/// Whoever checks: the equations of motion and what a point needs.
struct Notary<'a> {
    laws: Laws<'a>,
    /// Values of the parameters, or why there are none.
    start: Result<Point, String>,
    /// Everything that is evaluated at points of a branch.
    expressions: Vec<Expr>,
    inside: Inside,
    facts: Vec<(Expr, Sign)>,
}

/// A claim that was refuted, or a computation without an outcome.
enum Objection {
    Refuted(String),
    Gap(Gap),
}

impl<E: Into<Gap>> From<E> for Objection {
    fn from(gap: E) -> Objection {
        Objection::Gap(gap.into())
    }
}

impl<'a> Notary<'a> {
    fn new(cx: &Inquiry, alpha: &'a LepageTwoForm, found: &Dynamics) -> Notary<'a> {
        let form = alpha.dynamical_form();
        let rows = match found.problem {
            Problem::Extended => alpha.rows(cx),
            Problem::Proper => vec![],
        };
        let mut all: Vec<Expr> = form.components().to_vec();
        all.extend(rows.iter().flat_map(|eta| eta.coefficients()));
        let branches = found.branches.iter().map(|b| &b.branch);
        for b in branches.chain(&found.undescribed).chain(found.undecided.iter().map(|u| &u.branch)) {
            all.extend(b.equations.iter().chain(&b.nonzero));
        }
        all.extend(found.branches.iter().flat_map(|b| &b.fields).flat_map(|x| x.components()).map(|(_, e)| e));
        all.extend(found.branches.iter().flat_map(|b| &b.forms).flat_map(|eta| eta.coefficients()));
        let facts: Vec<_> = cx.facts().iter().collect();
        let coordinates = form.phase_space().symbols();
        let laws = Laws { problem: found.problem, form, rows, coordinates };
        let start = parameter_values(cx, &all, &facts, &found.generic);
        Notary { laws, start, inside: Inside::of(&all), expressions: all, facts }
    }

    /// Whether what is assumed holds at a point; what is said about other things is not asked.
    fn is_assumed(&self, cx: &Inquiry, point: &Point) -> Exact<bool> {
        agrees(cx, point, &self.facts)
    }

    fn branch(&self, cx: &Inquiry, b: &DynamicBranch, others: &[&Branch]) -> Certificate {
        let start = match &self.start {
            Ok(start) => start,
            Err(why) => return Certificate::not_made(why.clone()),
        };
        if let Some(evidence) = miscount(b) {
            return Certificate::failed(evidence, vec![]);
        }
        let (points, mut stopped) = self.points(cx, b, start, true);
        let Some(first) = points.first() else { return self.without_fields(cx, b, start) };
        let coordinates = first.coordinates(&self.laws.coordinates);
        let mut reports: Vec<AtPoint> = Vec::new();
        for (n, p) in points.iter().enumerate() {
            match self.at_point(cx, b, others, p, n) {
                Ok(report) => reports.push(report),
                Err(Objection::Refuted(what)) => {
                    let place = p.text(&self.laws.coordinates);
                    return Certificate::failed(format!("at {place}: {what}"), p.coordinates(&self.laws.coordinates));
                }
                Err(Objection::Gap(gap)) => stopped = stopped.or_else(|| Some(gap_text(&gap))),
            }
        }
        if let Some((evidence, at)) = self.without_motion(cx, b, start) {
            return Certificate::failed(evidence, at);
        }
        if !reports.iter().any(|r| r.dimension == b.dim) {
            return match stopped {
                Some(why) => Certificate::not_made(why),
                None => Certificate::failed(singular_everywhere(b), coordinates),
            };
        }
        Certificate { outcome: Outcome::Passed, point: coordinates, checks: self.checks(b, &points, &reports) }
    }

    /// A point at which the rank is said to jump, if no formal motion passes through it: vectors alone do not make a point final.
    fn without_motion(
        &self,
        cx: &Inquiry,
        b: &DynamicBranch,
        start: &Point,
    ) -> Option<(String, Vec<(Symbol, Rational)>)> {
        let coordinates = &self.laws.coordinates;
        for (stratum, _) in b.rank.strata.iter().filter(|(_, said)| *said != b.free + 1) {
            let equations: Vec<Expr> = b.branch.equations.iter().chain(&stratum.equations).copied().collect();
            let nonzero: Vec<Expr> = b.branch.nonzero.iter().chain(&stratum.nonzero).copied().collect();
            let accept = |p: &Point| self.is_assumed(cx, p);
            let target = Target::new(coordinates, equations, nonzero, start, self.inside.clone());
            for seed in 0..POINTS - 1 {
                let search = Search { cx, target: &target, seed, is_special: false, irrational: Cell::default() };
                let Ok(Some(p)) = search.find(&accept) else { break };
                let often = 2 * self.further();
                if let Ok(Formal::None { prolongations }) = self.laws.formal(cx, &p, often, often, 0) {
                    let place = p.text(coordinates);
                    let what = "the equations of motion, differentiated";
                    let evidence = format!("at {place}: {what} {prolongations} times, have no solution");
                    return Some((evidence, p.coordinates(coordinates)));
                }
            }
        }
        None
    }

    /// What points say at which the fields have no value: whether any of them is regular.
    fn without_fields(&self, cx: &Inquiry, b: &DynamicBranch, start: &Point) -> Certificate {
        let (points, stopped) = self.points(cx, b, start, false);
        if let Some(why) = stopped {
            return Certificate::not_made(why);
        }
        let differentials: Exact<Vec<_>> = points.iter().map(|p| self.differentials(cx, b, p)).collect();
        let Ok(differentials) = differentials else { return Certificate::not_made("no exact value was found on it") };
        match points.first() {
            None => Certificate::not_made("no rational point was found on it"),
            Some(first) if differentials.iter().all(|d| self.laws.coordinates.len() - rank(d) != b.dim) => {
                Certificate::failed(singular_everywhere(b), first.coordinates(&self.laws.coordinates))
            }
            Some(_) => Certificate::not_made("the fields have no exact value at the points found on it"),
        }
    }

    fn checks(&self, b: &DynamicBranch, points: &[Point], reports: &[AtPoint]) -> Vec<String> {
        let mut checks = vec![format!("the real point {} lies on it", points[0].text(&self.laws.coordinates))];
        if points.len() > 1 {
            checks.push(format!("{} further points", points.len() - 1));
        }
        let codimension = self.laws.coordinates.len() - b.dim;
        checks.push(format!("dimension {}: {codimension} independent differentials", b.dim));
        checks.push(format!("rank {} = free + 1, at most the dimension", b.free + 1));
        checks.push(format!(
            "curves of the fields satisfy the equations of the branch and of motion to order {}",
            self.reach()
        ));
        if reports.iter().any(|r| r.is_counted) {
            let order = format!("the equations differentiated {PROLONGATIONS} times or more leave {} free", b.free);
            checks.push(order);
        }
        checks
    }

    /// Points of a branch, at which its fields have values if so wished: ordinary ones and simple ones in turn, and more of
    /// them if none is regular. And why no regular one may be among them, if that says nothing against the branch.
    fn points(
        &self,
        cx: &Inquiry,
        b: &DynamicBranch,
        start: &Point,
        with_fields: bool,
    ) -> (Vec<Point>, Option<String>) {
        let mut points: Vec<Point> = Vec::new();
        let (mut is_regular, mut is_irrational) = (false, false);
        let enough = if self.is_large() { 1 } else { POINTS };
        let (equations, nonzero) = (b.branch.equations.clone(), b.branch.nonzero.clone());
        let target = Target::new(&self.laws.coordinates, equations, nonzero, start, self.inside.clone());
        for seed in 0..2 * POINTS {
            if (seed >= enough && is_regular) || (seed >= POINTS && points.is_empty()) {
                break;
            }
            let accept = |p: &Point| -> Exact<bool> {
                let evaluator = Evaluator::new(cx, p, 0, FxHashMap::default());
                for (_, e) in b.fields.iter().filter(|_| with_fields).flat_map(|x| x.components()) {
                    evaluator.of(e)?.head()?;
                }
                Ok(self.is_assumed(cx, p)? && points_differ(&points, p))
            };
            let is_special = seed % 2 == 1;
            let search = Search { cx, target: &target, seed, is_special, irrational: Cell::default() };
            let found = search.find(&accept);
            is_irrational |= search.irrational.get();
            match found {
                Ok(Some(p)) => {
                    let dimension = self.differentials(cx, b, &p).map(|d| self.laws.coordinates.len() - rank(&d));
                    is_regular |= dimension == Ok(b.dim);
                    points.push(p);
                }
                Ok(None) => {}
                Err(why) => return (points, Some(why.to_string())),
            }
        }
        // Without any point there is nothing to explain away.
        let is_unnamed = is_irrational && !is_regular && !points.is_empty();
        let unnamed = "it has regular points, and none of those found has rational coordinates";
        (points, is_unnamed.then(|| unnamed.to_string()))
    }

    fn at_point(
        &self,
        cx: &Inquiry,
        b: &DynamicBranch,
        others: &[&Branch],
        p: &Point,
        number: usize,
    ) -> Result<AtPoint, Objection> {
        let space = &self.laws.coordinates;
        let fields = self.fields_at(cx, b, p)?;
        if rank(&fields) != b.fields.len() {
            return Err(Objection::Refuted("the fields that span the distribution are dependent".into()));
        }
        let differentials = self.differentials(cx, b, p)?;
        let independent = rank(&differentials);
        let dimension = space.len() - independent;
        if independent == b.branch.equations.len() && dimension != b.dim {
            let what = format!("it has dimension {dimension} there, and {} is said", b.dim);
            return Err(Objection::Refuted(what));
        }
        self.annihilate(cx, b, p, &fields)?;
        self.flow(cx, b, p, number)?;
        let is_counted = self.is_alone(cx, others, p)? && self.count_freedom(cx, b, p)?;
        Ok(AtPoint { dimension, is_counted })
    }

    /// The components of the fields at a point, a row for each.
    fn fields_at(&self, cx: &Inquiry, b: &DynamicBranch, p: &Point) -> Exact<Vec<Vec<Rational>>> {
        let evaluator = Evaluator::new(cx, p, 0, FxHashMap::default());
        let row = |x: &VectorField| -> Exact<Vec<Rational>> {
            self.laws.coordinates.iter().map(|s| evaluator.of(x.component(*s))?.head()).collect()
        };
        b.fields.iter().map(row).collect()
    }

    fn differentials(&self, cx: &Inquiry, b: &DynamicBranch, p: &Point) -> Exact<Vec<Vec<Rational>>> {
        let space = &self.laws.coordinates;
        // Along x + ε s, with an unknown ε for each coordinate: what stands before s is linear in these.
        let line = |(column, x): (usize, &Symbol)| {
            let mut line = Series::number(p.values.get(x).cloned().unwrap_or(Rational::ZERO), 1);
            line.0[1] = Poly::unknown(column as u32);
            (*x, line)
        };
        let evaluator = Evaluator::new(cx, p, 1, space.iter().enumerate().map(line).collect());
        let mut rows = Vec::with_capacity(b.branch.equations.len());
        for e in &b.branch.equations {
            let along = evaluator.shared(*e)?;
            rows.push((0..space.len() as u32).map(|column| along.0[1].slope(column)).collect());
        }
        Ok(rows)
    }

    /// The forms that are said to annihilate the distribution do, and no other vectors.
    fn annihilate(
        &self,
        cx: &Inquiry,
        b: &DynamicBranch,
        p: &Point,
        fields: &[Vec<Rational>],
    ) -> Result<(), Objection> {
        let evaluator = Evaluator::new(cx, p, 0, FxHashMap::default());
        let mut rows = Vec::new();
        for eta in &b.forms {
            let coefficient = |s: &Symbol| evaluator.of(eta.coefficient(&[*s]))?.head();
            rows.push(self.laws.coordinates.iter().map(coefficient).collect::<Exact<Vec<Rational>>>()?);
        }
        let product =
            |a: &[Rational], b: &[Rational]| a.iter().zip(b).fold(Rational::ZERO, |sum, (x, y)| &sum + &(x * y));
        if rows.iter().any(|eta| fields.iter().any(|x| !product(eta, x).is_zero())) {
            return Err(Objection::Refuted("a form that is said to annihilate the distribution does not".into()));
        }
        let vectors = self.laws.coordinates.len() - rank(&rows);
        match self.rank_here(cx, b, p)? {
            Some(said) if said != vectors => {
                let what = format!("the forms annihilate {vectors} independent vectors, and rank {said} is said");
                Err(Objection::Refuted(what))
            }
            _ => Ok(()),
        }
    }

    /// The rank that is said to hold at a point, if one is.
    fn rank_here(&self, cx: &Inquiry, b: &DynamicBranch, p: &Point) -> Exact<Option<usize>> {
        let mut here = Vec::new();
        for (stratum, value) in &b.rank.strata {
            if settled(is_on(cx, p, &stratum.equations, &stratum.nonzero))? {
                here.push(*value);
            }
        }
        Ok(if let [said] = here.as_slice() { Some(*said) } else { None })
    }

    /// The curve of X₀ + Σ u_a(t) X_a through a point stays on the branch and is a motion.
    fn flow(&self, cx: &Inquiry, b: &DynamicBranch, p: &Point, number: usize) -> Result<(), Objection> {
        let t = self.laws.form.manifold().base();
        let (space, reach) = (&self.laws.coordinates, self.reach());
        let mut curve: FxHashMap<Symbol, Series> = FxHashMap::default();
        for s in space {
            let head = p.values.get(s).cloned().unwrap_or(Rational::ZERO);
            curve.insert(*s, Series::number(head, reach + 1));
        }
        for k in 0..=reach {
            let short = curve.iter().map(|(s, u)| (*s, u.to_degree(k))).collect();
            let evaluator = Evaluator::new(cx, p, k, short);
            for s in space {
                let mut speed = evaluator.of(b.fields[0].component(*s))?;
                for (a, x) in b.fields[1..].iter().enumerate() {
                    speed = speed.add(&chosen(a, number, k).mul(cx, &evaluator.of(x.component(*s))?)?);
                }
                if let Some(series) = curve.get_mut(s) {
                    series.0[k + 1] = speed.0[k].scale(&Rational::ratio(1, k as i64 + 1));
                }
            }
        }
        if curve[&t] != time(p, t, reach + 1) {
            return Err(Objection::Refuted("the first field does not move with time".into()));
        }
        let along = curve.iter().map(|(s, u)| (*s, u.to_degree(reach))).collect();
        let evaluator = Evaluator::new(cx, p, reach, along);
        for e in &b.branch.equations {
            if let Some(k) = evaluator.of(*e)?.0.iter().position(|c| !c.is_zero()) {
                let what = format!("a curve of the fields leaves the branch: {} grows like t^{k}", tidy(cx, *e));
                return Err(Objection::Refuted(what));
            }
        }
        self.is_motion(cx, p, &curve)
    }

    /// How often the equations are differentiated where that decides: once for each dimension that conditions can take away,
    /// and a few times more. (x″ − 2y′)²/2 + xy − x with its one motion needs eight in nine dimensions.
    fn further(&self) -> usize {
        self.laws.coordinates.len() + 2
    }

    fn is_large(&self) -> bool {
        self.laws.coordinates.len() > MANY_COORDINATES
    }

    /// The degree to which curves are followed, so that the equations of motion are seen to second order at least.
    fn reach(&self) -> usize {
        DEGREE.max(self.laws.form.order() as usize + 1)
    }

    /// Whether a curve in the phase space satisfies the equations of the problem.
    fn is_motion(&self, cx: &Inquiry, p: &Point, curve: &FxHashMap<Symbol, Series>) -> Result<(), Objection> {
        let reach = self.reach();
        let degree = match self.laws.problem {
            Problem::Extended => reach,
            Problem::Proper => reach + 1 - self.laws.form.order() as usize,
        };
        if self.laws.problem == Problem::Proper {
            for x in &self.laws.coordinates {
                let Some((coordinate, order)) = x.as_jet() else { continue };
                let Some(next) = curve.get(&coordinate.jet(order + 1)) else { continue };
                if curve[x].derivative() != next.to_degree(reach) {
                    let what = format!(
                        "the fields are no semisprays: {} is not the derivative of {x}",
                        coordinate.jet(order + 1)
                    );
                    return Err(Objection::Refuted(what));
                }
            }
        }
        for (i, r) in self.laws.residuals(cx, p, curve, degree)?.into_iter().enumerate() {
            if let Some(k) = r.0.iter().position(|c| !c.is_zero()) {
                let what = format!("a curve of the fields violates equation {} of motion: it grows like t^{k}", i + 1);
                return Err(Objection::Refuted(what));
            }
        }
        Ok(())
    }

    /// Whether no other branch comes near a point.
    fn is_alone(&self, cx: &Inquiry, others: &[&Branch], p: &Point) -> Exact<bool> {
        for other in others {
            if settled(is_on(cx, p, &other.equations, &[]))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The equations of motion leave as many derivatives free as the rank at this point says. Asked where that is the
    /// generic one.
    fn count_freedom(&self, cx: &Inquiry, b: &DynamicBranch, p: &Point) -> Result<bool, Objection> {
        // Where the rank jumps there are more vectors than motions.
        let Some(said) = self.rank_here(cx, b, p)?.filter(|said| *said == b.free + 1) else { return Ok(false) };
        match self.laws.formal(cx, p, PROLONGATIONS, self.further(), said - 1)? {
            Formal::None { prolongations } => {
                let what = format!("the equations of motion, differentiated {prolongations} times, have no solution");
                Err(Objection::Refuted(what))
            }
            Formal::Some { free } if free + 1 != said => {
                let what =
                    format!("the equations of motion leave {free} derivatives free, and {} are said to be", said - 1);
                Err(Objection::Refuted(what))
            }
            Formal::Some { .. } => Ok(true),
            Formal::Undecided => Ok(false),
        }
    }

    /// Points at which the equations of motion hold and which lie on no branch have no formal motion.
    fn coverage(&self, cx: &Inquiry, found: &Dynamics) -> Certificate {
        if !found.complete.is_yes() {
            return Certificate::not_made("the answer is not complete");
        }
        let start = match &self.start {
            Ok(start) => start,
            Err(why) => return Certificate::not_made(why.clone()),
        };
        let mut tally = Tally::default();
        let mut targets: [Option<Target>; 3] = Default::default();
        for seed in 0..if self.is_large() { ELSEWHERE / 6 } else { ELSEWHERE } {
            let kind = if self.laws.problem == Problem::Proper { seed % targets.len() } else { 0 };
            let target = targets[kind].get_or_insert_with(|| self.first_equations(cx, kind, start));
            match self.elsewhere(cx, found, target, seed, &mut tally) {
                Ok(()) => {}
                Err(Objection::Refuted(evidence)) => return Certificate::failed(evidence, vec![]),
                Err(Objection::Gap(Gap::Stopped(_))) => break,
                Err(Objection::Gap(_)) => {}
            }
        }
        if tally.excluded == 0 && tally.inside == 0 {
            return Certificate::not_made("no point was found at which the equations of motion hold");
        }
        let checks = vec![format!(
            "of {} points at which the equations hold {} lie on a branch and {} have no formal motion",
            tally.excluded + tally.inside + tally.open,
            tally.inside,
            tally.excluded
        )];
        Certificate { outcome: Outcome::Passed, point: vec![], checks }
    }

    fn elsewhere(
        &self,
        cx: &Inquiry,
        found: &Dynamics,
        target: &Target,
        seed: usize,
        tally: &mut Tally,
    ) -> Result<(), Objection> {
        let accept = |p: &Point| self.is_assumed(cx, p);
        let search = Search { cx, target, seed, is_special: seed % 6 != 5, irrational: Cell::default() };
        let Some(p) = search.find(&accept)? else { return Ok(()) };
        // Simple points are found again and again.
        let place = p.coordinates(&self.laws.coordinates);
        let is_plain = place.len() == self.laws.coordinates.len() && p.functions.borrow().is_empty();
        let known = tally.seen.iter().find(|(at, _)| *at == place).map(|(_, of)| *of);
        let of = match known {
            Some(of) => of,
            None => self.examined(cx, found, &p)?,
        };
        *match of {
            Elsewhere::Inside => &mut tally.inside,
            Elsewhere::Excluded => &mut tally.excluded,
            Elsewhere::Open => &mut tally.open,
        } += 1;
        if is_plain && known.is_none() {
            tally.seen.push((place, of));
        }
        Ok(())
    }

    /// Where a point lies at which the equations hold, and if on no branch whether it has a formal motion.
    fn examined(&self, cx: &Inquiry, found: &Dynamics, p: &Point) -> Result<Elsewhere, Objection> {
        for b in found.final_set() {
            if is_on(cx, p, &b.equations, &b.nonzero)? {
                return Ok(Elsewhere::Inside);
            }
        }
        // A condition may be a high power along the curve: u²v with u = t³ and v = −t¹⁰/5040 is seen at the thirteenth derivative.
        let often = 2 * self.further();
        match self.laws.formal(cx, p, often, often, 0)? {
            Formal::None { .. } => Ok(Elsewhere::Excluded),
            Formal::Undecided => Ok(Elsewhere::Open),
            Formal::Some { .. } => {
                let place = p.text(&self.laws.coordinates);
                let what = "lies on no branch, but the equations of motion can be solved there";
                let evidence = format!("the point {place} {what}, differentiated {often} times");
                Err(Objection::Refuted(evidence))
            }
        }
    }

    /// Equations that a state with a motion satisfies together with its first undetermined derivatives. There are three kinds
    /// of them for semisprays: the equations of motion are differentiated once, not at all or twice.
    fn first_equations<'p>(&self, cx: &Inquiry, kind: usize, start: &'p Point) -> Target<'p> {
        let form = self.laws.form;
        let y = form.manifold();
        let (more, equations): (Vec<Symbol>, Vec<Expr>) = match self.laws.problem {
            Problem::Proper => {
                let orders = [1, 0, 2][kind];
                let prolonged = |k: u32| form.components().iter().map(move |e| total_derivatives(cx, *e, k));
                let equations = (0..=orders).flat_map(prolonged).collect();
                let (m, s) = (y.n_coordinates(), form.order());
                let jets = (s..=s + orders).flat_map(|k| (0..m).map(move |sigma| (sigma, k)));
                (jets.filter_map(|(sigma, k)| jet_expr(y, sigma, k).as_symbol()).collect(), equations)
            }
            Problem::Extended => {
                let jets = form.phase_jets();
                let speeds: Vec<Symbol> = jets.iter().map(|x| Symbol::velocity(*x)).collect();
                let row = |eta: &Form| {
                    let moving = jets.iter().zip(&speeds).map(|(x, v)| eta.coefficient(&[*x]) * Expr::symbol(*v));
                    Expr::add_all(moving.chain([eta.coefficient(&[y.base()])]))
                };
                let equations = self.laws.rows.iter().map(row).collect();
                (speeds, equations)
            }
        };
        let coordinates: Vec<Symbol> = self.laws.coordinates.iter().copied().chain(more).collect();
        let inside = Inside::of(&[equations.as_slice(), &self.expressions].concat());
        Target::new(&coordinates, equations, vec![], start, inside)
    }
}

/// What a point of a branch shows beside that nothing contradicts.
struct AtPoint {
    /// What the differentials of the equations leave.
    dimension: usize,
    is_counted: bool,
}

/// A point at which the equations of motion hold.
#[derive(Clone, Copy)]
enum Elsewhere {
    /// On a branch.
    Inside,
    /// Without a formal motion.
    Excluded,
    Open,
}

#[derive(Default)]
struct Tally {
    inside: usize,
    excluded: usize,
    open: usize,
    /// Points all of whose coordinates have values.
    seen: Vec<(Vec<(Symbol, Rational)>, Elsewhere)>,
}

/// What is wrong with the numbers of a branch alone.
fn miscount(b: &DynamicBranch) -> Option<String> {
    if b.fields.len() != b.free + 1 {
        return Some(format!("{} fields span it, and {} functions are said to be free", b.fields.len(), b.free));
    }
    if b.free + 1 > b.dim {
        return Some(format!("a distribution of rank {} on a set of dimension {}", b.free + 1, b.dim));
    }
    if !b.rank.values.contains(&(b.free + 1)) {
        return Some(format!("the rank is said to be {:?}, with {} free functions", b.rank.values, b.free));
    }
    None
}

/// A square among the equations, or a set with fewer real points than its equations let one think: W = {x² + y² = 0}.
fn singular_everywhere(b: &DynamicBranch) -> String {
    let independent = "its equations have dependent differentials at every real point found";
    format!("{independent}, which says nothing for the dimension {}", b.dim)
}

fn points_differ(known: &[Point], p: &Point) -> bool {
    known.iter().all(|k| k.values != p.values || k.turns != p.turns)
}

/// The a-th free function of time at the n-th point: any polynomial without zero coefficients.
fn chosen(a: usize, n: usize, degree: usize) -> Series {
    let coefficient = |k: usize| Rational::ratio([1, -2, 3, -1, 2][(a * 2 + n + k) % 5], 1 + (k % 2) as i64);
    Series((0..=degree).map(|k| Poly::number(coefficient(k))).collect())
}

/// Whether the facts hold at a point, those of them that can be evaluated there.
fn agrees(cx: &Inquiry, point: &Point, facts: &[(Expr, Sign)]) -> Exact<bool> {
    let evaluator = Evaluator::new(cx, point, 0, FxHashMap::default());
    for (e, sign) in facts {
        let value = match evaluator.of(*e) {
            Ok(series) => series.head()?,
            Err(stop @ Gap::Stopped(_)) => return Err(stop),
            Err(_) => continue,
        };
        let holds = match value.signum() {
            0 => sign.can_be_zero,
            1 => sign.can_be_positive,
            _ => sign.can_be_negative,
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Values for everything that is no coordinate, in accord with what is assumed and with what was taken to be nonzero.
fn parameter_values(
    cx: &Inquiry,
    expressions: &[Expr],
    facts: &[(Expr, Sign)],
    generic: &[Expr],
) -> Result<Point, String> {
    const TRIED: [[i64; 6]; 6] = [
        [2, 3, 5, 7, 11, 13],
        [3, 2, 7, 5, 13, 11],
        [5, 1, 2, 3, 7, 4],
        [-2, 3, -5, 7, -11, 13],
        [-1, -2, -3, -4, -5, -7],
        [1, 4, 9, 16, 25, 36],
    ];
    let all: Vec<Expr> = expressions.iter().chain(generic).copied().collect();
    let parameters: Vec<Symbol> = symbols_of(&all).into_iter().filter(|s| s.is_parameter()).collect();
    for (attempt, list) in TRIED.iter().enumerate() {
        let mut point = Point::default();
        for (i, s) in parameters.iter().enumerate() {
            let value = Rational::ratio(list[i % 6] + 17 * (i / 6) as i64, 1 + (attempt == 2 && i % 2 == 1) as i64);
            point.values.insert(*s, value);
        }
        let agrees = agrees(cx, &point, facts).and_then(|yes| Ok(yes && settled(is_on(cx, &point, &[], generic))?));
        match agrees {
            Ok(true) => return Ok(point),
            Ok(false) | Err(Gap::Value(_) | Gap::Open(_)) => {}
            Err(Gap::Stopped(why)) => return Err(why.to_string()),
        }
    }
    Err("no values of the parameters were found that obey what is assumed".into())
}

/// A rational point at which the equations hold and the inequations too, in words; parameters have some values that obey
/// what is assumed.
pub(crate) fn real_point(cx: &Inquiry, space: &[Symbol], equations: &[Expr], nonzero: &[Expr]) -> Option<String> {
    let facts: Vec<_> = cx.facts().iter().collect();
    let all: Vec<Expr> = equations.iter().chain(nonzero).copied().collect();
    let start = parameter_values(cx, &all, &facts, &[]).ok()?;
    let target = Target::new(space, equations.to_vec(), nonzero.to_vec(), &start, Inside::of(&all));
    let accept = |p: &Point| agrees(cx, p, &facts);
    let find = |seed: usize| {
        let is_special = seed % 2 == 1;
        Search { cx, target: &target, seed, is_special, irrational: Cell::default() }.find(&accept).ok().flatten()
    };
    let found = cx.within(share::CERTIFICATE, || (0..POINTS).find_map(find));
    found.map(|p| p.text(space))
}

fn gap_text(gap: &Gap) -> String {
    match gap {
        Gap::Value(of) => format!("there is no exact value of {of} at the point that was found"),
        Gap::Open(_) => "something has no value at the point that was found".into(),
        Gap::Stopped(why) => why.to_string(),
    }
}
