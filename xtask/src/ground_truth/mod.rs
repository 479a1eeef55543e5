//! `cargo xtask ground-truth`: the recovered graph of a stripped program against what its symbols and a disassembler say.

mod measure;
mod program;
mod truth;

pub use measure::{Figures, measure};
pub use program::{Options, run};
pub use truth::Truth;
