//! `cargo xtask conform`: the machine held against independent executors, instruction by instruction.
//!
//! An executor is the host's own processor, or an emulator that somebody else wrote. Instructions come from a real
//! program of the architecture, or are all that there are; registers and memory are random. What is specific to one architecture stands in
//! `tests/conform/<name>.toml`: the executor, the order of its registers, and the differences that are explained.

mod adapter;
mod architecture;
mod case;
mod compare;
mod console;
mod description;
mod encodings;
mod executable;
mod executor;
mod form;
mod gdb;
mod generated;
mod harvest;
mod known;
mod layout;
mod native;
mod ours;
mod probe;
mod program;
mod registers;
mod report;
mod run;
mod session;
mod watched;
mod work;

pub use generated::{Options as GeneratedOptions, run as run_generated};
pub use program::run as run_programs;
pub use run::{Options, run};
