//! Identities that make a computation simpler; each holds for all values of its operands.

mod algebra;
mod arithmetic;
mod compare;
mod logic;
mod mask;
mod search;
mod shape;

pub use algebra::Algebra;
pub(crate) use mask::{possible_bits, possible_result, without_masked};
pub use search::simplified;
