//! Rules that make a term simpler; each holds for all inputs.
//!
//! What holds of any computation stands with the generic machine code ([`everypath_ir::simplified`]); here is what rests
//! on known bits and ranges, or is of use to a solver only. Canonical forms that rules rely on:
//!
//! - a constant is the last argument of what is commutative, and outermost in a sum; `x - c` is `x + (-c)`
//! - shifts by constants, masks of one run of ones, and products and quotients with powers of two are made of `extract`,
//!   `concat`, `zext` and `sext`
//! - `concat` is nested to the right, and zeros on top are a `zext`
//! - comparisons with constants are strict

mod arithmetic;
mod bits;
mod boolean;
mod carried;
mod compare;
mod disjoint;
mod divide;
mod equal;
mod extract;
mod linear;
mod search;
mod select;
mod shift;

pub(crate) use search::simplified;
