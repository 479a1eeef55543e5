//! Executed code: what a replay of a test ran and read.

use crate::Address;

/// The code that a test executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedCode {
    /// The test's name.
    pub test: String,
    /// The executed instructions, in the order of their addresses, each with the number of times.
    pub instructions: Vec<(Address, u64)>,
    /// Its first reads of inputs, in the order of the run.
    pub reads: Vec<InputRead>,
    /// Number of all its reads of inputs: a polling loop reads as often as it runs.
    pub all_reads: u64,
}

/// A read of an input during a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRead {
    /// Number of instructions executed before it.
    pub after: u64,
    /// The instruction that reads.
    pub at: Address,
    /// The input's name.
    pub input: String,
    /// The value.
    pub value: u64,
}
