//! The end of a search: its losses, verdicts and result.

use everypath_record::{Judged, Verdict};

use crate::exploration::{ConfigurationGaps, ControlFlow, Effort, Exploration};
use crate::explorer::Explorer;
use crate::plan::Criterion;
use crate::reach::directed::DirectedSearch;
use crate::record::recorder::Suite;
use crate::verdict::judge::{Ended, judge};
use crate::verdict::knowledge::Knowledge;
use crate::verdict::ledger::AssumptionKind;

/// Whether a direction has an answer.
fn is_closed(judged: &Judged) -> bool {
    matches!(judged.verdict, Verdict::Covered { .. } | Verdict::Infeasible { .. })
}

impl Explorer<'_> {
    /// Computes the verdicts and the result. `stopped` lists why the search ended early.
    pub(super) fn conclude(mut self, mut stopped: Vec<String>) -> Exploration {
        let _alarm = self.cancellation.last_alarm();
        let limits = self.queries.limits(self.cancellation.flag());
        self.note_losses();
        let why_open = self.conclude_targets(&stopped);
        // A path that was running when the search was stopped is in no queue.
        let was_stopped = !stopped.is_empty();
        if stopped.is_empty() && !self.has_nothing_pending() {
            stopped.push("the criterion was reached before every path was explored".to_owned());
        }
        stopped.extend(self.knowledge.ledger.losses());
        if self.directed.as_ref().is_some_and(DirectedSearch::has_dropped) {
            stopped.push("paths from which no target can be reached were not followed".to_owned());
        }
        let complete = stopped.is_empty();
        if !complete {
            self.knowledge.deepen_map(self.cancellation.flag());
        }
        let indirect_exits = self.knowledge.judge_indirect_exits(complete);
        let lists_all_code = self.knowledge.lists_all_code(complete);
        let is_exhausted = self.is_exhausted() && !was_stopped;
        // Value sets are not needed to exclude directions if every path was explored.
        let reached = self.knowledge.is_reached(is_exhausted)
            || !complete && self.knowledge.is_judged(&limits, self.cancellation.flag());
        if self.directed.is_some() {
            self.recorder.retain_targets();
        }
        let Suite { tests, mut findings, covered, coverage_curve, targets } =
            self.recorder.take_suite(self.plan.keeps_all() || self.directed.is_some());
        if self.directed.is_some() {
            // Faults block the code after them, and are not what the search is for; their tests are dropped.
            findings.clear();
        }
        let nothing_pending = self.has_nothing_pending() && !was_stopped;
        let divergences = self.recorder.take_divergences();
        let has_divergences = !divergences.is_empty();
        let ended = Ended {
            complete,
            stopped: &stopped,
            has_divergences,
            nothing_pending,
            covered: &covered,
            keeps_targets_only: self.directed.is_some(),
        };
        let (directions, certificates) = judge(&self.knowledge, &ended, &self.inputs.terms, &limits);
        // A direction that a path took stays open if its test does not replay.
        let by_branches = matches!(self.plan.criterion, Criterion::Branch | Criterion::Instruction);
        let paths = self.schedule.paths();
        let targets = self
            .directed
            .as_ref()
            .map(|directed| directed.answers(&targets, |target| why_open[target].clone(), paths));
        let reached = reached || self.directed.as_ref().is_some_and(DirectedSearch::is_done);
        let reached = reached && divergences.is_empty() && (!by_branches || directions.iter().all(is_closed));
        Exploration {
            reached,
            incomplete_reasons: stopped,
            effort: Effort {
                paths: self.schedule.paths(),
                instructions: self.knowledge.coverage.instructions(),
                executed: self.runner.executed(),
                queries: self.queries.counts(),
                solver: self.queries.statistics(),
                coverage_curve,
            },
            directions,
            control_flow: ControlFlow { indirect_exits, lists_all_code },
            targets: targets.unwrap_or_default(),
            certificates,
            tests,
            findings,
            gaps: ConfigurationGaps {
                undeclared: self.knowledge.premises.undeclared(&self.inputs),
                setup: self.knowledge.premises.setup,
            },
            ledger: self.knowledge.ledger,
            divergences,
        }
    }

    /// Records what bounded the search and what it left unused.
    fn note_losses(&mut self) {
        let entry = self.root.at.place.address;
        let Knowledge { ledger, premises, .. } = &mut self.knowledge;
        for (address, what) in &self.steered {
            ledger.note(AssumptionKind::Steered, *address, what, false);
        }
        if let Some(what) = self.frontier.memory.ledger_entry() {
            ledger.note(AssumptionKind::Bound, entry, what, false);
        }
        let refuted = self.queries.refuted();
        if refuted > 0 {
            let what = format!(
                "{refuted} models of solver layers failed verification (a defect of everypath, please report); the backend answered \
                 these queries"
            );
            ledger.note(AssumptionKind::Divergence, entry, what, false);
        }
        if premises.has_aliases() {
            let what = "the objects of input pointers were assumed to be no variables of the program, and not to overlap; if that always holds, set \
                        `separate = true` in `[[object]]`";
            ledger.note(AssumptionKind::Layout, entry, what, false);
        }
        premises.note_shared_reads(&self.inputs, ledger);
        premises.note_start(&self.inputs, ledger);
        premises.note_unused(entry, &self.inputs, ledger);
    }
}
