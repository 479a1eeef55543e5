//! State merging in a search (Kuznetsov, Kinder, Bucur and Candea 2012): paths pause where others may meet them, and continue as one.

use everypath_machine::Event;
use everypath_record::Direction;
use everypath_solve::{Answer, Query};
use everypath_term::Term;

use crate::explorer::Explorer;
use crate::merge::{Learnt, Merging, Undone};
use crate::path::oracles::Violation;
use crate::path::path_condition::PathCondition;
use crate::path::task::Task;
use crate::path::test_input::TestInput;
use crate::run::runner::PathRun;
use crate::verdict::ledger::AssumptionKind;

/// The least number of instructions of a run that tries an input of an abstract path.
const TRIAL: u64 = 2_000;

impl Explorer<'_> {
    /// Prepares merging, if the plan wants it: not if it wants every path.
    pub(super) fn begin_merging(&mut self) {
        if self.plan.merge && !self.plan.keeps_all() {
            self.merging =
                Some(Merging::exact(self.inputs.guest, &self.inputs.world, self.knowledge.notes()));
        }
    }

    /// Learns cursors from the addresses that the block just run accesses or jumps to. `before` is the path condition
    /// before the block: in the block, addresses may have been fixed to one of their values.
    pub(super) fn learn_cursors(&mut self, task: &Task, before: &PathCondition) -> Learnt {
        let Some(merging) = &mut self.merging else { return Learnt::Nothing };
        let mut merged = Vec::new();
        for event in self.runner.events() {
            if let Event::Accessed { address, .. } | Event::Jumped { target: address, .. } = event {
                merged.extend(merging.sources(&self.inputs.terms, *address, task));
            }
        }
        let mut learnt = Learnt::Nothing;
        // A target that only the abstraction has must not become one of the program.
        for event in self.runner.events() {
            if let Event::Jumped { target, .. } = event
                && merging.is_abstracted(&self.inputs.terms, *target)
            {
                let what = "the target of a jump depends on what merged paths hold";
                self.knowledge.ledger.note(AssumptionKind::Concretised, task.last, what, true);
            }
        }
        for term in merged {
            // A word that has one value on this path needs no other path kept apart.
            if !self.is_fixed(task, before, term)
                && let Some(merging) = &mut self.merging
            {
                learnt = learnt.max(merging.learn(term));
            }
        }
        learnt
    }

    /// Whether an abstract path must be discarded, because it computes an address from words that must not be merged.
    pub(super) fn must_discard(&mut self, learnt: Learnt) -> bool {
        self.merging.as_mut().is_some_and(|merging| merging.drops(learnt))
    }

    /// Whether a path condition implies one value of a term: the one that it has under the path's model. Conditions and
    /// terms that depend on more than input do not count, so that nothing loses its dependence on an assumption.
    fn is_fixed(&mut self, task: &Task, condition: &PathCondition, term: Term) -> bool {
        if !self.inputs.is_input_only(term) {
            return false;
        }
        self.inputs.evaluation.set_model(task.model.clone());
        let Some(value) = self.inputs.evaluation.word(&self.inputs.terms, term) else { return false };
        let same = self.inputs.is_number(term, value);
        let mut conditions = condition.conditions();
        conditions.retain(|condition| self.inputs.is_input_only(*condition));
        conditions.push(self.inputs.terms.not(same));
        let query = Query { conditions: &conditions, known: Some(&task.model) };
        let answer = self.queries.ask_cheaply(&mut self.inputs.terms, query, self.cancellation.flag());
        matches!(answer, Answer::Unsat(_))
    }

    /// Makes the cursors concrete that have one value on the path, such as those that were compared with a number.
    fn fix_cursors(&mut self, task: &mut Task) {
        let Some(merging) = &self.merging else { return };
        for (word, term) in merging.symbolic_cursors(&mut self.inputs.terms, task) {
            if self.is_fixed(task, &task.path_condition, term)
                && let Some(merging) = &self.merging
            {
                merging.fix(&mut self.inputs.terms, task, word);
            }
        }
    }

    /// Makes a path wait for others. Returns where it waits.
    pub(super) fn pause(&mut self, run: PathRun) -> u64 {
        let mut run = self.record_so_far(run);
        let address = run.task.at.place.address;
        self.knowledge.observe_state(&mut run.task, &mut self.root);
        self.fix_cursors(&mut run.task);
        if let Some(merging) = &mut self.merging {
            merging.pause(run.task);
        }
        address
    }

    /// Undoes the merge by which this path began, or begins again. Whatever the dropped paths have shown is shown again.
    pub(super) fn undo_merge(&mut self, run: PathRun, learnt: Learnt) -> (u64, Option<Task>) {
        let run = self.record_so_far(run);
        self.frontier.clear();
        self.probes.forget();
        let address = run.task.at.place.address;
        let Some(merging) = &mut self.merging else { return (address, None) };
        let (undone, notes) = merging.undo(learnt);
        self.knowledge.return_to(notes);
        (address, (undone == Undone::Everything).then(|| self.root.fork()))
    }

    /// The next of the paths that wait, merged with those that it agrees with.
    pub(super) fn resume_waiting(&mut self) -> Option<Task> {
        let merging = self.merging.as_mut()?;
        merging.resume(&mut self.inputs, || self.knowledge.notes())
    }

    /// Turns the directions and violations that a path has added so far into a test.
    fn record_so_far(&mut self, mut run: PathRun) -> PathRun {
        let new = self.recorder.new_violations(std::mem::take(&mut run.violations));
        if !run.adds.is_empty() || run.new_instructions || !new.is_empty() {
            let input =
                self.inputs.test_input(&run.task.model, &run.task.progress.reads, run.task.interrupts());
            let adds = std::mem::take(&mut run.adds);
            self.record_reached(&run.task, input, &adds, new);
            run.new_instructions = false;
        }
        run
    }

    /// Records a test of a path whose hash is not known, because it was merged or has not ended: its run from the entry
    /// must take the directions and show the violations.
    pub(super) fn record_reached(
        &mut self,
        task: &Task,
        input: TestInput,
        adds: &[Direction],
        violations: Vec<Violation>,
    ) {
        let bound = self.plan.bounds.path_instructions;
        if self.is_proving() && task.is_merged() {
            // A real path takes about as long; a program without an end takes any bound.
            let bound = bound.min(2 * task.instructions + TRIAL);
            let before = self.recorder.tests().len();
            let (missed, executed) = self.recorder.try_to_reach(input, adds, violations, bound);
            if self.recorder.tests().len() > before {
                self.keep_seed(&task.model);
            }
            self.runner.count_executed(executed);
            missed.into_iter().for_each(|direction| self.knowledge.coverage.doubt(direction));
            return;
        }
        self.keep_seed(&task.model);
        let recording = self.recorder.record_reached(input, adds, violations, bound);
        self.note_recording(&recording, task.at.place.address);
    }
}
