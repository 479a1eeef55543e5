//! Symbolic execution of one path (King 1976).

use super::expression::{Expression, Form, Store};
use crate::program::Program;
use everypath_ir::{Algebra, Bits, Endian, Location, Op, SpaceId, SpaceKind, Width};
use everypath_machine::{Access, Computation, Domain, Fault, Fixed, UserCall};
use rustc_hash::FxHashMap;

/// A store to memory.
#[derive(Clone, Copy)]
struct Written {
    space: SpaceId,
    address: Expression,
    value: Expression,
}

/// Symbolic state of a path: registers and memory as expressions over their initial values.
pub(super) struct Walk<'p> {
    program: &'p Program<'p>,
    pub(super) store: Store,
    /// Register values, keyed by first byte; no two overlap.
    places: FxHashMap<Location, Expression>,
    written: Vec<Written>,
    /// Number of calls passed; each starts an epoch with new initial values.
    epoch: u32,
    /// The stack pointer.
    stack: Option<Location>,
    /// True if a value is known only by convention.
    pub(super) by_convention: bool,
}

/// The contents of a byte range after the stores of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    /// No store changed it.
    Nothing,
    Value(Expression),
    /// A store changed part of it.
    Unclear,
}

/// Maximum size of a register in bytes: how far before a location one may start.
const WIDEST: u64 = 64;

/// A number modulo two to the power of a width.
pub(super) fn wrapped(number: u64, width: Width) -> u64 {
    if width < Width::W64 { number & ((1 << width.bits()) - 1) } else { number }
}

/// Returns true if two accesses, by their first bytes and sizes, share a byte. Addresses have a width, and count modulo two to
/// its power: a store below a base is a large offset, and may reach across the base.
fn overlap((first, size): (u64, u64), (second, length): (u64, u64), address: Width) -> bool {
    wrapped(second.wrapping_sub(first), address) < size
        || wrapped(first.wrapping_sub(second), address) < length
}

impl<'p> Walk<'p> {
    /// The start of a path, where everything is an initial value.
    pub(super) fn start(program: &'p Program<'p>) -> Self {
        let mut store = Store::default();
        // The slot of undefined temporaries.
        store.truth(false);
        let stack = program.architecture().stack_pointer().map(|(location, _)| location);
        Self {
            program,
            store,
            places: FxHashMap::default(),
            written: Vec::new(),
            epoch: 0,
            stack,
            by_convention: false,
        }
    }

    /// Havocs what a callee may change: everything but the callee-saved registers.
    pub(super) fn havoc_call(&mut self) {
        self.havoc_unpreserved(self.program.return_pop());
    }

    /// Havocs what an operation with unknown effects may change, such as a system call: everything but the registers that a callee
    /// preserves, too.
    fn havoc_effects(&mut self) {
        self.havoc_unpreserved(None);
        self.by_convention = true;
    }

    /// Whether calls or operations have changed memory and registers since the start of the path.
    pub(super) fn has_havocked(&self) -> bool {
        self.epoch > 0
    }

    /// Havocs everything but the callee-saved registers; a return has popped its address off the stack, by this register and size.
    fn havoc_unpreserved(&mut self, popped: Option<(Location, Width, u64)>) {
        let architecture = self.program.architecture();
        let convention = architecture.description().call.as_ref();
        let names = convention.map_or(&[][..], |call| call.preserved.as_slice());
        let endian = |location: Location| architecture.layout()[location.space].endian;
        let kept: Vec<(Location, Width)> =
            names.iter().filter_map(|name| architecture.register(name)).collect();
        let saved: Vec<(Location, Width, Expression)> = kept
            .into_iter()
            .map(|(location, width)| (location, width, self.get_place(location, width, endian(location))))
            .collect();
        self.havoc_all();
        for (location, width, mut value) in saved {
            // The call has pushed the return address, and the return has popped it.
            if let Some((_, _, popped)) =
                popped.filter(|(stack, whole, _)| (*stack, *whole) == (location, width))
            {
                let popped = self.store.constant(Bits::from_u64(wrapped(popped, width), width));
                value = self.store.compute(Op::Add, width, &[value, popped]);
            }
            self.put_place(location, width, value, endian(location));
        }
    }

    fn havoc_all(&mut self) {
        self.places.clear();
        self.written.clear();
        self.epoch += 1;
    }

    fn initial(&mut self, location: Location, width: Width) -> Expression {
        if let Some(address) = self.global_pointer(location, width) {
            return address;
        }
        self.store.add(Form::Initial { location, width, epoch: self.epoch })
    }

    /// The value of the global pointer, if the location is that register.
    fn global_pointer(&mut self, location: Location, width: Width) -> Option<Expression> {
        let (register, whole, address) = self.program.global_pointer()?;
        if (register, whole) != (location, width) {
            return None;
        }
        self.by_convention = true;
        Some(self.store.constant(Bits::from_u64(address, width)))
    }

    /// The initial value of a location.
    pub(super) fn initial_form(&self, location: Location, width: Width) -> Form {
        Form::Initial { location, width, epoch: 0 }
    }

    /// The value of a location, if the path wrote it with this width.
    pub(super) fn held(&mut self, location: Location, width: Width) -> Option<Expression> {
        self.places.get(&location).copied().filter(|value| self.store.width(*value) == width)
    }

    pub(super) fn get_place(&mut self, location: Location, width: Width, endian: Endian) -> Expression {
        if let Some(value) = self.places.get(&location).copied()
            && self.store.width(value) == width
        {
            return value;
        }
        self.read_bytes(location, width, endian)
    }

    /// Assembles a value from the parts stored there.
    fn read_bytes(&mut self, location: Location, width: Width, endian: Endian) -> Expression {
        let size = width.bytes() as u64;
        // A larger value that contains it.
        for before in 0..WIDEST {
            let Some(offset) = location.offset.checked_sub(before) else { break };
            let Some(value) = self.places.get(&Location { offset, ..location }).copied() else { continue };
            let whole = self.store.width(value).bytes() as u64;
            if whole <= before {
                break;
            }
            if whole >= before + size {
                let low = match endian {
                    Endian::Little => 8 * before,
                    Endian::Big => 8 * (whole - before - size),
                };
                return self.store.compute(Op::Extract(low as u16), width, &[value]);
            }
            // It contains only part of it: too rare to handle.
            return self.store.unknown(width);
        }
        let inner: Vec<u64> = (1..size)
            .filter(|distance| {
                self.places.contains_key(&Location { offset: location.offset + distance, ..location })
            })
            .collect();
        if inner.is_empty() && !self.places.contains_key(&location) {
            return self.initial(location, width);
        }
        // Concatenate the parts inside, and initial values for the gaps between them.
        let mut at = 0;
        let mut whole: Option<Expression> = None;
        while at < size {
            let here = Location { offset: location.offset + at, ..location };
            let part = match self.places.get(&here).copied() {
                Some(value) => value,
                None => {
                    let next = inner.iter().copied().find(|distance| *distance > at).unwrap_or(size);
                    let Some(width) = Width::of_bytes((next - at) as usize) else { break };
                    self.initial(here, width)
                }
            };
            let part_size = self.store.width(part).bytes() as u64;
            if at + part_size > size {
                return self.store.unknown(width);
            }
            at += part_size;
            whole = Some(match whole {
                None => part,
                Some(whole) => {
                    let bits = self.store.width(whole).bits() + self.store.width(part).bits();
                    let Some(sum) = Width::new(bits) else { return self.store.unknown(width) };
                    let pair = match endian {
                        Endian::Little => [part, whole],
                        Endian::Big => [whole, part],
                    };
                    self.store.compute(Op::Concat, sum, &pair)
                }
            });
        }
        whole.filter(|whole| self.store.width(*whole) == width).unwrap_or_else(|| self.store.unknown(width))
    }

    fn put_place(&mut self, location: Location, width: Width, value: Expression, endian: Endian) {
        // A value written to the global-pointer register is the global pointer, however it was computed.
        let value = self.global_pointer(location, width).unwrap_or(value);
        let size = width.bytes() as u64;
        // Truncate values that straddle the ends.
        for before in 1..WIDEST {
            let Some(offset) = location.offset.checked_sub(before) else { break };
            let start = Location { offset, ..location };
            let Some(old) = self.places.get(&start).copied() else { continue };
            let whole = self.store.width(old).bytes() as u64;
            if whole > before {
                self.keep_part(start, old, 0, before, endian);
                if whole > before + size {
                    self.keep_part(start, old, before + size, whole, endian);
                }
            }
            break;
        }
        for distance in 0..size {
            let start = Location { offset: location.offset.wrapping_add(distance), ..location };
            if let Some(old) = self.places.remove(&start) {
                let whole = self.store.width(old).bytes() as u64;
                if distance + whole > size {
                    self.keep_part(start, old, size - distance, whole, endian);
                }
            }
        }
        self.places.insert(location, value);
    }

    /// Keeps some bytes of an overwritten value.
    fn keep_part(&mut self, start: Location, old: Expression, from: u64, to: u64, endian: Endian) {
        let whole = self.store.width(old).bytes() as u64;
        let Some(width) = Width::of_bytes((to - from) as usize) else { return };
        let low = match endian {
            Endian::Little => 8 * from,
            Endian::Big => 8 * (whole - to),
        };
        let part = self.store.compute(Op::Extract(low as u16), width, &[old]);
        self.places.insert(Location { offset: start.offset + from, ..start }, part);
    }

    fn is_register(&self, space: SpaceId) -> bool {
        let kind = self.program.architecture().layout()[space].kind;
        kind != SpaceKind::Memory
    }

    fn load_from(&mut self, space: SpaceId, address: Expression, width: Width) -> Expression {
        if space == self.program.code_space()
            && let Some(number) = self.store.number(address)
            && let Some(value) = self.program.fixed(number, width)
        {
            return self.store.constant(Bits::from_u64(value, width));
        }
        let (base, offset) = self.store.split(address);
        if let Some(value) = self.load_slot(space, base, offset, width) {
            return value;
        }
        let mut version = self.epoch << 16;
        let mut passed_stack = false;
        let mut found = None;
        for (number, written) in self.written.iter().enumerate().rev() {
            if written.space != space {
                continue;
            }
            let (other, start) = self.store.split(written.address);
            // By convention, no variable at a fixed address is on the stack.
            if base.is_none() && other.is_some_and(|other| self.is_stack(other)) {
                passed_stack = true;
                continue;
            }
            if other != base {
                // A store through another base may alias.
                version += number as u32 + 1;
                break;
            }
            let size = self.store.width(written.value).bytes() as u64;
            if start == offset && self.store.width(written.value) == width {
                found = Some(written.value);
                break;
            }
            if overlap((start, size), (offset, width.bytes() as u64), self.store.width(address)) {
                return self.store.unknown(width);
            }
        }
        if let Some(value) = found {
            self.by_convention |= passed_stack;
            return value;
        }
        self.store.add(Form::Loaded { space, address, width, version })
    }

    /// The value stored in a stack slot, despite later stores through other bases: by convention, no pointer refers to
    /// a register's spill slot.
    fn load_slot(
        &mut self,
        space: SpaceId,
        base: Option<Expression>,
        offset: u64,
        width: Width,
    ) -> Option<Expression> {
        let Form::Initial { location, .. } = self.store.form(base?) else { return None };
        let is_slot = space == self.program.code_space() && self.is_stack(base?);
        let Stored::Value(value) = self.stored(*location, offset, width) else { return None };
        let is_it = |written: &&Written| {
            let is_whole = self.store.width(written.value) == width;
            is_whole && self.store.split(written.address) == (base, offset)
        };
        let newer = self.written.iter().rev().filter(|written| written.space == space);
        let through_others = newer
            .take_while(|written| !is_it(written))
            .any(|written| self.store.split(written.address).0 != base);
        self.by_convention |= is_slot && through_others;
        is_slot.then_some(value)
    }

    /// Returns true if a value is the initial stack pointer.
    fn is_stack(&self, value: Expression) -> bool {
        matches!(self.store.form(value), Form::Initial { location, .. } if Some(*location) == self.stack)
    }

    /// The contents of memory at an offset from the initial value of a location, after the stores of the path. Stores
    /// through other bases are assumed not to alias.
    pub(super) fn stored(&self, base: Location, offset: u64, width: Width) -> Stored {
        let size = width.bytes() as u64;
        for written in self.written.iter().rev() {
            let (Some(other), start) = self.store.split(written.address) else { continue };
            if !matches!(self.store.form(other), Form::Initial { location, .. } if *location == base) {
                continue;
            }
            if start == offset && self.store.width(written.value) == width {
                return Stored::Value(written.value);
            }
            let length = self.store.width(written.value).bytes() as u64;
            if overlap((start, length), (offset, size), self.store.width(written.address)) {
                return Stored::Unclear;
            }
        }
        Stored::Nothing
    }

    fn address_of(&mut self, space: SpaceId, offset: u64) -> Expression {
        let width = self.program.architecture().layout()[space].offset_width();
        self.store.constant(Bits::from_u64(offset, width))
    }

    fn guarded(&mut self, guard: Option<u32>, value: Expression, values: &[Expression]) -> Expression {
        let Some(guard) = guard else { return value };
        let width = self.store.width(value);
        let zero = self.store.zero(width);
        self.store.compute(Op::Select, width, &[values[guard as usize], value, zero])
    }
}

impl Domain for Walk<'_> {
    type Value = Expression;

    fn compute(&mut self, computation: &Computation, values: &mut [Expression]) {
        let arguments = computation.arguments.map(|slot| values[slot as usize]);
        let arguments = &arguments[..computation.op.arity()];
        values[computation.result as usize] = if self.store.is_full() {
            self.store.unknown(computation.result_width)
        } else {
            self.store.compute(computation.op, computation.result_width, arguments)
        };
    }

    fn get(&mut self, place: &Fixed, values: &mut [Expression]) -> Result<(), Fault> {
        let Location { space, offset } = place.location;
        values[place.slot as usize] = if self.is_register(space) {
            self.get_place(place.location, place.width, place.endian)
        } else {
            let address = self.address_of(space, offset);
            self.load_from(space, address, place.width)
        };
        Ok(())
    }

    fn put(&mut self, place: &Fixed, values: &mut [Expression]) -> Result<(), Fault> {
        let Location { space, offset } = place.location;
        let value = values[place.slot as usize];
        if self.is_register(space) {
            self.put_place(place.location, place.width, value, place.endian);
        } else {
            let address = self.address_of(space, offset);
            self.written.push(Written { space, address, value });
        }
        Ok(())
    }

    fn load(&mut self, access: &Access, values: &mut [Expression]) -> Result<(), Fault> {
        let address = values[access.address as usize];
        let loaded = match self.store.number(address) {
            Some(offset) if self.is_register(access.space) => {
                self.get_place(Location { space: access.space, offset }, access.width, access.endian)
            }
            _ => self.load_from(access.space, address, access.width),
        };
        values[access.slot as usize] = self.guarded(access.guard, loaded, values);
        Ok(())
    }

    fn store(&mut self, access: &Access, values: &mut [Expression]) -> Result<(), Fault> {
        let (address, mut value) = (values[access.address as usize], values[access.slot as usize]);
        if access.guard.is_some() {
            value = self.store.unknown(access.width);
        }
        self.written.push(Written { space: access.space, address, value });
        Ok(())
    }

    fn user(&mut self, call: &UserCall, values: &mut [Expression]) -> Result<(), Fault> {
        if !self.program.is_harmless(call.operation) {
            self.havoc_effects();
        }
        if let Some((slot, width)) = call.result {
            values[slot as usize] = self.store.unknown(width);
        }
        Ok(())
    }
}
