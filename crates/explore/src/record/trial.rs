//! Trial runs of inputs on the concrete machine: the reads that an input leads to, and whether it shows anything new. Nothing is
//! recorded.

use std::collections::BTreeSet;

use everypath_environment::{CellRead, GuestError};
use everypath_ir::Place;
use everypath_record::{CellValues, Direction};

use crate::path::test_input::TestInput;
use crate::record::replay::{ReplayEnd, Replayer};
use crate::record::running::Running;

/// The outcome of a trial run.
pub(crate) struct Trial {
    /// Number of instructions after which it has last taken a direction that is not covered; `None` if it takes none.
    pub(crate) last_new: Option<u64>,
    /// Number of executed instructions.
    pub(crate) instructions: u64,
    /// The values that it has read from each memory-mapped input, if it takes such a direction.
    pub(crate) cells: Vec<CellValues>,
}

/// When a run last took a direction that is not covered.
pub(super) struct NewDirections<'c> {
    covered: &'c BTreeSet<Direction>,
    /// Number of directions of the run, and of those that are not covered.
    seen: usize,
    new: usize,
    /// Number of instructions after which it took the last of them; `None` if it took none.
    pub(super) last: Option<u64>,
}

impl NewDirections<'_> {
    pub(super) fn beside(covered: &BTreeSet<Direction>) -> NewDirections<'_> {
        NewDirections { covered, seen: 0, new: 0, last: None }
    }

    /// Takes in the directions of a run behind a block.
    pub(super) fn note(&mut self, running: &Running) {
        if running.directions.len() == self.seen {
            return;
        }
        self.seen = running.directions.len();
        let uncovered = running.directions.difference(self.covered).count();
        if uncovered > self.new {
            (self.new, self.last) = (uncovered, Some(running.done));
        }
    }
}

impl Replayer<'_> {
    /// Runs an input from the entry to the end of the program, within a bound on instructions. `after` is called with each
    /// executed block.
    fn run_trial(
        &mut self,
        given: &TestInput,
        bound: u64,
        mut after: impl FnMut(Place, &Running),
    ) -> Result<Running, GuestError> {
        let mut running = self.begin(given)?;
        let until = ReplayEnd::Ends(bound);
        while self.end_before(&mut running, given, until, bound)?.is_none() {
            let place = running.at.place;
            let ended = self.step(&mut running, given, until).is_some();
            after(place, &running);
            if ended {
                break;
            }
        }
        Ok(running)
    }

    /// The reads of memory-mapped inputs in a run, each with the block that reads.
    pub(super) fn reads_of(
        &mut self,
        given: &TestInput,
        bound: u64,
    ) -> Result<Vec<(Place, CellRead)>, GuestError> {
        let mut places = Vec::new();
        let ran = self
            .run_trial(given, bound, |place, running| places.resize(running.world.readings.len(), place))?;
        Ok(places.into_iter().zip(ran.world.readings).collect())
    }

    /// Runs an input, and tells whether it takes directions that are not covered.
    pub(super) fn try_input(
        &mut self,
        given: &TestInput,
        bound: u64,
        covered: &BTreeSet<Direction>,
    ) -> Result<Trial, GuestError> {
        let mut news = NewDirections::beside(covered);
        let ran = self.run_trial(given, bound, |_, running| news.note(running))?;
        let last_new = news.last;
        let given = if last_new.is_some() { ran.world.given() } else { Vec::new() };
        let cells = given.into_iter().map(|(name, values)| CellValues { name, values });
        Ok(Trial { last_new, instructions: ran.done, cells: cells.collect() })
    }
}
