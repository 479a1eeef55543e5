//! Queries whose conditions each speak of one byte or two: exact relations between bytes, whatever computes them.

mod byte_set;
mod different;
mod memory;
mod network;
mod relation;
mod search;
mod shape;
mod solver;
mod total;
mod with_sums;

pub(super) use memory::Memory;
pub use solver::Relate;
