//! A graph in the formats of other programs.

mod dot;
mod drcov;
mod ghidra;

pub use dot::dot;
pub use drcov::drcov;
pub use ghidra::ghidra;
