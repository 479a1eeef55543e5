//! Random small programs without undefined behaviour, from a seed.

mod assembly;
mod expression;
mod function;
mod program;
mod scope;
mod statement;

pub(super) use program::{Program, program};
pub(super) use scope::Function;
