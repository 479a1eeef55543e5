//! What is known of a jump, a call or a return whose target is computed.

use serde::{Deserialize, Serialize};

use crate::Address;

/// A jump, a call or a return whose target is computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jump {
    /// The instruction.
    pub branch: Address,
    /// `jump`, `call` or `return`.
    pub kind: String,
    /// The targets that are known, in order.
    pub targets: Vec<Address>,
    /// Whether there is no other.
    pub saturated: bool,
    /// Why, or why not.
    pub because: String,
}
