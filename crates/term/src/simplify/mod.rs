//! Term rewriting rules for simplification at construction; each rule is sound for all inputs.
//!
//! Algebraic identities are in the IR ([`everypath_ir::simplified`]); the rules here depend on known bits and ranges,
//! or help solvers only. Canonical forms that rules rely on:
//!
//! - a constant is the last argument of a commutative operator, and outermost in a sum; `x - c` is `x + (-c)`
//! - shifts by constants, masks of one run of ones, and products and quotients with powers of two are expressed by
//!   `extract`, `concat`, `zext` and `sext`
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
