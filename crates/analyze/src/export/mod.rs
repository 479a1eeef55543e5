//! Exports a graph to the formats of other tools.

mod dot;
mod drcov;
mod ghidra;

pub use dot::dot;
pub use drcov::drcov;
pub use ghidra::ghidra;
