//! The decoder against the reference: code of real programs from front to back, and random words.
//!
//! Each answer of ours is held against one of `everypath_testkit::reference`: the same length, p-code and disassembly,
//! or no instruction on both sides. What is compared stands in `tests/sweep/list.toml`; differences that are known to be
//! the reference's own stand, with a reason each, in `tests/sweep/known.toml`.

mod code;
mod compare;
mod confirm;
mod context_map;
mod known;
mod linear;
mod list;
mod ours;
mod processor;
mod row;
mod run;
mod words;

pub use code::{Code, read_code};
pub use known::{Known, KnownCrash, KnownList};
pub use list::{List, ProgramEntry, WordsEntry};
pub use ours::write_pcode;
pub use processor::Processor;
pub use run::{Options, run};
