//! Runs instruction vectors: decodes, lifts, executes, and compares with the data sheet.
//!
//! The address of a vector has the form of addresses in executables, so that a bit of it may select the processor's
//! mode. The instruction is read from the code space of the state before: the bytes after it are zero, unless `before`
//! sets them. In `after`, the program counter is the byte address of the next instruction.

mod expect;
mod run;

pub use run::{VectorFault, run_vectors};
