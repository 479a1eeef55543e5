//! Our machine, one instruction at a time.

use super::case::Case;
use super::executable::{BASE, SIZE};
use super::layout::Layout;
use super::registers::{Field, Registers, Role, mask};
use super::report::Reason;
use super::watched::Watched;
use everypath_environment::{Configuration, Guest, World};
use everypath_image::{Image, ReadOptions};
use everypath_ir::{Bits, Context, Endian, Place, SpaceId};
use everypath_lift::Architecture;
use everypath_machine::{
    Concrete, ConcreteDomain, End, FaultReason, Machine, Missing, NoWatch, Permissions, Region, RunLimits,
    State,
};
use std::sync::Arc;

/// The maximum number of parts of one instruction that are run: a loop inside an instruction iterates at most once per
/// bit.
const PARTS: usize = 4096;

/// The outcome of our machine.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// The value of each register.
    pub(super) values: Vec<u128>,
    /// The accessed memory.
    pub(super) accesses: Vec<(u64, usize)>,
    /// Whether it trapped; then nothing else is compared.
    pub(super) trapped: bool,
}

/// The reason why an instruction was not completed.
#[derive(Clone, Debug)]
pub(super) enum Trouble {
    /// It accesses memory at an address without data, after this number of accesses.
    Access(u64, usize),
    /// Anything else.
    Other(Reason),
}

/// Our machine with its memory.
pub(super) struct Ours<'g> {
    machine: Machine<&'g Guest, Concrete>,
    guest: &'g Guest,
    world: World,
    state: State,
    space: SpaceId,
    endian: Endian,
    registers: &'g Registers,
    layout: &'g Layout,
}

/// The guest for which blocks are lifted.
///
/// # Errors
/// If the executable cannot be read.
pub(super) fn guest(architecture: Arc<Architecture>, executable: &[u8]) -> Result<Guest, String> {
    let image = Image::read(executable, &ReadOptions::default()).map_err(|error| error.to_string())?;
    Guest::new(architecture, image).map_err(|error| error.to_string())
}

impl<'g> Ours<'g> {
    /// # Errors
    /// If the architecture names a model that does not exist.
    pub(super) fn new(
        guest: &'g Guest,
        registers: &'g Registers,
        layout: &'g Layout,
    ) -> Result<Self, String> {
        let space = guest.code_space();
        let mut state = State::new(guest.architecture().layout());
        let memory = state.memory(space).ok_or("the code space is not memory")?;
        // Code is writable, so that the machine checks its bytes each time; the list of accesses reveals writes to it.
        let execute = Permissions { read: false, write: true, execute: true };
        if layout.homes {
            memory.map(Region::memory(BASE, BASE + SIZE - 1, execute));
        }
        for area in &layout.areas {
            let memory = state.memory(area.space).ok_or("an area is not memory")?;
            let execute = area.space == space && !layout.homes;
            let permissions = Permissions { execute, ..Permissions::DATA };
            memory.map(Region::memory(area.start, area.start + area.contents.len() as u64 - 1, permissions));
            for (distance, byte) in area.contents.iter().enumerate() {
                memory.poke(area.start + distance as u64, *byte);
            }
        }
        let world = guest.world(&Configuration::default()).map_err(|error| error.to_string())?;
        let endian =
            if guest.architecture().specification().is_big_endian() { Endian::Big } else { Endian::Little };
        Ok(Self { machine: Machine::new(guest), guest, world, state, space, endian, registers, layout })
    }

    /// Writes an instruction to memory.
    pub(super) fn put_code(&mut self, address: u64, bytes: &[u8]) {
        if let Some(memory) = self.state.memory(self.space) {
            for (distance, byte) in bytes.iter().enumerate() {
                memory.poke(address + distance as u64, *byte);
            }
        }
    }

    /// Runs the instructions of a case. Changes of the data remain; see [`Ours::restore`].
    pub(super) fn run(
        &mut self,
        case: &Case,
        context: Context,
        mut instructions: usize,
    ) -> Result<Outcome, Trouble> {
        // Scratch registers start from zero. (Registers are never denied.)
        for (location, width) in &self.registers.scratch {
            let _ = self.state.put(*location, &Bits::zero(*width), self.endian);
        }
        // Register bits that the executor does not show are zero on its side, too.
        for field in self.registers.fields.iter().filter(|field| field.is_part()) {
            let _ = self.state.put(field.location, &Bits::zero(field.width), self.endian);
        }
        for (field, value) in self.registers.fields.iter().zip(&case.values) {
            let others = if field.is_part() { self.value(field) } else { 0 };
            let value = others | *value << field.shift;
            let _ = self.state.put(field.location, &bits(value, field), self.endian);
        }
        let inner = ConcreteDomain { state: &mut self.state, outside: self.world.clone() };
        let mut domain = Watched { inner, layout: self.layout, accesses: Vec::new() };
        let mut place = Place::new(case.code, context);
        let limits = RunLimits { instructions: 1, ..RunLimits::default() };
        let mut left = PARTS;
        loop {
            let (end, _) = self.machine.run(&mut domain, place, &limits, &mut NoWatch);
            match end {
                End::Exhausted { place: next, .. } => place = next,
                End::Faulted { reason: FaultReason::Access { denied, .. }, .. } => {
                    let accesses = std::mem::take(&mut domain.accesses);
                    self.restore(&accesses);
                    return Err(Trouble::Access(denied.address, accesses.len()));
                }
                other => {
                    let accesses = std::mem::take(&mut domain.accesses);
                    self.restore(&accesses);
                    if let End::Faulted { reason: FaultReason::Trap(_), .. } = other {
                        let values = case.values.clone();
                        return Ok(Outcome { values, accesses: Vec::new(), trapped: true });
                    }
                    let reason = match other {
                        End::Unmodelled { missing: Missing::Operation(operation), .. } => {
                            let names = &self.guest.architecture().layout().user_operations;
                            let name = names.get(operation as usize).map_or("?", String::as_str);
                            Reason::new("a user operation without a model", name)
                        }
                        End::Faulted { reason, .. } => Reason::new("not lifted", reason.to_string()),
                        other => Reason::new("our run ends", format!("{other:?}")),
                    };
                    return Err(Trouble::Other(reason));
                }
            }
            left -= 1;
            instructions -= usize::from(place.part == 0);
            if instructions == 0 {
                break;
            }
            if left == 0 {
                return Err(Trouble::Other(Reason::new("it does not come to an end", "")));
            }
        }
        let accesses = domain.accesses;
        let is_outside = |(flat, size): &(u64, usize)| self.layout.find(*flat, *size).is_none();
        if let Some(number) = accesses.iter().position(is_outside) {
            self.restore(&accesses);
            return Err(Trouble::Access(accesses[number].0, number));
        }
        let values = self.registers.fields.iter().map(|field| {
            if field.role == Role::Counter {
                return u128::from(place.address) & mask(field.bits);
            }
            self.value(field) >> field.shift & mask(field.bits)
        });
        let values = values.collect();
        Ok(Outcome { values, accesses, trapped: false })
    }

    /// The value of our register of a field.
    fn value(&mut self, field: &Field) -> u128 {
        // Registers are never denied.
        let value = self.state.get(field.location, field.width, self.endian);
        value.map_or(0, |value| number(&value))
    }

    /// The current contents of an area.
    pub(super) fn read(&mut self, flat: u64, size: usize) -> Vec<u8> {
        let Some((area, range)) = self.layout.find(flat, size) else { return Vec::new() };
        let memory = self.state.memory(area.space).expect("an area is memory");
        range.map(|distance| memory.peek(area.start + distance as u64)).collect()
    }

    /// Restores the initial data of these ranges.
    pub(super) fn restore(&mut self, accesses: &[(u64, usize)]) {
        for (flat, size) in accesses {
            for flat in *flat..flat.saturating_add(*size as u64) {
                if let Some((area, range)) = self.layout.find(flat, 1) {
                    let memory = self.state.memory(area.space).expect("an area is memory");
                    memory.poke(area.start + range.start as u64, area.contents[range.start]);
                }
            }
        }
    }
}

fn bits(value: u128, field: &Field) -> Bits {
    Bits::from_bytes_le(&value.to_le_bytes()[..field.width.bytes().min(16)], field.width)
}

fn number(bits: &Bits) -> u128 {
    bits.to_bytes_le().iter().take(16).rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}
