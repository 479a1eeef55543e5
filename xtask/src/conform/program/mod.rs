//! `cargo xtask conform --programs`: whole programs on our machine and on an independent executor.
//!
//! Both start in the same state. Compared are the addresses of all instructions that were run, and all registers and
//! memory at the end. Which compilers make which programs, and their inputs, stand in `tests/conform/programs/list.toml`.

mod build;
mod compare;
mod list;
mod ours;
mod reset;
mod run;
mod shape;
mod theirs;

pub use run::run;
