//! Running a test again from the start, in the concrete domain: nothing of how it was found is used. What it has in common
//! with tests that were run before is not run twice (`milestones`).

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use everypath_environment::{Guest, GuestError, World};
use everypath_ir::{Block, Place};
use everypath_machine::{
    At, Bound, Concrete, ConcreteDomain, End, Ended, Limits, Machine, Nobody, ReadyBlock, State, Stepped,
};
use everypath_oracle::{BlockFacts, Look, Seen, Statement, ended};
use everypath_record::{Address, Cell, Direction, TestCase};

use crate::branches::{BlockBranches, ExitDirection};
use crate::flow::{is_idle, unwritten_code};
use crate::given::Given;
use crate::milestones::Milestones;
use crate::task::PathNumber;
use crate::watchers::{Facts, Watchers, Wrong, left, setup};

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
    /// What was wrong.
    pub(crate) wrongs: Vec<Wrong>,
    /// What cells gave.
    pub(crate) cells: Vec<Cell>,
    /// The last instruction that was run.
    pub(crate) last: u64,
}

/// When a run of a test ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Right after so many instructions, whatever comes next: a bound broke the path off there.
    BrokenOff(u64),
    /// It ends by itself within so many.
    Ends(u64),
}

/// Runs tests of one guest.
pub(crate) struct Replayer<'g> {
    guest: &'g Guest,
    machine: Machine<&'g Guest, Concrete>,
    start: State,
    world: World,
    place: Place,
    limits: Limits,
    watchers: Watchers,
    facts: Facts,
    /// What is known of blocks, by their numbers.
    blocks: Vec<Option<Passed>>,
    /// How many runs were begun.
    runs: u64,
    /// Where runs have been, if there are to be several.
    milestones: Option<Milestones>,
}

/// A block that a run came through.
struct Passed {
    block: Arc<Block>,
    facts: Rc<BlockFacts>,
    branches: BlockBranches,
    /// For each exit, the run that recorded its direction and those of branches inside the block.
    noted: Vec<u64>,
}

/// A run under way.
pub(crate) struct Running {
    state: State,
    pub(crate) world: World,
    watchers: Watchers,
    wrongs: Vec<Wrong>,
    /// The last instruction that was run.
    last: u64,
    at: At,
    path: PathNumber,
    /// How many instructions were run.
    pub(crate) done: u64,
    directions: BTreeSet<Direction>,
}

impl<'g> Replayer<'g> {
    pub(crate) fn new(
        guest: &'g Guest,
        start: State,
        world: World,
        place: Place,
        limits: Limits,
        watchers: Watchers,
    ) -> Replayer<'g> {
        let (facts, machine) = (Facts::new(guest), Machine::new(guest));
        let milestones = Some(Milestones::default());
        let blocks = Vec::new();
        Replayer { guest, machine, start, world, place, limits, watchers, facts, blocks, runs: 0, milestones }
    }

    /// Gives back what is kept of earlier runs.
    pub(crate) fn forget_checkpoints(&mut self) {
        if let Some(milestones) = &mut self.milestones {
            *milestones = Milestones::default();
        }
    }

    /// Runs a test.
    pub(crate) fn run(&mut self, given: &Given, until: Until) -> Result<Replayed, GuestError> {
        self.run_to(given, until, None).map(|(replayed, _)| replayed)
    }

    /// The start of a run.
    fn begin(&mut self, given: &Given) -> Result<Running, GuestError> {
        let mut running = Running {
            state: self.start.fork(),
            world: self.world.clone(),
            watchers: self.watchers.fork(),
            wrongs: Vec::new(),
            last: self.place.address,
            at: At::new(self.place),
            path: PathNumber::START,
            done: 0,
            directions: BTreeSet::new(),
        };
        given.put(self.guest, &mut running.state)?;
        running.world.script(given.scripts());
        Ok(running)
    }

    /// Runs a test; gives the state at its end, too. It is broken off where an oracle states what is suspected.
    pub(crate) fn run_to(
        &mut self,
        given: &Given,
        until: Until,
        suspected: Option<&Wrong>,
    ) -> Result<(Replayed, State), GuestError> {
        let mut limit = match until {
            Until::BrokenOff(instructions) => instructions,
            Until::Ends(instructions) => instructions.saturating_add(1),
        };
        let furthest = self.milestones.as_mut().and_then(|milestones| milestones.furthest(given, limit));
        let (mut running, mut milestone) = match furthest {
            Some((running, milestone)) => (running, Some(milestone)),
            None => (self.begin(given)?, None),
        };
        self.runs += 1;
        let end = loop {
            if let Some(milestones) = &mut self.milestones {
                milestone = milestones.pass(given, milestone, &mut running);
            }
            let place = running.at.place;
            if self.limits.stops.contains(&place.address) && place.part == 0 {
                break End::Exited { address: place.address, status: 0 };
            }
            if running.done >= limit {
                break End::Exhausted { place, bound: Bound::Instructions };
            }
            if let Some(end) = unwritten_code(self.guest, &running.state, place) {
                break end;
            }
            let mut domain = ConcreteDomain { state: &mut running.state, outside: &mut running.world };
            let stepped = self.machine.step(&mut domain, running.at, u64::MAX, &mut Nobody);
            self.pass(&mut running);
            let known = self
                .machine
                .known_at(running.at)
                .and_then(|(number, block)| Some((block, self.blocks.get_mut(number)?.as_mut()?)));
            if let Some((block, passed)) = &known {
                running.look(self.guest, &passed.facts, block, &stepped);
            }
            let stepped = match stepped {
                Ok(stepped) => stepped,
                Err(Ended { end, .. }) => break end,
            };
            running.path = running.path.then(place, stepped.exit);
            running.done += stepped.instructions;
            if let Some((block, passed)) = known {
                let is_first = std::mem::replace(&mut passed.noted[stepped.exit], self.runs) != self.runs;
                let branches = &passed.branches;
                if is_first || branches.exits[stepped.exit] == ExitDirection::Indirect {
                    running.directions.extend(branches.taken(stepped.exit, stepped.to.place.address));
                    running.directions.extend(&branches.always);
                }
                if is_idle(self.guest, place, stepped.to.place, block) {
                    break End::Exited { address: place.address, status: 0 };
                }
            }
            running.at = stepped.to;
            if let Some(suspected) = suspected
                && running.wrongs.iter().any(|wrong| wrong.is_same(suspected))
            {
                // It ends here, unless the program stops here: whoever replays the test comes to the same end.
                limit = running.done;
            }
        };
        if let Some((oracle, address)) = ended(&end, running.last)
            && !running.wrongs.iter().any(|wrong| wrong.address == address)
        {
            running.wrongs.push(Wrong { oracle, address, what: self.guest.explain(&end) });
        }
        let cells = running.world.given();
        let cells = cells.into_iter().map(|(name, values)| Cell { name, values }).collect();
        let Running { wrongs, state, path, done, directions, last, .. } = running;
        let path = Address(path.0);
        Ok((Replayed { end, path, instructions: done, directions, last, wrongs, cells }, state))
    }

    /// Works out what is known of the block at hand when a run comes through it for the first time, or if it has changed.
    #[inline]
    fn pass(&mut self, running: &mut Running) {
        let Some((number, ready)) = self.machine.known_at(running.at) else { return };
        let known = self.blocks.get(number).and_then(Option::as_ref);
        if known.is_some_and(|known| Arc::ptr_eq(&known.block, &ready.block)) {
            return;
        }
        let place = running.at.place;
        let (facts, block) = (self.facts.of(place, ready), ready.block.clone());
        let noted = vec![0; ready.ways.len()];
        let branching = self.machine.branching(place).to_vec();
        let branches = BlockBranches::of(place, &block, &branching, |at| {
            let mut domain = ConcreteDomain { state: &mut running.state, outside: &mut running.world };
            self.machine.instruction(&mut domain, at)
        });
        if number >= self.blocks.len() {
            self.blocks.resize_with(number + 1, || None);
        }
        self.blocks[number] = Some(Passed { block, facts, branches, noted });
    }
}

impl Running {
    /// A copy that shares the state.
    pub(crate) fn fork(&mut self) -> Running {
        Running {
            state: self.state.fork(),
            world: self.world.clone(),
            watchers: self.watchers.fork(),
            wrongs: self.wrongs.clone(),
            last: self.last,
            at: self.at,
            path: self.path,
            done: self.done,
            directions: self.directions.clone(),
        }
    }

    /// Lets the oracles look at a block.
    fn look(
        &mut self,
        guest: &Guest,
        facts: &BlockFacts,
        block: &ReadyBlock<Concrete>,
        stepped: &Result<Stepped, Ended>,
    ) {
        if let (Ok(_), Some((_, last))) = (stepped, block.marks.last()) {
            self.last = *last;
        }
        if self.watchers.is_empty() {
            return;
        }
        let (run, way) = left(block, stepped.as_ref().map_err(|ended| &ended.end), None);
        let value = |slot: u32| Seen { bits: block.values[slot as usize].clone(), term: None };
        let mut look = Look {
            steps: &block.steps,
            marks: &block.marks,
            facts,
            run,
            value: &value,
            way,
            state: &mut self.state,
            terms: None,
            windows: None,
            decisions: &[],
            is_unwritten: &|_| false,
            code_space: guest.code_space(),
        };
        let wrongs = &mut self.wrongs;
        self.watchers.look(&mut look, |oracle, statement| {
            if let Statement::Wrong { address, what, .. } = statement {
                wrongs.push(Wrong { oracle, address, what });
            }
        });
        if let Some(way) = &way {
            self.watchers.leave(way, &mut self.state);
        }
    }
}

/// Runs a recorded test of a guest from the start.
///
/// # Errors
/// If the configuration or the test does not fit the guest.
pub fn replay(
    guest: &Guest,
    configuration: &everypath_environment::Configuration,
    test: &TestCase,
) -> Result<Replayed, GuestError> {
    replay_watched(guest, configuration, test, &[])
}

/// Runs a recorded test from the start, watched by these oracles.
pub(crate) fn replay_watched(
    guest: &Guest,
    configuration: &everypath_environment::Configuration,
    test: &TestCase,
    oracles: &[String],
) -> Result<Replayed, GuestError> {
    let noted = everypath_environment::Configuration { note_written: true, ..configuration.clone() };
    let state = guest.state(&noted)?;
    let world = guest.world(configuration)?;
    let limits = guest.limits(configuration)?;
    let watchers = Watchers::new(oracles, &setup(guest, configuration, &limits))?;
    let mut replayer = Replayer::new(guest, state, world, guest.entry(configuration)?, limits, watchers);
    // Nobody is going to come the same way again.
    replayer.milestones = None;
    let until = match test.broken_off {
        true => Until::BrokenOff(test.instructions),
        false => Until::Ends(test.instructions),
    };
    replayer.run(&Given::of(test), until)
}
