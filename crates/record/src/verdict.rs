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

/// What precedes the name of a trace in [`Verdict::Covered`]; the name of a test has no space.
const TRACE: &str = "trace ";

impl Verdict {
    /// The verdict in one word, as it is serialised.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Covered { .. } => "covered",
            Verdict::Infeasible { .. } => "infeasible",
            Verdict::Open { .. } => "open",
            Verdict::Unsupported { .. } => "unsupported",
        }
    }

    /// The name of the trace that takes the direction, if no test does. A trace was recorded elsewhere, and is not replayed.
    #[must_use]
    pub fn trace(&self) -> Option<&str> {
        match self {
            Verdict::Covered { test } => test.strip_prefix(TRACE),
            _ => None,
        }
    }

    /// The evidence or the reason, in words, if no test or trace takes the direction.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Covered { .. } => None,
            Verdict::Infeasible { evidence: reason }
            | Verdict::Open { reason }
            | Verdict::Unsupported { reason } => Some(reason),
        }
    }

    /// The test or the trace that takes the direction: `test 0001`, `trace bench`.
    #[must_use]
    pub fn taken_by(&self) -> Option<String> {
        match self {
            Verdict::Covered { test } if test.starts_with(TRACE) => Some(test.clone()),
            Verdict::Covered { test } => Some(format!("test {test}")),
            _ => None,
        }
    }
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
