use super::*;
use crate::algebra::linear::Matrix;
#[derive(Clone)] pub struct Distribution { fields: Vec<VectorField> }
#[derive(Clone)] pub struct Codistribution { forms: Vec<Form> }
impl Distribution {
    pub fn new(_: &JetSpace, fields: Vec<VectorField>) -> Result<Distribution, Refusal> { Ok(Distribution { fields }) }
    pub fn fields(&self) -> &[VectorField] { &self.fields }
    pub fn matrix(&self) -> Matrix { Matrix::from_rows(vec![]) }
    pub fn equals(&self, _: &Distribution) -> Result<Verdict, Refusal> { Ok(Verdict::unknown("")) }
    pub fn annihilator(&self) -> Result<Codistribution, Refusal> { Ok(Codistribution { forms: vec![] }) }
    pub fn is_involutive(&self) -> Result<Verdict, Refusal> { Ok(Verdict::unknown("")) }
    pub fn derived(&self) -> Result<Distribution, Refusal> { Ok(self.clone()) }
}
impl Codistribution {
    pub fn new(_: &JetSpace, forms: Vec<Form>) -> Result<Codistribution, Refusal> { Ok(Codistribution { forms }) }
    pub fn forms(&self) -> &[Form] { &self.forms }
    pub fn matrix(&self) -> Matrix { Matrix::from_rows(vec![]) }
    pub fn equals(&self, _: &Codistribution) -> Result<Verdict, Refusal> { Ok(Verdict::unknown("")) }
    pub fn annihilator(&self) -> Result<Distribution, Refusal> { Ok(Distribution { fields: vec![] }) }
    pub fn is_involutive(&self) -> Result<Verdict, Refusal> { Ok(Verdict::unknown("")) }
}
