//! Algebraic simplification (peephole identities in the manner of LLVM's InstSimplify); each identity holds for all
//! operand values.

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
