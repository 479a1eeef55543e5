//! Benchmarks, each against a tool that others use.

mod angr;
mod decode;
mod firmware;
mod interpret;
mod memory;
mod modules;
mod osmose;
mod rates;
mod solve;
mod values;

pub use angr::angr;
pub use decode::{Options, decode};
pub use firmware::{FirmwareOptions, firmware};
pub use interpret::interpret;
pub use memory::memory;
pub use modules::{ModuleOptions, modules};
pub use osmose::osmose;
pub(crate) use osmose::subject;
pub use solve::{SolveOptions, solve};
pub use values::values;
