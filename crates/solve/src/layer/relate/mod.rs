//! Binary constraint satisfaction over input bytes: conditions on one or two bytes as explicit relations, solved by arc
//! consistency (Mackworth 1977) and search, which is backtrack-free on trees (Freuder 1982).

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
