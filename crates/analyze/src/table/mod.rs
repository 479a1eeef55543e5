//! Indirect-jump resolution: jump-table recovery by expression substitution along backward paths (after Cifuentes & Van
//! Emmerik 2001).
//!
//! Enumerates paths of a few blocks that end at the jump and executes each symbolically. The target is then an
//! expression over initial values, and each branch passed adds to the path condition. If the target depends on one
//! value that the path condition or its own form bounds, every value is enumerated. Constants that reach the start of
//! the path from farther away are substituted first. No compiler idioms are hard-coded.

mod bounds;
mod evaluation;
mod expression;
mod reaching;
mod resolve;
mod resolver;
mod scan;
mod storage;
mod targets;
mod walk;

pub(crate) use resolve::resolve;
pub(crate) use resolver::{JumpQuery, Lifted};
