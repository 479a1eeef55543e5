//! `cargo xtask confirm`: generated tests on independent executors, by the scripts that are exported for them.
//!
//! Each script is run by the tool that it is for. The GNU debugger takes milliseconds for a step, so that it runs the
//! shortest script of each target only; the others are carried out line by line by a client of our own.

mod client;
mod list;
mod run;
mod tool;

pub use run::{Options, run};
