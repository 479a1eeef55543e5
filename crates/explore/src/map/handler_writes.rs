//! Abstract interpretation of one basic block over value sets (Balakrishnan and Reps 2004), to find the memory that an
//! interrupt handler writes. Stores to the handler's own stack frame are left out.

use std::collections::{BTreeMap, BTreeSet};

use everypath_analyze::{AbstractState, BlockId, EntrySymbol, Graph, Number, Program, Value, ValueSets};
use everypath_ir::{Bits, Location, SpaceId, SpaceKind, Width};
use everypath_machine::{Access, Computation, Domain, Fault, Fixed, ReadyBlock, UserCall, run_steps};

/// A store to more addresses than this counts as one to any.
const LARGEST: u64 = 0x1_0000;

/// Memory that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Written {
    /// Some bytes of this range.
    Range { space: SpaceId, first: u64, last: u64 },
    /// Bytes at unknown addresses.
    Anywhere,
}

/// Collects the memory that a block writes.
pub(crate) fn writes_of(
    program: &Program<'_>,
    graph: &Graph,
    values: &ValueSets,
    block: BlockId,
    written: &mut BTreeSet<Written>,
) {
    let node = graph.block(block);
    let end = node.end;
    let mut session = program.lifter().session();
    let Ok(lifted) = session.block_until(program.image(), node.place, |next| next.address == end) else {
        written.insert(Written::Anywhere);
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
        let mut stores = Stores { program, values, state, puts: BTreeMap::new(), written };
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
    written: &'s mut BTreeSet<Written>,
}

impl Stores<'_> {
    fn is_stack(&self, base: EntrySymbol) -> bool {
        let pointer = self.values.bounds().stack_pointer;
        matches!(base, EntrySymbol::Register(location, width) if pointer == Some((location, width)))
    }

    fn note(&mut self, space: SpaceId, first: u64, size: u64) {
        let last = first.saturating_add(size - 1);
        self.written.insert(Written::Range { space, first, last });
    }
}

fn overlap(location: Location, size: u64, other: Location, other_size: u64) -> bool {
    location.space == other.space
        && location.offset < other.offset.saturating_add(other_size)
        && other.offset < location.offset.saturating_add(size)
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
        let put = |(at, value): (&Location, &Value)| {
            overlap(location, width.bytes() as u64, *at, value.width().bytes() as u64)
        };
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
        let is_memory = architecture.layout().spaces[usize::from(location.space.0)].kind == SpaceKind::Memory;
        // Some processors have their registers in memory; a handler restores them.
        if is_memory && architecture.register_name(location, place.width).is_none() {
            self.note(location.space, location.offset, size);
        }
        self.puts.retain(|at, value| !overlap(location, size, *at, value.width().bytes() as u64));
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
        match (address.base, address.number.as_finite_set(), address.number.interval()) {
            (Some(base), ..) if self.is_stack(base) => {}
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
                    self.written.insert(Written::Anywhere);
                }
            }
            _ => {
                self.written.insert(Written::Anywhere);
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
