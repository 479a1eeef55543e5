//! The Linux environment of a process: its start as the kernel does it, and its system calls.
//!
//! The program's code, its C library and the dynamic linker run in the machine. Only the calls of the system are simulated,
//! by small functions over the state of the process, which each path has for itself. Nothing outside of the machine is changed:
//! files of the host are read, and what the program writes to its outputs and to files is kept.

mod call;
mod caller;
mod concrete;
mod files;
mod guest;
mod headers;
mod host_files;
mod input_files;
mod interface;
mod overlay;
mod perform;
mod process;
mod settings;
mod start;
mod stream_size;
mod symbolic;

pub use input_files::file_name;
pub(crate) use interface::Linux;
pub(crate) use process::Process;
pub use settings::{Argument, ArgumentInput, EnvironmentVariable, FileInput, LinuxSettings, VariableInput};
pub use start::{argument_name, variable_name};
pub use stream_size::StreamSize;

/// The name of the cell whose reads are the bytes of the standard input.
pub const STANDARD_INPUT: &str = "stdin";
/// The name of the cell whose only read is the number of these bytes.
pub const STANDARD_INPUT_LENGTH: &str = "stdin-length";
