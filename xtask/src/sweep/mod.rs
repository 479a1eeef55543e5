//! `cargo xtask sweep`: differential testing of the decoder against the reference, by linear sweeps over real programs
//! and by random words.
//!
//! Each answer of ours is compared with that of `everypath_testkit::reference`: the same length, p-code and
//! disassembly, or no instruction on both sides. `tests/sweep/list.toml` lists the inputs; `tests/sweep/known.toml`
//! lists known errors of the reference, each with its reason.

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
