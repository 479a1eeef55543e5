//! The settings of an exploration, in one place.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// When an exploration has done what it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Every instruction that was discovered was run.
    Instruction,
    /// Every branch direction that was discovered was taken.
    Branch,
    /// Every call that the control-flow graph has was made.
    Call,
    /// Every path, within the bounds, was run.
    Path,
}

/// The settings of an exploration. The same plan on the same program gives the same result, unless a limit of time is
/// reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// What to reach.
    pub criterion: Criterion,
    /// Which way to go on with: the name of a strategy.
    pub strategy: String,
    /// Where randomness comes from.
    pub seed: u64,
    /// How many instructions a path has at most.
    pub path_instructions: u64,
    /// How many decisions on input a path has at most.
    pub path_decisions: u32,
    /// How many paths are run at most.
    pub paths: u64,
    /// How long it may take, in seconds.
    pub seconds: Option<u64>,
    /// How many more paths are run when every known direction is covered, but an indirect jump is not resolved and may lead
    /// to others.
    pub patience: u64,
    /// How much memory the process may take, in bytes. Near it, pending branches give up their states.
    pub memory: Option<u64>,
    /// How many other addresses are tried where input computes one, on one path.
    pub aliases: u32,
    /// How many other targets are tried where input computes a jump, on one path.
    pub targets: u32,
    /// Whether the control-flow graph is recovered beforehand: what it knows of is judged, and what it proposes is tried.
    pub graph: bool,
    /// The oracles that watch: their names.
    pub oracles: Vec<String>,
    /// How many conflicts a question may cost.
    pub question_conflicts: Option<u32>,
    /// How long a question may take, in milliseconds. With such a limit the result depends on the machine.
    pub question_milliseconds: Option<u64>,
    /// Whether all tests are kept, or only those that add to the criterion.
    pub keep_all: bool,
    /// Whether a verdict "infeasible" comes with certificates of what the solver said.
    pub certificates: bool,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            criterion: Criterion::Branch,
            strategy: "coverage".to_owned(),
            seed: 1,
            path_instructions: 1_000_000,
            path_decisions: 10_000,
            paths: 1_000_000,
            seconds: None,
            patience: 2_000,
            memory: None,
            aliases: 64,
            targets: 256,
            graph: true,
            oracles: everypath_oracle::ALL.iter().map(|oracle| oracle.name.to_owned()).collect(),
            question_conflicts: Some(200_000),
            question_milliseconds: None,
            keep_all: false,
            certificates: false,
        }
    }
}

impl Plan {
    /// What may be spent on one question.
    #[must_use]
    pub fn limits(&self) -> everypath_solve::Limits {
        everypath_solve::Limits {
            conflicts: self.question_conflicts,
            time: self.question_milliseconds.map(Duration::from_millis),
            gates: Some(50_000_000),
            stop: None,
        }
    }
}
