//! One instruction vector: bytes, the state before, the state after.

use crate::Pattern;
use std::fmt;

/// One row of a vector file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The file that holds it, as it was named by the caller.
    pub file: String,
    /// Its line number, from 1.
    pub line: usize,
    /// The expected disassembly, white space folded; `None` when it is not to be compared.
    pub text: Option<String>,
    /// The address of the instruction.
    pub address: u64,
    /// Fields of the decoder's context at that address, and their values.
    pub context: Vec<(String, u64)>,
    /// The instruction.
    pub bytes: Vec<u8>,
    /// The state before: `given` first, then the row's own assignments, of which each target has one.
    /// Its patterns have no unknown digits.
    pub before: Vec<Assignment>,
    /// The changes that the instruction makes.
    pub after: Vec<Assignment>,
    /// Whether the bytes must not decode; then `after` is empty.
    pub bad: bool,
}

/// A register or a piece of memory and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The register or memory.
    pub target: VectorTarget,
    /// The value; for memory, the bytes in the order of their addresses.
    pub value: Pattern,
}

/// The target of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorTarget {
    /// A register, by the name that the specification gives it.
    Register(String),
    /// Bytes from an address on.
    Memory {
        /// Name of the address space.
        space: String,
        /// Address of the first byte.
        address: u64,
    },
}

impl fmt::Display for VectorTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VectorTarget::Register(name) => formatter.write_str(name),
            VectorTarget::Memory { space, address } => write!(formatter, "{space}[{address:x}]"),
        }
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}={}", self.target, self.value)
    }
}
