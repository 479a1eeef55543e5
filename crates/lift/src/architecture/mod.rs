//! Architectures as data: descriptions, SLEIGH specifications, and the library that finds them.

mod compile;
mod conformance;
mod description;
mod error;
mod interrupts;
mod library;
mod linux;
mod loaded;
mod user_operation;
mod vectors;

pub use compile::{SleighCompiler, compile_sleigh};
pub use conformance::{Conformance, ConformanceRun};
pub use description::{
    CallConvention, Description, Export, FloatMode, MemoryRange, Mode, ModeSource, NarrowArguments,
    PeripheralReads, PushedAddress, Relocations, ResetEntry,
};
pub use error::ArchitectureError;
pub use interrupts::{Enable, EnableBits, InterruptLines, Interrupts, LineBits, RegisterCondition};
pub use library::Library;
pub use linux::{LinuxInterface, ProcessAddresses, StatusLayout, ThreadPointer};
pub use loaded::Architecture;
pub use user_operation::UserOperation;
pub use vectors::{VectorTable, Vectors};
