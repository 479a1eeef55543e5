//! `cargo xtask ground-truth`: the recovered graph of a stripped program against what its symbols, its linker and a
//! disassembler say.

mod listing;
mod measure;
mod program;
mod recovered;
mod relocation;
mod tables;
mod truth;

pub use measure::{COLUMNS, Figures, measure};
pub use program::{Options, run};
pub use recovered::{Jump, Recovered};
pub use relocation::Reference;
pub use tables::{Inline, Table};
pub use truth::{Habits, Truth};
