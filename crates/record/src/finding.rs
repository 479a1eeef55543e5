//! Faults of the guest, and what was assumed on the way.

use serde::{Deserialize, Serialize};

use crate::Address;

/// A fault of the guest, with the test that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The oracle that states it.
    pub oracle: String,
    /// The instruction.
    pub address: Address,
    /// What is wrong there.
    pub what: String,
    /// The test that shows it.
    pub test: String,
    /// Whether a run from the start shows it again.
    pub replayed: bool,
}

/// Something that was taken for granted or left undone, and may have cost coverage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// Of which kind: `concretised`, `time-out`, `no model`, `bound`, ...
    pub kind: String,
    /// The instruction.
    pub address: Address,
    /// What was assumed.
    pub what: String,
    /// How often.
    pub count: u64,
    /// Whether paths may have been lost by it.
    pub loses: bool,
}
