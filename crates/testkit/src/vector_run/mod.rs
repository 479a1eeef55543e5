//! Runs instruction vectors: decode, lift, run, and compare with what the data sheet says.
//!
//! The address of a vector is one as executables write it, so that a bit of it may say the mode of the processor. The
//! instruction is read from the code space of the state before: whatever follows its bytes is zero, unless `before`
//! says otherwise. The register that stands for the program counter is, in `after`, the address in bytes of the
//! instruction to run next.

mod expect;
mod run;

pub use run::{VectorFault, run_vectors};
