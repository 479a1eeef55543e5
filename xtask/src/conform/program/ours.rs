//! A program on our machine.

use super::theirs;
use crate::conform::registers::{Field, Registers, mask};
use everypath_environment::{Configuration, Guest, World};
use everypath_image::{Image, ReadOptions};
use everypath_ir::{Bits, Context, Endian, Location, Place};
use everypath_lift::{Architecture, MemoryRange};
use everypath_machine::{Concrete, ConcreteDomain, End, Machine, Memory, NoWatch, RunLimits, State, Watch};
use std::sync::Arc;

/// The maximum number of instructions.
pub(super) const BUDGET: u64 = 20_000_000;

/// A program that is ready to run.
pub(super) struct Ready {
    guest: Guest,
    pub(super) state: State,
    world: World,
    entry: Place,
}

/// The executed instructions, with the contexts of their blocks.
#[derive(Default)]
pub(super) struct Instructions {
    pub(super) list: Vec<(u64, Context)>,
    context: Context,
}

impl Watch for Instructions {
    const INSTRUCTIONS: bool = true;

    fn block(&mut self, place: Place) {
        self.context = place.context;
    }

    fn instruction(&mut self, address: u64) {
        self.list.push((address, self.context));
    }
}

impl Ready {
    /// Prepares a program in the executor's initial state.
    ///
    /// # Errors
    /// If the program cannot be loaded.
    pub(super) fn new(
        architecture: Arc<Architecture>,
        file: Vec<u8>,
        registers: &Registers,
        theirs: &theirs::Run,
    ) -> Result<Self, String> {
        let image = Image::read(file, &ReadOptions::default()).map_err(|error| error.to_string())?;
        let guest = Guest::new(architecture, image).map_err(|error| error.to_string())?;
        let stack = theirs.stack.iter();
        let stack = stack.map(|(start, contents)| MemoryRange::data("stack", *start, contents.len() as u64));
        let configuration = Configuration { memory: stack.collect(), ..Configuration::default() };
        let problem = |error: everypath_environment::GuestError| error.to_string();
        let mut state = guest.state(&configuration).map_err(problem)?;
        let memory = state.memory(guest.code_space()).ok_or("the code space is not memory")?;
        if let Some((start, contents)) = &theirs.stack {
            for (distance, byte) in contents.iter().enumerate() {
                memory.poke(start + distance as u64, *byte);
            }
        }
        let endian =
            if guest.architecture().specification().is_big_endian() { Endian::Big } else { Endian::Little };
        for (field, value) in registers.fields.iter().zip(&theirs.before) {
            let bytes = &value.to_le_bytes()[..field.width.bytes().min(16)];
            // Registers are never denied.
            let _ = state.put(field.location, &Bits::from_bytes_le(bytes, field.width), endian);
        }
        let world = guest.world(&configuration).map_err(problem)?;
        let entry = guest.entry(&configuration).map_err(problem)?;
        Ok(Self { guest, state, world, entry })
    }

    /// The memory of the program.
    pub(super) fn memory(&mut self) -> &Memory {
        let space = self.guest.code_space();
        self.state.memory(space).expect("it was there when the program was made ready")
    }

    /// A byte of any memory.
    pub(super) fn byte(&mut self, location: Location) -> u8 {
        self.state.memory(location.space).map_or(0, |memory| memory.peek(location.offset))
    }

    /// Runs until the program ends.
    pub(super) fn run(&mut self, done: u64) -> (End, Instructions) {
        let mut machine: Machine<&Guest, Concrete> = Machine::new(&self.guest);
        let mut domain = ConcreteDomain { state: &mut self.state, outside: self.world.clone() };
        let limits = RunLimits { stops: [done].into(), instructions: BUDGET };
        let mut instructions = Instructions::default();
        let (end, _) = machine.run(&mut domain, self.entry, &limits, &mut instructions);
        (end, instructions)
    }

    /// Runs one instruction with all its parts; `None` if that ends the run.
    pub(super) fn step(&mut self) -> Option<Place> {
        let mut machine: Machine<&Guest, Concrete> = Machine::new(&self.guest);
        let mut domain = ConcreteDomain { state: &mut self.state, outside: self.world.clone() };
        let limits = RunLimits { instructions: 1, ..RunLimits::default() };
        loop {
            let (end, _) = machine.run(&mut domain, self.entry, &limits, &mut NoWatch);
            let End::Exhausted { place, .. } = end else { return None };
            self.entry = place;
            if place.part == 0 {
                self.world = domain.outside;
                return Some(place);
            }
        }
    }

    /// The current place.
    pub(super) fn place(&self) -> Place {
        self.entry
    }

    /// The value of a register.
    pub(super) fn register(&mut self, field: &Field) -> u128 {
        let endian = if self.guest.architecture().specification().is_big_endian() {
            Endian::Big
        } else {
            Endian::Little
        };
        // Registers are never denied.
        let value = self.state.get(field.location, field.width, endian).map(|bits| bits.to_bytes_le());
        let bytes = value.unwrap_or_default();
        bytes.iter().take(16).rev().fold(0, |value, byte| value << 8 | u128::from(*byte)) & mask(field.bits)
    }
}
