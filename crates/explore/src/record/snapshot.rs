//! Snapshots of concrete runs at the head of a loop, from which single iterations are tried. Nothing is recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use everypath_environment::{CellRead, GuestError};
use everypath_ir::Place;
use everypath_machine::State;
use everypath_record::CellValues;

use crate::path::test_input::TestInput;
use crate::record::replay::{ReplayEnd, Replayer};
use crate::record::running::Running;
use crate::record::trial::{NewDirections, News, Settled};

/// A run at the head of a loop. What it has read and taken before is not in the run itself, which is copied for each iteration.
pub(crate) struct Snapshot {
    running: Running,
    /// The initial memory and registers.
    initial: Rc<TestInput>,
    reads: Rc<ReadLog>,
    /// Number of iterations since the entry.
    pub(crate) depth: usize,
}

/// The reads of memory-mapped inputs up to a snapshot; those before the last iteration are shared.
#[derive(Default)]
struct ReadLog {
    before: Option<Rc<ReadLog>>,
    reads: Vec<CellRead>,
}

/// The outcome of an iteration.
pub(crate) struct Iterated {
    /// The run at the head of the loop again, if it came back.
    pub(crate) next: Option<Snapshot>,
    /// Number of executed instructions.
    pub(crate) instructions: u64,
    /// Its new directions, if any; the input is that from the entry on.
    pub(crate) news: Option<News>,
}

impl Snapshot {
    /// The state at the head.
    pub(crate) fn state(&self) -> &State {
        &self.running.state
    }

    /// The reads of the iteration that has led here.
    pub(crate) fn last_reads(&self) -> &[CellRead] {
        &self.reads.reads
    }

    /// Number of instructions since the entry.
    pub(crate) fn instructions(&self) -> u64 {
        self.running.done
    }

    /// A copy of the state.
    pub(crate) fn fork_state(&mut self) -> State {
        self.running.state.fork()
    }

    fn fork(&mut self) -> Snapshot {
        let (initial, reads) = (self.initial.clone(), self.reads.clone());
        Snapshot { running: self.running.fork(), initial, reads, depth: self.depth }
    }

    /// Moves what the run has read to the log.
    fn at_head(mut self) -> Snapshot {
        let reads = std::mem::take(&mut self.running.world.readings);
        self.reads = Rc::new(ReadLog { before: Some(self.reads), reads });
        self.running.directions = BTreeSet::new();
        self.depth += 1;
        self
    }

    /// The input since the entry.
    fn test_input(&self) -> TestInput {
        let mut logs = vec![&self.running.world.readings];
        let mut log = Some(&self.reads);
        while let Some(held) = log {
            logs.push(&held.reads);
            log = held.before.as_ref();
        }
        let mut cells: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for read in logs.into_iter().rev().flatten() {
            cells.entry(&read.cell).or_default().push(read.value.to_u64().unwrap_or(0));
        }
        let cells = cells.into_iter().map(|(name, values)| CellValues { name: name.to_owned(), values });
        TestInput { cells: cells.collect(), ..TestInput::clone(&self.initial) }
    }
}

impl Replayer<'_> {
    /// A run of an input each time that it comes to the head of a loop, at most `most` times, within a bound on instructions.
    pub(super) fn snapshots(
        &mut self,
        input: &TestInput,
        head: Place,
        (most, bound): (usize, u64),
    ) -> Result<Vec<Snapshot>, GuestError> {
        let running = self.begin(input)?;
        let initial = TestInput { cells: Vec::new(), interrupts: Vec::new(), ..input.clone() };
        let mut here = Snapshot { running, initial: Rc::new(initial), reads: Rc::default(), depth: 0 };
        let mut found = Vec::new();
        while found.len() < most && self.run_to_head(&mut here, head, bound, |_| ()) {
            here = here.at_head();
            found.push(here.fork());
        }
        Ok(found)
    }

    /// One iteration of a loop from a snapshot, with these values of each input, within a bound on instructions since the entry.
    pub(super) fn iterate(
        &mut self,
        from: &mut Snapshot,
        values: &BTreeMap<String, Vec<u64>>,
        bound: u64,
        settled: Settled<'_>,
    ) -> Iterated {
        let (mut here, head) = (from.fork(), from.running.at.place);
        let before = here.running.done;
        here.running.world.script(values.iter().map(|(name, values)| (name.as_str(), values.as_slice())));
        self.begin_anew();
        let mut new = NewDirections::against(settled);
        let returned = self.run_to_head(&mut here, head, bound, |running| new.observe(running));
        let instructions = here.running.done - before;
        let news = new.with_input(|| here.test_input());
        Iterated { next: returned.then(|| here.at_head()), instructions, news }
    }

    /// Runs until the head of a loop; `false` if the program ends, or the bound on instructions is reached, before it.
    fn run_to_head(
        &mut self,
        here: &mut Snapshot,
        head: Place,
        bound: u64,
        mut after: impl FnMut(&Running),
    ) -> bool {
        let (input, until) = (TestInput::default(), ReplayEnd::Ends(bound));
        loop {
            if !matches!(self.end_before(&mut here.running, &input, until, bound), Ok(None)) {
                return false;
            }
            let ended = self.step(&mut here.running, &input, until).is_some();
            after(&here.running);
            if ended {
                return false;
            }
            if here.running.at.place == head {
                return true;
            }
        }
    }
}
