//! The interrupt controller of a guest: which interrupts can be taken in a state, and how one is taken.

use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use crate::interrupt_lines::{Lines, kept_bits};
use everypath_ir::{Bits, Endian, Location, Place, SpaceId, Width};
use everypath_lift::{Enable, InterruptLines, RegisterCondition};
use everypath_machine::State;
use std::collections::BTreeMap;

/// The size of an entry of the vector table, and of the register with its address.
const VECTOR: usize = 4;

/// The location and width of a register.
type Register = (Location, Width);

/// An interrupt controller, resolved for a guest.
#[derive(Debug)]
pub struct Controller {
    space: SpaceId,
    lines: Vec<InterruptLines>,
    /// The register conditions for an interrupt to be taken: register, mask, and the value of the masked bits.
    conditions: Vec<(Register, u64, u64)>,
    /// The register that masks lines by their priorities.
    priority_mask: Option<Register>,
    /// The registers with bits that enable lines, by the first line.
    enables: BTreeMap<u64, Register>,
    /// Registers that must be known: the stack pointer.
    known: Vec<Register>,
    /// The address of the register in memory that holds that of the vector table.
    table: Option<u64>,
    /// Handlers at fixed addresses, by number.
    handlers: BTreeMap<u64, u64>,
    entry: Place,
    number: Option<Register>,
    vector: Option<Register>,
    interrupted: Register,
}

/// The interrupts that can be taken in a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Takeable {
    /// Those that a device may pend.
    pub by_devices: Vec<u64>,
    /// The one of those that the program has pended which is taken first.
    pub pending: Option<u64>,
}

impl Controller {
    /// The bits of a value that change a line, if it is written to this location.
    pub(crate) fn kept_bits(&self, location: Location, size: u64) -> u64 {
        if location.space == self.space { kept_bits(&self.lines, location.offset, size) } else { 0 }
    }

    /// Takes in a write of the program.
    pub(crate) fn write(&self, lines: &mut Lines, location: Location, value: &Bits) {
        if location.space == self.space {
            lines.write(&self.lines, location.offset, value);
        }
    }

    /// The bits of a read that the program has determined, as a mask, and their values.
    pub(crate) fn read(&self, lines: &Lines, location: Location, width: Width) -> (u64, u64) {
        if location.space == self.space { lines.read(&self.lines, location.offset, width) } else { (0, 0) }
    }

    /// The interrupts that can be taken before the instruction at a place; `None` if that depends on input.
    pub fn takeable(&self, lines: &Lines, state: &mut State, place: Place) -> Option<Takeable> {
        // Inside of an instruction, or where the processor decodes others than usual, such as in an IT block, none is.
        if place.part != 0 || place.context != self.entry.context {
            return Some(Takeable::default());
        }
        let conditions = self.conditions.iter().map(|(register, ..)| register).chain(&self.priority_mask);
        if conditions.chain(self.enables.values()).chain(&self.known).any(|one| is_symbolic(state, *one)) {
            return None;
        }
        let holds = |&(register, bits, value): &(Register, u64, u64)| {
            read(state, register).is_some_and(|held| held & bits == value)
        };
        if !self.conditions.iter().all(holds) {
            return Some(Takeable::default());
        }
        let mask = self.priority_mask.and_then(|register| read(state, register)).filter(|mask| *mask != 0);
        let is_internal = |number: &u64| self.lines_of(*number).is_none_or(|lines| lines.internal);
        let mut is_enabled = |number: &u64| {
            self.lines_of(*number).is_some_and(|of| match &of.enable {
                None => true,
                Some(Enable::Controller(_)) => lines.enabled.contains(number),
                Some(Enable::Register(bits)) => {
                    let held = self.enables.get(&of.first).and_then(|register| read(state, *register));
                    let line = number - of.first;
                    line < bits.count && held.is_some_and(|held| held >> bits.bit >> line & 1 != 0)
                }
            })
        };
        let candidates = lines.enabled.iter().chain(self.handlers.keys());
        let by_devices = candidates.copied().filter(|number| !is_internal(number) && is_enabled(number));
        let mut by_devices: Vec<u64> = by_devices.collect();
        let mut pending: Vec<u64> = lines.pending.iter().copied().filter(is_enabled).collect();
        if let Some(mask) = mask {
            let mut priorities = BTreeMap::new();
            for number in by_devices.iter().chain(&pending) {
                priorities.insert(*number, self.priority(state, *number)?);
            }
            let is_above = |number: &u64| priorities.get(number).is_some_and(|priority| *priority < mask);
            by_devices.retain(is_above);
            pending.retain(is_above);
        }
        Some(Takeable {
            by_devices,
            // Of equal priority, the lowest number is first; what switches tasks has the lowest priority.
            pending: pending.into_iter().min_by_key(|number| (is_internal(number), *number)),
        })
    }

    /// The priority of an interrupt, the least of which is the highest; `None` if it depends on input.
    fn priority(&self, state: &mut State, number: u64) -> Option<u64> {
        let lines = self.lines_of(number);
        let Some((first, lines)) = lines.and_then(|lines| lines.priority.zip(Some(lines))) else {
            return Some(0);
        };
        let offset = first.wrapping_add(number - lines.first);
        let register = (Location { space: self.space, offset }, Width::W8);
        if is_symbolic(state, register) { None } else { read(state, register) }
    }

    /// The lines that a number belongs to.
    fn lines_of(&self, number: u64) -> Option<&InterruptLines> {
        let lines = self.lines.iter().filter(|lines| lines.first <= number);
        lines.max_by_key(|lines| lines.first)
    }

    /// Whether it is not known what enables an interrupt, so that it is assumed to be enabled.
    pub fn is_assumed(&self, number: u64) -> bool {
        self.lines_of(number).is_some_and(|lines| lines.enable.is_none() && !lines.internal)
    }

    /// The address of the handler of an interrupt, if it is a fixed one.
    pub fn fixed_handler(&self, number: u64) -> Option<u64> {
        self.handlers.get(&number).copied()
    }

    /// The address of the handler of an interrupt in this state.
    pub fn handler(&self, guest: &Guest, state: &mut State, number: u64) -> Option<u64> {
        let Some(register) = self.table else { return self.fixed_handler(number) };
        let table = state.read(self.space, register, VECTOR).ok()?;
        let vector = table.checked_add(number.checked_mul(VECTOR as u64)?)?;
        let handler = state.read(self.space, vector, VECTOR).ok()?;
        Some(guest.architecture().code_address(handler).0)
    }

    /// Prepares a state in which an interrupt is taken before the instruction at a place, and clears its pending bit. Returns the
    /// place of the instruction that takes it.
    pub fn begin(&self, lines: &mut Lines, state: &mut State, interrupted: Place, number: u64) -> Place {
        lines.take(number);
        let vector = self.vector.zip(self.fixed_handler(number));
        let given =
            [Some((self.interrupted, interrupted.address)), self.number.map(|one| (one, number)), vector];
        for ((location, width), value) in given.into_iter().flatten() {
            state.put_anyway(location, &Bits::from_u64(value, width), Endian::Little);
        }
        self.entry
    }
}

/// Whether a register depends on input.
fn is_symbolic(state: &State, (location, width): Register) -> bool {
    let mut bytes = location.offset..location.offset + width.bytes() as u64;
    bytes.any(|offset| state.shadow(location.space).get(offset).is_some())
}

/// The contents of a register.
fn read(state: &mut State, (location, width): Register) -> Option<u64> {
    state.read(location.space, location.offset, width.bytes().min(8)).ok()
}

impl Guest {
    /// Puts the instruction that takes interrupts into memory, if interrupts are taken.
    pub(crate) fn put_interrupt_entry(
        &self,
        state: &mut State,
        configuration: &Configuration,
    ) -> Result<(), GuestError> {
        let bytes = self.architecture().description().interrupts.as_ref().map(|interrupts| &interrupts.bytes);
        let controller = self.controller(configuration)?;
        if let (Some(controller), Some(bytes)) = (controller, bytes)
            && let Some(memory) = state.memory(controller.space)
        {
            let addresses = controller.entry.address..;
            addresses.zip(bytes).for_each(|(address, byte)| memory.poke(address, *byte));
        }
        Ok(())
    }

    /// The interrupt controller, if the architecture describes one, the program has handlers, and what it writes to the
    /// controller is observed.
    ///
    /// # Errors
    /// If the architecture does not have the registers that its description names, or is big-endian.
    pub fn controller(&self, configuration: &Configuration) -> Result<Option<Controller>, GuestError> {
        let architecture = self.architecture();
        let description = architecture.description();
        let Some(interrupts) = &description.interrupts else { return Ok(None) };
        // Only writes to input are observed.
        let is_written =
            interrupts.lines.iter().any(|lines| lines.enable_bits().is_some() || lines.pend.is_some());
        let is_observed = !is_written || self.peripheral_inputs(configuration).next().is_some();
        let table = description.vectors.as_ref().and_then(|vectors| vectors.base_address);
        let handlers = if table.is_none() { self.handlers() } else { Vec::new() };
        let has_handlers = !handlers.is_empty() || self.code_map().vector_table(self.image()).is_some();
        let is_taken = self.image().read_at(interrupts.entry, &mut vec![0; interrupts.bytes.len()]) > 0;
        if configuration.call.is_some() || !is_observed || !has_handlers || is_taken {
            return Ok(None);
        }
        let named = |name: &String| {
            let register = architecture.register(name);
            register.ok_or_else(|| GuestError::new(format!("there is no register `{name}`")))
        };
        let space = self.code_space();
        if architecture.layout()[space].endian == Endian::Big {
            return Err(GuestError::new("`[interrupts]` needs a little-endian architecture"));
        }
        let mut enables = BTreeMap::new();
        for lines in &interrupts.lines {
            if let Some(Enable::Register(bits)) = &lines.enable {
                enables.insert(lines.first, named(&bits.register)?);
            }
        }
        let condition = |one: &RegisterCondition| Ok((named(&one.register)?, one.bits, one.value));
        Ok(Some(Controller {
            space,
            lines: interrupts.lines.clone(),
            conditions: interrupts.conditions.iter().map(condition).collect::<Result<_, GuestError>>()?,
            priority_mask: interrupts.priority_mask.as_ref().map(named).transpose()?,
            enables,
            known: description.registers.stack_pointer.iter().map(named).collect::<Result<_, _>>()?,
            table,
            handlers: handlers.iter().map(|one| (one.number, one.place.address)).collect(),
            entry: self.code_map().place(interrupts.entry),
            number: interrupts.number.as_ref().map(named).transpose()?,
            vector: interrupts.vector.as_ref().map(named).transpose()?,
            interrupted: named(&interrupts.interrupted)?,
        }))
    }
}
