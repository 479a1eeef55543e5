//! The expected outputs of a test, by differential execution: two runs with different contents of uninitialised memory; an
//! output that differs is undefined.
//!
//! The outputs are registers, written memory and device writes at the end of a concrete run. Uninitialised registers differ
//! between the two runs, too.

use std::collections::{BTreeMap, BTreeSet};

use everypath_environment::{Configuration, Guest, GuestError};
use everypath_ir::{AddressSet, Location, SpaceId, Width};
use everypath_machine::{End, NoWatch, PAGE_SIZE, RunLimits, State};
use everypath_record::{Address, DeviceWrite, ExpectedOutputs, FORMAT, TestCase, WrittenMemory};

use crate::path::test_input::TestInput;
use crate::record::recording_domain::{MemoryStore, RecordingDomain};
use crate::record::rerun::step_through;

/// Maximum number of bytes of memory and of device writes that are expected of a test.
const BYTES: usize = 1 << 20;
const WRITES: usize = 100_000;
/// The other contents of uninitialised registers and memory.
const FILL: u8 = 0xa5;
const FILL_WORD: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// A general register.
#[derive(Clone, Debug)]
pub(crate) struct GeneralRegister {
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) width: Width,
}

/// A run and its expected outputs.
pub(crate) struct ObservedOutputs {
    pub(crate) outputs: ExpectedOutputs,
    /// The ranges of memory that the run touches, of one space: first and last address.
    pub(crate) touched: Vec<(u64, u64)>,
    /// The smallest value of the stack pointer.
    pub(crate) lowest_stack: Option<u64>,
}

/// Runs a test and finds its expected outputs: the values of these registers of the architecture, the writes to devices, and
/// the contents of written memory.
///
/// # Errors
/// If the configuration or the test does not fit the guest, or a register does not exist.
pub fn expected_outputs(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
    registers: &[String],
) -> Result<ExpectedOutputs, GuestError> {
    let registers = general_registers(guest, registers)?;
    expected_run(guest, configuration, test, &registers).map(|run| run.outputs)
}

/// The registers that a list names: by names, or `first..last` in the order of the specification. An empty list stands for
/// those of the calling convention.
pub(crate) fn general_registers(guest: &Guest, list: &[String]) -> Result<Vec<GeneralRegister>, GuestError> {
    let architecture = guest.architecture();
    let find = |name: &str| {
        let found = architecture.register(name);
        found.ok_or_else(|| GuestError::new(format!("there is no register `{name}`")))
    };
    let description = architecture.description();
    let of_calls = description.call.iter().flat_map(|call| {
        call.arguments.iter().chain(&call.result).chain(&call.preserved).chain(&call.return_address)
    });
    let default: Vec<String> = of_calls.chain(&description.registers.stack_pointer).cloned().collect();
    let mut found: Vec<GeneralRegister> = Vec::new();
    for entry in if list.is_empty() { default.as_slice() } else { list } {
        let (first, last) = entry.split_once("..").unwrap_or((entry, entry));
        let ((mut location, width), (last, _)) = (find(first)?, find(last)?);
        while (location.space, location.offset) <= (last.space, last.offset) {
            let known = found.iter().any(|register| register.location == location);
            if let Some(name) = architecture.register_name(location, width).filter(|_| !known) {
                found.push(GeneralRegister { name: name.to_owned(), location, width });
            }
            location.offset += width.bytes() as u64;
        }
    }
    Ok(found)
}

/// Runs a test and finds its expected outputs.
pub(crate) fn expected_run(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
    registers: &[GeneralRegister],
) -> Result<ObservedOutputs, GuestError> {
    let runner = Runner::new(guest, configuration, registers)?;
    let mut first = runner.run(test, None)?;
    let mut second = runner.run(test, Some(FILL))?;
    let name = |space: SpaceId| guest.architecture().layout()[space].name.clone();
    let mut left_out = first.cut.clone();
    if first.path != second.path {
        left_out.push("the path depends on uninitialised registers or memory".to_owned());
    }
    let mut undefined = Vec::new();
    let mut values = Vec::new();
    for register in registers.iter().filter(|register| register.width <= Width::W64) {
        let value = |run: &mut Observed| {
            run.state
                .read(register.location.space, register.location.offset, register.width.bytes())
                .unwrap_or(0)
        };
        let (value, other) = (value(&mut first), value(&mut second));
        if value != other {
            undefined.push(register.name.clone());
        } else {
            values.push((register.name.clone(), Address(value)));
        }
    }
    if !undefined.is_empty() {
        left_out.push(format!("{}: depends on uninitialised registers or memory", undefined.join(", ")));
    }
    for (number, write) in first.device_writes.iter_mut().enumerate() {
        let same = |other: &DeviceWrite| (other.address, &other.bytes) == (write.address, &write.bytes);
        write.is_defined = second.device_writes.get(number).is_some_and(same);
    }
    let (memory, undefined) = written_memory(&mut first, &mut second, name);
    if undefined > 0 {
        left_out.push(format!("{undefined} bytes of memory: depend on uninitialised registers or memory"));
    }
    let outputs = ExpectedOutputs {
        format: FORMAT,
        test: test.name.clone(),
        instructions: first.path.len() as u64 - u64::from(first.is_faulted),
        end: Address(first.end),
        registers: values,
        device_writes_cut: first.is_cut,
        device_writes: first.device_writes,
        memory,
        left_out,
    };
    Ok(ObservedOutputs { outputs, touched: first.touched, lowest_stack: first.lowest_stack })
}

/// The memory that a run wrote, as ranges with one last writer, and the number of bytes that another run left otherwise.
fn written_memory(
    run: &mut Observed,
    other: &mut Observed,
    name: impl Fn(SpaceId) -> String,
) -> (Vec<WrittenMemory>, usize) {
    let (mut ranges, mut undefined) = (Vec::<WrittenMemory>::new(), 0);
    let mut next = None;
    for (location, at) in &run.writers {
        let Some(byte) = run.state.memory(location.space).map(|memory| memory.peek(location.offset)) else {
            continue;
        };
        let theirs = other.state.memory(location.space).map(|memory| memory.peek(location.offset));
        if theirs != Some(byte) || !other.writers.contains_key(location) {
            undefined += 1;
            continue;
        }
        let place = (location.space, location.offset, *at);
        match ranges.last_mut() {
            Some(range) if next == Some(place) => range.bytes.push(byte),
            _ => ranges.push(WrittenMemory {
                memory: name(location.space),
                address: Address(location.offset),
                bytes: vec![byte],
                at: Address(*at),
            }),
        }
        next = Some((location.space, location.offset.wrapping_add(1), *at));
    }
    (ranges, undefined)
}

/// A run, as far as its outputs need it.
struct Observed {
    state: State,
    /// The addresses of the instructions, with the one that faults.
    path: Vec<u64>,
    is_faulted: bool,
    end: u64,
    device_writes: Vec<DeviceWrite>,
    /// The last writer of each byte of other memory.
    writers: BTreeMap<Location, u64>,
    touched: Vec<(u64, u64)>,
    lowest_stack: Option<u64>,
    cut: Vec<String>,
    /// Whether device writes were cut.
    is_cut: bool,
}

/// Runs tests and observes them.
struct Runner<'g> {
    guest: &'g Guest,
    configuration: Configuration,
    /// The registers that the environment does not set, in the second run.
    uninitialised: Vec<GeneralRegister>,
    devices: AddressSet,
    stack_pointer: Option<(Location, Width)>,
}

impl<'g> Runner<'g> {
    fn new(
        guest: &'g Guest,
        configuration: &Configuration,
        registers: &[GeneralRegister],
    ) -> Result<Runner<'g>, GuestError> {
        // Uninitialised bytes are told apart.
        let configuration = configuration.noting_writes();
        let architecture = guest.architecture();
        let role = architecture.description().registers.stack_pointer.as_deref();
        let state = guest.state(&configuration)?;
        let set = guest.start_registers(&configuration, &state)?;
        let given: Vec<Location> = set
            .iter()
            .map(|(name, _)| *name)
            .chain(role)
            .filter_map(|name| architecture.register(name))
            .map(|(location, _)| location)
            .collect();
        let is_memory = |space: SpaceId| state.regions(space).is_some();
        let is_free = |register: &&GeneralRegister| {
            !given.contains(&register.location) && !is_memory(register.location.space)
        };
        let uninitialised = registers.iter().filter(is_free).cloned().collect();
        let mut devices = guest.world(&configuration)?.places();
        devices.extend(guest.peripherals(&configuration)?.iter());
        let stack_pointer = architecture.stack_pointer();
        Ok(Runner { guest, configuration, uninitialised, devices, stack_pointer })
    }

    /// Runs a test; `fill` is what uninitialised registers and memory hold, in place of zero.
    fn run(&self, test: &TestCase, fill: Option<u8>) -> Result<Observed, GuestError> {
        let mut state = self.guest.state(&self.configuration)?;
        if fill.is_some() {
            for register in &self.uninitialised {
                self.guest.set_register(&mut state, &register.name, FILL_WORD)?;
            }
        }
        TestInput::of(test).put(self.guest, &mut state)?;
        let (mut path, mut is_faulted) = (Vec::new(), false);
        let mut writes = Writes::default();
        let mut lowest_stack = None;
        let (mut pages, code_space) = (BTreeSet::new(), self.guest.code_space());
        let one = RunLimits::one_instruction();
        let end = step_through(
            self.guest,
            &self.configuration,
            test,
            &mut state,
            |machine, place, state, world| {
                // An instruction with a loop inside is run in parts.
                if place.part == 0 {
                    path.push(place.address);
                }
                let mut domain = RecordingDomain::new(state, world, fill);
                let (end, count) = machine.run(&mut domain, place, &one, &mut NoWatch);
                is_faulted = !matches!(end, End::Exhausted { .. });
                let accessed = domain.accessed.iter().filter(|byte| byte.space == code_space);
                pages.extend(accessed.map(|byte| byte.offset / PAGE_SIZE as u64));
                pages.insert(place.address / PAGE_SIZE as u64);
                // One that faults is not completed.
                let stores = if is_faulted { Vec::new() } else { domain.stores };
                for store in stores {
                    self.note(store, path.len() as u64 - 1, place.address, &mut writes);
                }
                let value = self.stack_pointer.and_then(|(location, width)| {
                    state.read(location.space, location.offset, width.bytes()).ok()
                });
                lowest_stack = lowest_stack.into_iter().chain(value).min();
                (end, count)
            },
        )?;
        Ok(Observed {
            touched: page_ranges(&pages),
            state,
            path,
            is_faulted,
            end: end.address,
            lowest_stack,
            device_writes: writes.devices,
            writers: writes.writers,
            cut: writes.cut,
            is_cut: writes.is_cut,
        })
    }

    /// Sorts a store: a device write, or memory.
    fn note(&self, store: MemoryStore, after: u64, at: u64, writes: &mut Writes) {
        let MemoryStore { location, bytes } = store;
        let last = location.offset.saturating_add(bytes.len() as u64 - 1);
        if !self.devices.overlaps(location, bytes.len()) {
            for offset in location.offset..=last {
                if writes.writers.len() < BYTES {
                    writes.writers.insert(Location { offset, ..location }, at);
                } else {
                    writes.cut(format!("memory beyond the first {BYTES} bytes that the run writes"));
                }
            }
        } else if writes.devices.len() < WRITES {
            let name = &self.guest.architecture().layout()[location.space].name;
            writes.devices.push(DeviceWrite {
                after,
                at: Address(at),
                memory: name.clone(),
                address: Address(location.offset),
                bytes,
                is_defined: true,
            });
        } else {
            writes.is_cut = true;
            writes.cut(format!("device writes beyond the first {WRITES}"));
        }
    }
}

/// The writes of a run.
#[derive(Default)]
struct Writes {
    devices: Vec<DeviceWrite>,
    writers: BTreeMap<Location, u64>,
    cut: Vec<String>,
    is_cut: bool,
}

impl Writes {
    fn cut(&mut self, what: String) {
        if !self.cut.contains(&what) {
            self.cut.push(what);
        }
    }
}

/// The ranges of these pages: first and last address.
fn page_ranges(pages: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let size = PAGE_SIZE as u64;
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for start in pages.iter().map(|page| page * size) {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(start) => *last = start + (size - 1),
            _ => ranges.push((start, start + (size - 1))),
        }
    }
    ranges
}
