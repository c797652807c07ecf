//! Distributions and codistributions, of rank that need not be constant. Krupková §2.
//!
//! Both are given by generators on a jet space; columns of their matrices stand in the order t, q, q′, ….
//! Operations that need a basis (annihilators, involutivity) are generic: the pivots on which they rest
//! are recorded as conditions. At a point everything is exact.

use super::field::VectorField;
use super::form::Form;
use super::jet::JetSpace;
use super::refusal::Refusal;
use crate::algebra::linear::Matrix;
use crate::algebra::{Expr, Symbol, Verdict};

/// A subspace of the tangent space at every point, spanned by vector fields.
#[derive(Clone, Debug)]
pub struct Distribution {
    space: JetSpace,
    fields: Vec<VectorField>,
}

/// A subspace of the cotangent space at every point, spanned by 1-forms.
#[derive(Clone, Debug)]
pub struct Codistribution {
    space: JetSpace,
    forms: Vec<Form>,
}

impl Distribution {
    pub fn new(space: &JetSpace, fields: Vec<VectorField>) -> Result<Distribution, Refusal> {
        for field in &fields {
            if let Some((symbol, _)) = field.components().into_iter().find(|(s, _)| !space.contains(*s)) {
                return Err(Refusal::ForeignCoordinate { space: space.clone(), symbol });
            }
        }
        Ok(Distribution { space: space.clone(), fields })
    }

    pub fn space(&self) -> &JetSpace {
        &self.space
    }

    pub fn fields(&self) -> &[VectorField] {
        &self.fields
    }

    /// One row for each generator.
    pub fn matrix(&self) -> Matrix {
        let symbols = self.space.symbols();
        let row = |x: &VectorField| symbols.iter().map(|s| x.component(*s)).collect();
        Matrix::with_columns(self.fields.iter().map(row).collect(), symbols.len())
    }

    /// The 1-forms that vanish on all the fields, generically.
    pub fn annihilator(&self) -> Result<Codistribution, Refusal> {
        let symbols = self.space.symbols();
        let forms = self.matrix().null_space()?.into_iter().map(|row| one_form(&symbols, &row)).collect();
        Codistribution::new(&self.space, forms)
    }

    /// Frobenius: all brackets of generators lie in the span, generically.
    pub fn is_involutive(&self) -> Result<Verdict, Refusal> {
        let rank = self.matrix().echelon()?.pivots.len();
        let mut verdict = Verdict::yes("all brackets of generators lie in the span");
        for (i, x) in self.fields.iter().enumerate() {
            for y in &self.fields[i + 1..] {
                crate::budget::check()?;
                let bracket = x.bracket(y);
                let mut with = self.clone();
                with.fields.push(bracket);
                let e = with.matrix().echelon()?;
                if e.pivots.len() > rank {
                    return Ok(Verdict::no(format!("[{x}, {y}] is not in the span")));
                }
                if !e.undecided.is_empty() {
                    verdict = Verdict::unknown("a coefficient of a bracket could not be decided");
                }
            }
        }
        Ok(verdict)
    }

    /// The distribution together with the brackets of its generators.
    pub fn derived(&self) -> Result<Distribution, Refusal> {
        let mut fields = self.fields.clone();
        let mut rank = self.matrix().echelon()?.pivots.len();
        for (i, x) in self.fields.iter().enumerate() {
            for y in &self.fields[i + 1..] {
                fields.push(x.bracket(y).simplified().0);
                let larger = Distribution { space: self.space.clone(), fields: fields.clone() };
                let new_rank = larger.matrix().echelon()?.pivots.len();
                if new_rank == rank {
                    fields.pop();
                }
                rank = new_rank;
            }
        }
        Ok(Distribution { space: self.space.clone(), fields })
    }

    /// Equal spans at generic points.
    pub fn equals(&self, other: &Distribution) -> Result<Verdict, Refusal> {
        let higher = if self.space.order() >= other.space.order() { &self.space } else { &other.space };
        let lift = |d: &Distribution| Distribution { space: higher.clone(), fields: d.fields.clone() }.matrix();
        same_span(&lift(self), &lift(other))
    }
}

impl Codistribution {
    pub fn new(space: &JetSpace, forms: Vec<Form>) -> Result<Codistribution, Refusal> {
        for form in &forms {
            if form.degree() != 1 {
                return Err(Refusal::WrongDegree { expected: 1, found: form.degree() });
            }
            if let Some(axis) = form.axes().into_iter().find(|a| !space.contains(a.symbol())) {
                return Err(Refusal::ForeignCoordinate { space: space.clone(), symbol: axis.symbol() });
            }
        }
        Ok(Codistribution { space: space.clone(), forms })
    }

    pub fn space(&self) -> &JetSpace {
        &self.space
    }

    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// One row for each generator.
    pub fn matrix(&self) -> Matrix {
        let symbols = self.space.symbols();
        let row = |f: &Form| symbols.iter().map(|s| f.coefficient(&[*s])).collect();
        Matrix::with_columns(self.forms.iter().map(row).collect(), symbols.len())
    }

    /// The fields on which all the forms vanish, generically.
    pub fn annihilator(&self) -> Result<Distribution, Refusal> {
        let symbols = self.space.symbols();
        let field = |row: Vec<Expr>| VectorField::new(symbols.iter().copied().zip(row));
        Distribution::new(&self.space, self.matrix().null_space()?.into_iter().map(field).collect())
    }

    /// Complete integrability of the annihilated distribution, generically.
    pub fn is_involutive(&self) -> Result<Verdict, Refusal> {
        self.annihilator()?.is_involutive()
    }

    /// Equal spans at generic points.
    pub fn equals(&self, other: &Codistribution) -> Result<Verdict, Refusal> {
        let higher = if self.space.order() >= other.space.order() { &self.space } else { &other.space };
        let lift = |c: &Codistribution| Codistribution { space: higher.clone(), forms: c.forms.clone() }.matrix();
        same_span(&lift(self), &lift(other))
    }
}

fn one_form(symbols: &[Symbol], row: &[Expr]) -> Form {
    Form::one_form(symbols.iter().copied().zip(row.iter().copied()))
}

/// Equal ranks of both and of the two stacked, generically.
fn same_span(a: &Matrix, b: &Matrix) -> Result<Verdict, Refusal> {
    let rows = |m: &Matrix| (0..m.n_rows()).map(|i| m.row(i).to_vec()).collect::<Vec<_>>();
    let stacked = Matrix::with_columns(rows(a).into_iter().chain(rows(b)).collect(), a.n_columns());
    let (ranks, _) = crate::algebra::conditions::collect(|| -> Result<_, Refusal> {
        Ok([a.echelon()?, b.echelon()?, stacked.echelon()?])
    });
    let [a, b, both] = ranks?;
    if !(a.undecided.is_empty() && b.undecided.is_empty() && both.undecided.is_empty()) {
        return Ok(Verdict::unknown("it could not be decided whether an entry vanishes"));
    }
    let same = a.pivots.len() == both.pivots.len() && b.pivots.len() == both.pivots.len();
    Ok(Verdict::from_bool(same, "generic ranks of both and of the two together"))
}
