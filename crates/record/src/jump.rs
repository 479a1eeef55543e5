//! Indirect jumps, calls and returns, with their known targets.

use serde::{Deserialize, Serialize};

use crate::Address;

/// An indirect jump, call or return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IndirectExitRecord {
    /// The instruction.
    pub branch: Address,
    /// `jump`, `call` or `return`.
    pub kind: String,
    /// The known targets, in order.
    pub targets: Vec<Address>,
    /// Whether it is resolved: there is no other target.
    pub resolved: bool,
    /// Why it is resolved, or why not.
    pub reason: String,
}
