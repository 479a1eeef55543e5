//! The settings of an exploration, in one place.

use std::time::Duration;

use everypath_environment::TargetText;
use serde::{Deserialize, Serialize};

/// The coverage criterion of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// Every discovered instruction was executed.
    Instruction,
    /// Every discovered branch direction was taken.
    Branch,
    /// Every call of the control-flow graph was made.
    Call,
    /// Every path within the bounds was run.
    Path,
    /// Every target of the plan is confirmed or refuted.
    Target,
}

/// The settings of an exploration. The same plan on the same program gives the same result, within the time limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// The coverage criterion.
    pub criterion: Criterion,
    /// The name of the search strategy.
    pub strategy: String,
    /// Seed of random choices.
    pub seed: u64,
    /// The bounds, each of which is recorded when it is reached.
    pub bounds: Bounds,
    /// Whether the control-flow graph is recovered first: its directions get verdicts, and its indirect targets are
    /// tried.
    pub graph: bool,
    /// The names of the oracles that watch.
    pub oracles: Vec<String>,
    /// Whether all tests are kept, or only a minimised suite.
    pub keep_all: bool,
    /// Whether infeasible verdicts come with unsatisfiability certificates.
    pub certificates: bool,
    /// Whether paths that meet are merged. Not if every path is wanted.
    pub merge: bool,
    /// The work without a new direction, in executed instructions, after which an abstraction of all paths is explored to
    /// show directions infeasible; `None` if that is not wanted. Only for branch directions, and not if paths are merged.
    pub prove: Option<u64>,
    /// Whether inputs with which the program never ends are found and proved. Not if every path is wanted.
    pub hangs: bool,
    /// The targets of a directed search, if they are the criterion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetText>,
}

/// The bounds of an exploration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bounds {
    /// Maximum number of instructions on a path.
    pub path_instructions: u64,
    /// Maximum number of decisions on input on a path.
    pub path_decisions: u32,
    /// Maximum number of paths.
    pub paths: u64,
    /// Time limit in seconds.
    pub seconds: Option<u64>,
    /// Number of further paths when every known direction is covered, but an indirect jump is unresolved.
    pub patience: u64,
    /// Memory limit of the process in bytes. Near it, the forked states of pending branches are evicted.
    pub memory: Option<u64>,
    /// Maximum number of alternative addresses on one path, where input computes an address.
    pub aliases: u32,
    /// Maximum number of alternative targets on one path, where input computes a jump.
    pub targets: u32,
    /// Maximum number of SAT conflicts per solver query.
    pub query_conflicts: Option<u32>,
    /// Time limit of a solver query in milliseconds. With such a limit the result depends on the machine.
    pub query_milliseconds: Option<u64>,
}

impl Plan {
    /// Whether a test of every path is kept.
    pub(crate) fn keeps_all(&self) -> bool {
        self.keep_all || self.criterion == Criterion::Path
    }
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            criterion: Criterion::Branch,
            strategy: "portfolio".to_owned(),
            seed: 1,
            bounds: Bounds::default(),
            graph: true,
            oracles: everypath_oracle::ALL.iter().map(|oracle| oracle.name.to_owned()).collect(),
            keep_all: false,
            certificates: false,
            merge: false,
            prove: None,
            hangs: false,
            targets: Vec::new(),
        }
    }
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            path_instructions: 1_000_000,
            path_decisions: 10_000,
            paths: 1_000_000,
            seconds: None,
            patience: 2_000,
            memory: None,
            aliases: 64,
            targets: 256,
            query_conflicts: Some(200_000),
            query_milliseconds: None,
        }
    }
}

impl Bounds {
    /// The resource limits of one solver query.
    #[must_use]
    pub fn query_limits(&self) -> everypath_solve::QueryLimits {
        everypath_solve::QueryLimits {
            conflicts: self.query_conflicts,
            time: self.query_milliseconds.map(Duration::from_millis),
            gates: Some(50_000_000),
            stop: None,
        }
    }
}
