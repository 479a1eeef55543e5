//! The result of an exploration.

use everypath_record::{
    Counts, CoveragePoint, Finding, IndirectExitRecord, Judged, TargetAnswer, Undeclared,
};
use everypath_solve::Statistics;

use crate::verdict::certificate::Certified;
use crate::verdict::ledger::Ledger;

/// The result of an exploration.
pub struct Exploration {
    /// Whether the criterion was reached.
    pub reached: bool,
    /// Why some feasible path may not have been explored.
    pub incomplete_reasons: Vec<String>,
    /// How much was run and queried.
    pub effort: Effort,
    /// Every discovered branch direction with its verdict.
    pub directions: Vec<Judged>,
    /// Where control flow goes by computed addresses, and whether that is everywhere.
    pub control_flow: ControlFlow,
    /// The targets of a directed search, with their answers.
    pub targets: Vec<TargetAnswer>,
    /// The unsatisfiability certificates that verdicts refer to.
    pub certificates: Vec<Certified>,
    /// The generated tests.
    pub tests: Vec<everypath_record::TestCase>,
    /// Oracle violations that a concrete run has confirmed.
    pub findings: Vec<Finding>,
    /// The declarations and settings that the configuration lacks.
    pub gaps: ConfigurationGaps,
    /// The assumptions made and the bounds reached.
    pub ledger: Ledger,
    /// Tests whose replay from the entry differs from the path that they were generated from.
    pub divergences: Vec<String>,
}

impl Exploration {
    /// Whether every feasible path was explored.
    pub fn is_complete(&self) -> bool {
        self.incomplete_reasons.is_empty()
    }
}

/// The control flow that an exploration knows.
pub struct ControlFlow {
    /// Every indirect jump, call and return, with its known targets.
    pub indirect_exits: Vec<IndirectExitRecord>,
    /// Whether every direction of the program is listed, if every indirect exit is resolved.
    pub lists_all_code: bool,
}

impl ControlFlow {
    /// Whether the targets of every indirect jump, call and return are known.
    pub fn is_resolved(&self) -> bool {
        self.indirect_exits.iter().all(|exit| exit.resolved)
    }
}

/// How much an exploration ran and queried.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Number of paths run to their end.
    pub paths: u64,
    /// Number of distinct instructions executed.
    pub instructions: usize,
    /// Number of instructions executed on explored paths; trial runs and replays are not counted.
    pub executed: u64,
    /// Solver queries by answer.
    pub queries: Counts,
    /// Statistics of the solver layers.
    pub solver: Vec<Statistics>,
    /// The growth of coverage over paths and executed instructions.
    pub coverage_curve: Vec<CoveragePoint>,
}

/// The gaps of a configuration that an exploration has found.
#[derive(Clone, Debug, Default)]
pub struct ConfigurationGaps {
    /// Why the setup is probably wrong, if the first path faulted before it read any input.
    pub setup: Option<String>,
    /// Peripheral registers that the configuration does not declare and on which the program's decisions depend.
    pub undeclared: Vec<Undeclared>,
}
