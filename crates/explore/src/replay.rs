//! Running a test again from the start, in the concrete domain: nothing of how it was found is used.

use std::collections::BTreeSet;

use everypath_environment::{Guest, GuestError, World};
use everypath_ir::{Place, Target};
use everypath_machine::{At, Bound, Concrete, ConcreteDomain, End, Ended, Limits, Machine, Nobody, State};
use everypath_record::{Address, Cell, Direction, TestCase};

use crate::coverage::Coverage;
use crate::flow::is_idle;
use crate::task::PathNumber;

/// What a run of a test did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// How it ended.
    pub end: End,
    /// A number for the sequence of blocks.
    pub path: Address,
    /// How many instructions were run.
    pub instructions: u64,
    /// The branch directions that were taken.
    pub directions: BTreeSet<Direction>,
    /// Where computed jumps led to, returns among them.
    pub jumps: BTreeSet<Direction>,
}

/// Runs tests of one guest.
pub(crate) struct Replayer<'g> {
    machine: Machine<&'g Guest, Concrete>,
    start: State,
    world: World,
    place: Place,
    limits: Limits,
}

impl<'g> Replayer<'g> {
    pub(crate) fn new(
        guest: &'g Guest,
        start: State,
        world: World,
        place: Place,
        limits: Limits,
    ) -> Replayer<'g> {
        Replayer { machine: Machine::new(guest), start, world, place, limits }
    }

    /// Runs a test of so many instructions. Unless a bound broke it off there, it must then end by itself.
    pub(crate) fn run(&mut self, cells: &[Cell], instructions: u64, broken_off: bool) -> Replayed {
        let limit = if broken_off { instructions } else { instructions.saturating_add(1) };
        let mut state = self.start.fork();
        let mut world = self.world.clone();
        world.script(cells.iter().map(|cell| (cell.name.as_str(), cell.values.as_slice())));
        let mut coverage = Coverage::default();
        let (mut directions, mut jumps) = (BTreeSet::new(), BTreeSet::new());
        let mut at = At::new(self.place);
        let mut path = PathNumber::START;
        let mut done = 0;
        let end = loop {
            let place = at.place;
            if self.limits.stops.contains(&place.address) && place.part == 0 {
                break End::Exited { address: place.address, status: 0 };
            }
            if done >= limit {
                break End::Exhausted { place, bound: Bound::Instructions };
            }
            let mut domain = ConcreteDomain { state: &mut state, outside: &mut world };
            let stepped = match self.machine.step(&mut domain, at, u64::MAX, &mut Nobody) {
                Ok(stepped) => stepped,
                Err(Ended { end, .. }) => break end,
            };
            if let Some(block) = self.machine.known(place) {
                coverage.enter(place, block);
                directions.extend(coverage.leave(place, stepped.exit));
                if let (Target::Computed { .. }, Some(branch)) =
                    (block.block.exits[stepped.exit].target, coverage.branch(place))
                {
                    jumps.insert(Direction { branch, target: Address(stepped.to.place.address) });
                }
                if is_idle(place, stepped.to.place, block) {
                    path = path.then(place, stepped.exit);
                    done += stepped.instructions;
                    break End::Exited { address: place.address, status: 0 };
                }
            }
            path = path.then(place, stepped.exit);
            done += stepped.instructions;
            at = stepped.to;
        };
        Replayed { end, path: Address(path.0), instructions: done, directions, jumps }
    }
}

/// Runs a recorded test of a guest from the start.
///
/// # Errors
/// If the configuration does not fit the guest.
pub fn replay(
    guest: &Guest,
    configuration: &everypath_environment::Configuration,
    test: &TestCase,
) -> Result<Replayed, GuestError> {
    let state = guest.state(configuration)?;
    let world = guest.world(configuration)?;
    let limits = guest.limits(configuration)?;
    let mut replayer = Replayer::new(guest, state, world, guest.entry(configuration)?, limits);
    Ok(replayer.run(&test.cells, test.instructions, test.broken_off))
}
