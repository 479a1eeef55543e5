//! `cargo xtask conform`: differential testing of the machine against independent executors, instruction by
//! instruction.
//!
//! An executor is the host's own processor, or an independent emulator. Instructions come from a real program of the
//! architecture, or are enumerated; registers and memory are random. `tests/conform/<name>.toml` has everything that is
//! specific to one architecture: the executor, the order of its registers, and the known differences.

mod adapter;
mod architecture;
mod case;
mod compare;
mod console;
mod description;
mod encodings;
mod evidence;
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

pub use evidence::record_vectors;
pub use generated::{Options as GeneratedOptions, run as run_generated};
pub use program::run as run_programs;
pub use run::{Options, run};
