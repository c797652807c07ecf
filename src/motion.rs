//! Motions as numbers: from the equations of mechanics to a trajectory that can be asked about.
//!
//! ```text
//! law      which numbers are the state, and how their derivatives follow from them
//! discrete   what a variational method needs of a Lagrangian
//! start    where a motion starts, and whether it may start there
//! variation  how far neighbouring motions are away, to first order
//! numbers  values of parameters, where exact expressions become doubles
//! cache    what was compiled before
//! lyapunov  how fast neighbouring motions part in the long run;  sensitivity  what a parameter changes
//! section  where a run crosses a surface
//! run      a run that was made;  series  its columns;  double  doubles beside exact numbers
//! sweep    many runs of one motion;  sampling  their rows;  partial  the table that grows, shards, and what merges them
//! ```
//!
//! A system whose equations cannot be solved for the highest derivatives is run on the final constraint submanifold
//! through its initial state (Krupková §7). This room knows equations, kernels and trajectories; it knows nothing of
//! the values and statements of the language.

pub mod cache;
pub mod discrete;
pub mod double;
pub mod group;
pub mod law;
pub mod legs;
pub mod lyapunov;
pub mod numbers;
pub mod partial;
pub mod run;
pub mod sampling;
pub mod section;
pub mod sensitivity;
pub mod series;
pub mod start;
pub mod sweep;
pub mod swept;
pub mod variation;
