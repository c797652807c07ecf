//! Distributions and codistributions, of rank that need not be constant. Krupková §2.
//!
//! A distribution Δ gives a subspace of the tangent space at every point. It is spanned by vector fields, or it
//! is what a list of 1-forms annihilates; its generators stay what they were, because the two differ where the
//! rank jumps. Columns of matrices stand in the order t, q, q′, …
//!
//! ```text
//! D = ker(x dx)      has rank n − 1 where x ≠ 0 and n where x = 0
//! D = span(x ∂/∂x)   has rank 1 where x ≠ 0 and 0 where x = 0
//! ```
//!
//! Ranks come with their [strata](super::rank::Rank) and are exact at every point. What needs a basis, such as
//! brackets, is a statement about generic points; the pivots on which it rests are recorded as conditions. A bracket that
//! is a combination of the generators with regular coefficients rests on none, and neither does a bracket that leaves:
//! it does so on an open set.

use super::Refusal;
use super::field::VectorField;
use super::form::Form;
use super::jet::{Chart, JetSpace};
use super::rank::Rank;
use super::submanifold::Submanifold;
use super::subspace::{Given, Row, Subspace, dot, vanish_at};
use crate::algebra::Inquiry;
use crate::algebra::assume::sign_of;
use crate::algebra::conditions;
use crate::algebra::expr::{Node, post_order};
use crate::algebra::linear::Matrix;
use crate::algebra::normal::simplify;
use crate::algebra::stratum::cell::Frame;
use crate::algebra::stratum::leaves::{LinearSystem, leaves};
use crate::algebra::stratum::{Branch, set};
use crate::algebra::{Expr, Rational, Symbol, Verdict};
use crate::budget::Budgeted;
use rustc_hash::FxHashMap;

/// A subspace at every point, with fields or forms that span it: all of them if it was given so, else those of a basis at
/// generic points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spanned<G> {
    subspace: Subspace,
    generators: Vec<G>,
}

/// A subspace of the tangent space at every point.
pub type Distribution = Spanned<VectorField>;

/// A subspace of the cotangent space at every point.
pub type Codistribution = Spanned<Form>;

/// Whether a distribution is completely integrable at generic points; the evidence is a bracket that leaves it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Involutivity {
    pub verdict: Verdict,
    pub evidence: Option<LeavingBracket>,
}

/// [left, right], on which the form, which annihilates the distribution, has the value `residual`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeavingBracket {
    pub left: VectorField,
    pub right: VectorField,
    pub form: Form,
    pub residual: Expr,
}

impl<G> Spanned<G> {
    pub fn chart(&self) -> &Chart {
        &self.subspace.chart
    }

    /// The branch on which it lives; everything unless it was restricted.
    pub fn home(&self) -> &Branch {
        &self.subspace.on
    }

    /// The generators, or those that span it at generic points, which are recorded then.
    fn generators(&self, cx: &Inquiry) -> &[G] {
        self.subspace.basis(cx);
        &self.generators
    }

    /// The matrix of the generators, one row each. Its rank at special points need not be that of the subspace: see
    /// [`rank_matrix`](Spanned::rank_matrix) and [`rref_at`](Spanned::rref_at).
    pub fn matrix(&self, cx: &Inquiry) -> Matrix {
        Matrix::with_columns(self.subspace.basis(cx).to_vec(), self.chart().dimension())
    }

    /// A matrix whose rank, subtracted from the number if there is one, is the rank at every point.
    pub fn rank_matrix(&self) -> (Matrix, Option<usize>) {
        self.subspace.rank_matrix()
    }

    /// The rank with its strata.
    pub fn rank(&self, cx: &Inquiry) -> Budgeted<Rank> {
        self.subspace.rank(cx)
    }

    pub fn generic_rank(&self, cx: &Inquiry) -> Budgeted<usize> {
        self.subspace.generic_rank(cx)
    }

    /// The reduced row echelon matrix at a point, exact; `None` if the point does not determine it.
    pub fn rref_at(&self, cx: &Inquiry, point: &FxHashMap<Symbol, Expr>) -> Option<Matrix> {
        self.subspace.at(cx, point)
    }

    /// Equal spans; see [`Rank`] for where ranks jump.
    pub fn equals(&self, cx: &Inquiry, other: &Spanned<G>) -> Result<Verdict, Refusal> {
        self.subspace.equals(cx, &other.subspace)
    }
}

impl Distribution {
    /// The span of fields on a jet space.
    pub fn new(space: &JetSpace, fields: Vec<VectorField>) -> Result<Distribution, Refusal> {
        let foreign = |(symbol, _): &(Symbol, Expr)| !space.contains(*symbol);
        for field in &fields {
            if let Some((symbol, _)) = field.components().into_iter().find(foreign) {
                return Err(Refusal::ForeignCoordinate { space: space.clone(), symbol });
            }
        }
        Ok(Distribution::span(&space.chart(), fields))
    }

    /// The span of fields in the coordinates of the chart.
    pub fn span(chart: &Chart, fields: Vec<VectorField>) -> Distribution {
        let row = |x: &VectorField| chart.symbols().iter().map(|s| x.component(*s)).collect();
        Spanned { subspace: Subspace::span(chart, fields.iter().map(row).collect()), generators: fields }
    }

    /// {ζ : i_ζη = 0 for all the forms}, at every point.
    pub fn kernel(cx: &Inquiry, chart: &Chart, forms: &[Form]) -> Result<Distribution, Refusal> {
        let subspace = Subspace::kernel(cx, chart, form_rows(chart, forms), Branch::everything())?;
        Ok(Distribution::from_subspace(cx, subspace))
    }

    /// The characteristic distribution {ζ : i_ζα = 0} of a 2-form.
    pub fn characteristic(cx: &Inquiry, chart: &Chart, alpha: &Form) -> Result<Distribution, Refusal> {
        if alpha.degree() != 2 {
            return Err(Refusal::WrongDegree { expected: 2, found: alpha.degree() });
        }
        let contracted = |s: &Symbol| alpha.interior(&VectorField::coordinate(*s));
        let rows: Vec<Form> = chart.symbols().iter().map(contracted).collect();
        Distribution::kernel(cx, chart, &rows)
    }

    fn from_subspace(cx: &Inquiry, subspace: Subspace) -> Distribution {
        let field = |row: &Row| VectorField::new(subspace.chart.symbols().iter().copied().zip(row.iter().copied()));
        let (generators, _) = conditions::collect(cx, |cx| subspace.basis(cx).iter().map(field).collect());
        Spanned { subspace, generators }
    }

    /// The generators, or fields that span it at generic points, which are recorded then.
    pub fn fields(&self, cx: &Inquiry) -> &[VectorField] {
        self.generators(cx)
    }

    /// The points at which the rank is not what it is at generic points.
    pub fn singular_points(&self, cx: &Inquiry) -> Budgeted<Submanifold> {
        let generic = self.generic_rank(cx)?;
        let rank = self.rank(cx)?;
        let branches = rank.strata.into_iter().filter(|(_, r)| *r != generic).map(|(branch, _)| branch).collect();
        Ok(Submanifold::new(self.chart(), branches))
    }

    /// The forms that vanish on it, with the same rank at every point.
    pub fn annihilator(&self, cx: &Inquiry) -> Result<Codistribution, Refusal> {
        Ok(Codistribution::from_subspace(cx, self.subspace.annihilator(cx)?))
    }

    /// The points at which it contains a vector with time component 1. docs/theory/odes.md §3:
    /// rank(rows) = rank(rows without the dt column).
    pub fn weakly_horizontal(&self, cx: &Inquiry) -> Budgeted<Submanifold> {
        let chart = self.chart();
        let Some(time) = chart.base().and_then(|t| chart.position(t)) else { return Ok(Submanifold::empty(chart)) };
        if self.subspace.given == Given::Span {
            let branch = |row: &Row| {
                let mut branch = self.subspace.on.clone();
                branch.nonzero.push(row[time]);
                branch
            };
            let some = self.subspace.rows.iter().filter(|row| !row[time].is_zero());
            return Submanifold::new(chart, some.map(branch).collect()).simplified(cx);
        }
        let home = self.subspace.home();
        let frame = home.frame(cx, &self.subspace.rows.iter().flatten().copied().collect::<Vec<_>>())?;
        let mut system = LinearSystem::new(chart.dimension() - 1);
        for row in &self.subspace.rows {
            let mut polynomials = frame.read_row(cx, row)?;
            let right = -&polynomials.remove(time);
            system.push(polynomials, right);
        }
        let mut solvable = vec![];
        for cell in home.cells(cx, &frame)? {
            let found = leaves(cx, &frame, &system, &cell)?;
            solvable.extend(found.into_iter().filter(|leaf| leaf.is_solvable).map(|leaf| leaf.cell));
        }
        let cells = set::merged(cx, &frame, solvable)?;
        Ok(Submanifold::new(chart, cells.iter().map(|cell| frame.branch(cx, cell)).collect::<Budgeted<_>>()?))
    }

    /// Contained in ker dt.
    pub fn is_vertical(&self, cx: &Inquiry) -> Budgeted<Verdict> {
        let chart = self.chart();
        let Some(time) = chart.base().and_then(|t| chart.position(t)) else {
            return Ok(Verdict::yes("there is no time"));
        };
        self.subspace.all_vanish(cx, self.subspace.basis(cx).iter().map(|row| row[time]))
    }

    /// Frobenius, at generic points: all brackets of spanning fields stay in the distribution.
    pub fn is_involutive(&self, cx: &Inquiry) -> Result<Verdict, Refusal> {
        Ok(self.involutivity(cx)?.verdict)
    }

    /// The same with evidence. Each form η that annihilates the distribution is applied to each bracket, which
    /// is to test dη ≡ 0 modulo the forms, since η([X, Y]) = −dη(X, Y).
    pub fn involutivity(&self, cx: &Inquiry) -> Result<Involutivity, Refusal> {
        let (found, pivots) = conditions::collect(cx, |cx| self.leaving_bracket(cx));
        let found = found?;
        if !found.verdict.is_no() {
            pivots.into_iter().for_each(|x| conditions::record_nonzero(cx, x));
        }
        Ok(found)
    }

    fn leaving_bracket(&self, cx: &Inquiry) -> Result<Involutivity, Refusal> {
        let mut found = Involutivity { verdict: Verdict::yes("all brackets stay inside"), evidence: None };
        let mut open = vec![];
        for (i, left) in self.fields(cx).iter().enumerate() {
            for right in &self.generators[i + 1..] {
                cx.check()?;
                let bracket = left.bracket(cx, right);
                if !self.generates(cx, &bracket)? {
                    open.push((left, right, bracket));
                }
            }
        }
        if open.is_empty() {
            return Ok(found);
        }
        let forms = self.annihilator(cx)?;
        let home = self.subspace.home();
        let frame = home.frame(cx, &self.subspace.rows.iter().flatten().copied().collect::<Vec<_>>())?;
        let cells = if self.home().equations.is_empty() { vec![] } else { home.cells(cx, &frame)? };
        for (left, right, bracket) in open {
            cx.check()?;
            for form in forms.forms(cx) {
                let residual = form.interior(&bracket).as_function().unwrap_or_else(Expr::zero);
                let verdict = vanish_at(cx, &frame, &cells, self.home(), residual)?;
                if !verdict.is_yes() && (verdict.is_no() || found.evidence.is_none()) {
                    let (left, right, form) = (left.clone(), right.clone(), form.clone());
                    found.evidence = Some(LeavingBracket { left, right, form, residual });
                }
                found.verdict = found.verdict.and(verdict);
                if found.verdict.is_no() {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }

    /// Whether the field is Σ cᵢXᵢ with coefficients that have a value everywhere, as far as one solution tells: then it lies in
    /// the distribution at every point, whatever the rank.
    fn generates(&self, cx: &Inquiry, field: &VectorField) -> Result<bool, Refusal> {
        let row = self.row(field);
        if row.iter().all(|e| e.is_zero()) {
            return Ok(true);
        }
        let matrix = Matrix::with_columns(self.subspace.basis(cx).to_vec(), self.chart().dimension()).transpose();
        let (solution, _) = conditions::collect(cx, |cx| matrix.solve(cx, &row));
        let solution = solution?;
        if !solution.residuals.is_empty() || !solution.verdict.is_yes() {
            return Ok(false);
        }
        for c in solution.particular {
            let (c, _) = conditions::collect(cx, |cx| simplify(cx, c));
            if !is_regular(cx, c?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn row(&self, field: &VectorField) -> Row {
        self.chart().symbols().iter().map(|s| field.component(*s)).collect()
    }

    /// Δ + [Δ, Δ], at every point: a bracket is left out only where it is known to add nothing anywhere. In span(@x, x @y)
    /// the bracket @y adds nothing where x ≠ 0, and a dimension where x = 0.
    pub fn derived(&self, cx: &Inquiry) -> Result<Distribution, Refusal> {
        let mut larger = self.clone();
        for (i, left) in self.fields(cx).iter().enumerate() {
            for right in &self.generators[i + 1..] {
                cx.check()?;
                let (bracket, _) = left.bracket(cx, right).simplified(cx);
                if larger.generates(cx, &bracket)? {
                    continue;
                }
                let row = self.row(&bracket);
                let (inside, pivots) = conditions::collect(cx, |cx| -> Result<bool, Refusal> {
                    let forms = larger.annihilator(cx)?;
                    let residuals: Vec<Expr> = forms.subspace.basis(cx).iter().map(|form| dot(form, &row)).collect();
                    Ok(larger.subspace.all_vanish(cx, residuals)?.is_yes())
                });
                if inside? && (pivots.is_empty() || !self.home().equations.is_empty()) {
                    pivots.into_iter().for_each(|x| conditions::record_nonzero(cx, x));
                    continue;
                }
                // x @y says no more than @y.
                let alone = Distribution::span(self.chart(), vec![bracket.clone()]);
                let mut fields = vec![];
                for x in &larger.generators {
                    if !alone.generates(cx, x)? {
                        fields.push(x.clone());
                    }
                }
                fields.push(bracket);
                larger = Distribution::span(self.chart(), fields);
                larger.subspace.on = self.subspace.on.clone();
            }
        }
        Ok(larger)
    }

    /// Δ ⊂ Δ′ ⊂ Δ″ ⊂ … until it stays, at every point; where it takes long to stay at special points, until it stays at
    /// generic ones.
    pub fn derived_flag(&self, cx: &Inquiry) -> Result<Vec<Distribution>, Refusal> {
        const FIELDS_AT_SPECIAL_POINTS: usize = 8;
        let mut flag = vec![self.clone()];
        loop {
            cx.check()?;
            let last = &flag[flag.len() - 1];
            let next = last.derived(cx)?;
            if next.generators.iter().all(|x| last.generators.contains(x)) {
                return Ok(flag);
            }
            if next.generic_rank(cx)? == last.generic_rank(cx)?
                && (next.generators.len() > FIELDS_AT_SPECIAL_POINTS || last.equals(cx, &next)?.is_yes())
            {
                return Ok(flag);
            }
            flag.push(next);
        }
    }

    /// Δ ∩ TK along K, one for each branch of the set. Its annihilator is Δ⁰ together with the differentials of
    /// the equations of K.
    pub fn restrict(&self, cx: &Inquiry, set: &Submanifold) -> Result<Vec<Distribution>, Refusal> {
        let set = set.simplified(cx)?;
        set.branches().iter().map(|b| Ok(Distribution::from_subspace(cx, self.subspace.restricted(cx, b)?))).collect()
    }

    /// Whether the field lies in the distribution, where the distribution lives.
    pub fn contains(&self, cx: &Inquiry, field: &VectorField) -> Result<Verdict, Refusal> {
        let forms = self.annihilator(cx)?;
        let residual = |form: &Form| form.interior(field).as_function().unwrap_or_else(Expr::zero);
        let residuals: Vec<Expr> = forms.forms(cx).iter().map(residual).collect();
        Ok(self.subspace.all_vanish(cx, residuals)?)
    }
}

impl Codistribution {
    /// The span of 1-forms on a jet space.
    pub fn new(space: &JetSpace, forms: Vec<Form>) -> Result<Codistribution, Refusal> {
        for form in &forms {
            if form.degree() != 1 {
                return Err(Refusal::WrongDegree { expected: 1, found: form.degree() });
            }
            if let Some(axis) = form.axes().into_iter().find(|a| !space.contains(a.symbol())) {
                return Err(Refusal::ForeignCoordinate { space: space.clone(), symbol: axis.symbol() });
            }
        }
        Ok(Codistribution::span(&space.chart(), forms))
    }

    /// The span of 1-forms in the coordinates of the chart.
    pub fn span(chart: &Chart, forms: Vec<Form>) -> Codistribution {
        Spanned { subspace: Subspace::span(chart, form_rows(chart, &forms)), generators: forms }
    }

    fn from_subspace(cx: &Inquiry, subspace: Subspace) -> Codistribution {
        let form = |row: &Row| Form::one_form(subspace.chart.symbols().iter().copied().zip(row.iter().copied()));
        let (generators, _) = conditions::collect(cx, |cx| subspace.basis(cx).iter().map(form).collect());
        Spanned { subspace, generators }
    }

    /// The generators, or forms that span it at generic points, which are recorded then.
    pub fn forms(&self, cx: &Inquiry) -> &[Form] {
        self.generators(cx)
    }

    /// The vectors on which all the forms vanish, at every point.
    pub fn annihilator(&self, cx: &Inquiry) -> Result<Distribution, Refusal> {
        Ok(Distribution::from_subspace(cx, self.subspace.annihilator(cx)?))
    }

    /// Complete integrability of the annihilated distribution, at generic points.
    pub fn is_involutive(&self, cx: &Inquiry) -> Result<Verdict, Refusal> {
        Ok(self.involutivity(cx)?.verdict)
    }

    /// The same with evidence.
    pub fn involutivity(&self, cx: &Inquiry) -> Result<Involutivity, Refusal> {
        let (found, pivots) = conditions::collect(cx, |cx| self.annihilator(cx)?.involutivity(cx));
        let found = found?;
        if !found.verdict.is_no() {
            pivots.into_iter().for_each(|x| conditions::record_nonzero(cx, x));
        }
        Ok(found)
    }

    /// The derived system {η : dη ≡ 0 modulo the forms}: the annihilator of Δ + [Δ, Δ].
    pub fn derived(&self, cx: &Inquiry) -> Result<Codistribution, Refusal> {
        self.annihilator(cx)?.derived(cx)?.annihilator(cx)
    }

    /// Along K, modulo the differentials of its equations: the annihilator of the restricted distribution.
    pub fn restrict(&self, cx: &Inquiry, set: &Submanifold) -> Result<Vec<Codistribution>, Refusal> {
        self.annihilator(cx)?.restrict(cx, set)?.iter().map(|x| Distribution::annihilator(x, cx)).collect()
    }
}

/// Made of operations that have a value for all real arguments.
pub(super) fn is_regular(cx: &Inquiry, e: Expr) -> bool {
    post_order(&[e]).into_iter().all(|x| match x.node() {
        Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum { .. } => true,
        Node::Product(factors) => {
            let regular = |n: &Rational| n.is_integer() && !n.is_negative();
            factors.iter().all(|(base, n)| regular(n) || (n.is_integer() && sign_of(cx, *base).is_nonzero()))
        }
        Node::Apply(f, _) => f.row().is_analytic_everywhere(),
        _ => false,
    })
}

fn form_rows(chart: &Chart, forms: &[Form]) -> Vec<Row> {
    forms.iter().map(|f| chart.symbols().iter().map(|s| f.coefficient(&[*s])).collect()).collect()
}

/// Whether two distributions have the same span at generic points of a branch.
pub fn same_span_on(cx: &Inquiry, branch: &Branch, a: &Distribution, b: &Distribution) -> Budgeted<Verdict> {
    let larger = if a.chart().dimension() >= b.chart().dimension() { a } else { b };
    let symbols = larger.chart().symbols().to_vec();
    let rows = |d: &Distribution| -> Vec<Vec<Expr>> {
        d.fields(cx).iter().map(|x| symbols.iter().map(|s| x.component(*s)).collect()).collect()
    };
    let (a, b) = (rows(a), rows(b));
    let mut functions: Vec<Expr> = a.iter().chain(&b).flatten().copied().collect();
    functions.extend(branch.equations.iter().chain(&branch.nonzero));
    let frame = Frame::new(cx, &symbols, &functions)?;
    let read = |list: &[Vec<Expr>]| list.iter().map(|r| frame.read_row(cx, r)).collect::<Budgeted<Vec<_>>>();
    let (a, b) = (read(&a)?, read(&b)?);
    let both: Vec<_> = a.iter().chain(&b).cloned().collect();
    let mut verdict = Verdict::yes("generic ranks on the branch agree");
    for cell in frame.cells(cx, branch)? {
        let rank = |rows: &Vec<_>| -> Budgeted<usize> {
            let system = LinearSystem::homogeneous(symbols.len(), rows.clone());
            Ok(leaves(cx, &frame, &system, &cell)?.iter().map(|leaf| leaf.rank).max().unwrap_or(0))
        };
        let (ra, rb, r) = (rank(&a)?, rank(&b)?, rank(&both)?);
        if ra != r || rb != r {
            verdict = Verdict::no(format!("ranks {ra} and {rb} on the branch, {r} together"));
        }
    }
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Coordinate;
    use crate::geometry::FiberedManifold;

    fn stage(names: &[&str]) -> (FiberedManifold, Vec<Symbol>) {
        let coordinates: Vec<Coordinate> = names.iter().map(|n| Coordinate::declare(n, false)).collect();
        let manifold = FiberedManifold::new("Y", Symbol::base("t"), &coordinates);
        let symbols = manifold.jets(0).symbols();
        (manifold, symbols)
    }

    fn e(s: Symbol) -> Expr {
        Expr::symbol(s)
    }

    fn field(components: &[(Symbol, Expr)]) -> VectorField {
        VectorField::new(components.iter().copied())
    }

    fn rows(matrix: &Matrix) -> Vec<Vec<String>> {
        (0..matrix.n_rows()).map(|i| matrix.row(i).iter().map(Expr::to_string).collect()).collect()
    }

    #[test]
    fn a_kernel_gains_rank_where_a_span_loses_it() {
        let cx = &Inquiry::free();
        let (y, s) = stage(&["x"]);
        let chart = y.jets(0).chart();
        let form = Form::one_form([(s[1], e(s[1]))]);
        let kernel = Distribution::kernel(cx, &chart, &[form]).unwrap();
        let span = Distribution::span(&chart, vec![field(&[(s[1], e(s[1]))])]);
        let (k, v) = (kernel.rank(cx).unwrap(), span.rank(cx).unwrap());
        assert_eq!((k.values.as_slice(), v.values.as_slice()), (&[1, 2][..], &[0, 1][..]));
        assert_eq!(kernel.singular_points(cx).unwrap().to_string(), "{ x = 0 }");
        let origin = FxHashMap::from_iter([(s[1], Expr::zero())]);
        assert_eq!(rows(&kernel.rref_at(cx, &origin).unwrap()), [["1", "0"], ["0", "1"]]);
        assert_eq!(span.rref_at(cx, &origin).unwrap().n_rows(), 0);
        // The annihilator of a kernel is the span of the same forms, at every point.
        assert_eq!(kernel.annihilator(cx).unwrap().rank(cx).unwrap().values, [0, 1]);
        // Equal at generic points, and not at x = 0.
        let time = Distribution::span(&chart, vec![VectorField::coordinate(s[0])]);
        assert!(kernel.equals(cx, &time).unwrap().is_no());
        assert!(span.equals(cx, &Distribution::span(&chart, vec![field(&[(s[1], 3 * e(s[1]))])])).unwrap().is_yes());
    }

    /// Case V09 of tests/cases/krupkova-odes: the dynamical codistribution of a system with a matrix B that is not symmetric.
    #[test]
    fn the_codistribution_of_v09_at_its_points() {
        let cx = &Inquiry::free();
        let coordinates: Vec<Coordinate> = ["q1", "q2"].iter().map(|n| Coordinate::declare(n, false)).collect();
        let y = FiberedManifold::new("Y", Symbol::base("t"), &coordinates);
        let s = y.jets(1).symbols();
        let (t, q1, q2, v1, v2) = (s[0], s[1], s[2], s[3], s[4]);
        let forms = vec![
            Form::one_form([(t, -(e(q1) * e(v2)) - e(q1)), (q2, e(q1)), (v1, Expr::one()), (v2, Expr::number(2))]),
            Form::one_form([(t, e(q1) * e(v1) + e(v1)), (q1, -e(q1)), (v2, Expr::one())]),
            Form::one_form([(t, e(v1)), (q1, Expr::number(-1))]),
            Form::one_form([(t, 2 * e(v1) + e(v2)), (q1, Expr::number(-2)), (q2, Expr::number(-1))]),
        ];
        let delta = Codistribution::new(&y.jets(1), forms).unwrap();
        let point = |values: [(i64, i64); 5]| -> FxHashMap<Symbol, Expr> {
            s.iter().copied().zip(values.map(|(n, d)| Expr::number(Rational::ratio(n, d)))).collect()
        };
        let first = delta.rref_at(cx, &point([(0, 1), (5, 3), (-4, 3), (-2, 1), (-1, 1)])).unwrap();
        assert_eq!(
            rows(&first),
            [
                ["1", "0", "0", "0", "-1/2"],
                ["0", "1", "0", "0", "1"],
                ["0", "0", "1", "0", "1/2"],
                ["0", "0", "0", "1", "7/6"]
            ]
        );
        let second = delta.rref_at(cx, &point([(0, 1), (-2, 1), (-3, 2), (-1, 1), (4, 1)])).unwrap();
        let last: Vec<String> = (0..4).map(|i| second[(i, 4)].to_string()).collect();
        assert_eq!(last, ["-1", "1", "-4", "4"]);
        let distribution = delta.annihilator(cx).unwrap();
        assert_eq!(distribution.generic_rank(cx).unwrap(), 1);
        assert!(
            distribution
                .weakly_horizontal(cx)
                .unwrap()
                .equals(cx, &Submanifold::everything(delta.chart()))
                .unwrap()
                .is_yes()
        );
    }

    #[test]
    fn contact_structures_are_not_integrable_and_grow() {
        let cx = &Inquiry::free();
        // The Engel distribution, annihilated by dy − u dx and du − v dx: ranks 2, 3, 4 in (x, y, u, v), and the time.
        let (manifold, s) = stage(&["x", "y", "u", "v"]);
        let (x, y, u, v) = (s[1], s[2], s[3], s[4]);
        let chart = Chart::new([x, y, u, v]);
        let forms = [Form::one_form([(y, Expr::one()), (x, -e(u))]), Form::one_form([(u, Expr::one()), (x, -e(v))])];
        let engel = Distribution::kernel(cx, &chart, &forms).unwrap();
        let involutivity = engel.involutivity(cx).unwrap();
        assert!(involutivity.verdict.is_no());
        assert!(involutivity.evidence.is_some());
        let ranks: Vec<usize> = engel.derived_flag(cx).unwrap().iter().map(|d| d.generic_rank(cx).unwrap()).collect();
        assert_eq!(ranks, [2, 3, 4]);
        let derived = engel.annihilator(cx).unwrap().derived(cx).unwrap();
        assert!(derived.equals(cx, &Codistribution::span(&chart, vec![forms[0].clone()])).unwrap().is_yes());
        // Spheres are integrable.
        let radial = Form::one_form([x, y, u].map(|c| (c, e(c))));
        let spheres = Codistribution::new(&manifold.jets(0), vec![radial]).unwrap();
        assert!(spheres.is_involutive(cx).unwrap().is_yes());
    }

    #[test]
    fn restriction_to_a_submanifold_keeps_what_is_tangent() {
        let cx = &Inquiry::free();
        let (y, s) = stage(&["x", "y"]);
        let space = y.jets(0);
        let circle = e(s[1]).pow(2) + e(s[2]).pow(2) - 1;
        let circle = Submanifold::zero_set(&space, vec![circle], vec![]);
        let everything = Distribution::span(&space.chart(), s.iter().map(|s| VectorField::coordinate(*s)).collect());
        let tangent = everything.restrict(cx, &circle).unwrap();
        assert_eq!(tangent.len(), 1);
        assert_eq!(tangent[0].generic_rank(cx).unwrap(), 2);
        let rotation = field(&[(s[2], e(s[1])), (s[1], -e(s[2]))]);
        assert!(tangent[0].contains(cx, &rotation).unwrap().is_yes());
        assert!(tangent[0].contains(cx, &VectorField::coordinate(s[1])).unwrap().is_no());
        assert!(tangent[0].is_involutive(cx).unwrap().is_yes());
        // Its generators span it at generic points of the circle, not at x = 0 only.
        let span = Distribution::span(&space.chart(), vec![rotation, VectorField::coordinate(s[0])]);
        for field in tangent[0].fields(cx) {
            let forms = span.annihilator(cx).unwrap();
            let residual = forms.forms(cx)[0].interior(field).as_function().unwrap();
            assert!(circle.annihilates(cx, residual).unwrap().is_yes(), "{field:?}");
        }
        let north = FxHashMap::from_iter([(s[0], Expr::zero()), (s[1], Expr::zero()), (s[2], Expr::one())]);
        assert_eq!(rows(&tangent[0].rref_at(cx, &north).unwrap()), [["1", "0", "0"], ["0", "1", "0"]]);
    }

    #[test]
    fn weak_horizontality_is_where_the_equations_can_be_solved() {
        let cx = &Inquiry::free();
        // x dx − y dt: a vector (1, x′) exists where x ≠ 0, or where x = 0 and y = 0.
        let (manifold, s) = stage(&["x", "y"]);
        let chart = manifold.jets(0).chart();
        let form = Form::one_form([(s[1], e(s[1])), (s[0], -e(s[2]))]);
        let delta = Distribution::kernel(cx, &chart, &[form]).unwrap();
        let expected = Submanifold::new(
            &chart,
            vec![
                Branch { equations: vec![], nonzero: vec![e(s[1])] },
                Branch { equations: vec![e(s[1]), e(s[2])], nonzero: vec![] },
            ],
        );
        let found = delta.weakly_horizontal(cx).unwrap();
        assert!(found.equals(cx, &expected).unwrap().is_yes(), "{found}");
        assert!(delta.is_vertical(cx).unwrap().is_no());
    }

    #[test]
    fn the_characteristic_distribution_of_a_symplectic_form_with_time() {
        let cx = &Inquiry::free();
        let (y, s) = stage(&["q", "p"]);
        let (t, q, p) = (s[0], s[1], s[2]);
        // dp ∧ dq − dH ∧ dt with H = (p² + q²)/2 is annihilated by ∂t + p ∂q − q ∂p.
        let h = Form::function((e(p).pow(2) + e(q).pow(2)).scale(&Rational::HALF));
        let alpha = &Form::term(Expr::one(), &[p, q]) - &h.d(cx).wedge(&Form::differential(t));
        let found = Distribution::characteristic(cx, &y.jets(0).chart(), &alpha).unwrap();
        let motion = field(&[(t, Expr::one()), (q, e(p)), (p, -e(q))]);
        assert!(found.equals(cx, &Distribution::span(found.chart(), vec![motion])).unwrap().is_yes());
        assert_eq!(found.rank(cx).unwrap().values, [1]);
    }
}
