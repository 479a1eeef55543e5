//! Fuzzing: every target of `fuzz/Cargo.toml` for a while, and a table of what came of it.
//!
//! Inputs found on the way are kept outside of the checkout, in the target folder; `fuzz/corpus/<target>/` holds
//! the small seeds that a person chose.

mod log;
mod run;
mod target;

pub use run::{Options, run};
