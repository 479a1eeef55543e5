//! Concrete replay of a test from the entry, without any result of the exploration that found it. A prefix that earlier
//! tests share is resumed from a checkpoint (`checkpoints`).

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use everypath_environment::{Controller, Guest, GuestError, Takeable, World};
use everypath_ir::{Block, Place};
use everypath_machine::{
    At, Bound, Concrete, ConcreteDomain, End, Ended, Machine, NoWatch, RunLimits, State,
};
use everypath_oracle::{BlockFacts, ended};
use everypath_record::{Address, CellValues, Direction, Finding, TakenInterrupt, TestCase};

use crate::map::branches::{BlockBranches, ExitDirection};
use crate::path::ends::{is_idle, unwritten_code};
use crate::path::oracles::{BlockFactsCache, NEVER_WRITTEN, Oracles, Violation, setup};
use crate::path::path_hash::PathHash;
use crate::path::test_input::TestInput;
use crate::record::checkpoints::Checkpoints;
use crate::record::running::Running;

/// The behaviour of a replayed test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// How the run ended.
    pub end: End,
    /// Hash of the blocks and exits.
    pub path: Address,
    /// Number of executed instructions.
    pub instructions: u64,
    /// The branch directions that were taken.
    pub directions: BTreeSet<Direction>,
    /// The interrupts that were taken.
    pub(crate) interrupts: Vec<TakenInterrupt>,
    /// Violations that oracles reported.
    pub(crate) violations: Vec<Violation>,
    /// The values that memory-mapped inputs returned.
    pub(crate) cells: Vec<CellValues>,
    /// The last executed instruction.
    pub(crate) last: u64,
}

impl Replayed {
    /// Whether the run lacks the violation of a finding of a built-in oracle, of which all watched. That uninitialised memory counts
    /// takes two runs to show.
    #[must_use]
    pub fn refutes(&self, finding: &Finding) -> bool {
        let mut shown_by_runs = everypath_oracle::ALL.iter().filter(|oracle| oracle.name != NEVER_WRITTEN);
        let is_to_show = shown_by_runs.any(|oracle| oracle.name == finding.oracle);
        let is_shown = self.violations.iter().any(|violation| {
            (violation.oracle, violation.address) == (finding.oracle.as_str(), finding.address.0)
        });
        is_to_show && !is_shown
    }
}

/// Why a test with interrupts cannot be run.
pub(crate) const NO_INTERRUPTS: &str =
    "the test takes interrupts, which the program cannot take as it is configured";

/// When a replay ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplayEnd {
    /// After exactly this many instructions, where a bound of the exploration cut the path off.
    BrokenOff(u64),
    /// When the program ends, within this many instructions.
    Ends(u64),
}

/// Replays tests of one guest.
pub(crate) struct Replayer<'g> {
    guest: &'g Guest,
    machine: Machine<&'g Guest, Concrete>,
    start: State,
    world: World,
    place: Place,
    limits: RunLimits,
    oracles: Oracles,
    facts: BlockFactsCache,
    /// Cached data of executed blocks, by their numbers.
    blocks: Vec<Option<Passed>>,
    /// Number of replays begun.
    runs: u64,
    /// Checkpoints of earlier replays; `None` for a single replay.
    checkpoints: Option<Checkpoints>,
}

/// An executed block, with its oracle facts and branch directions.
struct Passed {
    block: Arc<Block>,
    facts: Rc<BlockFacts>,
    branches: BlockBranches,
    /// For each exit, the last replay that recorded its direction and those of branches inside the block.
    noted: Vec<u64>,
}

impl<'g> Replayer<'g> {
    pub(crate) fn new(
        guest: &'g Guest,
        start: State,
        world: World,
        place: Place,
        limits: RunLimits,
        oracles: Oracles,
    ) -> Replayer<'g> {
        let (facts, mut machine) = (BlockFactsCache::new(guest), Machine::new(guest));
        machine.stop_before(&limits.stops);
        let checkpoints = Some(Checkpoints::default());
        let blocks = Vec::new();
        Replayer { guest, machine, start, world, place, limits, oracles, facts, blocks, runs: 0, checkpoints }
    }

    /// Makes blocks end before these addresses, too, as those of the exploration do.
    pub(crate) fn end_blocks_before(&mut self, ends: &HashSet<u64>) {
        self.machine.stop_before(&self.limits.stops.union(ends).copied().collect());
    }

    /// A replayer of the same guest without checkpoints, whose blocks end where `everypath replay` has them end.
    pub(crate) fn single(
        guest: &'g Guest,
        configuration: &everypath_environment::Configuration,
    ) -> Result<Self, GuestError> {
        let noted = configuration.noting_writes();
        let limits = guest.limits(configuration)?;
        let oracles = Oracles::new(&[], &setup(guest, configuration, &limits))?;
        let (state, world) = (guest.state(&noted)?, guest.world(configuration)?);
        let mut replayer = Replayer::new(guest, state, world, guest.entry(configuration)?, limits, oracles);
        replayer.checkpoints = None;
        Ok(replayer)
    }

    /// Drops the checkpoints of earlier replays.
    pub(crate) fn forget_checkpoints(&mut self) {
        if let Some(checkpoints) = &mut self.checkpoints {
            *checkpoints = Checkpoints::default();
        }
    }

    /// Replays a test.
    pub(crate) fn run(&mut self, input: &TestInput, until: ReplayEnd) -> Result<Replayed, GuestError> {
        self.run_to(input, until, None).map(|(replayed, _)| replayed)
    }

    /// Records that a run begins, for which each direction is to be noted again.
    pub(super) fn begin_anew(&mut self) {
        self.runs += 1;
    }

    /// A replay at the entry.
    pub(super) fn begin(&mut self, input: &TestInput) -> Result<Running, GuestError> {
        self.runs += 1;
        let mut running = Running {
            state: self.start.fork(),
            world: self.world.clone(),
            oracles: self.oracles.fork(),
            violations: Vec::new(),
            last: self.place.address,
            at: At::new(self.place),
            path: PathHash::START,
            done: 0,
            directions: BTreeSet::new(),
            interrupts: Vec::new(),
            scheduled: 0,
        };
        input.put(self.guest, &mut running.state)?;
        running.world.script(input.scripts());
        Ok(running)
    }

    /// Replays a test, and returns its final state as well. Stops where an oracle reports the suspected violation.
    pub(crate) fn run_to(
        &mut self,
        input: &TestInput,
        until: ReplayEnd,
        suspected: Option<&Violation>,
    ) -> Result<(Replayed, State), GuestError> {
        let mut limit = match until {
            ReplayEnd::BrokenOff(instructions) => instructions,
            ReplayEnd::Ends(instructions) => instructions.saturating_add(1),
        };
        let furthest = self.checkpoints.as_mut().and_then(|checkpoints| checkpoints.furthest(input, limit));
        let (mut running, mut checkpoint) = match furthest {
            Some((running, checkpoint)) => {
                self.runs += 1;
                (running, Some(checkpoint))
            }
            None => (self.begin(input)?, None),
        };
        let end = loop {
            if let Some(checkpoints) = &mut self.checkpoints {
                checkpoint = checkpoints.pass(input, checkpoint, &mut running);
            }
            if let Some(end) = self.end_before(&mut running, input, until, limit)? {
                break end;
            }
            if let Some(end) = self.step(&mut running, input, until) {
                break end;
            }
            if let Some(suspected) = suspected
                && running.violations.iter().any(|violation| violation.is_same(suspected))
            {
                // Stop here, unless the program ends: every replay of the recorded test then ends the same.
                limit = running.done;
            }
        };
        if let Some((oracle, address)) = ended(&end, running.last)
            && !running.violations.iter().any(|violation| violation.address == address)
        {
            running.violations.push(Violation { oracle, address, what: self.guest.explain(&end) });
        }
        let cells = running.world.given();
        let cells = cells.into_iter().map(|(name, values)| CellValues { name, values }).collect();
        let Running { violations, state, path, done, directions, last, interrupts, .. } = running;
        let (path, instructions) = (Address(path.0), done);
        Ok((Replayed { end, path, instructions, directions, interrupts, last, violations, cells }, state))
    }

    /// The end of a replay that does not run its next block. Before that block, it takes the interrupt that is due.
    #[inline]
    pub(super) fn end_before(
        &mut self,
        running: &mut Running,
        input: &TestInput,
        until: ReplayEnd,
        limit: u64,
    ) -> Result<Option<End>, GuestError> {
        let place = running.at.place;
        // A path is cut off before an interrupt that the program has pended there.
        if matches!(until, ReplayEnd::BrokenOff(_))
            && running.done >= limit
            && running.scheduled == input.interrupts.len()
            && !self.limits.stops_at(place)
        {
            return Ok(Some(End::Exhausted { place, bound: Bound::Instructions }));
        }
        if let Some(number) = due_interrupt(input, running)?
            && let Err(end) = self.interrupt(running, number)
        {
            return Ok(Some(end));
        }
        let place = running.at.place;
        Ok(if self.limits.stops_at(place) {
            Some(End::Exited { address: place.address, status: 0 })
        } else if running.done >= limit {
            Some(End::Exhausted { place, bound: Bound::Instructions })
        } else {
            unwritten_code(self.guest, &running.state, place)
        })
    }

    /// Runs the next block of a replay. Returns the end of the program, if it ends there.
    #[inline]
    pub(super) fn step(&mut self, running: &mut Running, input: &TestInput, until: ReplayEnd) -> Option<End> {
        let place = running.at.place;
        let mut domain = ConcreteDomain { state: &mut running.state, outside: &mut running.world };
        let stepped = self.machine.step(&mut domain, running.at, u64::MAX, &mut NoWatch);
        self.pass(running);
        let known = self
            .machine
            .known_at(running.at)
            .and_then(|(number, block)| Some((block, self.blocks.get_mut(number)?.as_mut()?)));
        if let Some((block, passed)) = &known {
            running.observe(self.guest, &passed.facts, block, &stepped);
        }
        let stepped = match stepped {
            Ok(stepped) => stepped,
            Err(Ended { end, .. }) => return Some(end),
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
            // An idle loop is the end, unless the exploration has continued: to an interrupt, or until it repeats itself.
            if matches!(until, ReplayEnd::Ends(_))
                && running.scheduled == input.interrupts.len()
                && is_idle(self.guest, running.world.is_process(), (place, stepped.to.place), block)
            {
                return Some(End::Exited { address: place.address, status: 0 });
            }
        }
        running.at = stepped.to;
        None
    }

    /// Takes an interrupt.
    fn interrupt(&mut self, running: &mut Running, number: u64) -> Result<(), End> {
        let Some(controller) = running.world.controller().cloned() else { return Ok(()) };
        let interrupted = running.at.place;
        running.oracles.interrupt(interrupted.address, &mut running.state);
        let at = Address(interrupted.address);
        running.interrupts.push(TakenInterrupt { after: running.done, at, number });
        running.path = running.path.then(interrupted, number as usize);
        let now = (&mut running.state, &mut running.world);
        running.at = enter_handler(&controller, &mut self.machine, now, interrupted, number)?;
        Ok(())
    }

    /// Computes the cached data of the current block on its first execution, or if its code has changed.
    #[inline]
    fn pass(&mut self, running: &mut Running) {
        let Some((number, ready)) = self.machine.known_at(running.at) else { return };
        let known = self.blocks.get(number).and_then(Option::as_ref);
        if known.is_some_and(|known| Arc::ptr_eq(&known.block, &ready.block)) {
            return;
        }
        let place = running.at.place;
        let (facts, block) = (self.facts.of(place, ready), ready.block.clone());
        let noted = vec![0; ready.exits.len()];
        let mut domain = ConcreteDomain { state: &mut running.state, outside: &mut running.world };
        let branches = BlockBranches::of_executed(&mut self.machine, &mut domain, place);
        let Some(branches) = branches else { return };
        if number >= self.blocks.len() {
            self.blocks.resize_with(number + 1, || None);
        }
        self.blocks[number] = Some(Passed { block, facts, branches, noted });
    }
}

/// Takes an interrupt before the instruction at a place. Returns where its handler begins.
pub(crate) fn enter_handler(
    controller: &Controller,
    machine: &mut Machine<&Guest, Concrete>,
    (state, world): (&mut State, &mut World),
    interrupted: Place,
    number: u64,
) -> Result<At, End> {
    let entry = controller.begin(world.lines(), state, interrupted, number);
    let mut domain = ConcreteDomain { state, outside: world };
    let stepped = machine.step(&mut domain, At::new(entry), u64::MAX, &mut NoWatch);
    stepped.map(|stepped| stepped.to).map_err(|ended| ended.end)
}

/// The interrupt that a replay takes where it is: the next one of the test, if it can be taken, or one that the program has
/// pended.
fn due_interrupt(input: &TestInput, running: &mut Running) -> Result<Option<u64>, GuestError> {
    let next = input.due(running.scheduled, running.done);
    running.scheduled += usize::from(next.is_some());
    let Some(controller) = running.world.controller().cloned() else {
        return if next.is_some() { Err(GuestError::new(NO_INTERRUPTS)) } else { Ok(None) };
    };
    if next.is_none() && !running.world.lines().has_pending() {
        return Ok(None);
    }
    let takeable = controller.takeable(running.world.lines(), &mut running.state, running.at.place);
    let Takeable { by_devices, pending } = takeable.unwrap_or_default();
    let is_takeable = |number: &u64| by_devices.contains(number) || pending == Some(*number);
    Ok(next.map(|next| next.number).filter(is_takeable).or(pending))
}

/// Replays a recorded test of a guest from the entry.
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

/// Replays a recorded test from the entry, watched by these oracles.
pub(crate) fn replay_watched(
    guest: &Guest,
    configuration: &everypath_environment::Configuration,
    test: &TestCase,
    oracles: &[String],
) -> Result<Replayed, GuestError> {
    let noted = configuration.noting_writes();
    let state = guest.state(&noted)?;
    let world = guest.world(configuration)?;
    let limits = guest.limits(configuration)?;
    let oracles = Oracles::new(oracles, &setup(guest, configuration, &limits))?;
    let mut replayer = Replayer::new(guest, state, world, guest.entry(configuration)?, limits, oracles);
    // A single replay needs no checkpoints.
    replayer.checkpoints = None;
    let until = match test.cut_off {
        true => ReplayEnd::BrokenOff(test.instructions),
        false => ReplayEnd::Ends(test.instructions),
    };
    replayer.run(&TestInput::of(test), until)
}
