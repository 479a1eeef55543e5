//! Single-steps a test for export to another tool: which instruction reads which memory-mapped input (MMIO).

use everypath_environment::{Configuration, Guest, GuestError, PushedBytes, World};
use everypath_ir::{Endian, Place, SpaceId, SpaceKind};
use everypath_lift::Export;
use everypath_machine::{Concrete, ConcreteDomain, End, Machine, NoWatch, RunLimits, State};
use everypath_record::{Address, CellValues, Direction, Expected, RecordedRead, Rerun, Stored, TestCase};

use crate::path::test_input::TestInput;
use crate::record::replay::{NO_INTERRUPTS, enter_handler};

/// Single-steps a test of a program, and describes the run in the architecture's names for a script format.
///
/// # Errors
/// If the configuration does not fit the guest, or the architecture has no export in this format.
pub fn rerun(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
    program: &str,
    format: &str,
) -> Result<Rerun, GuestError> {
    if !test.interrupts.is_empty() {
        let name = &test.name;
        return Err(GuestError::new(format!(
            "test {name} takes interrupts, which scripts cannot raise; `everypath replay` runs it"
        )));
    }
    let names = ExportNames { guest, export: export(guest, format)? };
    let mut state = guest.state(configuration)?;
    let Initial { registers, memory } = names.initial(configuration, test, &state)?;
    TestInput::of(test).put(guest, &mut state)?;
    let entry = Address(guest.entry(configuration)?.address);
    let Steps { instructions, readings, end } = names.single_step(configuration, test, state)?;
    let expected = expected(test, &instructions, end)?;
    Ok(Rerun {
        test: test.name.clone(),
        program: program.to_owned(),
        start: names.export.start.clone(),
        program_counter: names.export.program_counter.clone(),
        entry,
        registers,
        memory,
        readings,
        instructions,
        end,
        expected,
    })
}

/// The description of a script or harness format for a guest's architecture.
pub(crate) fn export<'g>(guest: &'g Guest, format: &str) -> Result<&'g Export, GuestError> {
    let architecture = guest.architecture();
    let exports = &architecture.description().exports;
    exports.iter().find(|export| export.format == format).ok_or_else(|| {
        let names: Vec<&str> = exports.iter().map(|export| export.format.as_str()).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let name = architecture.name();
        GuestError::new(format!("tests in the format `{format}` do not fit {name}; those that fit: {known}"))
    })
}

/// A guest, described in the names of a script format.
struct ExportNames<'g> {
    guest: &'g Guest,
    export: &'g Export,
}

/// Initial registers and memory, in the tool's names.
struct Initial {
    registers: Vec<(String, u64)>,
    memory: Vec<Stored>,
}

/// A run in single steps.
struct Steps {
    instructions: Vec<Address>,
    readings: Vec<RecordedRead>,
    end: Address,
}

impl ExportNames<'_> {
    fn stored(&self, space: SpaceId, address: u64, bytes: Vec<u8>) -> Stored {
        let name = &self.guest.architecture().layout()[space].name;
        let memory = self.export.memories.get(name).unwrap_or(name).clone();
        Stored { memory, address: Address(address), bytes }
    }

    /// The registers and the memory that a test sets before it runs.
    fn initial(
        &self,
        configuration: &Configuration,
        test: &TestCase,
        state: &State,
    ) -> Result<Initial, GuestError> {
        let architecture = self.guest.architecture();
        let layout = architecture.layout();
        let code_space = self.guest.code_space();
        let (mut registers, mut memory) = (Vec::new(), Vec::new());
        let set = self.guest.start_registers(configuration, state)?.into_iter();
        let of_test = test.registers.iter().map(|(name, value)| (name.as_str(), value.0));
        for (name, value) in set.chain(of_test) {
            let Some((location, width)) = architecture.register(name) else { continue };
            let space = &layout[location.space];
            if space.kind == SpaceKind::Memory {
                let bytes = space.endian.bytes(value, width.bytes().min(8));
                memory.push(self.stored(location.space, location.offset, bytes));
            } else {
                let called = self.export.registers.get(name).map_or(name, String::as_str);
                if !called.is_empty() {
                    registers.push((called.to_owned(), value));
                }
            }
        }
        let in_space =
            |name: Option<&str>| name.and_then(|name| layout.find_space(name)).unwrap_or(code_space);
        if let Some(PushedBytes { space, address, bytes }) = self.guest.pushed_return(configuration, state)? {
            memory.push(self.stored(space, address, bytes));
        }
        for initial in &configuration.initial {
            let space = in_space(initial.space.as_deref());
            memory.push(self.stored(space, initial.address, initial.bytes.clone()));
        }
        for bytes in &test.memory {
            memory.push(self.stored(in_space(Some(&bytes.space)), bytes.address.0, bytes.bytes.clone()));
        }
        Ok(Initial { registers, memory })
    }

    /// Runs a test from a state at the entry, and notes which instruction reads which cell.
    fn single_step(
        &self,
        configuration: &Configuration,
        test: &TestCase,
        state: State,
    ) -> Result<Steps, GuestError> {
        let layout = self.guest.architecture().layout();
        let (mut readings, mut instructions) = (Vec::new(), Vec::new());
        let mut seen = 0;
        let end = single_step(self.guest, configuration, test, state, |place, _, world| {
            // An instruction with a loop inside is run in parts.
            if place.part == 0 {
                instructions.push(Address(place.address));
            }
            for reading in &world.readings[seen..] {
                let Some((location, _)) = world.location(&reading.cell) else { continue };
                let endian = layout[location.space].endian;
                let bytes = in_order(reading.value.to_bytes_le(), endian);
                readings.push(RecordedRead {
                    after: instructions.len() - 1,
                    at: Address(place.address),
                    cell: reading.cell.to_string(),
                    found: self.stored(location.space, location.offset + reading.offset, bytes),
                });
            }
            seen = world.readings.len();
        })?;
        Ok(Steps { instructions, readings, end: Address(end.address) })
    }
}

/// The addresses of the instructions that a test executes, in order.
///
/// # Errors
/// If the configuration or the test does not fit the guest.
pub fn trace(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
) -> Result<Vec<Address>, GuestError> {
    let state = TestInput::of(test).initial_state(guest, configuration)?;
    let mut executed = Vec::new();
    single_step(guest, configuration, test, state, |place, _, _| {
        executed.extend((place.part == 0).then_some(Address(place.address)));
    })?;
    Ok(executed)
}

/// Runs a test instruction by instruction, from a state at the entry. Returns the place after the last one.
pub(crate) fn single_step(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
    mut state: State,
    mut visit: impl FnMut(Place, &mut State, &mut World),
) -> Result<Place, GuestError> {
    step_through(guest, configuration, test, &mut state, |machine, place, state, world| {
        let one = RunLimits::one_instruction();
        let mut domain = ConcreteDomain { state, outside: &mut *world };
        let ended = machine.run(&mut domain, place, &one, &mut NoWatch);
        visit(place, state, world);
        ended
    })
}

/// Runs a test by a function that runs one instruction, and returns how it ended and the number of instructions that this
/// counts. Returns the place after the last one.
pub(crate) fn step_through<'g>(
    guest: &'g Guest,
    configuration: &Configuration,
    test: &TestCase,
    state: &mut State,
    mut step: impl FnMut(&mut Machine<&'g Guest, Concrete>, Place, &mut State, &mut World) -> (End, u64),
) -> Result<Place, GuestError> {
    let mut world = guest.world(configuration)?;
    world.script(test.cells.iter().map(CellValues::script));
    let mut machine: Machine<&Guest, Concrete> = Machine::new(guest);
    let mut place = guest.entry(configuration)?;
    let mut interrupts = test.interrupts.iter().peekable();
    let mut done = 0;
    while done < test.instructions {
        if let Some(next) = interrupts.next_if(|next| next.after == done) {
            let controller = world.controller().cloned();
            let controller = controller.ok_or_else(|| GuestError::new(NO_INTERRUPTS))?;
            let now = (&mut *state, &mut world);
            let Ok(handler) = enter_handler(&controller, &mut machine, now, place, next.number) else {
                break;
            };
            place = handler.place;
        }
        let (end, count) = step(&mut machine, place, state, &mut world);
        done += count;
        let End::Exhausted { place: next, .. } = end else { break };
        place = next;
    }
    Ok(place)
}

/// The addresses that a run must reach: branch and target of each direction that the test adds, and its end.
fn expected(test: &TestCase, instructions: &[Address], end: Address) -> Result<Vec<Expected>, GuestError> {
    let mut expected = vec![Expected { after: instructions.len(), at: end }];
    for Direction { branch, target } in &test.new_directions {
        let next = |number: usize| instructions.get(number + 1).copied().unwrap_or(end);
        let taken = (0..instructions.len())
            .find(|number| instructions[*number] == *branch && next(*number) == *target);
        let Some(number) = taken else {
            let (name, replay) = (&test.name, "`everypath replay` says more");
            return Err(GuestError::new(format!(
                "test {name} does not take {branch} -> {target}, which it is recorded to add; {replay}"
            )));
        };
        expected.push(Expected { after: number, at: *branch });
        expected.push(Expected { after: number + 1, at: *target });
    }
    expected.sort_unstable();
    expected.dedup();
    Ok(expected)
}

/// Converts little-endian bytes to the byte order of memory.
pub(crate) fn in_order(mut bytes: Vec<u8>, endian: Endian) -> Vec<u8> {
    if endian == Endian::Big {
        bytes.reverse();
    }
    bytes
}
