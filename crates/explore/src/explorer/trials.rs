//! Trial runs when the search stagnates: a path begins with an input that takes an uncovered direction.

use crate::explorer::Explorer;
use crate::path::task::Task;
use crate::path::test_input::TestInput;

/// Maximum number of instructions behind a test in which the iteration that it has begun is looked for.
const ITERATION: u64 = 20_000;

/// Maximum number of reads of each input that values are taken from.
const DICTIONARY_READS: u32 = 256;

/// Number of iterations that are tried before others come first.
const BATCH: usize = 256;

/// The cost of copying a state, in instructions.
const FORKED: u64 = 64;

/// Maximum number of states of one test.
const STATES_OF_TEST: usize = 64;

/// The outcome of a trial.
enum Tried {
    /// This input takes an uncovered direction, the last after so many instructions.
    Found(TestInput, u64),
    /// It takes none.
    Vain,
    /// There is nothing to try.
    Nothing,
}

impl Explorer<'_> {
    /// A path whose inputs are those of a test, with an iteration of a loop repeated, if the search stagnates and there is one that
    /// takes an uncovered direction.
    pub(super) fn next_trial_path(&mut self) -> Option<Task> {
        // A process reads a stream, of which no part comes again; and its start-up would be run for each trial.
        if self.plan.keeps_all() || self.merging.is_some() || self.knowledge.premises.is_process {
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
            let repeated = self.try_repetition();
            let searched = match repeated {
                Tried::Found(..) => Tried::Nothing,
                Tried::Vain | Tried::Nothing => self.search_states(),
            };
            match (repeated, searched) {
                (Tried::Found(given, last_new), _) | (_, Tried::Found(given, last_new)) => {
                    let mut task = self.root.fork().with_new_direction_at(last_new);
                    let model = self.inputs.model_of(&given);
                    self.inputs.take_model(&mut task, model);
                    return Some(task);
                }
                (Tried::Nothing, Tried::Nothing) => return None,
                _ => {}
            }
        }
    }

    /// Tries a test whose last iteration is repeated.
    fn try_repetition(&mut self) -> Tried {
        let Some((given, bound)) = self.trial_inputs.next() else { return Tried::Nothing };
        let bound = bound.min(self.plan.bounds.path_instructions);
        let Ok(trial) = self.recorder.try_input(&given, bound) else { return Tried::Vain };
        self.trial_inputs.spend(trial.instructions);
        match trial.last_new {
            // Behind the scripted reads, the trial run has read values of its own.
            Some(last_new) => Tried::Found(TestInput { cells: trial.cells, ..given }, last_new),
            None => Tried::Vain,
        }
    }

    /// Tries iterations from states that differ from others.
    fn search_states(&mut self) -> Tried {
        if self.state_search.choose_head() {
            self.states_of_tests(0);
        }
        let bound = ITERATION.min(self.plan.bounds.path_instructions);
        let guest = self.inputs.guest;
        for _ in 0..BATCH {
            let next = self.state_search.next(self.trial_inputs.dictionary());
            let Some((from, inputs)) = next else { return Tried::Nothing };
            let iterated = self.recorder.iterate(from, &inputs, bound);
            self.trial_inputs.spend(iterated.instructions + FORKED);
            if let Some(next) = iterated.next {
                self.state_search.add_state(guest, next);
            }
            if let Some((given, last_new)) = iterated.new {
                return Tried::Found(given, last_new);
            }
        }
        Tried::Vain
    }

    /// Adds the states of tests, from this number on, at the head of the loop.
    fn states_of_tests(&mut self, first: usize) {
        let Some(head) = self.state_search.head else { return };
        let tests = self.recorder.tests()[first..].iter();
        let tests: Vec<_> =
            tests.map(|recorded| (TestInput::of(&recorded.test), recorded.test.instructions)).collect();
        let guest = self.inputs.guest;
        for (given, bound) in tests {
            let snapshots = self.recorder.snapshots(&given, head, (STATES_OF_TEST, bound + ITERATION));
            for snapshot in snapshots.into_iter().flatten() {
                self.state_search.add_state(guest, snapshot);
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
        let first = self.trial_inputs.tests;
        self.trial_inputs.tests += new.len();
        self.states_of_tests(first);
        for (given, bound) in new {
            // The schedule of interrupts belongs to the run that it was recorded with.
            let given = TestInput { interrupts: Vec::new(), ..given };
            let own = given.cells.iter().map(|cell| cell.values.len()).sum();
            if let Ok(reads) = self.recorder.reads_of(&given, bound + ITERATION) {
                self.state_search.add_run(&reads);
                self.trial_inputs.add(given, &reads, own);
            }
        }
    }
}
