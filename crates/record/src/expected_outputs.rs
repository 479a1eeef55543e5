//! Expected outputs of a test (its test oracle): what the run leaves behind in registers, in memory and in devices.

use serde::{Deserialize, Serialize};

use crate::Address;

/// The expected outputs of a test. Values that depend on uninitialised registers or memory are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExpectedOutputs {
    /// The version of the format.
    pub format: u32,
    /// The test's name.
    pub test: String,
    /// Number of instructions that the run completes. One that faults is not completed.
    pub instructions: u64,
    /// The address of the instruction that would be executed next.
    pub end: Address,
    /// The values of the general registers at the end, by their names in the architecture's description.
    pub registers: Vec<(String, Address)>,
    /// The writes to memory-mapped inputs (volatile cells) and peripheral registers, in order.
    pub device_writes: Vec<DeviceWrite>,
    /// Whether the run makes further ones, which a bound left out.
    pub device_writes_cut: bool,
    /// The contents at the end of the other memory that the run wrote, by address.
    pub memory: Vec<WrittenMemory>,
    /// The outputs of the run that a test does not check, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A write to a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeviceWrite {
    /// Number of instructions completed before the one that writes.
    pub after: u64,
    /// The instruction that writes.
    pub at: Address,
    /// The memory, as the tool calls it that is to compare, or the architecture.
    pub memory: String,
    /// The address of the first byte.
    pub address: Address,
    /// The bytes, from the lowest address on.
    pub bytes: Vec<u8>,
    /// Whether the bytes are expected; not where they depend on uninitialised registers or memory.
    pub is_defined: bool,
}

/// Memory that a run wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WrittenMemory {
    /// The memory, as the tool calls it that is to compare, or the architecture.
    pub memory: String,
    /// The address of the first byte.
    pub address: Address,
    /// The bytes at the end of the run, from the lowest address on.
    pub bytes: Vec<u8>,
    /// The instruction that wrote all of them last.
    pub at: Address,
}
