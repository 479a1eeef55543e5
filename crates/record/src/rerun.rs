//! A run of a test for another tool: its initial state, and the values of memory-mapped inputs (MMIO) by instruction.

use crate::Address;

/// A run of a test, in the names of the tool that is to repeat it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rerun {
    /// The test's name.
    pub test: String,
    /// The program's file.
    pub program: String,
    /// The tool's first commands.
    pub start: Vec<String>,
    /// The tool's expression for the address of the next instruction, if not the usual one.
    pub program_counter: Option<String>,
    /// The entry address.
    pub entry: Address,
    /// Initial register values.
    pub registers: Vec<(String, u64)>,
    /// Initial memory contents beyond the program.
    pub memory: Vec<Stored>,
    /// Reads of memory-mapped inputs (volatile cells), in order.
    pub readings: Vec<RecordedRead>,
    /// The addresses of the executed instructions.
    pub instructions: Vec<Address>,
    /// The address of the instruction that would be executed next.
    pub end: Address,
    /// The addresses to check, in order: branch and target of each direction that the test adds, and its end.
    pub expected: Vec<Expected>,
}

/// An address that a run reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expected {
    /// Number of instructions executed before it.
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

/// A read of a memory-mapped input (volatile cell).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRead {
    /// Number of instructions executed before the one that reads.
    pub after: usize,
    /// The instruction that reads.
    pub at: Address,
    /// The cell's name.
    pub cell: String,
    /// The value that it reads.
    pub found: Stored,
}
