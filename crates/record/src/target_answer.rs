//! The answers of a directed search: for each target, a test that reaches it, the evidence that none does, or why it is open.

use serde::{Deserialize, Serialize};

use crate::Address;

/// The answer to a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "answer", rename_all = "lowercase")]
pub enum TargetVerdict {
    /// A test reaches it, and its condition holds there in a concrete run.
    Confirmed {
        /// The test's name.
        test: String,
    },
    /// No input reaches it.
    Refuted {
        /// The proof, in words.
        evidence: String,
    },
    /// It is undecided.
    Open {
        /// Why it is undecided.
        reason: String,
    },
}

impl TargetVerdict {
    /// The answer in one word, as it is serialised.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            TargetVerdict::Confirmed { .. } => "confirmed",
            TargetVerdict::Refuted { .. } => "refuted",
            TargetVerdict::Open { .. } => "open",
        }
    }

    /// The test, the evidence or the reason.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            TargetVerdict::Confirmed { test: text }
            | TargetVerdict::Refuted { evidence: text }
            | TargetVerdict::Open { reason: text } => text,
        }
    }
}

/// A target of a directed search with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetAnswer {
    /// The target as it was written.
    pub target: String,
    /// The answer.
    #[serde(flatten)]
    pub verdict: TargetVerdict,
    /// Number of paths that were run up to the answer.
    pub paths: u64,
    /// Number of times that a path has reached the last point with all others passed.
    pub arrivals: u64,
    /// Number of its points.
    pub points: u64,
    /// How close the search has come, if the target is open and the control-flow graph has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closest: Option<ClosestApproach>,
}

/// The place nearest to a target at which a path has been.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClosestApproach {
    /// Number of points that the path has passed.
    pub passed: u64,
    /// The instruction.
    pub address: Address,
    /// Number of edges of the control-flow graph from there to the target, with matched calls and returns.
    pub edges: u64,
}
