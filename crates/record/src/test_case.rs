//! A test case: its input, and the behaviour expected of its run.

use serde::{Deserialize, Serialize};

use crate::{Address, Direction};

/// A test case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TestCase {
    /// The version of the format.
    pub format: u32,
    /// Its name, which is that of its file.
    pub name: String,
    /// The values of each memory-mapped input (volatile cell), read after read.
    pub cells: Vec<CellValues>,
    /// Initial memory contents beyond the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryBytes>,
    /// Initial register values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registers: Vec<(String, Address)>,
    /// The interrupts that the run takes, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupts: Vec<TakenInterrupt>,
    /// How the run ends.
    pub end: String,
    /// Number of instructions that the run executes.
    pub instructions: u64,
    /// Whether a bound of the exploration cut the run off there, so that it could continue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
    /// Hash of the sequence of blocks and exits: a run on another path has another one.
    pub path_hash: Address,
    /// The branch directions that no earlier test takes.
    pub new_directions: Vec<Direction>,
}

/// The values of a memory-mapped input (volatile cell).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CellValues {
    /// Its name in the configuration.
    pub name: String,
    /// The values, read after read.
    pub values: Vec<u64>,
}

impl CellValues {
    /// The name and the values, as a run takes them.
    #[must_use]
    pub fn script(&self) -> (&str, &[u64]) {
        (&self.name, &self.values)
    }
}

/// An interrupt that a run takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TakenInterrupt {
    /// Number of instructions that are executed before it.
    pub after: u64,
    /// The interrupted instruction, which is executed when the handler has returned.
    pub at: Address,
    /// Its exception number: the index of its handler in the vector table.
    pub number: u64,
}

/// Bytes in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MemoryBytes {
    /// The space.
    pub space: String,
    /// The address of the first byte.
    pub address: Address,
    /// The bytes.
    pub bytes: Vec<u8>,
}
