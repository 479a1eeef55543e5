//! Branch directions and their verdicts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Address;

/// A branch direction: the edge from a branch to one of its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// The branching instruction.
    pub branch: Address,
    /// The target instruction.
    pub target: Address,
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} -> {}", self.branch, self.target)
    }
}

/// The verdict on a branch direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// A test takes it.
    Covered {
        /// The test's name.
        test: String,
    },
    /// No input takes it.
    Infeasible {
        /// The proof, in words.
        evidence: String,
    },
    /// It is undecided.
    Open {
        /// Why it is undecided.
        reason: String,
    },
    /// It cannot be decided, because a model is missing.
    Unsupported {
        /// The missing model.
        reason: String,
    },
}

/// A direction and its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judged {
    /// The direction.
    #[serde(flatten)]
    pub direction: Direction,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}
