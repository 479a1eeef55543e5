//! A test case: everything that a run needs from outside, and what it is expected to do.

use serde::{Deserialize, Serialize};

use crate::{Address, Direction};

/// A test case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestCase {
    /// The version of the format.
    pub format: u32,
    /// Its name, which is that of its file.
    pub name: String,
    /// What each volatile cell gives, read after read.
    pub cells: Vec<Cell>,
    /// What memory holds at the start beyond the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<Bytes>,
    /// What registers hold at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub registers: Vec<(String, Address)>,
    /// How the run ends.
    pub end: String,
    /// How many instructions it takes.
    pub instructions: u64,
    /// Whether a bound of the exploration broke the run off there, so that it could go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken_off: bool,
    /// A number that stands for the whole sequence of blocks: a run that takes another path has another one.
    pub path: Address,
    /// The branch directions that no test before it takes.
    pub adds: Vec<Direction>,
}

/// What a volatile cell gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Its name in the configuration.
    pub name: String,
    /// The values, read after read.
    pub values: Vec<u64>,
}

/// Bytes in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    /// The space.
    pub space: String,
    /// The address of the first byte.
    pub address: Address,
    /// The bytes.
    pub bytes: Vec<u8>,
}
