//! `cargo xtask confirm`: runs generated tests on independent executors, by the scripts exported for them.
//!
//! Each script is run by its own tool. The GNU debugger takes milliseconds for a step, so it runs only the shortest
//! script of each target; our own client interprets the others.

mod client;
mod list;
mod run;
mod tool;

pub use run::{Options, run};
