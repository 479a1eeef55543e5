//! `cargo xtask traces`: what real programs execute under an independent emulator, held against the recovered graph and the
//! value-set analysis, as `everypath graph --as json` and `everypath inspect values --json` print them.
//!
//! Instructions and edges are recorded by a plugin (`tests/traces/plugin.c`); registers by single steps.

mod build;
mod claims;
mod compare;
mod dump;
mod executed;
mod faults;
mod frames;
mod graph;
mod hexadecimal;
mod list;
mod print;
mod run;
mod values;

pub use run::{Options, run, run_with_faults};
