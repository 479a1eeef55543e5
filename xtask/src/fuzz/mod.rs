//! Fuzzing (libFuzzer): runs every target of `fuzz/Cargo.toml` for some time, and prints a table of the results.
//!
//! New inputs are kept outside of the checkout, in the target folder; `fuzz/corpus/<target>/` holds small seeds chosen
//! by hand.

mod log;
mod run;
mod target;

pub use run::{Options, run};
