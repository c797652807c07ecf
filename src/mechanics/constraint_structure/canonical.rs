//! Distributions on Q where the constraints are not solved for their dependent jets. In a chart of Q the canonical distribution is the
//! annihilator of the forms ι*φ^i; without one it is that of φ^i and df^i at the points of Q (docs/theory/nonholonomic.md §4), and
//! every zero is one on Q: the coefficient of dt in φ, which is f, vanishes there and nowhere else.

use super::ConstraintStructure;
use crate::algebra::decide::is_nonzero_everywhere;
use crate::algebra::derive::partial;
use crate::algebra::{Expr, Inquiry, Symbol, Verdict, conditions};
use crate::geometry::field::VectorField;
use crate::geometry::form::Form;
use crate::mechanics::{Answered, tidy, undecided};

impl ConstraintStructure {
    /// Fields that span the canonical distribution.
    pub fn canonical_fields(&self, cx: &Inquiry) -> Answered<Vec<VectorField>> {
        self.kernel_on_q(cx, &self.forms_on_q(cx))
    }

    /// Fields along Q on which the forms vanish, tangent to it: one for each coordinate that is left, with the others as its
    /// consequences.
    pub fn kernel_on_q(&self, cx: &Inquiry, forms: &[Form]) -> Answered<Vec<VectorField>> {
        let symbols = self.space().symbols();
        let place = |s: &Symbol| symbols.iter().position(|x| x == s);
        let wanted = (0..=self.level).rev().flat_map(|k| self.dependent_jets(k));
        let mut order: Vec<usize> = wanted.filter_map(|s| place(&s)).collect();
        order.extend((0..symbols.len()).rev().filter(|j| !order.contains(j)).collect::<Vec<_>>());
        let tangent = self.tower().iter().map(|p| symbols.iter().map(|s| partial(cx, p.function, *s)).collect());
        let forms = forms.iter().map(|form| symbols.iter().map(|s| form.coefficient(&[*s])).collect());
        let mut echelon: Vec<(usize, Vec<Expr>)> = vec![];
        for row in tangent.chain(forms).collect::<Vec<Vec<Expr>>>() {
            self.add_row(cx, &mut echelon, row, &order)?;
        }
        let is_pivot = |j: usize| echelon.iter().any(|(pivot, _)| *pivot == j);
        let field = |j: usize| {
            let others = echelon.iter().map(|(pivot, row)| (symbols[*pivot], -row[j]));
            VectorField::new(others.chain([(symbols[j], Expr::one())]))
        };
        Ok((0..symbols.len()).filter(|j| !is_pivot(*j)).map(field).collect())
    }

    /// Reduces a row by those before it, and them by what is left of it; rows that vanish on Q say nothing.
    fn add_row(
        &self,
        cx: &Inquiry,
        echelon: &mut Vec<(usize, Vec<Expr>)>,
        row: Vec<Expr>,
        order: &[usize],
    ) -> Answered<()> {
        let without = |row: Vec<Expr>, pivot: usize, by: &[Expr]| -> Vec<Expr> {
            let factor = row[pivot];
            row.iter().zip(by).map(|(e, b)| self.settled(cx, *e - factor * *b)).collect()
        };
        let row = row.into_iter().map(|e| self.settled(cx, e)).collect();
        let row = echelon.iter().fold(row, |row: Vec<Expr>, (pivot, by)| without(row, *pivot, by));
        // What vanishes nowhere is no condition.
        let is_sure = |j: &usize| !row[*j].is_zero() && is_nonzero_everywhere(cx, row[*j]).is_yes();
        let sure = order.iter().copied().find(is_sure);
        let Some(pivot) = sure.or_else(|| order.iter().copied().find(|j| !row[*j].is_zero())) else { return Ok(()) };
        if let Verdict::Unknown(why) = self.vanishes_on_q(cx, row[pivot]) {
            return Err(undecided("a coefficient of the constraint forms vanishes on the constraint", why));
        }
        if sure.is_none() {
            conditions::record_nonzero(cx, row[pivot]);
        }
        let unit: Vec<Expr> = row.iter().map(|e| self.settled(cx, *e / row[pivot])).collect();
        for (_, other) in echelon.iter_mut() {
            *other = without(std::mem::take(other), pivot, &unit);
        }
        echelon.push((pivot, unit));
        Ok(())
    }

    /// A coefficient, 0 where it vanishes on Q.
    fn settled(&self, cx: &Inquiry, e: Expr) -> Expr {
        let e = tidy(cx, e);
        if e.is_number() || !self.vanishes_on_q(cx, e).is_yes() { e } else { Expr::zero() }
    }
}
