//! Abstract domains: what stands for many numbers at once. Each contains what [`everypath_ir::Op::apply`] makes of what its
//! arguments contain; the checks hold every operator to that, and to the same backwards.

mod backward;
mod constants;
mod interval_operators;
mod number;
mod strided_interval;

pub use constants::Constants;
pub use number::Number;
pub use strided_interval::StridedInterval;
