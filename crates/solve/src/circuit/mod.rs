//! Bit blasting: bit-vector operators as combinational circuits, with structural hashing and constant folding.

mod add;
mod blast;
mod builder;
mod compare;
mod count;
mod divide;
mod gate;
mod literal;
mod multiply;
mod shift;
mod simulate;
mod table;

pub use blast::{UnsupportedOperator, blast};
pub use builder::Circuit;
pub use compare::{any, equal};
pub use gate::Gate;
pub use literal::Literal;
pub use simulate::Simulation;
pub use table::read_table;
