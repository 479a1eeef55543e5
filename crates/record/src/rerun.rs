//! What somebody else needs to run a test: the start, and which instruction reads what.

use crate::Address;

/// A run of a test, in the words of the tool that is to run it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rerun {
    /// The test's name.
    pub test: String,
    /// The program's file.
    pub program: String,
    /// What the tool is told first.
    pub start: Vec<String>,
    /// How the tool is asked for the address of the next instruction, if not in its usual way.
    pub program_counter: Option<String>,
    /// Where it starts.
    pub entry: Address,
    /// What registers hold at the start.
    pub registers: Vec<(String, u64)>,
    /// What memory holds at the start beyond the program.
    pub memory: Vec<Stored>,
    /// What is read from volatile cells, in order.
    pub readings: Vec<Reading>,
    /// The addresses of the instructions that are run.
    pub instructions: Vec<Address>,
    /// The address of the instruction that would be run next.
    pub end: Address,
    /// What the test was made for: the addresses before and behind each branch direction that it adds, and its end. In order.
    pub expected: Vec<Expected>,
}

/// An address that a run comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expected {
    /// How many instructions are run before it.
    pub after: usize,
    /// The address of the next instruction then.
    pub at: Address,
}

/// Bytes in a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The memory, as the tool calls it.
    pub memory: String,
    /// The address of the first byte.
    pub address: Address,
    /// The bytes, from the lowest address on.
    pub bytes: Vec<u8>,
}

/// A read of a volatile cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// How many instructions are run before the one that reads.
    pub after: usize,
    /// The instruction that reads.
    pub at: Address,
    /// The cell's name.
    pub cell: String,
    /// What it finds there.
    pub found: Stored,
}
