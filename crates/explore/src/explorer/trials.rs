//! Trial runs when the search stagnates: a path begins with an input that takes an uncovered direction.

use crate::explorer::Explorer;
use crate::path::task::Task;
use crate::path::test_input::TestInput;
use crate::record::trial::News;

/// Maximum number of instructions after a test in which the iteration that it has begun is looked for.
const ITERATION: u64 = 20_000;

/// Maximum number of reads of each input that values are taken from.
const DICTIONARY_READS: u32 = 256;

/// Number of iterations that are tried before others come first.
const BATCH: usize = 256;

/// The cost of copying a state, in instructions.
const FORKED: u64 = 64;

/// Maximum number of states of one test.
const STATES_OF_TEST: usize = 64;

/// The outcome of trial runs.
enum TrialOutcome {
    /// An input takes an uncovered direction.
    New(News),
    /// None does.
    NothingNew,
    /// There is nothing to try.
    Exhausted,
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
            let is_exhausted = matches!(repeated, TrialOutcome::Exhausted);
            let outcome = match repeated {
                TrialOutcome::New(_) => repeated,
                TrialOutcome::NothingNew | TrialOutcome::Exhausted => self.search_states(),
            };
            match outcome {
                TrialOutcome::New(news) => return Some(self.path_of(news)),
                TrialOutcome::Exhausted if is_exhausted => return None,
                TrialOutcome::NothingNew | TrialOutcome::Exhausted => {}
            }
        }
    }

    /// The path of an input that a trial run has found.
    fn path_of(&mut self, news: News) -> Task {
        let mut task = self.root.fork().with_new_direction_at(news.last);
        let model = self.inputs.model_of(&news.input);
        self.inputs.take_model(&mut task, model);
        self.trial_inputs.note_attempt(news.directions);
        task
    }

    /// Tries a test whose last iteration is repeated.
    fn try_repetition(&mut self) -> TrialOutcome {
        let Some((input, bound)) = self.trial_inputs.next() else { return TrialOutcome::Exhausted };
        let bound = bound.min(self.plan.bounds.path_instructions);
        let tried = self.recorder.try_input(&input, bound, self.trial_inputs.given_up());
        let Ok(trial) = tried else { return TrialOutcome::NothingNew };
        self.trial_inputs.spend(trial.instructions);
        trial.news.map_or(TrialOutcome::NothingNew, TrialOutcome::New)
    }

    /// Tries iterations from states that differ from others.
    fn search_states(&mut self) -> TrialOutcome {
        if self.state_search.choose_head() {
            self.states_of_tests(0);
        }
        let longest = self.plan.bounds.path_instructions;
        let guest = self.inputs.guest;
        for _ in 0..BATCH {
            let next = self.state_search.next(self.trial_inputs.dictionary());
            let Some((from, inputs)) = next else { return TrialOutcome::Exhausted };
            // A path that is longer would be cut off before it comes here.
            let bound = longest.min(from.instructions() + ITERATION);
            let iterated = self.recorder.iterate(from, &inputs, bound, self.trial_inputs.given_up());
            self.trial_inputs.spend(iterated.instructions + FORKED);
            if let Some(next) = iterated.next {
                self.state_search.add_state(guest, next);
            }
            if let Some(news) = iterated.news {
                return TrialOutcome::New(news);
            }
        }
        TrialOutcome::NothingNew
    }

    /// Adds the states of tests, from this number on, at the head of the loop.
    fn states_of_tests(&mut self, first: usize) {
        let Some(head) = self.state_search.head else { return };
        let guest = self.inputs.guest;
        for (input, bound) in self.tests_since(first) {
            if self.cancellation.is_set() {
                return;
            }
            self.trial_inputs.spend(bound);
            let snapshots = self.recorder.snapshots(&input, head.block, (STATES_OF_TEST, bound));
            for snapshot in snapshots.into_iter().flatten() {
                self.state_search.add_state(guest, snapshot);
            }
        }
    }

    /// The inputs of tests from this number on, each with a bound on instructions: after its end, a run may complete an iteration.
    fn tests_since(&self, first: usize) -> Vec<(TestInput, u64)> {
        let tests = self.recorder.tests()[first..].iter();
        tests
            .map(|recorded| (TestInput::of(&recorded.test), recorded.test.instructions + ITERATION))
            .collect()
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
        let first = self.trial_inputs.tests;
        let new = self.tests_since(first);
        self.trial_inputs.tests += new.len();
        self.states_of_tests(first);
        for (input, bound) in new {
            if self.cancellation.is_set() {
                return;
            }
            self.trial_inputs.spend(bound);
            // The schedule of interrupts belongs to the run that it was recorded with.
            let input = TestInput { interrupts: Vec::new(), ..input };
            let own = input.cells.iter().map(|cell| cell.values.len()).sum();
            if let Ok(reads) = self.recorder.reads_of(&input, bound) {
                self.state_search.add_run(&reads);
                self.trial_inputs.add(input, &reads, own);
            }
        }
    }
}
