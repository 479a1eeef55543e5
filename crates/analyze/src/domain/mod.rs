//! Abstract domains for sets of numbers: k-sets and strided intervals.
//!
//! Soundness: every transfer function contains the results of [`everypath_ir::Op::apply`] on the contained arguments.
//! Tests check this for every operator, forward and backward.

mod backward;
mod constants;
mod interval_operators;
mod number;
mod strided_interval;

pub use constants::Constants;
pub use number::Number;
pub use strided_interval::StridedInterval;
