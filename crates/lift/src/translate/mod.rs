//! Translation of the p-code of instructions to the statements of a block.

mod accesses;
mod check;
mod flow;
mod operand_size;
mod operation;
mod parts;
mod predicate;
mod translator;

pub(crate) use check::check;
pub use check::{NotLifted, Unsupported};
pub(crate) use parts::{Parts, branch_target};
pub(crate) use translator::{After, InstructionView, Translator};
