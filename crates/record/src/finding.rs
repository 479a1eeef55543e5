//! Findings and assumptions.

use serde::{Deserialize, Serialize};

use crate::Address;

/// A fault of the guest, with the test that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The oracle that reports it.
    pub oracle: String,
    /// The instruction.
    pub address: Address,
    /// The violation, in words.
    pub message: String,
    /// The test that shows it.
    pub test: String,
}

/// An assumption, concretisation or bound, which may have cost coverage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// The kind: `concretised`, `unanswered`, `unmodelled`, `bound`, ...
    pub kind: String,
    /// The instruction.
    pub address: Address,
    /// The assumption, in words.
    pub message: String,
    /// Number of times it was made.
    pub count: u64,
    /// Whether paths may have been lost by it.
    pub loses_paths: bool,
}
