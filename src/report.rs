//! What leaves the program: JSON lines for other programs.

pub mod json;
