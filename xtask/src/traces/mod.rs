//! `cargo xtask traces`: compares executions of real programs under an independent emulator with the recovered graph
//! and the value-set analysis, as `everypath graph --as json` and `everypath inspect values --json` print them.

mod build;
mod claims;
mod compare;
mod dump;
mod executed;
mod frames;
mod graph;
mod hexadecimal;
mod list;
mod print;
mod run;
mod values;

pub use run::{Options, run, run_with_faults};
