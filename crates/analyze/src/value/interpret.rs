//! Value-set analysis as a domain of the shared IR interpreter: the abstract effect of each step on a state.

use super::options::{AnalysisOptions, Trust};
use super::slot_aliases::{AbstractLocation, SlotAliases};
use super::state::AbstractState;
use super::symbol::{EntrySymbol, Value};
use crate::domain::Number;
use crate::program::Program;
use everypath_ir::{Layout, Location, Op, SpaceId, SpaceKind, Width, Word};
use everypath_machine::{Access, Computation, Domain, Fault, Fixed, UserCall};

/// Maximum number of addresses of one access before it counts as unknown.
const ADDRESSES: u64 = 64;
/// Maximum number of stack bytes that one access may touch before it counts as unknown.
const STRETCH: u64 = 1 << 12;

/// An abstract state on which blocks are run.
pub(super) struct Interpreter<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) options: &'a AnalysisOptions,
    pub(super) state: AbstractState,
    pub(super) held: SlotAliases,
    /// True if a store may have hit code.
    pub(super) code_written: bool,
}

/// The locations that an address may denote (its points-to set).
enum PointsTo {
    /// One of these addresses of the space.
    Fixed(Vec<u64>),
    /// One of these stack offsets.
    Stack(Vec<i64>),
    /// Anywhere in a range of the space: first address, size.
    Range(u64, u64),
    /// Anywhere in a range of the stack: first offset, size.
    Stretch(i64, u64),
    /// Anywhere.
    Anywhere,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(program: &'a Program<'a>, options: &'a AnalysisOptions, state: AbstractState) -> Self {
        Self { program, options, state, held: SlotAliases::default(), code_written: false }
    }

    fn layout(&self) -> &'a Layout {
        self.program.architecture().layout()
    }

    fn is_memory(&self, space: SpaceId) -> bool {
        self.layout()[space].kind == SpaceKind::Memory
    }

    fn trusted(&self) -> bool {
        self.options.trust == Trust::Convention
    }

    fn points_to(&self, address: &Value, size: u64) -> PointsTo {
        let addresses: Option<Vec<u64>> = address
            .number
            .as_finite_set()
            .map(<[u64]>::to_vec)
            .or_else(|| address.number.interval()?.numbers(ADDRESSES));
        let width = address.width();
        let signed = |number: u64| number.sign_extend(width) as i64;
        match (address.base, addresses) {
            (None, Some(addresses)) => PointsTo::Fixed(addresses),
            (Some(base), Some(addresses)) if self.is_stack(base) => {
                PointsTo::Stack(addresses.into_iter().map(signed).collect())
            }
            (Some(base), None) if self.is_stack(base) => match address.number.interval() {
                Some(interval) => {
                    let (low, high) = (signed(interval.low()), signed(interval.high()));
                    let length = high.checked_sub(low).and_then(|length| u64::try_from(length).ok());
                    match length.and_then(|length| length.checked_add(size)) {
                        Some(length) if length <= STRETCH => PointsTo::Stretch(low, length),
                        _ => PointsTo::Anywhere,
                    }
                }
                None => PointsTo::Anywhere,
            },
            (None, None) => match address.number.interval() {
                Some(interval) if !interval.is_all() && interval.low() <= interval.high() => {
                    PointsTo::Range(interval.low(), interval.span().saturating_add(size))
                }
                _ => PointsTo::Anywhere,
            },
            _ => PointsTo::Anywhere,
        }
    }

    /// Returns true if the stack may overlap fixed addresses: without trust it may, unless the stack pointer is
    /// concrete.
    fn may_overlap(&self) -> bool {
        !self.trusted() && self.state.start.is_none()
    }

    /// Records a write that may modify code.
    fn note_write(&mut self, space: SpaceId, offset: u64, size: u64) {
        if space == self.program.code_space() {
            self.code_written |= self.program.is_writable_code(offset, offset.saturating_add(size - 1));
        }
    }

    fn is_stack(&self, base: EntrySymbol) -> bool {
        matches!(base, EntrySymbol::Register(location, width) if self.options.stack_pointer == Some((location, width)))
    }

    fn is_volatile(&self, space: SpaceId, address: u64, size: u64) -> bool {
        self.options.volatile.overlaps(Location { space, offset: address }, size as usize)
    }

    /// Reads a register or memory at a fixed address.
    fn read_place(&self, location: Location, width: Width) -> Value {
        let Location { space, offset } = location;
        if self.is_volatile(space, offset, width.bytes() as u64) {
            return Value::unknown(width);
        }
        if space == self.program.code_space()
            && let Some(number) = self.program.fixed(offset, width)
        {
            return Value::plain(Number::one(width, number));
        }
        self.state.place(self.layout(), location, width)
    }

    fn write_place(&mut self, location: Location, value: Value) {
        let layout = self.layout();
        let size = value.width().bytes() as u64;
        self.state.set_place(layout, location, value);
        self.held.changed(AbstractLocation::Place(location), size);
        if self.is_memory(location.space) {
            self.note_write(location.space, location.offset, size);
            if self.may_overlap() {
                // The stack may be located there.
                self.state.havoc_all(false);
                self.held.stack_changed();
            }
        }
    }

    fn read(&self, access: &Access, address: &Value) -> Value {
        let (space, width) = (access.space, access.width);
        let join = |values: Vec<Value>| {
            let mut values = values.into_iter();
            let first = values.next().unwrap_or_else(|| Value::unknown(width));
            values.fold(first, |whole, value| whole.join(&value))
        };
        match self.points_to(address, width.bytes() as u64) {
            PointsTo::Fixed(addresses) => join(
                addresses
                    .iter()
                    .map(|offset| self.read_place(Location { space, offset: *offset }, width))
                    .collect(),
            ),
            // Stores to possibly overlapping fixed addresses have already havocked these cells.
            PointsTo::Stack(addresses) => join(
                addresses
                    .iter()
                    .map(|distance| self.state.stack(self.layout(), space, *distance, width))
                    .collect(),
            ),
            PointsTo::Stretch(..) | PointsTo::Range(..) | PointsTo::Anywhere => Value::unknown(width),
        }
    }

    fn write(&mut self, access: &Access, address: &Value, value: &Value) {
        let (space, width, layout) = (access.space, access.width, self.layout());
        let size = width.bytes() as u64;
        match self.points_to(address, size) {
            PointsTo::Fixed(addresses) => {
                for offset in &addresses {
                    let location = Location { space, offset: *offset };
                    let value = match addresses.len() {
                        1 => value.clone(),
                        _ => value.join(&self.state.place(layout, location, width)),
                    };
                    self.write_place(location, value);
                }
            }
            PointsTo::Stack(addresses) => {
                for distance in &addresses {
                    let value = match addresses.len() {
                        1 => value.clone(),
                        _ => value.join(&self.state.stack(layout, space, *distance, width)),
                    };
                    self.state.set_stack(layout, space, *distance, value);
                    self.held.changed(AbstractLocation::Stack(space, *distance), size);
                }
                self.stack_written(space);
            }
            PointsTo::Stretch(low, length) => {
                self.state.havoc_stack(layout, space, low, length);
                self.held.changed(AbstractLocation::Stack(space, low), length);
                self.stack_written(space);
            }
            PointsTo::Range(offset, length) => {
                self.state.havoc_range(layout, space, offset, length);
                self.held.changed(AbstractLocation::Place(Location { space, offset }), length);
                self.note_write(space, offset, length);
                if self.may_overlap() {
                    self.state.havoc_all(false);
                    self.held.stack_changed();
                }
            }
            PointsTo::Anywhere => {
                self.state.havoc_space(space);
                self.held.space_changed(space);
                self.held.stack_changed();
                self.note_write(space, 0, u64::MAX);
                let trusted = self.trusted();
                self.state.havoc_all(trusted);
            }
        }
    }

    /// Havocs fixed addresses after a stack write if the stack may overlap them.
    fn stack_written(&mut self, space: SpaceId) {
        self.note_write(space, 0, u64::MAX);
        if self.may_overlap() {
            self.state.havoc_space(space);
            self.held.space_changed(space);
        }
    }

    /// The only location that an access can denote, if there is one and it is not volatile.
    fn abstract_location(&self, access: &Access, address: &Value) -> Option<AbstractLocation> {
        let (space, size) = (access.space, access.width.bytes() as u64);
        match self.points_to(address, size) {
            PointsTo::Fixed(addresses) => match addresses[..] {
                [offset] if !self.is_volatile(space, offset, size) => {
                    Some(AbstractLocation::Place(Location { space, offset }))
                }
                _ => None,
            },
            PointsTo::Stack(addresses) => match addresses[..] {
                [distance] => Some(AbstractLocation::Stack(space, distance)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether a guard can be true, and whether it can be false.
    fn guard(guard: Option<u32>, values: &[Value]) -> (bool, bool) {
        match guard {
            None => (true, false),
            Some(slot) => {
                let value = &values[slot as usize];
                (
                    value.base.is_some() || value.number.contains(1),
                    value.base.is_some() || value.number.contains(0),
                )
            }
        }
    }

    /// Havocs all that unknown code may change. With trust, callee-saved registers keep their values.
    pub(super) fn havoc_unpreserved(&mut self) {
        let architecture = self.program.architecture();
        let layout = self.layout();
        let mut kept = Vec::new();
        if self.trusted()
            && let Some(convention) = &architecture.description().call
        {
            for name in &convention.preserved {
                if let Some((location, width)) = architecture.register(name) {
                    kept.push((location, self.state.place(layout, location, width)));
                }
            }
        }
        let trusted = self.trusted();
        self.state.havoc_all(trusted);
        self.havoc_spaces();
        for (location, value) in kept {
            self.state.set_place(layout, location, value);
        }
        self.held.clear();
        self.note_write(self.program.code_space(), 0, u64::MAX);
    }

    /// Havocs all registers and memory, including callee-saved registers.
    pub(super) fn havoc_everything(&mut self) {
        let trusted = self.trusted();
        self.state.havoc_all(trusted);
        self.havoc_spaces();
        self.held.clear();
    }

    fn havoc_spaces(&mut self) {
        for (index, space) in self.layout().spaces.iter().enumerate() {
            if space.kind != SpaceKind::Temporary {
                self.state.havoc_space(SpaceId(index as u8));
            }
        }
    }
}

impl Domain for Interpreter<'_> {
    type Value = Value;

    fn compute(&mut self, computation: &Computation, values: &mut [Value]) {
        let arguments = computation.arguments.map(|slot| &values[slot as usize]);
        let arguments = &arguments[..computation.op.arity()];
        // x - x and x ^ x are zero, whatever x is.
        let same = computation.op.arity() == 2 && computation.arguments[0] == computation.arguments[1];
        let result = match computation.op {
            Op::Sub | Op::Xor if same => Value::plain(Number::one(computation.result_width, 0)),
            op => Value::apply(op, computation.result_width, arguments),
        };
        values[computation.result as usize] = result;
    }

    fn get(&mut self, place: &Fixed, values: &mut [Value]) -> Result<(), Fault> {
        values[place.slot as usize] = self.read_place(place.location, place.width);
        let size = place.width.bytes() as u64;
        if !self.is_volatile(place.location.space, place.location.offset, size) {
            self.held.read(AbstractLocation::Place(place.location), size, place.slot);
        }
        Ok(())
    }

    fn put(&mut self, place: &Fixed, values: &mut [Value]) -> Result<(), Fault> {
        self.write_place(place.location, values[place.slot as usize].clone());
        let size = place.width.bytes() as u64;
        if !self.is_volatile(place.location.space, place.location.offset, size) {
            self.held.read(AbstractLocation::Place(place.location), size, place.slot);
        }
        Ok(())
    }

    fn load(&mut self, access: &Access, values: &mut [Value]) -> Result<(), Fault> {
        let (on, off) = Self::guard(access.guard, values);
        let zero = Value::plain(Number::one(access.width, 0));
        let loaded = self.read(access, &values[access.address as usize]);
        values[access.slot as usize] = match (on, off) {
            (true, false) => loaded,
            (false, _) => zero,
            _ => loaded.join(&zero),
        };
        if (on, off) == (true, false)
            && let Some(location) = self.abstract_location(access, &values[access.address as usize])
        {
            self.held.read(location, access.width.bytes() as u64, access.slot);
        }
        Ok(())
    }

    fn store(&mut self, access: &Access, values: &mut [Value]) -> Result<(), Fault> {
        let (on, off) = Self::guard(access.guard, values);
        let address = values[access.address as usize].clone();
        let mut value = values[access.slot as usize].clone();
        if on && off {
            value = value.join(&self.read(access, &address));
        }
        if on {
            self.write(access, &address, &value);
        }
        if (on, off) == (true, false)
            && let Some(location) = self.abstract_location(access, &address)
        {
            self.held.read(location, access.width.bytes() as u64, access.slot);
        }
        Ok(())
    }

    fn user(&mut self, call: &UserCall, values: &mut [Value]) -> Result<(), Fault> {
        if !self.program.is_harmless(call.operation) {
            self.havoc_unpreserved();
        }
        if let Some((slot, width)) = call.result {
            values[slot as usize] = Value::unknown(width);
        }
        Ok(())
    }
}
