//! From text to tree.
