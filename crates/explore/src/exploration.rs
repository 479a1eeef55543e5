//! What an exploration came to, and where it is while it runs.

use everypath_record::{Counts, Finding, Judged, Verdict};

use crate::explorer::Explorer;
use crate::ledger::Ledger;
use crate::plan::Criterion;
use crate::watch::Now;

/// What an exploration came to.
pub struct Exploration {
    /// Whether every path that input can take was looked at.
    pub complete: bool,
    /// Whether the criterion was reached.
    pub reached: bool,
    /// Why not every path was looked at.
    pub incomplete_because: Vec<String>,
    /// How many paths were run to their end.
    pub paths: u64,
    /// How many instructions were run at least once.
    pub instructions: usize,
    /// How many instructions were run.
    pub executed: u64,
    /// Questions and answers.
    pub counts: Counts,
    /// The layers of the solver, and what they answered.
    pub solver: Vec<everypath_solve::Statistics>,
    /// Each branch direction that was discovered.
    pub directions: Vec<Judged>,
    /// Each jump, call and return whose target is computed.
    pub jumps: Vec<everypath_record::Jump>,
    /// The certificates of which the verdicts speak.
    pub certificates: Vec<crate::Certified>,
    /// The tests.
    pub tests: Vec<everypath_record::TestCase>,
    /// Faults of the guest.
    pub findings: Vec<Finding>,
    /// Why the setup is probably wrong, if the first path ended at once.
    pub setup: Option<String>,
    /// Peripheral registers that the configuration does not declare and on which the program's decisions depend.
    pub undeclared: Vec<everypath_record::Undeclared>,
    /// What was assumed.
    pub ledger: Ledger,
    /// Tests that did not do from the start what they were made for.
    pub divergences: Vec<String>,
}

impl Explorer<'_> {
    /// Where the exploration is.
    pub(crate) fn now(&self, address: u64) -> Now {
        let (covered, directions) = self.coverage.tally();
        let mut solver = Vec::new();
        self.solver.statistics(&mut solver);
        Now {
            covered,
            directions,
            instructions: self.coverage.instructions(),
            tests: self.recorded.len(),
            findings: self.findings.len(),
            paths: self.paths,
            pending: self.frontier.len(),
            questions: self.counts.asked,
            executed: self.executed,
            address,
            solver,
        }
    }

    /// Judges what was found.
    pub(crate) fn conclude(mut self, mut stopped: Vec<String>) -> Exploration {
        let _alarm = self.set_last_alarm();
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
        // Behind a path that ended abnormally may be exits that no path took.
        if let Some(map) = self.map.as_ref().filter(|_| !self.blockers.is_empty()) {
            for (branch, kind) in map.indirect_exits() {
                self.jumps.list(branch, kind);
            }
        }
        let is_blocked = |branch: u64| self.blocked_by(branch).is_some();
        let jumps = self.jumps.judge(complete, self.map.as_ref(), is_blocked);
        // What values exclude is not looked for where every path was explored.
        let reached = self.is_reached() || !complete && self.is_judged();
        let (tests, directions, certificates) = self.judge(complete, &stopped);
        // A path may have taken a direction by a test that does not replay.
        let is_closed = |judged: &Judged| {
            let verdict = &judged.verdict;
            matches!(verdict, Verdict::Covered { .. } | Verdict::Infeasible { .. })
        };
        let by_branches = matches!(self.plan.criterion, Criterion::Branch | Criterion::Instruction);
        let reached =
            reached && self.divergences.is_empty() && (!by_branches || directions.iter().all(is_closed));
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
            findings: self.findings,
            setup: self.premises.setup.take(),
            undeclared,
            ledger: self.ledger,
            divergences: self.divergences,
        }
    }
}
