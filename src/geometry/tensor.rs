//! Vector-valued forms; a tensor of type (1,1) is one of degree 1. Mixed systems §0–§4.
//!
//! T = Σ η^x ⊗ ∂/∂x is stored by the forms η^x = dx ∘ T: the rows of the matrix T[x][y] = dx(T(∂/∂y)). It acts on
//! vectors by the matrix product, on 1-forms by the transpose. Everything that mixed systems need is said in
//! rows, for every degree at once:
//!
//! ```text
//! (L_Γ T)^x = L_Γ η^x − Σ_y (∂Γ^x/∂y) η^y                          L_Γ T = Γ(T) − J_Γ T + T J_Γ
//! (N_T)^x   = Σ_y η^y ∧ ∂η^x/∂y − Σ_y T[x][y] dη^y                  the Nijenhuis tensor,
//! N_T(X, Y) = [TX, TY] + T²[X, Y] − T[TX, Y] − T[X, TY]             no factor ½
//! ```

use super::axis::{Axis, Basis};
use super::field::VectorField;
use super::form::Form;
use super::jet::Chart;
use crate::algebra::Inquiry;
use crate::algebra::derive::partial;
use crate::algebra::expr::symbols_of;
use crate::algebra::{Expr, Symbol, Verdict};
use std::collections::BTreeMap;

/// Σ η^x ⊗ ∂/∂x with forms η^x of one degree. No stored row is empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    degree: usize,
    rows: BTreeMap<Axis, Form>,
}

impl Tensor {
    pub fn zero(degree: usize) -> Tensor {
        Tensor { degree, rows: BTreeMap::new() }
    }

    /// I = Σ dx ⊗ ∂/∂x over the coordinates of the chart.
    pub fn identity(chart: &Chart) -> Tensor {
        Tensor::from_rows(1, chart.symbols().iter().map(|s| (*s, Form::differential(*s))))
    }

    /// η ⊗ ξ: the map Z ↦ η(Z)ξ for a 1-form η.
    pub fn product(form: &Form, field: &VectorField) -> Tensor {
        let rows = field.components().into_iter().map(|(s, c)| (s, form.scale(c)));
        Tensor::from_rows(form.degree(), rows)
    }

    /// The tensor with these rows; rows for one symbol are added.
    pub fn from_rows(degree: usize, rows: impl IntoIterator<Item = (Symbol, Form)>) -> Tensor {
        let mut parts: BTreeMap<Axis, Vec<Form>> = BTreeMap::new();
        for (symbol, row) in rows {
            if let Some(axis) = Axis::of(symbol) {
                parts.entry(axis).or_default().push(row);
            }
        }
        let sum = |(axis, rows): (Axis, Vec<Form>)| (axis, Form::sum(degree, &rows));
        Tensor { degree, rows: parts.into_iter().map(sum).filter(|(_, row)| !row.is_empty()).collect() }
    }

    pub fn degree(&self) -> usize {
        self.degree
    }

    /// dx ∘ T.
    pub fn row(&self, symbol: Symbol) -> Form {
        let row = Axis::of(symbol).and_then(|axis| self.rows.get(&axis));
        row.cloned().unwrap_or_else(|| Form::zero(self.degree))
    }

    pub fn rows(&self) -> impl Iterator<Item = (Symbol, &Form)> {
        self.rows.iter().map(|(axis, row)| (axis.symbol(), row))
    }

    /// T[x][y] = dx(T(∂/∂y)) of a (1,1) tensor.
    pub fn entry(&self, x: Symbol, y: Symbol) -> Expr {
        self.row(x).coefficient(&[y])
    }

    /// The matrix in the coordinates of the chart.
    pub fn matrix(&self, chart: &Chart) -> Vec<Vec<Expr>> {
        let row = |x: &Symbol| chart.symbols().iter().map(|y| self.entry(*x, *y)).collect();
        chart.symbols().iter().map(row).collect()
    }

    /// T(ξ); for higher degree the first slot is filled.
    pub fn interior(&self, field: &VectorField) -> Tensor {
        Tensor::from_rows(self.degree.saturating_sub(1), self.rows().map(|(s, row)| (s, row.interior(field))))
    }

    /// T(ξ) as a field, for a (1,1) tensor.
    pub fn apply(&self, field: &VectorField) -> VectorField {
        let component = |(s, row): (Symbol, &Form)| (s, row.interior(field).as_function().unwrap_or_else(Expr::zero));
        VectorField::new(self.rows().map(component))
    }

    /// α ∘ T: the transpose acts on 1-forms.
    pub fn apply_to_form(&self, form: &Form) -> Form {
        let parts: Vec<Form> = self.rows().map(|(s, row)| row.scale(form.coefficient(&[s]))).collect();
        Form::sum(self.degree, &parts)
    }

    /// self ∘ other, the matrix product, for a (1,1) tensor self.
    pub fn after(&self, other: &Tensor) -> Tensor {
        Tensor::from_rows(other.degree, self.rows().map(|(s, row)| (s, other.apply_to_form(row))))
    }

    pub fn scale(&self, factor: Expr) -> Tensor {
        Tensor::from_rows(self.degree, self.rows().map(|(s, row)| (s, row.scale(factor))))
    }

    /// Σ T[x][x].
    pub fn trace(&self) -> Expr {
        Expr::add_all(self.rows().map(|(s, row)| row.coefficient(&[s])))
    }

    /// L_Γ T.
    pub fn lie(&self, cx: &Inquiry, field: &VectorField) -> Tensor {
        let transported = self.rows().map(|(s, row)| (s, row.lie(cx, field)));
        let turned = field.components().into_iter().map(|(s, component)| {
            let parts: Vec<Form> = self.rows().map(|(y, row)| row.scale(-partial(cx, component, y))).collect();
            (s, Form::sum(self.degree, &parts))
        });
        Tensor::from_rows(self.degree, transported.chain(turned).collect::<Vec<_>>())
    }

    /// N_T, a vector-valued 2-form, of a (1,1) tensor.
    pub fn nijenhuis(&self, cx: &Inquiry) -> Tensor {
        let differentials: BTreeMap<Axis, Form> = self.rows.iter().map(|(axis, row)| (*axis, row.d(cx))).collect();
        let row = |(x, row): (Symbol, &Form)| {
            let mut parts = vec![];
            for (y, eta) in &self.rows {
                let moved = row.map_coefficients(|c| partial(cx, c, y.symbol()));
                parts.push(eta.wedge(&moved));
                parts.push(differentials[y].scale(-row.coefficient(&[y.symbol()])));
            }
            (x, Form::sum(2, &parts))
        };
        Tensor::from_rows(2, self.rows().map(row).collect::<Vec<_>>())
    }

    pub fn is_zero(&self, cx: &Inquiry) -> Verdict {
        Verdict::all(self.rows.values().map(|x| Form::is_zero(x, cx)), "there are no components")
    }

    pub fn equals(&self, cx: &Inquiry, other: &Tensor) -> Verdict {
        (self - other).is_zero(cx)
    }

    /// P² = P.
    pub fn is_projector(&self, cx: &Inquiry) -> Verdict {
        self.after(self).equals(cx, self)
    }

    /// Every symbol that occurs.
    pub fn symbols(&self) -> Vec<Symbol> {
        let coefficients: Vec<Expr> = self.rows.values().flat_map(Form::coefficients).collect();
        let mut symbols = symbols_of(&coefficients);
        let axes = |(axis, row): (&Axis, &Form)| row.axes().into_iter().chain([*axis]).collect::<Basis>();
        symbols.extend(self.rows.iter().flat_map(axes).map(Axis::symbol));
        symbols.sort();
        symbols.dedup();
        symbols
    }
}

impl std::ops::Add for &Tensor {
    type Output = Tensor;
    fn add(self, other: &Tensor) -> Tensor {
        Tensor::from_rows(self.degree, self.rows().chain(other.rows()).map(|(s, row)| (s, row.clone())))
    }
}

impl std::ops::Sub for &Tensor {
    type Output = Tensor;
    fn sub(self, other: &Tensor) -> Tensor {
        self + &other.scale(Expr::number(-1))
    }
}
