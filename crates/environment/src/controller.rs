//! The interrupt controller of a guest: which interrupts can be taken in a state, and how one is taken.

use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use crate::interrupt_lines::{Lines, kept_bits};
use crate::start::put_anyway;
use everypath_ir::{Bits, Endian, Location, Place, SpaceId, Width};
use everypath_lift::InterruptLines;
use everypath_machine::State;

/// The size of an entry of the vector table, and of the register with its address.
const VECTOR: usize = 4;

/// An interrupt controller, resolved for a guest.
#[derive(Debug)]
pub struct Controller {
    space: SpaceId,
    lines: Vec<InterruptLines>,
    /// Registers that must all be zero.
    masks: Vec<(Location, Width)>,
    /// Registers that must be known: the stack pointer.
    known: Vec<(Location, Width)>,
    /// The address of the register in memory that holds that of the vector table.
    table: Option<u64>,
    entry: Place,
    number: (Location, Width),
    interrupted: (Location, Width),
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
        let is_symbolic = |(location, width): &(Location, Width)| {
            let mut bytes = location.offset..location.offset + width.bytes() as u64;
            bytes.any(|offset| state.shadow(location.space).get(offset).is_some())
        };
        if self.masks.iter().chain(&self.known).any(is_symbolic) {
            return None;
        }
        let is_zero = |(location, width): &(Location, Width)| {
            state.read(location.space, location.offset, width.bytes().min(8)) == Ok(0)
        };
        if !self.masks.iter().all(is_zero) {
            return Some(Takeable::default());
        }
        let of = |number: u64| {
            let lines = self.lines.iter().filter(move |lines| lines.first <= number);
            lines.max_by_key(|lines| lines.first)
        };
        let is_internal = |number: &u64| of(*number).is_none_or(|lines| lines.internal);
        let is_enabled = |number: &u64| {
            of(*number).is_some_and(|of| of.enable.is_none() || lines.enabled.contains(number))
        };
        let pending = lines.pending.iter().copied().filter(is_enabled);
        let by_devices = lines.enabled.iter().copied().filter(|number| !is_internal(number));
        Some(Takeable {
            by_devices: by_devices.collect(),
            // Of equal priority, the lowest number is first; what switches tasks has the lowest priority.
            pending: pending.min_by_key(|number| (is_internal(number), *number)),
        })
    }

    /// The address of the handler of an interrupt in this state.
    pub fn handler(&self, guest: &Guest, state: &mut State, number: u64) -> Option<u64> {
        let table = state.read(self.space, self.table?, VECTOR).ok()?;
        let vector = table.checked_add(number.checked_mul(VECTOR as u64)?)?;
        let handler = state.read(self.space, vector, VECTOR).ok()?;
        Some(guest.architecture().code_address(handler).0)
    }

    /// Prepares a state in which an interrupt is taken before the instruction at a place, and clears its pending bit. Returns the
    /// place of the instruction that takes it.
    pub fn begin(&self, lines: &mut Lines, state: &mut State, interrupted: Place, number: u64) -> Place {
        lines.take(number);
        for ((location, width), value) in [(self.number, number), (self.interrupted, interrupted.address)] {
            put_anyway(state, location, &Bits::from_u64(value, width), Endian::Little);
        }
        self.entry
    }
}

impl Guest {
    /// The interrupt controller, if the architecture describes one, the program has a vector table, and peripherals are
    /// input.
    ///
    /// # Errors
    /// If the architecture does not have the registers that its description names, or is big-endian.
    pub fn controller(&self, configuration: &Configuration) -> Result<Option<Controller>, GuestError> {
        let architecture = self.architecture();
        let description = architecture.description();
        let Some(interrupts) = &description.interrupts else { return Ok(None) };
        if self.code_map().vector_table(self.image()).is_none()
            || self.peripheral_inputs(configuration).next().is_none()
        {
            return Ok(None);
        }
        let named = |name: &String| {
            let register = architecture.register(name);
            register.ok_or_else(|| GuestError::new(format!("there is no register `{name}`")))
        };
        let space = self.code_space();
        if architecture.layout().spaces[usize::from(space.0)].endian == Endian::Big {
            return Err(GuestError::new("`[interrupts]` needs a little-endian architecture"));
        }
        Ok(Some(Controller {
            space,
            lines: interrupts.lines.clone(),
            masks: interrupts.masks.iter().map(named).collect::<Result<_, _>>()?,
            known: description.registers.stack_pointer.iter().map(named).collect::<Result<_, _>>()?,
            table: description.vectors.as_ref().and_then(|vectors| vectors.base_address),
            entry: self.code_map().place(interrupts.entry),
            number: named(&interrupts.number)?,
            interrupted: named(&interrupts.interrupted)?,
        }))
    }
}
