//! The model: values of the language, the items that declarations declare, and how values are shown.

pub mod explain;
pub mod infer;
pub mod item;
pub mod labels;
pub mod latex;
pub mod parts;
pub mod promise;
pub mod run;
pub mod set;
pub mod show;
pub mod types;
pub mod value;
