//! Architectures as data: a description, a SLEIGH specification, and where both are found.

mod compile;
mod description;
mod error;
mod library;
mod loaded;
mod user_operation;
mod vectors;

pub use compile::{SleighCompiler, compile_sleigh};
pub use description::{
    CallConvention, Description, Entry, MemoryRange, Mode, ModeSource, Narrow, Relocations,
};
pub use error::ArchitectureError;
pub use library::Library;
pub use loaded::Architecture;
pub use user_operation::UserOperation;
pub use vectors::{VectorTable, Vectors};
