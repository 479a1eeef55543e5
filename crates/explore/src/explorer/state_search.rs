//! State-aware search over the iterations of a loop (compare STCG, Su et al. 2022, and snapshot fuzzing): when a search stagnates,
//! single iterations of the main loop are run on the concrete machine, from states that differ from all others, with inputs that
//! are put together from iterations of tests.
//!
//! A controller's modes are reached by sequences of inputs, each of which takes directions that are covered already: a search that
//! prefers new directions has no reason to go there. A new state is such a reason. An iteration that takes an uncovered direction
//! becomes a path of the search.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use everypath_environment::{CellRead, Guest, Sequence};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::explorer::novelty::Novelty;
use crate::record::snapshot::Snapshot;
use crate::record::trial::ReadSite;

/// Maximum number of states that are kept.
const STATES: usize = 4_096;
/// Maximum number of iterations whose inputs are kept.
const CORPUS: usize = 256;
/// Maximum number of iterations between the entry and a state.
const DEPTH: usize = 4_096;

/// The reads of an iteration in order: the cell by its name, and the value.
type Reads = Vec<(Arc<str>, u64)>;

/// The states and the inputs that iterations are made of.
pub(super) struct StateSearch {
    /// The first read of an iteration, whose block is the head of the loop.
    pub(super) head: Option<ReadSite>,
    /// The inputs, by their names.
    cells: Vec<String>,
    /// The reads of each run, with their sites.
    runs: Vec<Vec<(ReadSite, Arc<str>, u64)>>,
    /// The iterations of tests, whose inputs others are made of.
    corpus: Vec<Reads>,
    corpus_set: FxHashSet<Reads>,
    states: Vec<Snapshot>,
    /// The states by how often they were resumed; of those, the newest first.
    queue: BinaryHeap<(Reverse<u32>, usize)>,
    novelty: Option<Novelty>,
    sequence: Sequence,
    drawn: u64,
    /// Number of runs when the head was chosen.
    chosen_with: usize,
}

impl StateSearch {
    pub(super) fn new(seed: u64, cells: Vec<String>) -> StateSearch {
        StateSearch {
            head: None,
            cells,
            runs: Vec::new(),
            corpus: Vec::new(),
            corpus_set: FxHashSet::default(),
            states: Vec::new(),
            queue: BinaryHeap::new(),
            novelty: None,
            sequence: Sequence::new(seed, "state-search"),
            drawn: 0,
            chosen_with: 0,
        }
    }

    /// Records the reads of a run, each with its site.
    pub(super) fn add_run(&mut self, reads: &[(ReadSite, CellRead)]) {
        let value = |read: &CellRead| read.value.to_u64().unwrap_or(0);
        let reads = reads.iter().map(|(site, read)| (*site, read.cell.clone(), value(read)));
        self.runs.push(reads.collect());
        if let Some(head) = self.head {
            let iterations = iterations(&self.runs[self.runs.len() - 1], head);
            self.add_to_corpus(iterations);
        }
    }

    /// Chooses the head again when there are twice as many runs as before; tells whether it is another one, so that there are no
    /// states.
    pub(super) fn choose_head(&mut self) -> bool {
        if self.runs.len() < 2 * self.chosen_with.max(1) {
            return false;
        }
        self.chosen_with = self.runs.len();
        let Some(head) = main_loop_head(&self.runs, self.head).filter(|head| Some(*head) != self.head) else {
            return false;
        };
        self.head = Some(head);
        self.forget_states();
        (self.corpus, self.corpus_set) = (Vec::new(), FxHashSet::default());
        let all: Vec<Reads> = self.runs.iter().flat_map(|run| iterations(run, head)).collect();
        self.add_to_corpus(all);
        true
    }

    /// Forgets the states, which take memory.
    pub(super) fn forget_states(&mut self) {
        (self.states, self.queue, self.novelty) = (Vec::new(), BinaryHeap::new(), None);
    }

    fn add_to_corpus(&mut self, iterations: Vec<Reads>) {
        for reads in iterations {
            if self.corpus.len() < CORPUS && self.corpus_set.insert(reads.clone()) {
                self.corpus.push(reads);
            }
        }
    }

    /// Keeps a state, if it is new.
    pub(super) fn add_state(&mut self, guest: &Guest, mut snapshot: Snapshot) {
        let novelty = self.novelty.get_or_insert_with(|| Novelty::new(guest, snapshot.fork_state()));
        if novelty.record(snapshot.state()) && snapshot.depth < DEPTH && self.states.len() < STATES {
            self.queue.push((Reverse(0), self.states.len()));
            self.states.push(snapshot);
        }
    }

    /// The state to resume, which is one that was resumed least often, and the values of each input there. At
    /// first they are those of the iteration that has led to the state: what has changed a counter changes it again. Then one input
    /// is taken from an iteration of a test, changed to a value that paths have read, or has a bit flipped; now and then all inputs
    /// are those of a test.
    pub(super) fn next(
        &mut self,
        dictionary: &BTreeMap<String, Vec<u64>>,
    ) -> Option<(&mut Snapshot, BTreeMap<String, Vec<u64>>)> {
        let (Reverse(times_resumed), number) = self.queue.pop()?;
        self.queue.push((Reverse(times_resumed + 1), number));
        let is_from_corpus = times_resumed > 0 && self.below(4) == 0;
        let reads: Reads = match is_from_corpus {
            true => self.draw_from_corpus()?.clone(),
            false => {
                let reads = self.states[number].last_reads().iter();
                reads.map(|read| (read.cell.clone(), read.value.to_u64().unwrap_or(0))).collect()
            }
        };
        let mut values: BTreeMap<String, Vec<u64>> =
            self.cells.iter().map(|name| (name.clone(), Vec::new())).collect();
        for (cell, value) in &reads {
            if let Some(of_cell) = values.get_mut(&**cell) {
                of_cell.push(*value);
            }
        }
        let changes = if times_resumed == 0 { 0 } else { 1 + self.below(3) };
        for _ in 0..changes {
            self.mutate(&mut values, dictionary);
        }
        Some((&mut self.states[number], values))
    }

    /// Changes one input of an iteration.
    fn mutate(&mut self, values: &mut BTreeMap<String, Vec<u64>>, dictionary: &BTreeMap<String, Vec<u64>>) {
        let choice = self.below(self.cells.len());
        let Some(cell) = self.cells.get(choice).cloned() else { return };
        match self.below(3) {
            0 => {
                let Some(iteration) = self.draw_from_corpus() else { return };
                let others = iteration.iter().filter(|(name, _)| **name == *cell).map(|(_, value)| *value);
                let others = others.collect();
                values.insert(cell, others);
            }
            1 => {
                let known = dictionary.get(&cell).map_or(&[][..], Vec::as_slice);
                let Some(value) = known.get(self.below(known.len())) else { return };
                self.change(values.get_mut(&cell), |old| *old = *value);
            }
            _ => {
                let bit = self.below(8);
                self.change(values.get_mut(&cell), |old| *old ^= 1 << bit);
            }
        }
    }

    fn change(&mut self, values: Option<&mut Vec<u64>>, change: impl FnOnce(&mut u64)) {
        let Some(values) = values else { return };
        if values.is_empty() {
            values.push(0);
        }
        let position = self.below(values.len());
        change(&mut values[position]);
    }

    fn draw_from_corpus(&mut self) -> Option<&Reads> {
        let position = self.below(self.corpus.len());
        self.corpus.get(position)
    }

    /// A number below a bound; zero if the bound is zero.
    fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        (self.sequence.at(self.drawn) % bound.max(1) as u64) as usize
    }
}

/// The reads of each whole iteration of a run that begins with a read at this site.
fn iterations(run: &[(ReadSite, Arc<str>, u64)], head: ReadSite) -> Vec<Reads> {
    let starts: Vec<usize> = (0..run.len()).filter(|index| run[*index].0 == head).collect();
    let reads = |pair: &[usize]| {
        run[pair[0]..pair[1]].iter().map(|(_, cell, value)| (cell.clone(), *value)).collect()
    };
    starts.windows(2).map(reads).collect()
}

/// The first read of the outermost loop: of the sites that are read again in most runs, the one with the most reads between two of
/// its own. Iterations of the present one may be shorter by half.
fn main_loop_head(runs: &[Vec<(ReadSite, Arc<str>, u64)>], present: Option<ReadSite>) -> Option<ReadSite> {
    // For each site, the number of its iterations, of the reads in them, and where it is first read.
    let mut found: FxHashMap<ReadSite, (usize, usize, usize)> = FxHashMap::default();
    for run in runs {
        let mut last: FxHashMap<ReadSite, usize> = FxHashMap::default();
        for (index, (site, ..)) in run.iter().enumerate() {
            if let Some(before) = last.insert(*site, index) {
                let (count, reads, _) = found.entry(*site).or_insert((0, 0, before));
                (*count, *reads) = (*count + 1, *reads + index - before);
            }
        }
    }
    let often = found.into_iter().filter(|(_, (count, ..))| *count * 2 >= runs.len());
    let length = |site: ReadSite, count: usize, reads: usize| {
        let mean = reads * 16 / count;
        if present == Some(site) { 2 * mean } else { mean }
    };
    let longest = often.max_by_key(|(site, (count, reads, first))| {
        (length(*site, *count, *reads), Reverse(*first), Reverse(*site))
    });
    longest.map(|(site, _)| site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use everypath_ir::{Context, Place};

    fn site(at: u64) -> ReadSite {
        ReadSite { block: Place::new(at, Context::default()), ordinal: 0 }
    }

    /// Two iterations of a main loop that reads `frame` at 0x10, polls `ready` at 0x20, and reads `key` at 0x30.
    fn run() -> Vec<(ReadSite, Arc<str>, u64)> {
        let read = |at: u64, cell: &str, value: u64| (site(at), cell.into(), value);
        vec![
            read(0x10, "frame", 1),
            read(0x20, "ready", 0),
            read(0x20, "ready", 1),
            read(0x30, "key", 4),
            read(0x10, "frame", 2),
            read(0x20, "ready", 1),
            read(0x30, "key", 5),
            read(0x10, "frame", 3),
        ]
    }

    #[test]
    fn the_outermost_loop_is_that_with_the_most_reads() {
        assert_eq!(main_loop_head(&[run()], None), Some(site(0x10)));
        assert_eq!(main_loop_head(&[run()], Some(site(0x30))), Some(site(0x30)), "the present one is kept");
        assert_eq!(main_loop_head(&[Vec::new()], None), None);
    }

    #[test]
    fn an_iteration_ends_before_the_next_read_of_its_first_block() {
        let found = iterations(&run(), site(0x10));
        let values = |reads: &Reads| reads.iter().map(|(_, value)| *value).collect::<Vec<_>>();
        assert_eq!(found.iter().map(values).collect::<Vec<_>>(), [vec![1, 0, 1, 4], vec![2, 1, 5]]);
    }
}
