//! Inputs for trial runs: hybrid fuzzing of loop iterations (compare Driller, Stephens et al. 2016).
//!
//! A debounced key, a timeout or an error counter needs the same inputs for many iterations of a main loop, and a search that
//! prefers new decisions leaves each iteration for others. When a search stagnates, the last iteration of each test is repeated
//! on the concrete machine, as it is and with one read changed to a value from a dictionary, which other paths have read there. An
//! input that takes an uncovered direction becomes a path of the search, which records a test and continues with the alternatives
//! of its decisions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use everypath_environment::CellRead;
use everypath_record::{CellValues, Direction};

use crate::path::test_input::TestInput;
use crate::record::trial::ReadSite;

/// The work without a new direction, in executed instructions, after which a search stagnates.
const STAGNATION: u64 = 250_000;
/// The number of paths without a new direction after which it does.
const PATHS: u64 = 512;
/// The instructions of trial runs that count as one of the search: the concrete machine is faster.
const SPEED: u64 = 16;
/// The work of trial runs, in instructions of the search, before it may be only half of the other work.
const AHEAD: u64 = 100_000;
/// The bounds on instructions of trial runs: of iterations as they are, of changed ones, and of long runs, in this order.
const LENGTHS: [u64; 3] = [60_000, 60_000, 600_000];
/// Maximum number of repeated reads that are scripted.
const READS: usize = 1 << 16;
/// Maximum number of iterations that are tried of one test.
const ITERATIONS: usize = 8;
/// Maximum number of values of an input that paths have read, and that iterations are changed to.
const VALUES: usize = 8;
/// Maximum number of paths whose values are recorded.
const DICTIONARY_PATHS: u32 = 4_096;
/// Maximum number of paths that begin with a trial input because of one direction.
const ATTEMPTS: u32 = 3;
/// Maximum number of reads that are changed in an iteration.
const CHANGES: usize = 32;

/// The inputs of a test up to the end of an iteration, and the iteration.
#[derive(Clone, Debug)]
struct Iteration {
    input: Rc<TestInput>,
    /// The reads of the test in order: the cell by its name, and the value.
    reads: Rc<Vec<(Arc<str>, u64)>>,
    /// The first read of the iteration, and the one after its last.
    first: usize,
    end: usize,
    /// The read of the iteration that has another value when it is repeated.
    change: Option<(usize, u64)>,
}

impl Iteration {
    /// The inputs of the test, with the iteration repeated.
    fn repeated(&self) -> TestInput {
        let mut cells: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (cell, value) in &self.reads[..self.end] {
            cells.entry(cell).or_default().push(*value);
        }
        for (index, (cell, value)) in
            (self.first..self.end).zip(&self.reads[self.first..self.end]).cycle().take(READS)
        {
            let changed = self.change.filter(|(read, _)| *read == index).map(|(_, value)| value);
            cells.entry(cell).or_default().push(changed.unwrap_or(*value));
        }
        let cells = cells.into_iter().map(|(name, values)| CellValues { name: name.to_owned(), values });
        TestInput { cells: cells.collect(), ..TestInput::clone(&self.input) }
    }
}

/// The iterations that wait to be repeated, and the work spent on them.
#[derive(Debug, Default)]
pub(crate) struct TrialInputs {
    /// Number of tests that were divided into iterations.
    pub(super) tests: usize,
    /// The iterations for each bound on instructions.
    waiting: [Vec<Iteration>; LENGTHS.len()],
    /// The first values that paths have read from each input.
    dictionary: BTreeMap<String, Vec<u64>>,
    /// Number of paths whose values were recorded.
    dictionary_paths: u32,
    spent: u64,
    last_progress: LastProgress,
    /// How many paths began with a trial input because of a direction.
    attempts: BTreeMap<Direction, u32>,
    /// The directions for which no more begin: a bound, for example, ends each of the paths before it.
    given_up: BTreeSet<Direction>,
}

/// The number of covered directions, and the work and the number of paths when it was reached.
#[derive(Debug, Default)]
struct LastProgress {
    covered: usize,
    effort: u64,
    paths: u64,
}

impl TrialInputs {
    /// Records how many directions a search has covered, with this much work and so many paths.
    pub(super) fn note_progress(&mut self, covered: usize, effort: u64, paths: u64) {
        if covered != self.last_progress.covered {
            self.last_progress = LastProgress { covered, effort, paths };
        }
    }

    /// Whether a search that has done this much work on so many paths is to try an input: it stagnates, and trial runs have not used
    /// up their share.
    pub(super) fn is_due(&self, effort: u64, paths: u64) -> bool {
        let since = &self.last_progress;
        let is_stagnant = effort - since.effort >= STAGNATION || paths - since.paths >= PATHS;
        is_stagnant && self.spent <= effort / 2 + AHEAD
    }

    /// The directions that trial runs look for no more.
    pub(super) fn given_up(&self) -> &BTreeSet<Direction> {
        &self.given_up
    }

    /// Records that a path begins because of these directions.
    pub(super) fn note_attempt(&mut self, directions: Vec<Direction>) {
        for direction in directions {
            let attempts = self.attempts.entry(direction).or_default();
            *attempts += 1;
            if *attempts >= ATTEMPTS {
                self.given_up.insert(direction);
            }
        }
    }

    /// Counts the instructions of a trial run.
    pub(super) fn spend(&mut self, instructions: u64) {
        self.spent += instructions / SPEED;
    }

    /// Records the reads of a run, each with its site; the first `own` are those of a test, after which the run continued. An
    /// iteration begins with the last read of the test at a site, and ends before the next read there.
    pub(super) fn add(&mut self, input: TestInput, reads: &[(ReadSite, CellRead)], own: usize) {
        let mut next: BTreeMap<ReadSite, usize> = BTreeMap::new();
        for (index, (place, _)) in reads.iter().enumerate().skip(own).rev() {
            next.insert(*place, index);
        }
        let mut iterations: Vec<(usize, usize)> = Vec::new();
        for (index, (place, _)) in reads.iter().enumerate().take(own).rev() {
            iterations.extend(next.remove(place).map(|end| (index, end)));
        }
        // Longer iterations first: those of inner loops only flood the program with one value.
        iterations.sort_by_key(|(first, end)| (Reverse(end - first), *first));
        iterations.truncate(ITERATIONS);
        let values = reads.iter().map(|(_, read)| (read.cell.clone(), read.value.to_u64().unwrap_or(0)));
        let (input, reads) = (Rc::new(input), Rc::new(values.collect::<Vec<_>>()));
        for (first, end) in iterations.into_iter().rev() {
            let iteration =
                Iteration { input: input.clone(), reads: reads.clone(), first, end, change: None };
            self.waiting[0].push(iteration);
        }
    }

    /// The next input to try, and the bound on instructions of its run.
    pub(super) fn next(&mut self) -> Option<(TestInput, u64)> {
        let level = self.waiting.iter().position(|waiting| !waiting.is_empty())?;
        // The newest test has come furthest.
        let iteration = self.waiting[level].pop()?;
        let input = iteration.repeated();
        if level == 0 {
            let changed = self.changed(&iteration);
            self.waiting[1].extend(changed.into_iter().rev());
            self.waiting[2].push(iteration);
        }
        Some((input, LENGTHS[level]))
    }

    /// An iteration with one of its reads changed to each value that paths have read from that input.
    fn changed(&self, iteration: &Iteration) -> Vec<Iteration> {
        let mut iterations = Vec::new();
        for index in (iteration.first..iteration.end).take(CHANGES) {
            let (cell, own) = &iteration.reads[index];
            let values = self.dictionary.get(&**cell).map_or(&[][..], Vec::as_slice);
            for value in values.iter().filter(|value| *value != own) {
                iterations.push(Iteration { change: Some((index, *value)), ..iteration.clone() });
            }
        }
        iterations
    }

    /// The first values that paths have read from each input.
    pub(super) fn dictionary(&self) -> &BTreeMap<String, Vec<u64>> {
        &self.dictionary
    }

    /// Adds the values that a path has read to the dictionary.
    pub(super) fn add_to_dictionary(&mut self, cells: Vec<CellValues>) {
        self.dictionary_paths += 1;
        for CellValues { name, values: read } in cells {
            let known = self.dictionary.entry(name).or_default();
            for value in &read {
                if known.len() == VALUES {
                    break;
                }
                if !known.contains(value) {
                    known.push(*value);
                }
            }
        }
    }

    /// Whether the dictionary has room for more values.
    pub(super) fn dictionary_has_room(&self) -> bool {
        self.dictionary_paths < DICTIONARY_PATHS
            && (self.dictionary.is_empty() || self.dictionary.values().any(|values| values.len() < VALUES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_ir::{Bits, Context, Place, Width};

    /// A test that reads `key` and `line` in each iteration of a loop, at two places; its last iteration has only the first read.
    fn with_iterations() -> TrialInputs {
        let mut trial_inputs = TrialInputs::default();
        let read = |at: u64, cell: &str, value: u64| {
            let value = Bits::from_u64(value, Width::W8);
            (
                ReadSite { block: Place::new(at, Context::default()), ordinal: 0 },
                CellRead { cell: cell.into(), offset: 0, value },
            )
        };
        let reads =
            [(0x10, "key", 1), (0x20, "line", 2), (0x10, "key", 3), (0x20, "line", 0), (0x10, "key", 0)];
        let reads = reads.map(|(at, cell, value)| read(at, cell, value));
        trial_inputs.add(TestInput::default(), &reads, 3);
        trial_inputs
    }

    #[test]
    fn the_last_iteration_of_a_test_is_repeated() {
        let mut trial_inputs = with_iterations();
        let next = |trial_inputs: &mut TrialInputs| {
            let (input, bound) = trial_inputs.next().expect("an iteration");
            let first = |values: &[u64]| values.iter().copied().take(4).collect::<Vec<u64>>();
            let cells: Vec<_> =
                input.scripts().map(|(name, values)| (name.to_owned(), first(values))).collect();
            (cells, bound)
        };
        let cells = |key: [u64; 4], line: [u64; 4]| {
            vec![("key".to_owned(), key.to_vec()), ("line".to_owned(), line.to_vec())]
        };
        // The iteration of the block at 0x20 is `line` 2, `key` 3; that of the block at 0x10 is `key` 3, `line` 0.
        assert_eq!(next(&mut trial_inputs), (cells([1, 3, 3, 3], [2, 2, 2, 2]), LENGTHS[0]));
        assert_eq!(next(&mut trial_inputs), (cells([1, 3, 3, 3], [2, 0, 0, 0]), LENGTHS[0]));
        assert_eq!(next(&mut trial_inputs).1, LENGTHS[2], "then long runs");
    }

    #[test]
    fn a_read_is_changed_to_a_value_of_another_path() {
        let mut trial_inputs = with_iterations();
        let key = CellValues { name: "key".to_owned(), values: vec![3, 9] };
        trial_inputs.add_to_dictionary(vec![key]);
        assert!(trial_inputs.dictionary_has_room());
        let inputs: Vec<TestInput> =
            (0..4).filter_map(|_| trial_inputs.next()).map(|(input, _)| input).collect();
        let keys: Vec<u64> = inputs.iter().map(|input| input.cells[0].values[3]).collect();
        assert_eq!(keys, [3, 3, 9, 9], "two iterations as they are, then each with another key");
    }

    #[test]
    fn trial_runs_wait_for_stagnation_and_have_a_share() {
        let mut trial_inputs = with_iterations();
        trial_inputs.note_progress(1, 10 * STAGNATION, 1);
        assert!(!trial_inputs.is_due(10 * STAGNATION, 1), "coverage has just grown");
        trial_inputs.note_progress(1, 11 * STAGNATION, 2);
        assert!(trial_inputs.is_due(11 * STAGNATION, 2));
        assert!(trial_inputs.is_due(10 * STAGNATION, 1 + PATHS));
        trial_inputs.spend(SPEED * (AHEAD + 6 * STAGNATION));
        assert!(!trial_inputs.is_due(11 * STAGNATION, 2), "its share is used up");
    }
}
