//! Classification, the constraint algorithm, vector fields, symmetries. Krupková §5–7, §9.

use super::strata::rank_with;
use super::{Arguments, Question};
use crate::algebra::Inquiry;
use crate::algebra::conditions;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Rational, Symbol, Verdict};
use crate::diagnostic::{Diagnostic, codes};
use crate::geometry::distribution::Distribution;
use crate::geometry::form::Form;
use crate::geometry::jet::JetSpace;
use crate::mechanics::certificate::{Certificate, Outcome};
use crate::mechanics::classify::NOT_ALL;
use crate::mechanics::constraint_algorithm::{DynamicBranch, Dynamics, LogEntry, LogItem, SystemDynamics};
use crate::model::evaluate_at::{assignment, expr_at, on_the_branch};
use crate::model::explain::{Chapter, Steps};
use crate::model::item::System;
use crate::model::kind::*;
use crate::model::set::PointSet;
use crate::model::value::{Anew, Answer, Fallible, Judgement, OnBranch, Point, PointEntry, Rank, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub static ROWS: &[Question] = &[
    Question {
        name: "classify",
        parameters: &[one("S", SYSTEM)],
        help: "regular, weakly regular, semiregular or singular, with ranks, strata and primary sets (Krupková §5–6)",
        options: &[],
        gives: Gives::Parts,
        parts: &[
            part("regular", VERDICT, "det B vanishes nowhere"),
            part("weakly_regular", VERDICT, "a semispray exists everywhere and rank B is constant"),
            part("semiregular", VERDICT, "a Hamilton vector exists everywhere and the rank of Δ is constant"),
            part("strongly_semiregular", VERDICT, "both"),
            part("singular", VERDICT, "not regular"),
            part("rank_one", VERDICT, "Δ has rank one"),
            part("integrable", VERDICT, "Δ is completely integrable"),
            part("variational", VERDICT, "E has a Lagrangian"),
            part("rank_B", RANK, "of B"),
            part("rank_BA", RANK, "of (B|A)"),
            part("rank_F", RANK, "of the matrix F of (5.9)"),
            part("rank_FA", RANK, "of (F|A)"),
            part("rank_Delta", RANK, "of the dynamical distribution"),
            part("rank_D", RANK, "of the characteristic distribution"),
            part("order", INTEGER, "s"),
            part("size", INTEGER, "ms"),
            part("parity", TEXT, "what ms even or odd says about representatives of rank one"),
            part("det_B", FUNCTION, "determinant of B"),
            part("primary", SET, "the primary constraint set (5.13)"),
            part("primary_semispray", SET, "the primary semispray-constraint set (5.14)"),
        ],
        run: classify,
    },
    Question {
        name: "dynamics",
        parameters: &[one("S", SYSTEM)],
        help: "the constraint algorithm: final constraint submanifolds and the motion on each (Krupková §7)",
        options: &[option("through", "point", POINT, "keeps the branches through a point")],
        gives: Gives::Parts,
        parts: &[
            part("proper", ANSWER, "paths: semisprays (7.2)"),
            part("extended", ANSWER, "all Hamilton paths (7.1)"),
            part("primary", SET, "of the proper dynamics"),
            part("final", SET, "of the proper dynamics"),
            part("branches", LIST, "of the proper dynamics"),
            part("empty", VERDICT, "no motion at all"),
            part("secondary", VERDICT, "the final set is smaller than the primary one"),
            part("complete", VERDICT, "nothing undecided"),
            part("undecided", LIST, "branches that could not be decided"),
            part("reasons", LIST, "why, for each of these"),
            part("rounds", INTEGER, "rounds of the algorithm"),
            label(
                "kind",
                &["motion", "no_motion", "contradictory", "cut_off"],
                "motion, no_motion, contradictory or cut_off",
            ),
            part(
                "certificate",
                VERDICT,
                "what separate code found when it checked each branch, and points off all branches",
            ),
            part("log", TEXT, "every step, for `explain`"),
        ],
        run: dynamics,
    },
];

fn not_applicable(what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&codes::NOT_APPLICABLE, format!("{what} is a notion for equations of order two and more"))
            .note("these equations are of first order, s = 1"),
    )
}

fn classify(a: &Arguments) -> Fallible<Value> {
    if super::constrained::is_asked_of(a) {
        return super::constrained::classify(a);
    }
    let system = a.system(0)?;
    let found = system.classification(&a.cx)?;
    let form = system.dynamical_form(&a.cx)?;
    let alpha = system.lepage(&a.cx)?;
    let space = form.phase_space();
    let b = Matrix::with_columns(form.b().to_vec(), form.b().len());
    let column = |list: Vec<Expr>| Matrix::with_columns(list.into_iter().map(|e| vec![e]).collect(), 1);
    let ba = b.beside(&column(form.a().to_vec()));
    let f = Matrix::with_columns(alpha.matrix().to_vec(), form.size());
    let fa = f.beside(&column(alpha.column_a()));
    let bordered = Matrix::from_rows(alpha.bordered_matrix());
    let dimension = space.dimension();
    // At a point the ranks there decide.
    let ranks = Ranks { b: b.clone(), ba: ba.clone(), f: f.clone(), fa: fa.clone() };
    let judged = |v: &Verdict, at: fn(&AtPoint) -> bool| {
        let ranks = ranks.clone();
        let again = move |cx: &Inquiry, point: &Point| {
            Ok(Verdict::from_bool(at(&ranks.at(cx, point)?), "the ranks at the point"))
        };
        Value::from(Judgement { verdict: v.clone(), at: Some(Box::new(again)), needs: vec![] })
    };
    let optional = |v: &Option<Verdict>, what: &str, at: fn(&AtPoint) -> bool| match v {
        Some(v) => Ok(judged(v, at)),
        None => Err(not_applicable(what)),
    };
    let regular: fn(&AtPoint) -> bool =
        if form.order() == 1 { |p| p.is_semiregular() && p.rank_delta() == 1 } else { |p| p.b == p.m };
    let singular: fn(&AtPoint) -> bool =
        if form.order() == 1 { |p| !p.is_semiregular() || p.rank_delta() != 1 } else { |p| p.b != p.m };
    let set = |branches: &Option<Vec<crate::model::set::Branch>>| match branches {
        Some(branches) => Value::from(PointSet::new(&space, branches.clone())),
        None => Value::from(Verdict::unknown(NOT_ALL)),
    };
    let det = b.clone();
    Ok(Value::from(
        Answer::new("classify")
            .part("regular", judged(&found.regular, regular))
            .try_part("weakly_regular", optional(&found.weakly_regular, "weak regularity", |p| p.b == p.ba))
            .part("semiregular", judged(&found.semiregular, AtPoint::is_semiregular))
            .try_part(
                "strongly_semiregular",
                optional(&found.strongly_semiregular, "strong semiregularity", |p| p.b == p.ba && p.is_semiregular()),
            )
            .part("singular", judged(&found.singular, singular))
            .part("rank_one", judged(&found.rank_one, |p| p.rank_delta() == 1))
            .part("integrable", found.integrable.clone())
            .part("variational", found.variational.clone())
            .part("rank_B", rank_with(found.rank_b.clone(), b, None))
            .part("rank_BA", rank_with(found.rank_ba.clone(), ba, None))
            .part("rank_F", rank_with(found.rank_f.clone(), f, None))
            .part("rank_FA", rank_with(found.rank_fa.clone(), fa.clone(), None))
            .part("rank_Delta", rank_with(found.rank_delta.clone(), fa, Some(dimension)))
            .part("rank_D", rank_with(found.rank_d.clone(), bordered, Some(dimension)))
            .part("order", found.order as usize)
            .part("size", found.size)
            .part("parity", Value::Text(parity(found.size, found.order).into()))
            .lazy("det_B", move |cx: &Inquiry| Ok(Value::Expr(det.det(cx)?)))
            .part("primary", set(&found.primary))
            .part("primary_semispray", set(&found.primary_semispray))
            .on(&system.manifold)
            .valid_where(found.generic.iter().copied()),
    ))
}

/// Theorems 6.1 and 6.3.
fn parity(size: usize, order: u32) -> String {
    match (size % 2, order) {
        (_, 1) => format!("s = 1: B is antisymmetric of size {size}, invertible for even sizes only"),
        (0, 2) => {
            format!("ms = {size} is even and s = 2: where det B != 0 every representative has rank one (Theorem 6.1)")
        }
        (0, _) => format!("ms = {size} is even: where det B != 0 some representative has rank one (Theorem 6.1)"),
        _ => format!("ms = {size} is odd: no representative has rank one (Theorem 6.3)"),
    }
}

/// The matrices whose ranks decide, and these ranks at a point.
#[derive(Clone)]
struct Ranks {
    b: Matrix,
    ba: Matrix,
    f: Matrix,
    fa: Matrix,
}

struct AtPoint {
    m: usize,
    b: usize,
    ba: usize,
    f: usize,
    fa: usize,
    size: usize,
}

impl Ranks {
    fn at(&self, cx: &Inquiry, point: &Point) -> Fallible<AtPoint> {
        let map = assignment(point);
        let rank = |m: &Matrix| -> Fallible<usize> {
            let there = m.try_map(|e| expr_at(cx, e, &map))?;
            there.rank_of_numbers(cx).ok_or_else(|| {
                Box::new(
                    Diagnostic::error(&codes::MISSING_PARAMETER, "the point given does not determine the ranks")
                        .help("give all coordinates and parameters that occur"),
                )
            })
        };
        let (m, size) = (self.b.n_rows(), self.f.n_rows());
        Ok(AtPoint { m, b: rank(&self.b)?, ba: rank(&self.ba)?, f: rank(&self.f)?, fa: rank(&self.fa)?, size })
    }
}

impl AtPoint {
    /// A Hamilton vector exists: Theorem 5.2.
    fn is_semiregular(&self) -> bool {
        self.f == self.fa
    }

    /// (5.7).
    fn rank_delta(&self) -> usize {
        1 + self.size - self.fa
    }
}

fn dynamics(a: &Arguments) -> Fallible<Value> {
    if super::constrained::is_asked_of(a) {
        return super::constrained::dynamics(a);
    }
    let system = a.system(0)?;
    let found = system.dynamics(&a.cx)?;
    let form = system.dynamical_form(&a.cx)?;
    let space = form.phase_space();
    let point = through(a)?;
    let chosen = |d: &Dynamics| match &point {
        Some(p) => d.through(&a.cx, p),
        None => Ok(d.branches.clone()),
    };
    let paths = chosen(&found.proper)?;
    // Where the equations are real is said if the branches do not show it.
    let unseen = |branches: &[DynamicBranch]| {
        let sets = branches.iter().flat_map(|b| b.branch.equations.iter().chain(&b.branch.nonzero)).copied();
        let fields = branches.iter().flat_map(|b| &b.fields).flat_map(|x| x.components()).map(|(_, e)| e);
        let seen = conditions::joint_domain(&a.cx, sets.chain(fields));
        let of_lagrangian = system.free_lagrangian().map(|l| l.function());
        let needed = conditions::joint_domain(&a.cx, form.components().iter().copied().chain(of_lagrangian));
        needed.into_iter().filter(|c| !seen.contains(c)).collect::<Vec<_>>()
    };
    let proper =
        Value::from(dynamics_answer(&system, &space, &found.proper, paths.clone()).valid_where(unseen(&paths)));
    let all = chosen(&found.extended)?;
    let extended = dynamics_answer(&system, &space, &found.extended, all.clone()).valid_where(unseen(&all));
    // The parts of the proper dynamics are those of the answer itself: its text does not say them twice, nor
    // the log, which `explain` prints.
    let conditions = unseen(&paths);
    let answer = dynamics_answer(&system, &space, &found.proper, paths).valid_where(conditions);
    let answer = answer.lazy("proper", move |_| Ok(proper.clone())).part("extended", extended);
    Ok(Value::from(answer.lazy("log", move |_| Ok(Value::Steps(Rc::new(steps(&found)))))))
}

/// The point of `through = { x = 1 }`.
pub(super) fn through(a: &Arguments) -> Fallible<Option<FxHashMap<Symbol, Expr>>> {
    let Some(option) = a.option("through") else { return Ok(None) };
    match option.value.main() {
        Value::Point(p) => Ok(Some(assignment(&p))),
        other => Err(Box::new(
            Diagnostic::error(&codes::WRONG_KIND, "`through` takes a point")
                .label(option.span, format!("this is {}", crate::model::operate::describe(&other))),
        )),
    }
}

fn dynamics_answer(system: &Rc<System>, space: &JetSpace, d: &Dynamics, branches: Vec<DynamicBranch>) -> Answer {
    let set = |list: Vec<crate::model::set::Branch>| Value::from(PointSet::new(space, list));
    let checked = d.clone();
    let reasons: Vec<String> = d.undecided.iter().map(|u| u.reason.clone()).collect();
    // No branch found is not the same as no branch.
    let final_set = match d.final_set() {
        nothing if nothing.is_empty() && d.empty.is_unknown() => {
            Value::from(Verdict::unknown("no final branch was found; undecided is what is open"))
        }
        branches => set(branches),
    };
    Answer::new("dynamics")
        .part("primary", set(d.primary.clone()))
        .part("final", final_set)
        .part("branches", Value::list(branches.iter().map(|b| Value::from(branch_answer(system, space, b)))))
        .part("empty", d.empty.clone())
        .part("secondary", d.secondary.clone())
        .part("complete", d.complete.clone())
        .part(
            "undecided",
            Value::list(d.undecided.iter().map(|u| Value::from(PointSet::new(space, vec![u.branch.clone()])))),
        )
        .lazy("reasons", move |_| Ok(Value::list(reasons.iter().map(|r| Value::Text(r.as_str().into())))))
        .part("rounds", d.rounds)
        .part("kind", Value::Label(d.kind()))
        .lazy("certificate", move |_| Ok(Value::from(certificates_answer(&checked))))
        .on(&system.manifold)
        .valid_where(d.generic.iter().copied())
}

/// The dimension of a branch of which regular real points are not known.
fn at_most(b: &DynamicBranch) -> Value {
    let why = match &b.regular {
        Verdict::Unknown(why) => why.to_string(),
        _ => String::new(),
    };
    Value::from(Verdict::unknown(format!("at most {}: {why}", b.dim)))
}

/// The 1-forms that annihilate the distribution at every point of the branch, one row each.
fn annihilators(space: &JetSpace, b: &DynamicBranch) -> Matrix {
    let row = |f: &Form| space.symbols().iter().map(|s| f.coefficient(&[*s])).collect();
    Matrix::with_columns(b.forms.iter().map(row).collect(), space.dimension())
}

/// The reduced row echelon matrix of what the rows annihilate at a point; `None` if the point leaves something open.
fn kernel_at(cx: &Inquiry, rows: &Matrix, point: &FxHashMap<Symbol, Expr>) -> Option<Matrix> {
    rows.try_map(|e| expr_at(cx, e, point)).ok()?.kernel_of_numbers(cx)
}

/// q_s at a point: the component along q_{s−1} of the vectors with ∂_t-component 1, if they agree there.
fn acceleration_anew(space: &JetSpace, top: Symbol, rows: Matrix) -> Anew {
    let column = top.as_jet().and_then(|(q, s)| space.symbols().iter().position(|x| *x == q.jet(s.saturating_sub(1))));
    Rc::new(move |cx, point| {
        let (Some(column), Some(kernel)) = (column, kernel_at(cx, &rows, point)) else { return Ok(None) };
        let entries = kernel.column(column);
        match entries.split_first() {
            Some((value, free)) if free.iter().all(|e| e.is_zero()) => Ok(Some(Value::Expr(*value))),
            Some(_) => Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, format!("{top} is not determined at this point"))
                    .note("the rank of the distribution is larger there"),
            )),
            None => Ok(None),
        }
    })
}

/// The rank of the distribution at the points of a branch.
#[derive(Clone)]
struct RankAt {
    branch: crate::model::set::Branch,
    rows: Matrix,
    /// Where it does not jump.
    generic: usize,
    jumps: bool,
}

impl RankAt {
    fn new(b: &DynamicBranch, rows: Matrix) -> RankAt {
        let jumps = b.rank.values != [b.free + 1] || !b.rank.complete.is_yes();
        RankAt { branch: b.branch.clone(), rows, generic: b.free + 1, jumps }
    }

    /// `None` if the point leaves it open.
    fn at(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Expr>) -> Fallible<Option<usize>> {
        on_the_branch(cx, &self.branch, point)?;
        let known = kernel_at(cx, &self.rows, point).map(|kernel| kernel.n_rows());
        Ok(known.or((!self.jumps).then_some(self.generic)))
    }

    /// Whether one vector with ∂_t-component 1 is left there.
    fn determined(&self, cx: &Inquiry, point: &Point) -> Fallible<Verdict> {
        Ok(match self.at(cx, &assignment(point))? {
            Some(rank) => Verdict::from_bool(rank == 1, "the rank of the distribution at the point"),
            None => Verdict::unknown(Self::OPEN),
        })
    }

    /// What is said of the distribution where its rank is the generic one, at a point.
    fn generic(&self, cx: &Inquiry, point: &Point, verdict: &Verdict) -> Fallible<Verdict> {
        Ok(match self.at(cx, &assignment(point))? {
            Some(rank) if rank == self.generic => verdict.clone(),
            Some(_) => Verdict::unknown("the rank of the distribution is larger at this point"),
            None => Verdict::unknown(Self::OPEN),
        })
    }

    const OPEN: &str = "the point leaves the rank of the distribution open";

    fn free(self) -> Anew {
        Rc::new(move |cx, point| match self.at(cx, point)? {
            Some(rank) => Ok(Some(Value::count(rank.saturating_sub(1)))),
            None => Ok(Some(Value::from(Verdict::unknown(Self::OPEN)))),
        })
    }

    /// For what is known of points of generic rank alone.
    fn nowhere_else(self, what: &'static str) -> Anew {
        Rc::new(move |cx, point| match self.at(cx, point)? {
            Some(rank) if rank != self.generic => Err(Box::new(
                Diagnostic::error(&codes::DEGENERATE, format!("{what} not found at this point"))
                    .note("the rank of the distribution is larger there"),
            )),
            _ => Ok(None),
        })
    }
}

fn branch_answer(system: &Rc<System>, space: &JetSpace, b: &DynamicBranch) -> Answer {
    let along = |value: Value, anew: Anew| {
        let (coordinates, branch) = (space.symbols(), b.branch.clone());
        Value::OnBranch(Rc::new(OnBranch { anew: Some(anew), ..OnBranch::new(value, coordinates, branch) }))
    };
    let annihilators = annihilators(space, b);
    let acceleration = |(s, e): &(Symbol, Option<Expr>)| {
        Some((*s, along(Value::Expr((*e)?), acceleration_anew(space, *s, annihilators.clone()))))
    };
    let accelerations = b.accelerations.iter().filter_map(acceleration);
    let rank = RankAt::new(b, annihilators.clone());
    let (of_determined, of_integrable, integrable) = (rank.clone(), rank.clone(), b.integrable.clone());
    let of_gauge = rank.clone();
    let determined = Judgement {
        verdict: b.determined.clone(),
        at: Some(Box::new(move |cx, point| of_determined.determined(cx, point))),
        needs: vec![],
    };
    let integrable = Judgement {
        verdict: b.integrable.clone(),
        at: Some(Box::new(move |cx, point| of_integrable.generic(cx, point, &integrable))),
        needs: vec![],
    };
    let there = annihilators.clone();
    let anew: Anew = Rc::new(move |cx, point| Ok(kernel_at(cx, &there, point).map(Value::matrix)));
    let distribution = Distribution::new(space, b.fields.clone());
    let distribution = distribution.map(|d| along(Value::from(d), anew)).map_err(Into::into);
    let jumps: Vec<Value> = b.jumps.iter().map(|j| Value::from(branch_answer(system, space, j))).collect();
    // A number, which nothing about the branch is needed to compare; that a point lies on it is seen to with the rank.
    let everywhere = crate::model::set::Branch { equations: vec![], nonzero: vec![] };
    let free = OnBranch::new(Value::count(b.free), space.symbols(), everywhere);
    let free = OnBranch { anew: Some(rank.free()), ..free };
    let (projected, singular, moved, coordinates) = (b.clone(), b.clone(), b.clone(), space.symbols());
    let certificate = b.certificate.clone();
    let (configuration_space, locus_space) = (system.manifold.jets(0), space.clone());
    Answer::new("branch")
        .main(PointSet::new(space, vec![b.branch.clone()]))
        .part("equations", Value::exprs(b.branch.equations.clone()))
        .part("nonzero", Value::exprs(b.branch.nonzero.clone()))
        .part("dim", if b.regular.is_yes() { Value::count(b.dim) } else { at_most(b) })
        .try_part("distribution", distribution)
        .part(
            "rank",
            Rank {
                values: b.rank.values.clone(),
                strata: b.rank.strata.clone(),
                // At a point where the rank jumps the forms tell what the fields do not.
                matrix: annihilators.clone(),
                complement: Some(space.dimension()),
                whole: None,
                complete: b.rank.complete.clone(),
                interrupted: b.rank.stopped.is_some(),
                generic: b.rank.generic.clone(),
            },
        )
        .part("integrable", integrable)
        .part("determined", determined)
        .part("free", Value::OnBranch(Rc::new(free)))
        .part("accelerations", Value::family(accelerations))
        .part("multipliers", Value::list([]))
        .lazy("configuration", move |cx: &Inquiry| {
            let branch = crate::model::set::Branch { equations: projected.configuration(cx)?, nonzero: vec![] };
            Ok(Value::from(PointSet::new(&configuration_space, vec![branch])))
        })
        .lazy("gauge", move |cx: &Inquiry| {
            let anew = of_gauge.clone().nowhere_else("gauge directions are");
            let on = |value: Value| OnBranch {
                anew: Some(anew.clone()),
                ..OnBranch::new(value, coordinates.clone(), moved.branch.clone())
            };
            Ok(Value::list(moved.gauge(cx)?.into_iter().map(|x| Value::OnBranch(Rc::new(on(Value::Field(x)))))))
        })
        .lazy("certificate", move |_| Ok(Value::from(certificate_answer(&certificate))))
        .part("jumps", Value::list(jumps))
        .lazy("singular_locus", move |cx: &Inquiry| {
            Ok(Value::from(PointSet::new(&locus_space, singular.singular_locus(cx)?)))
        })
        .on(&system.manifold)
        .valid_where(b.conditions.iter().copied())
}

/// The certificates of all branches, and that of the whole.
fn certificates_answer(d: &Dynamics) -> Answer {
    let certificates = || d.branches.iter().map(|b| &b.certificate).chain([&d.coverage]);
    let verdict = Verdict::all(certificates().map(Certificate::verdict), "there is nothing to check");
    Answer::new("certificate")
        .main(verdict)
        .part("branches", Value::list(d.branches.iter().map(|b| Value::from(certificate_answer(&b.certificate)))))
        .part("coverage", certificate_answer(&d.coverage))
}

fn certificate_answer(c: &Certificate) -> Answer {
    let entry = |(s, x): &(Symbol, Rational)| PointEntry {
        symbols: [*s].into_iter().collect(),
        text: s.to_string(),
        value: Expr::number(x.clone()),
        of_run: false,
    };
    let point = Point { entries: c.point.iter().map(entry).collect() };
    Answer::new("certificate")
        .main(c.verdict())
        .part("outcome", Value::Label(c.word()))
        .part("point", Value::Point(Rc::new(point)))
        .part("checks", Value::list(c.checks.iter().map(|text| Value::Text(text.as_str().into()))))
}

/// The steps of both problems, and after them what checked the answers.
fn steps(found: &SystemDynamics) -> Steps {
    let checked = |title: String, c: &Certificate| {
        let (outcome, checks) = match &c.outcome {
            Outcome::Passed => ("passed".to_string(), c.checks.as_slice()),
            Outcome::Failed(evidence) => (format!("failed: {evidence}"), [].as_slice()),
            Outcome::NotMade(why) => (format!("not made: {why}"), [].as_slice()),
        };
        let items = checks.iter().cloned().map(LogItem::Remark).collect();
        LogEntry { title: format!("{title}: {outcome}"), items }
    };
    let chapter = |(title, d): (&str, &Dynamics)| {
        let branches = d.branches.iter().enumerate();
        let certificates = branches.map(|(n, b)| checked(format!("Certificate of branch {}", n + 1), &b.certificate));
        let whole = checked("Certificate of the whole".into(), &d.coverage);
        let steps = d.log.iter().cloned().chain(certificates).chain([whole]).collect();
        Chapter { title: Some(title.into()), steps }
    };
    let chapters = [("Proper dynamics (7.2)", &found.proper), ("Extended dynamics (7.1)", &found.extended)];
    Steps { chapters: chapters.into_iter().map(chapter).collect() }
}
