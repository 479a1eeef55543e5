//! Targets of computed jumps: what the ways to a jump say of what it is computed from.
//!
//! Each way of some blocks to the jump is run on unknown values; the target is then an expression over what was unknown at
//! the start of the way, and each branch that was passed is a condition. Where the target depends on one value only, and
//! the conditions or the expression itself bound it, each value is tried; constants that reach the start of the way from
//! farther off are known, too. Nothing here knows how a compiler writes a table.

mod bounds;
mod evaluation;
mod expression;
mod reaching;
mod resolve;
mod scan;
mod walk;

pub(crate) use resolve::{Lifted, Question, resolve};
