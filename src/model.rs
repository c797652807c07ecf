//! The model: the checked tree of a program ([`term`], [`checked`]) in the words of [kinds](kind) and of the rows of
//! [questions](question), values of the language, the items that declarations declare, and how values are shown.

pub mod call;
pub mod checked;
pub mod compare;
pub mod constraints;
pub mod evaluate_at;
pub mod explain;
pub mod grounds;
pub mod infer;
pub mod item;
pub mod kind;
pub mod latex;
pub mod operate;
pub mod place;
pub mod promise;
pub mod question;
pub mod run;
pub mod set;
pub mod show;
pub mod summary;
pub mod tensor;
pub mod term;
pub mod types;
pub mod value;
