//! What is known of a branch direction.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Address;

/// One way out of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// The instruction that branches.
    pub branch: Address,
    /// The instruction that it leads to.
    pub target: Address,
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} -> {}", self.branch, self.target)
    }
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Verdict {
    /// A test takes it.
    Covered {
        /// The test's name.
        test: String,
    },
    /// No input takes it.
    Infeasible {
        /// What proves it.
        evidence: String,
    },
    /// It is not known.
    Open {
        /// Why.
        reason: String,
    },
    /// It cannot be found out with what is modelled.
    Unsupported {
        /// What is missing.
        reason: String,
    },
}

/// A direction and its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The direction.
    #[serde(flatten)]
    pub direction: Direction,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}
