//! Identities that make a computation simpler; each holds for all values of its operands.

mod algebra;
mod arithmetic;
mod compare;
mod logic;
mod search;
mod shape;

pub use algebra::Algebra;
pub use search::simplified;
