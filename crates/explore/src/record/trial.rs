//! Trial runs of inputs on the concrete machine: the reads that an input leads to, and whether it shows anything new. Nothing is
//! recorded.

use std::collections::BTreeSet;

use everypath_environment::{CellRead, GuestError};
use everypath_ir::Place;
use everypath_record::{CellValues, Direction};

use crate::path::test_input::TestInput;
use crate::record::replay::{ReplayEnd, Replayer};
use crate::record::running::Running;

/// The read of a memory-mapped input in the program: a block, and the number of its reads in one execution before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ReadSite {
    pub(crate) block: Place,
    pub(crate) ordinal: u32,
}

/// The outcome of a trial run.
pub(crate) struct Trial {
    /// Its new directions, if any.
    pub(crate) news: Option<News>,
    /// Number of executed instructions.
    pub(crate) instructions: u64,
}

/// The new directions of a run.
pub(crate) struct News {
    /// Its input, with the values that it has read.
    pub(crate) input: TestInput,
    /// The directions that no test takes.
    pub(crate) directions: Vec<Direction>,
    /// Number of instructions after which it took the last of them.
    pub(crate) last: u64,
}

/// The directions that are not new: those that tests take, and those for which trial runs were followed in vain.
#[derive(Clone, Copy)]
pub(crate) struct Settled<'c> {
    pub(crate) covered: &'c BTreeSet<Direction>,
    pub(crate) given_up: &'c BTreeSet<Direction>,
}

impl Settled<'_> {
    fn includes(&self, direction: Direction) -> bool {
        self.covered.contains(&direction) || self.given_up.contains(&direction)
    }
}

/// The new directions of a run.
pub(super) struct NewDirections<'c> {
    settled: Settled<'c>,
    /// Number of directions of the run.
    seen: usize,
    found: Vec<Direction>,
    /// Number of instructions after which it took the last of them.
    last: u64,
}

impl NewDirections<'_> {
    pub(super) fn against(settled: Settled<'_>) -> NewDirections<'_> {
        NewDirections { settled, seen: 0, found: Vec::new(), last: 0 }
    }

    /// Records the directions of a run after a block.
    pub(super) fn observe(&mut self, running: &Running) {
        if running.directions.len() == self.seen {
            return;
        }
        self.seen = running.directions.len();
        let new = running.directions.iter().filter(|direction| !self.settled.includes(**direction));
        if new.clone().count() > self.found.len() {
            (self.found, self.last) = (new.copied().collect(), running.done);
        }
    }

    /// The new directions of the run, whose input this is.
    pub(super) fn with_input(self, input: impl FnOnce() -> TestInput) -> Option<News> {
        let NewDirections { found, last, .. } = self;
        (!found.is_empty()).then(|| News { input: input(), directions: found, last })
    }
}

impl Replayer<'_> {
    /// Runs an input from the entry to the end of the program, within a bound on instructions. `after` is called with each
    /// executed block.
    fn run_trial(
        &mut self,
        input: &TestInput,
        bound: u64,
        mut after: impl FnMut(Place, &Running),
    ) -> Result<Running, GuestError> {
        let mut running = self.begin(input)?;
        let until = ReplayEnd::Ends(bound);
        while self.end_before(&mut running, input, until, bound)?.is_none() {
            let place = running.at.place;
            let ended = self.step(&mut running, input, until).is_some();
            after(place, &running);
            if ended {
                break;
            }
        }
        Ok(running)
    }

    /// The reads of memory-mapped inputs in a run, each with its site.
    pub(super) fn reads_of(
        &mut self,
        input: &TestInput,
        bound: u64,
    ) -> Result<Vec<(ReadSite, CellRead)>, GuestError> {
        let mut sites = Vec::new();
        let ran = self.run_trial(input, bound, |block, running| {
            let reads = 0..running.world.readings.len().saturating_sub(sites.len()) as u32;
            sites.extend(reads.map(|ordinal| ReadSite { block, ordinal }));
        })?;
        Ok(sites.into_iter().zip(ran.world.readings).collect())
    }

    /// Runs an input, and tells whether it takes directions that are not settled.
    pub(super) fn try_input(
        &mut self,
        input: &TestInput,
        bound: u64,
        settled: Settled<'_>,
    ) -> Result<Trial, GuestError> {
        let mut new = NewDirections::against(settled);
        let ran = self.run_trial(input, bound, |_, running| new.observe(running))?;
        // Behind the scripted reads, the run has read values of its own.
        let read = || ran.world.given().into_iter().map(|(name, values)| CellValues { name, values });
        let news = new.with_input(|| TestInput { cells: read().collect(), ..input.clone() });
        Ok(Trial { news, instructions: ran.done })
    }
}
