//! `cargo xtask conform --programs`: whole programs on our machine and on an independent executor.
//!
//! Both start in the same state. The traces of instruction addresses are compared, and all registers and memory at the
//! end. `tests/conform/programs/list.toml` lists compilers, programs and inputs.

mod build;
mod compare;
mod list;
mod ours;
mod reset;
mod run;
mod shape;
mod theirs;

pub use run::run;
