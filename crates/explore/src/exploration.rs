//! The result of an exploration, and its progress while it runs.

use everypath_record::{Counts, Finding, Judged, Verdict};

use crate::explorer::Explorer;
use crate::judge::Judgement;
use crate::ledger::Ledger;
use crate::observer::Now;
use crate::plan::Criterion;

/// The result of an exploration.
pub struct Exploration {
    /// Whether every feasible path was explored.
    pub complete: bool,
    /// Whether the criterion was reached.
    pub reached: bool,
    /// Why the exploration is incomplete; empty if it is complete.
    pub incomplete_because: Vec<String>,
    /// Number of paths run to their end.
    pub paths: u64,
    /// Number of distinct instructions executed.
    pub instructions: usize,
    /// Number of instructions executed, repetitions included.
    pub executed: u64,
    /// Solver queries by answer.
    pub counts: Counts,
    /// Statistics of the solver layers.
    pub solver: Vec<everypath_solve::Statistics>,
    /// Every discovered branch direction with its verdict.
    pub directions: Vec<Judged>,
    /// Every indirect jump, call and return, with its known targets.
    pub jumps: Vec<everypath_record::Jump>,
    /// The unsatisfiability certificates that verdicts refer to.
    pub certificates: Vec<crate::Certified>,
    /// The generated tests.
    pub tests: Vec<everypath_record::TestCase>,
    /// Oracle violations that a concrete run has confirmed.
    pub findings: Vec<Finding>,
    /// Why the setup is probably wrong, if the first path faulted before it read any input.
    pub setup: Option<String>,
    /// Peripheral registers that the configuration does not declare and on which the program's decisions depend.
    pub undeclared: Vec<everypath_record::Undeclared>,
    /// The assumptions made and the bounds reached.
    pub ledger: Ledger,
    /// Tests whose replay from the entry differs from the path that they were generated from.
    pub divergences: Vec<String>,
}

impl Explorer<'_> {
    /// A progress report.
    pub(crate) fn now(&self, address: u64) -> Now {
        let (covered, directions) = self.coverage.tally();
        let mut solver = Vec::new();
        self.solver.statistics(&mut solver);
        Now {
            covered,
            directions,
            instructions: self.coverage.instructions(),
            tests: self.recorder.tests().len(),
            findings: self.recorder.findings().len(),
            paths: self.paths,
            pending: self.frontier.len(),
            questions: self.counts.asked,
            executed: self.executed,
            address,
            solver,
        }
    }

    /// Computes the verdicts and the result. `stopped` lists why the search ended early.
    pub(crate) fn conclude(mut self, mut stopped: Vec<String>) -> Exploration {
        let _alarm = self.cancellation.last_alarm();
        self.tell_memory();
        let mut solver = Vec::new();
        self.solver.statistics(&mut solver);
        self.tell_refuted(&solver);
        self.counts.backend = solver.last().map_or(0, |last| last.asked);
        if stopped.is_empty() && !self.frontier.is_empty() {
            stopped.push("the criterion was reached before every path was looked at".to_owned());
        }
        self.note_unread_cells();
        let undeclared = self.undeclared();
        stopped.extend(self.ledger.losses());
        let complete = stopped.is_empty();
        if !complete {
            self.deepen_map();
        }
        for (branch, kind) in self.coverage.never_indirect() {
            self.jumps.list(branch.0, kind);
        }
        // Code behind an abnormal end may contain indirect exits that no path took.
        if let Some(map) = self.map.as_ref().filter(|_| !self.blockers.is_empty()) {
            for (branch, kind) in map.indirect_exits() {
                self.jumps.list(branch, kind);
            }
        }
        let is_blocked = |branch: u64| self.blocked_by(branch).is_some();
        let jumps = self.jumps.judge(complete, self.map.as_ref(), is_blocked);
        // Value sets are not needed to exclude directions if every path was explored.
        let reached = self.is_reached() || !complete && self.is_judged();
        let Judgement { tests, findings, directions, certificates } = self.judge(complete, &stopped);
        let divergences = self.recorder.take_divergences();
        // A direction that a path took stays open if its test does not replay.
        let is_closed = |judged: &Judged| {
            let verdict = &judged.verdict;
            matches!(verdict, Verdict::Covered { .. } | Verdict::Infeasible { .. })
        };
        let by_branches = matches!(self.plan.criterion, Criterion::Branch | Criterion::Instruction);
        let reached = reached && divergences.is_empty() && (!by_branches || directions.iter().all(is_closed));
        Exploration {
            complete,
            reached,
            incomplete_because: stopped,
            paths: self.paths,
            instructions: self.coverage.instructions(),
            executed: self.executed,
            counts: self.counts,
            solver,
            directions,
            jumps,
            certificates,
            tests,
            findings,
            setup: self.premises.setup.take(),
            undeclared,
            ledger: self.ledger,
            divergences,
        }
    }
}
