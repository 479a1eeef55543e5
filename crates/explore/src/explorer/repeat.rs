//! Tries repeated inputs when the search stagnates, and begins a path with one that takes an uncovered direction.

use crate::explorer::Explorer;
use crate::path::model::model_of;
use crate::path::task::Task;
use crate::path::test_input::TestInput;
use crate::record::trial;

/// Maximum number of instructions behind a test in which the round that it has begun is looked for.
const ROUND: u64 = 20_000;

/// Maximum number of reads of each input that values are taken from.
const LEARNT: u32 = 256;

impl Explorer<'_> {
    /// A path whose inputs are those of a test, with a round of a loop repeated, if the search stagnates and there is one that
    /// takes an uncovered direction.
    pub(super) fn next_repetition(&mut self) -> Option<Task> {
        if self.plan.keeps_all() || self.merging.is_some() {
            return None;
        }
        loop {
            let (covered, _) = self.knowledge.coverage.tally();
            let effort = self.effort();
            if self.cancellation.is_set() || !self.repetitions.is_due(covered, effort, self.schedule.paths())
            {
                return None;
            }
            self.divide_tests_into_rounds();
            let (given, bound) = self.repetitions.next()?;
            let bound = bound.min(self.plan.bounds.path_instructions);
            let (replayer, covered) = self.recorder.trial();
            let trial = trial::try_input(replayer, &given, bound, covered).ok()?;
            self.repetitions.spend(trial.instructions);
            if let Some(last_new) = trial.last_new {
                let mut task = self.root.fork().led_until(last_new);
                // Behind the scripted reads, the trial run has read values of its own.
                let given = TestInput { cells: trial.cells, ..given };
                let model = model_of(&mut self.inputs, &given);
                self.inputs.take_model(&mut task, model);
                return Some(task);
            }
        }
    }

    /// Takes in the values that a path has read.
    pub(super) fn learn_values(&mut self, task: &Task) {
        if self.repetitions.is_learning() && !self.plan.keeps_all() && !task.is_merged() {
            let reads: Vec<u32> = task.progress.reads.iter().map(|reads| (*reads).min(LEARNT)).collect();
            self.repetitions.learn(self.inputs.cells(&task.model, &reads));
        }
    }

    /// Finds the rounds of loops in the tests that were recorded since the last call.
    fn divide_tests_into_rounds(&mut self) {
        let new = self.recorder.tests()[self.repetitions.tests..].iter();
        let new: Vec<_> =
            new.map(|recorded| (TestInput::of(&recorded.test), recorded.test.instructions)).collect();
        self.repetitions.tests += new.len();
        for (given, bound) in new {
            // The schedule of interrupts belongs to the run that it was recorded with.
            let given = TestInput { interrupts: Vec::new(), ..given };
            let (replayer, _) = self.recorder.trial();
            let own = given.cells.iter().map(|cell| cell.values.len()).sum();
            if let Ok(reads) = trial::reads(replayer, &given, bound + ROUND) {
                self.repetitions.add(given, &reads, own);
            }
        }
    }
}
