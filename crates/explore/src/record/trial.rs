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
        let (mut last_new, mut seen, mut new) = (None, 0, 0);
        let ran = self.run_trial(given, bound, |_, running| {
            if running.directions.len() == seen {
                return;
            }
            seen = running.directions.len();
            let uncovered = running.directions.difference(covered).count();
            if uncovered > new {
                (new, last_new) = (uncovered, Some(running.done));
            }
        })?;
        let given = if last_new.is_some() { ran.world.given() } else { Vec::new() };
        let cells = given.into_iter().map(|(name, values)| CellValues { name, values });
        Ok(Trial { last_new, instructions: ran.done, cells: cells.collect() })
    }
}
