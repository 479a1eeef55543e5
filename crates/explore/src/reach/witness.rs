//! The witness of a confirmed target: a test whose concrete run, from the entry, passes every point, each with its condition.

use std::collections::BTreeSet;

use everypath_environment::{Configuration, Guest, GuestError, ReachTarget};
use everypath_machine::{Bound, ConcreteDomain, End, Machine, NoWatch, RunLimits};
use everypath_record::{CellValues, Direction, FORMAT, TestCase};
use rustc_hash::FxHashMap;

use crate::path::test_input::TestInput;
use crate::reach::condition::holds;
use crate::record::recorder::is_broken_off;
use crate::record::replay::{NO_INTERRUPTS, ReplayEnd, Replayer, enter_handler};

/// Whether a test reaches a target: runs it instruction by instruction on the concrete machine, without any result of an
/// exploration, and evaluates the conditions in the concrete state.
///
/// # Errors
/// If the configuration or the test does not fit the guest.
pub fn reaches(
    guest: &Guest,
    configuration: &Configuration,
    target: &ReachTarget,
    test: &TestCase,
) -> Result<bool, GuestError> {
    let noted = configuration.noting_writes();
    let mut state = TestInput::of(test).initial_state(guest, &noted)?;
    let mut world = guest.world(configuration)?;
    world.script(test.cells.iter().map(CellValues::script));
    let mut machine: Machine<&Guest, _> = Machine::new(guest);
    let mut place = guest.entry(configuration)?;
    let mut last_instructions = FxHashMap::default();
    let mut interrupts = test.interrupts.iter().peekable();
    let (mut last, mut done, mut passed) = (place.address, 0, 0);
    loop {
        let point = &target.points[passed];
        let is_there = point.places.iter().any(|one| one.is_at(last, place.address));
        if place.part == 0
            && is_there
            && point.condition.as_ref().is_none_or(|condition| holds(guest, condition, &mut state, &world))
        {
            passed += 1;
            if passed == target.points.len() {
                return Ok(true);
            }
        }
        if done >= test.instructions {
            return Ok(false);
        }
        if let Some(next) = interrupts.next_if(|next| next.after == done) {
            let controller = world.controller().cloned();
            let controller = controller.ok_or_else(|| GuestError::new(NO_INTERRUPTS))?;
            let now = (&mut state, &mut world);
            let Ok(handler) = enter_handler(&controller, &mut machine, now, place, next.number) else {
                return Ok(false);
            };
            place = handler.place;
            continue;
        }
        let one = RunLimits::one_instruction();
        let mut domain = ConcreteDomain { state: &mut state, outside: &mut world };
        let (end, count) = machine.run(&mut domain, place, &one, &mut NoWatch);
        let End::Exhausted { place: next, .. } = end else { return Ok(false) };
        // The last instruction of a jump with a delay slot is the one in it.
        last = *last_instructions.entry(place).or_insert_with(|| {
            let single = guest.instruction(place);
            single.and_then(|block| block.instructions().last()).map_or(place.address, |(last, _)| last)
        });
        done += count;
        place = next;
    }
}

/// Makes the tests of targets: replays an input as `everypath replay` does, and runs the witness.
pub(crate) struct Witness<'g> {
    guest: &'g Guest,
    configuration: Configuration,
    replayer: Replayer<'g>,
}

impl<'g> Witness<'g> {
    pub(crate) fn new(guest: &'g Guest, configuration: &Configuration) -> Result<Witness<'g>, GuestError> {
        let replayer = Replayer::single(guest, configuration)?;
        Ok(Witness { guest, configuration: configuration.clone(), replayer })
    }

    /// The test of an input that reaches a target after so many instructions, with the directions that it takes; none if its run
    /// does not reach it. The test ends after the target's instruction.
    pub(crate) fn test(
        &mut self,
        input: TestInput,
        target: &ReachTarget,
        instructions: u64,
    ) -> Result<Option<(TestCase, BTreeSet<Direction>)>, GuestError> {
        let run = self.replayer.run(&input, ReplayEnd::BrokenOff(instructions + 1))?;
        let end = match run.end {
            End::Exhausted { place, .. } => End::Exhausted { place, bound: Bound::Shown },
            end => end,
        };
        let test = TestCase {
            format: FORMAT,
            name: String::new(),
            cells: run.cells,
            memory: input.memory,
            registers: input.registers,
            interrupts: run.interrupts,
            end: self.guest.explain(&end),
            instructions: run.instructions,
            cut_off: is_broken_off(&end),
            path_hash: run.path,
            new_directions: Vec::new(),
        };
        let is_reached = reaches(self.guest, &self.configuration, target, &test)?;
        Ok(is_reached.then_some((test, run.directions)))
    }
}
