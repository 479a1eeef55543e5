//! Port latches: registers whose pins are input, but which hold what was written where an instruction takes part of an
//! address from them (`MOVX @Ri` of the 8051, which puts the latch of port 2 on the upper half of the bus).

use std::collections::BTreeSet;

use everypath_environment::InputTable;
use everypath_ir::Location;
use everypath_machine::{Concolic, Event, ReadyBlock, Step};
use everypath_term::Input;

use crate::path::task::Task;

/// A block that a path has run.
pub(crate) struct RanBlock<'r> {
    pub(crate) block: &'r ReadyBlock<Concolic>,
    pub(crate) events: &'r [Event],
    /// The path that has run it.
    pub(crate) path: &'r Task,
}

/// The locations of the latches.
#[derive(Default)]
pub(crate) struct Latches(pub(crate) BTreeSet<Location>);

impl Latches {
    /// The inputs that stand for what the instruction of an access has read of a latch itself. What an earlier instruction has
    /// read came from the pins, even if it is part of the address now.
    pub(crate) fn read_for(&self, access: usize, ran: &RanBlock<'_>, table: &InputTable) -> Vec<Input> {
        let steps = &ran.block.steps;
        let (own, later) = (&steps[ran.block.first_step(access)..access], &steps[access..]);
        let count = |steps: &[Step], latch: Location| steps.iter().filter(|step| reads(step, latch)).count();
        let latched = |latch: &Location| {
            (count(own, *latch) == 1)
                .then(|| ran.path.progress.changed_by_read(table, *latch, count(later, *latch) as u32))
                .flatten()
        };
        self.0.iter().filter_map(latched).collect()
    }
}

fn reads(step: &Step, latch: Location) -> bool {
    matches!(step, Step::Get(fixed) if fixed.location == latch)
}
