//! The summary of a run.

use serde::{Deserialize, Serialize};

use crate::{Address, Assumption, Finding, Judged, Jump, Verdict};

/// What a run found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The version of the format.
    pub format: u32,
    /// The name of the program's file.
    pub program: String,
    /// The hash (SHA-256) of the program's file.
    pub program_hash: String,
    /// The hash (SHA-256) of the configuration's text; of an empty one if there was none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub configuration_hash: String,
    /// The architecture.
    pub architecture: String,
    /// The settings of the run, as they can be given again.
    pub plan: serde_json::Value,
    /// Whether the criterion of the plan was reached.
    pub reached: bool,
    /// Whether every path that input can take was looked at.
    pub complete: bool,
    /// Why not, if not.
    pub incomplete_because: Vec<String>,
    /// How many paths were run to their end.
    pub paths: u64,
    /// How many instructions of the guest were run at least once.
    pub instructions: u64,
    /// How many times a solver backend was asked, and how many questions there were.
    pub questions: Counts,
    /// Each branch direction of the code that was reached.
    pub directions: Vec<Judged>,
    /// Whether the directions are all that there are: every computed jump is saturated.
    pub exact: bool,
    /// Each jump, call and return whose target is computed.
    pub jumps: Vec<Jump>,
    /// The names of the tests, in order.
    pub tests: Vec<String>,
    /// The faults of the guest.
    pub findings: Vec<Finding>,
    /// What was assumed.
    pub assumptions: Vec<Assumption>,
    /// Peripheral registers that the configuration does not declare and on which the program's decisions depend.
    #[serde(default)]
    pub undeclared: Vec<Undeclared>,
    /// Runs from the start that did not do what the exploration said, which is a bug of Everypath.
    pub divergences: Vec<String>,
}

/// A peripheral register that the configuration does not declare; its text is an entry for the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Undeclared {
    /// A name for it.
    pub name: String,
    /// The space it lies in; without one, the space of code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// Its address.
    pub address: Address,
    /// How many bytes the program reads there.
    pub size: u64,
}

impl std::fmt::Display for Undeclared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "[[volatile]]\nname = {:?}", self.name)?;
        if let Some(space) = &self.space {
            writeln!(formatter, "space = {space:?}")?;
        }
        writeln!(formatter, "address = {}\nsize = {}", self.address, self.size)
    }
}

/// Questions and who answered them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// All questions.
    pub asked: u64,
    /// Those that came down to a backend.
    pub backend: u64,
    /// Answered with a model.
    pub models: u64,
    /// Answered with "none".
    pub none: u64,
    /// Not answered.
    pub unknown: u64,
}

/// What a command ends with, when it could be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// All is well.
    Good = 0,
    /// There are findings, or tests that do not do what they were made for.
    Findings = 3,
    /// Something was left open.
    Open = 4,
    /// A fault of Everypath itself: `EX_SOFTWARE` of `sysexits.h`.
    Fault = 70,
}

impl Summary {
    /// The exit code that says what came of the run. A fault of ours comes before all else, because what else is said may be
    /// wrong by it.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        let (_, _, open) = self.tally();
        if !self.divergences.is_empty() {
            ExitCode::Fault
        } else if !self.findings.is_empty() {
            ExitCode::Findings
        } else if open > 0 || !self.complete && !self.reached {
            ExitCode::Open
        } else {
            ExitCode::Good
        }
    }

    /// How many directions are covered, infeasible, and neither.
    #[must_use]
    pub fn tally(&self) -> (usize, usize, usize) {
        let count = |wanted: fn(&Verdict) -> bool| {
            self.directions.iter().filter(|judged| wanted(&judged.verdict)).count()
        };
        let covered = count(|verdict| matches!(verdict, Verdict::Covered { .. }));
        let infeasible = count(|verdict| matches!(verdict, Verdict::Infeasible { .. }));
        (covered, infeasible, self.directions.len() - covered - infeasible)
    }
}
