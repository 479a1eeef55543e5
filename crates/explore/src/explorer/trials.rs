//! Trial runs when the search stagnates: a path begins with an input that takes an uncovered direction.

use crate::explorer::Explorer;
use crate::path::task::Task;
use crate::path::test_input::TestInput;

/// Maximum number of instructions behind a test in which the iteration that it has begun is looked for.
const ITERATION: u64 = 20_000;

/// Maximum number of reads of each input that values are taken from.
const DICTIONARY_READS: u32 = 256;

impl Explorer<'_> {
    /// A path whose inputs are those of a test, with an iteration of a loop repeated, if the search stagnates and there is one that
    /// takes an uncovered direction.
    pub(super) fn next_trial_path(&mut self) -> Option<Task> {
        if self.plan.keeps_all() || self.merging.is_some() {
            return None;
        }
        loop {
            let (covered, _) = self.knowledge.coverage.tally();
            let (effort, paths) = (self.effort(), self.schedule.paths());
            self.trial_inputs.note_progress(covered, effort, paths);
            if self.cancellation.is_set() || !self.trial_inputs.is_due(effort, paths) {
                return None;
            }
            self.find_iterations();
            let (given, bound) = self.trial_inputs.next()?;
            let bound = bound.min(self.plan.bounds.path_instructions);
            let trial = self.recorder.try_input(&given, bound).ok()?;
            self.trial_inputs.spend(trial.instructions);
            if let Some(last_new) = trial.last_new {
                let mut task = self.root.fork().with_new_direction_at(last_new);
                // Behind the scripted reads, the trial run has read values of its own.
                let given = TestInput { cells: trial.cells, ..given };
                let model = self.inputs.model_of(&given);
                self.inputs.take_model(&mut task, model);
                return Some(task);
            }
        }
    }

    /// Adds the values that a path has read to the dictionary.
    pub(super) fn extend_dictionary(&mut self, task: &Task) {
        if self.trial_inputs.dictionary_has_room() && !self.plan.keeps_all() && !task.is_merged() {
            let reads: Vec<u32> =
                task.progress.reads.iter().map(|reads| (*reads).min(DICTIONARY_READS)).collect();
            self.trial_inputs.add_to_dictionary(self.inputs.cells(&task.model, &reads));
        }
    }

    /// Finds the iterations of loops in the tests that were recorded since the last call.
    fn find_iterations(&mut self) {
        let new = self.recorder.tests()[self.trial_inputs.tests..].iter();
        let new: Vec<_> =
            new.map(|recorded| (TestInput::of(&recorded.test), recorded.test.instructions)).collect();
        self.trial_inputs.tests += new.len();
        for (given, bound) in new {
            // The schedule of interrupts belongs to the run that it was recorded with.
            let given = TestInput { interrupts: Vec::new(), ..given };
            let own = given.cells.iter().map(|cell| cell.values.len()).sum();
            if let Ok(reads) = self.recorder.reads_of(&given, bound + ITERATION) {
                self.trial_inputs.add(given, &reads, own);
            }
        }
    }
}
