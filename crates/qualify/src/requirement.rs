//! Tool operational requirements, verification cases and known problems, as they are written in `data/`.

use crate::procedure::Procedure;
use serde::{Deserialize, Serialize};

/// A tool operational requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its identifier: `TOR-1`.
    pub identifier: String,
    /// Its name.
    pub title: String,
    /// The requirement.
    pub text: String,
    /// Why a user relies on it.
    pub rationale: String,
    /// The part of the requirement that its cases do not verify.
    pub limits: String,
    /// The cases that verify it.
    #[serde(rename = "case")]
    pub cases: Vec<VerificationCase>,
}

/// A verification case of a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerificationCase {
    /// Its identifier: `TC-1.1`.
    pub identifier: String,
    /// The implementation of its procedure.
    pub method: Procedure,
    /// The programs that it is carried out on, by name, for each architecture that has them; none if it needs none.
    #[serde(default)]
    pub programs: Vec<String>,
    /// The procedure, in words.
    pub procedure: String,
    /// The expected result.
    pub expected: String,
}

/// A known problem of the tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownProblem {
    /// Its identifier: `KP-1`.
    pub identifier: String,
    /// The problem.
    pub problem: String,
    /// Its effect on results.
    pub effect: String,
    /// How a user notices or avoids it.
    pub measure: String,
}
