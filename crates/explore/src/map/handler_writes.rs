//! Abstract interpretation of one basic block over value sets (Balakrishnan and Reps 2004), to find the memory that an
//! interrupt handler writes, and the registers that it changes. Stores relative to the stack pointer are assumed to stay in the
//! handler's frame, whatever their offset, except those at or above the saved context.

use std::collections::{BTreeMap, BTreeSet};

use everypath_analyze::{AbstractState, BlockId, EntrySymbol, Graph, Number, Program, Value, ValueSets};
use everypath_ir::{AddressRange, Bits, Location, SpaceId, SpaceKind, Width};
use everypath_machine::{Access, Computation, Domain, Fault, Fixed, ReadyBlock, UserCall, run_steps};

/// A store to more addresses than this counts as one to any.
const LARGEST: u64 = 0x1_0000;

/// Memory that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Written {
    /// Some bytes of this range.
    Range(AddressRange),
    /// Bytes at unknown addresses.
    Anywhere,
    /// A register, which the handler may have saved before.
    Register(Location),
    /// The context of the interrupted program that the processor saved at interrupt entry.
    SavedContext,
}

/// The effects of a handler on the interrupted program: the memory and registers that it writes or saves.
#[derive(Debug, Default)]
pub(crate) struct HandlerEffects {
    pub(crate) written: BTreeSet<Written>,
    /// The registers that it stores before it writes them, to restore them at its end.
    saved: BTreeSet<Location>,
}

/// The registers that a handler must save if it writes them. The stack pointer is not one of them.
pub(crate) struct KeptRegisters {
    /// Those that functions preserve, and those that the processor has in memory.
    named: BTreeSet<Location>,
    /// Bytes of memory that instructions address as registers, and the specification does not name.
    unnamed: BTreeSet<Location>,
}

impl HandlerEffects {
    /// The registers that it writes and has not saved.
    pub(crate) fn changed_registers(&self) -> impl Iterator<Item = Location> + '_ {
        self.written.iter().filter_map(|written| match written {
            Written::Register(location) if !self.saved.contains(location) => Some(*location),
            _ => None,
        })
    }

    /// Whether it restores the only byte that a store writes, because that is a register.
    pub(crate) fn restores(&self, written: &Written) -> bool {
        matches!(written, Written::Range(range)
            if range.first == range.last && self.saved.contains(&range.start()))
    }

    /// Whether it has written a register, by its name or by its address.
    fn has_written(&self, location: Location) -> bool {
        let Location { space, offset } = location;
        let range = Written::Range(AddressRange { space, first: offset, last: offset });
        self.written.contains(&Written::Register(location)) || self.written.contains(&range)
    }
}

/// The registers that a handler must save if it writes them.
pub(crate) fn kept_registers(program: &Program<'_>) -> KeptRegisters {
    let architecture = program.architecture();
    let description = architecture.description();
    let location = |name: &String| architecture.register(name).map(|(location, _)| location);
    let preserved = description.call.iter().flat_map(|call| &call.preserved).filter_map(location);
    let in_memory = description.memory.iter().flat_map(|range| {
        let space = range
            .space
            .as_ref()
            .map_or(Some(program.code_space()), |name| architecture.layout().find_space(name));
        range.own.iter().filter_map(move |offset| Some(Location { space: space?, offset: *offset }))
    });
    let is_register = |location: &Location| architecture.register_name(*location, Width::W8).is_some();
    let (in_memory, unnamed): (Vec<_>, _) = in_memory.partition(is_register);
    let mut named: BTreeSet<Location> = preserved.chain(in_memory).collect();
    architecture.stack_pointer().map(|(stack, _)| named.remove(&stack));
    KeptRegisters { named, unnamed: BTreeSet::from_iter(unnamed) }
}

/// Collects what a block of a handler writes. Blocks are to be given in the order in which they run.
pub(crate) fn effects_of(
    program: &Program<'_>,
    graph: &Graph,
    values: &ValueSets,
    block: BlockId,
    kept: &KeptRegisters,
    effects: &mut HandlerEffects,
) {
    let Ok(lifted) = graph.lift(block, program, &mut program.lifter().session()) else {
        effects.written.insert(Written::Anywhere);
        return;
    };
    let constant = |bits: &Bits| Value::plain(Number::constant(bits));
    let layout = program.architecture().layout();
    let mut ready = ReadyBlock::new(layout, lifted.into(), constant, || Value::unknown(Width::W1));
    let states: Vec<Option<&AbstractState>> = match values.before(block) {
        [] => vec![None],
        known => known.iter().map(|(_, state)| Some(state)).collect(),
    };
    for state in states {
        let (puts, held) = (BTreeMap::new(), BTreeMap::new());
        let mut stores = Stores { program, values, state, puts, held, kept, effects };
        // No step of this domain fails.
        let _ = run_steps(&mut stores, &mut ready);
    }
}

struct Stores<'s> {
    program: &'s Program<'s>,
    values: &'s ValueSets,
    state: Option<&'s AbstractState>,
    /// The values that the block has written to fixed locations.
    puts: BTreeMap<Location, Value>,
    /// By the slot of a value, the register that it was read from.
    held: BTreeMap<u32, Location>,
    kept: &'s KeptRegisters,
    effects: &'s mut HandlerEffects,
}

impl Stores<'_> {
    fn is_stack(&self, base: EntrySymbol) -> bool {
        let pointer = self.values.options().stack_pointer;
        matches!(base, EntrySymbol::Register(location, width) if pointer == Some((location, width)))
    }

    fn note(&mut self, space: SpaceId, first: u64, size: u64) {
        let range = AddressRange::of_bytes(Location { space, offset: first }, size);
        self.effects.written.extend(range.map(Written::Range));
    }

    /// Whether the processor saves registers on the stack, where a handler finds and may change them.
    fn has_saved_context(&self) -> bool {
        let vectors = self.program.architecture().description().vectors.as_ref();
        vectors.is_some_and(|vectors| vectors.stack_pointer.is_some())
    }
}

impl Domain for Stores<'_> {
    type Value = Value;

    fn compute(&mut self, computation: &Computation, values: &mut [Value]) {
        let arguments = computation.arguments.map(|slot| &values[slot as usize]);
        let arguments = &arguments[..computation.op.arity()];
        values[computation.result as usize] =
            Value::apply(computation.op, computation.result_width, arguments);
    }

    fn get(&mut self, place: &Fixed, values: &mut [Value]) -> Result<(), Fault> {
        let (location, width) = (place.location, place.width);
        let is_kept = self.kept.named.contains(&location) || self.kept.unnamed.contains(&location);
        if is_kept && !self.puts.contains_key(&location) {
            self.held.insert(place.slot, location);
        }
        let read = AddressRange::of_value(location, width);
        let put =
            |(at, value): (&Location, &Value)| read.overlaps(&AddressRange::of_value(*at, value.width()));
        let fixed = (location.space == self.program.code_space())
            .then(|| self.program.fixed(location.offset, width))
            .flatten();
        let layout = self.program.architecture().layout();
        values[place.slot as usize] = match (self.puts.get(&location), fixed, self.state) {
            (Some(value), ..) if value.width() == width => value.clone(),
            _ if self.puts.iter().any(put) => Value::unknown(width),
            (_, Some(number), _) => Value::plain(Number::one(width, number)),
            (_, None, Some(state)) => state.place(layout, location, width),
            (_, None, None) => Value::unknown(width),
        };
        Ok(())
    }

    fn put(&mut self, place: &Fixed, values: &mut [Value]) -> Result<(), Fault> {
        let (location, size) = (place.location, place.width.bytes() as u64);
        let architecture = self.program.architecture();
        let is_memory = architecture.layout()[location.space].kind == SpaceKind::Memory;
        if self.kept.named.contains(&location) {
            self.effects.written.insert(Written::Register(location));
        }
        // Some processors have their registers in memory; a handler restores them.
        if is_memory && architecture.register_name(location, place.width).is_none() {
            self.note(location.space, location.offset, size);
        }
        let written = AddressRange::of_value(location, place.width);
        self.puts.retain(|at, value| !written.overlaps(&AddressRange::of_value(*at, value.width())));
        self.puts.insert(location, values[place.slot as usize].clone());
        Ok(())
    }

    fn load(&mut self, access: &Access, values: &mut [Value]) -> Result<(), Fault> {
        let address = &values[access.address as usize];
        let single = address.number.single().filter(|_| address.base.is_none());
        let fixed = single.filter(|_| access.space == self.program.code_space());
        let fixed = fixed.and_then(|address| self.program.fixed(address, access.width));
        values[access.slot as usize] = match fixed {
            Some(number) => Value::plain(Number::one(access.width, number)),
            None => Value::unknown(access.width),
        };
        Ok(())
    }

    fn store(&mut self, access: &Access, values: &mut [Value]) -> Result<(), Fault> {
        let address = &values[access.address as usize];
        let size = access.width.bytes() as u64;
        // What is stored before it is written is saved.
        if let Some(register) = self.held.get(&access.slot)
            && !self.effects.has_written(*register)
        {
            self.effects.saved.insert(*register);
        }
        match (address.base, address.number.as_finite_set(), address.number.interval()) {
            (Some(base), ..) if self.is_stack(base) => {
                let width = address.number.width().bits().clamp(1, 64);
                let above = |distance: u64| (distance << (64 - width)) as i64 >= 0;
                if self.has_saved_context() && address.number.single().is_some_and(above) {
                    self.effects.written.insert(Written::SavedContext);
                }
            }
            (None, Some(few), _) => {
                for first in few.iter().copied() {
                    self.note(access.space, first, size);
                }
            }
            (None, None, Some(interval)) if !interval.is_all() && interval.span() < LARGEST => {
                let (low, high) = (interval.low(), interval.high());
                if low <= high {
                    self.note(access.space, low, high - low + size);
                } else {
                    self.effects.written.insert(Written::Anywhere);
                }
            }
            _ => {
                self.effects.written.insert(Written::Anywhere);
            }
        }
        Ok(())
    }

    fn user(&mut self, call: &UserCall, values: &mut [Value]) -> Result<(), Fault> {
        if let Some((slot, width)) = call.result {
            values[slot as usize] = Value::unknown(width);
        }
        Ok(())
    }
}
