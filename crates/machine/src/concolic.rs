//! The concolic domain: values are concrete bits and, where they depend on input, a symbolic term.
//!
//! The bits decide the path; terms give the value for other inputs. A value without a term is constant on this path and
//! costs the same as in the concrete domain.

use everypath_ir::{Bits, Endian, Location, Op, SpaceId, Width};
use everypath_term::{Term, Terms};

use crate::access::{AccessFault, Denied, Fetched};
use crate::concrete::{Concrete, ConcreteDomain, compute_wide};
use crate::domain::{Domain, MachineDomain};
use crate::end::Fault;
use crate::event::Event;
use crate::outside::Outside;
use crate::path_ranges::{PathRange, PathRanges};
use crate::pieces::Piece;
use crate::region::Region;
use crate::shadow::TermByte;
use crate::state::{State, selected_side};
use crate::step::{Access, Computation, Fixed, UserCall};

/// The maximum size in bytes of memory that an array read covers, unless it is constant: of memory that the program may write, each
/// read is an array of its own.
const LARGEST: usize = 4096;

/// A concolic value: concrete bits, and the term that generalises them to other inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concolic {
    /// The bits.
    pub bits: Concrete,
    /// The term, if it depends on input.
    pub term: Option<Term>,
}

/// The environment of a concolic run.
pub trait Sensed: Outside {
    /// One read of an MMIO register, as [`Outside::read`], with its term.
    ///
    /// # Errors
    /// If no device answers.
    fn sense(
        &mut self,
        terms: &mut Terms,
        location: Location,
        width: Width,
    ) -> Result<(Bits, Option<Term>), Fault>;

    /// Performs a user operation, as [`Outside::user`], on a state with terms.
    ///
    /// # Errors
    /// If it has no model, or stops the run.
    fn operate(
        &mut self,
        context: OperationContext<'_>,
        operation: u32,
        arguments: &[Bits],
    ) -> Result<Option<Bits>, Fault> {
        self.user(context.state, operation, arguments)
    }

    /// The term of an uninitialised memory byte, and its value on this path. If its contents are an assumption, the term is
    /// xored onto them.
    fn unwritten(&mut self, terms: &mut Terms, location: Location, is_assumed: bool) -> (Term, u8);

    /// The bytes of the difference between the result of a user operation and what a model gives, the lowest first: none
    /// if the model is no assumption. On this path they are zero. With each, whether the path asks for the first time.
    fn assumed_result(&mut self, terms: &mut Terms, operation: u32, size: usize) -> Vec<(Term, bool)>;

    /// A byte of shared memory was read by an access of this location and size: the term that is xored onto the value
    /// that the program wrote, and true if the path reads the byte for the first time. On this path the term is zero.
    /// Without a term, the read is only counted.
    fn changed(
        &mut self,
        terms: &mut Terms,
        byte: Location,
        access: (Location, usize),
    ) -> Option<(Term, bool)>;
}

/// The symbolic part of a run, for a user operation.
pub struct OperationContext<'s> {
    /// The state.
    pub state: &'s mut State,
    /// The term pool.
    pub terms: &'s mut Terms,
    /// The events that depend on input, in order.
    pub events: &'s mut Vec<Event>,
    /// The value ranges implied by the path condition.
    pub ranges: &'s PathRanges,
    /// The step of the operation in its block.
    pub step: u32,
}

/// Concolic execution on a state.
pub struct ConcolicDomain<'s, O> {
    /// The state.
    pub state: &'s mut State,
    /// The environment.
    pub outside: O,
    /// The term pool.
    pub terms: &'s mut Terms,
    /// The events that depend on input, in order.
    pub events: &'s mut Vec<Event>,
    /// The value ranges implied by the path condition, for symbolic addresses.
    pub ranges: &'s PathRanges,
}

impl<O: Sensed> ConcolicDomain<'_, O> {
    fn concrete(&mut self) -> ConcreteDomain<'_, &mut O> {
        ConcreteDomain { state: self.state, outside: &mut self.outside }
    }

    /// Makes uninitialised bytes symbolic.
    fn note_unwritten(&mut self, location: Location, size: usize) {
        for distance in 0..size as u64 {
            let byte = Location { space: location.space, offset: location.offset.wrapping_add(distance) };
            if !self.state.is_unset(byte) {
                continue;
            }
            let is_assumed = self.state.is_assumed(byte);
            let (term, value) = self.outside.unwritten(self.terms, byte, is_assumed);
            self.events.push(Event::Unwritten { byte: term, value });
            // Uninitialised memory holds zeros.
            let mut held = 0;
            if let Some(memory) = self.state.memory(byte.space) {
                held = memory.peek(byte.offset);
                memory.poke(byte.offset, value ^ held);
            }
            let held = self.terms.constant_u64(u64::from(held), Width::W8);
            let term = self.terms.apply(Op::Xor, Width::W8, &[term, held]);
            self.state.shadow_mut(byte.space).set(byte.offset, Some(TermByte { term, byte: 0 }));
        }
    }

    /// The term xored onto a byte that something besides the program may write.
    fn difference(&mut self, byte: Location, access: (Location, usize)) -> Option<Term> {
        if !self.state.is_changing(byte, 1) {
            return None;
        }
        let (term, is_first) = self.outside.changed(self.terms, byte, access)?;
        self.events.push(Event::assumed_zero(term, is_first));
        Some(term)
    }

    /// The term of the result of a user operation, if its model is an assumption about the processor.
    fn assumed_result(&mut self, operation: u32, bits: &Concrete, width: Width) -> Option<Term> {
        let mut joined: Option<Term> = None;
        for (byte, is_first) in self.outside.assumed_result(self.terms, operation, width.bytes()) {
            self.events.push(Event::assumed_zero(byte, is_first));
            joined = Some(self.terms.concat_onto(byte, joined));
        }
        let whole = joined?;
        let difference =
            if self.terms.width(whole) == width { whole } else { self.terms.extract(whole, 0, width) };
        let given = self.terms.constant(&bits.to_bits(width));
        Some(self.terms.apply(Op::Xor, width, &[given, difference]))
    }

    /// A value read from shared memory, with the possible difference in its term, so that every branch that depends on
    /// it is known.
    #[cold]
    fn doubted(&mut self, location: Location, place: &Fixed, read: Concolic) -> Concolic {
        let size = place.width.bytes();
        let (mut joined, mut is_doubted): (Option<Term>, bool) = (None, false);
        for byte in 0..size {
            let offset = location.offset.wrapping_add(place.endian.place(byte, size) as u64);
            let difference = self.difference(Location { space: location.space, offset }, (location, size));
            is_doubted |= difference.is_some();
            let part = difference.unwrap_or_else(|| self.terms.constant_u64(0, Width::W8));
            joined = Some(self.terms.concat_onto(part, joined));
        }
        let is_whole = |term: &Term| is_doubted && self.terms.width(*term) == place.width;
        let Some(difference) = joined.filter(is_whole) else { return read };
        let held = read.term.unwrap_or_else(|| self.terms.constant(&read.bits.to_bits(place.width)));
        let term = self.terms.apply(Op::Xor, place.width, &[held, difference]);
        Concolic { term: Some(term), ..read }
    }

    fn read(&mut self, location: Location, place: &Fixed) -> Result<Concolic, Fault> {
        if self.state.notes_written() {
            self.note_unwritten(location, place.width.bytes());
        }
        match self.concrete().read_inside(location, place) {
            Ok(bits) => {
                let shadow = self.state.shadow(location.space);
                let changing = self.state.is_changing(location, place.width.bytes());
                if shadow.is_empty() && !changing {
                    return Ok(Concolic { bits, term: None });
                }
                let whole = bits.to_bits(place.width);
                let term = shadow.read(self.terms, location.offset, &whole, place.endian);
                let read = Concolic { bits, term };
                Ok(if changing { self.doubted(location, place, read) } else { read })
            }
            Err(denied) if denied.fault == AccessFault::Outside => self.read_pieces(location, place),
            Err(denied) => Err(Fault::Access { space: location.space, denied }),
        }
    }

    /// Reads a value that is not entirely in plain memory.
    #[cold]
    fn read_pieces(&mut self, location: Location, place: &Fixed) -> Result<Concolic, Fault> {
        let size = place.width.bytes();
        let mut pieces = self.concrete().pieces(location, size, false)?;
        // MMIO registers are read in address order; the value is joined from its lowest byte on.
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in &pieces {
            let width = piece.width();
            parts.push(if piece.outside {
                self.outside.sense(self.terms, piece.location, width)?
            } else {
                let bits = self.state.get(piece.location, width, place.endian);
                let bits = bits.map_err(|denied| Fault::Access { space: location.space, denied })?;
                let shadow = self.state.shadow(location.space);
                let term = shadow.read(self.terms, piece.location.offset, &bits, place.endian);
                if !self.state.is_changing(piece.location, width.bytes()) {
                    parts.push((bits, term));
                    continue;
                }
                let part = Fixed { location: piece.location, width, ..*place };
                let read = Concolic { bits: Concrete::from_bits(bits.clone()), term };
                (bits, self.doubted(piece.location, &part, read).term)
            });
        }
        if place.endian == Endian::Big {
            pieces.reverse();
            parts.reverse();
        }
        let bytes: Vec<u8> = pieces
            .iter()
            .zip(&parts)
            .flat_map(|(piece, (bits, _))| bits.to_bytes_le().into_iter().take(piece.size))
            .collect();
        let bits = Concrete::from_bits(Bits::from_bytes_le(&bytes, place.width));
        if parts.iter().all(|(_, term)| term.is_none()) {
            return Ok(Concolic { bits, term: None });
        }
        let mut joined: Option<Term> = None;
        for (bits, term) in &parts {
            let part = term.unwrap_or_else(|| self.terms.constant(bits));
            joined = Some(self.terms.concat_onto(part, joined));
        }
        let cut = joined.map(|whole| {
            if self.terms.width(whole) == place.width {
                whole
            } else {
                self.terms.extract(whole, 0, place.width)
            }
        });
        Ok(Concolic { bits, term: cut.filter(|term| !self.terms.is_constant(*term)) })
    }

    /// Fixes the bits of a value written to a device on which later behaviour depends.
    fn fix_kept(&mut self, piece: &Piece, value: Option<Term>) {
        let kept = self.outside.kept_bits(piece.location, piece.size as u64);
        let Some(term) = value.filter(|_| kept != 0) else { return };
        let kept = self.terms.constant_u64(kept, piece.width());
        let argument = self.terms.and(term, kept);
        if !self.terms.is_constant(argument) {
            self.events.push(Event::Fixed { argument });
        }
    }

    /// Writes a value that is not entirely in plain memory.
    #[cold]
    fn write_pieces(&mut self, location: Location, place: &Fixed, value: &Concolic) -> Result<(), Fault> {
        let size = place.width.bytes();
        let whole = Width::of_bytes(size).unwrap_or(place.width);
        let bits = value.bits.to_bits(place.width);
        let pieces = self.concrete().pieces(location, size, true)?;
        for piece in pieces {
            self.concrete().write_piece(&piece, place, &bits)?;
            let low = 8 * piece.low_byte(place) as u32;
            let part = value.term.map(|term| {
                let term =
                    if whole == place.width { term } else { self.terms.apply(Op::Zext, whole, &[term]) };
                self.terms.extract(term, low, piece.width())
            });
            if piece.outside {
                self.fix_kept(&piece, part);
                continue;
            }
            let part = part.filter(|term| !self.terms.is_constant(*term));
            let shadow = self.state.shadow_mut(location.space);
            shadow.write(self.terms, piece.location.offset, piece.width(), part, place.endian);
        }
        Ok(())
    }

    fn write(&mut self, location: Location, place: &Fixed, value: &Concolic) -> Result<(), Fault> {
        self.state.note_store(location, place.width.bytes());
        match self.concrete().write_inside(location, place, &value.bits) {
            Ok(()) => {}
            Err(denied) if denied.fault == AccessFault::Outside => {
                return self.write_pieces(location, place, value);
            }
            Err(denied) => return Err(Fault::Access { space: location.space, denied }),
        }
        if value.term.is_none() && self.state.shadow(location.space).is_empty() {
            return Ok(());
        }
        let shadow = self.state.shadow_mut(location.space);
        shadow.write(self.terms, location.offset, place.width, value.term, place.endian);
        Ok(())
    }

    /// Returns true if the guard of a step is zero; records a symbolic guard as an event.
    fn is_off(&mut self, step: u32, guard: Option<u32>, values: &[Concolic]) -> bool {
        let Some(guard) = guard else { return false };
        let value = &values[guard as usize];
        let taken = value.bits.narrow() != 0;
        if let Some(condition) = value.term {
            self.events.push(Event::Guarded { step, condition, taken });
        }
        !taken
    }

    /// The value of a term, if the path condition and this outcome of a condition imply a single one.
    fn fixed_where(&mut self, term: Term, condition: Term, holds: bool) -> Option<u64> {
        let mut ranges = self.ranges.clone();
        ranges.assume(self.terms, condition, holds);
        let (outcome, opposite) = (u64::from(holds), self.terms.not(condition));
        ranges.restrict(condition, outcome, outcome);
        ranges.restrict(opposite, 1 - outcome, 1 - outcome);
        ranges.fixed(self.terms, term)
    }

    /// If-conversion of a step with a symbolic guard and a concrete address: both outcomes are merged into one value,
    /// so that no path forks inside an instruction. `None` for any other guard or address.
    fn merged(&mut self, access: &Access, values: &[Concolic]) -> Option<(Term, bool, u64)> {
        let guard = &values[access.guard? as usize];
        let (condition, address) = (guard.term?, &values[access.address as usize]);
        let address = match address.term {
            None => address.bits.narrow(),
            // A predicated pop computes it by predicated steps: what counts is its value where the guard holds.
            Some(term) => self.fixed_where(term, condition, true)?,
        };
        let aligned = address & access.misaligned == 0;
        aligned.then_some((condition, guard.bits.narrow() != 0, address))
    }

    /// The value of a location, if it is plain memory and readable.
    fn held(&mut self, location: Location, place: &Fixed) -> Option<Concolic> {
        if self.state.notes_written() {
            self.note_unwritten(location, place.width.bytes());
        }
        let bits = self.concrete().read_inside(location, place).ok()?;
        let whole = bits.to_bits(place.width);
        let term = self.state.shadow(location.space).read(self.terms, location.offset, &whole, place.endian);
        let held = Concolic { bits, term };
        let changing = self.state.is_changing(location, place.width.bytes());
        Some(if changing { self.doubted(location, place, held) } else { held })
    }

    /// Returns true if a location is writable, by writing its own value to it.
    fn may_write(&mut self, location: Location, place: &Fixed, held: &Concolic) -> bool {
        self.concrete().write(location, place, &held.bits).is_ok()
    }

    /// Selects one of two values by a symbolic condition.
    fn choose(
        &mut self,
        condition: Term,
        taken: bool,
        then: &Concolic,
        otherwise: &Concolic,
        width: Width,
    ) -> Concolic {
        let term_of = |terms: &mut Terms, value: &Concolic| match value.term {
            Some(term) => term,
            None => terms.constant(&value.bits.to_bits(width)),
        };
        let (first, second) = (term_of(self.terms, then), term_of(self.terms, otherwise));
        let term = self.terms.select(condition, first, second);
        let bits = if taken { &then.bits } else { &otherwise.bits }.clone();
        Concolic { bits, term: (!self.terms.is_constant(term)).then_some(term) }
    }

    /// Whether memory never changes: a table in read-only memory.
    fn is_constant(&self, space: SpaceId, range: &PathRange) -> bool {
        let (start, last) = (range.start, range.start.saturating_add(range.size as u64 - 1));
        let region = self.state.regions(space).and_then(|regions| regions.at(start));
        let is_constant = |region: Region| {
            let plain = !region.permissions.write && !region.outside && !region.is_assumed;
            plain && region.has_contents && last <= region.last
        };
        region.is_some_and(is_constant)
            && !self.state.is_changing(Location { space, offset: start }, range.size)
    }

    /// The value read through a symbolic address: an array read over all bytes that it can reach.
    fn read_window(&mut self, window: &PathRange, access: &Access) -> Option<Term> {
        if self.state.notes_written() {
            self.note_unwritten(Location { space: access.space, offset: window.start }, window.size);
        }
        let memory = self.state.memory(access.space)?;
        let mut bytes = vec![0; window.size];
        memory.read_bytes(window.start, &mut bytes).ok()?;
        let size = access.width.bytes();
        let start = Location { space: access.space, offset: window.start };
        let changing = self.state.is_changing(start, window.size);
        let shadow = self.state.shadow(access.space);
        for (place, byte) in bytes.iter_mut().enumerate() {
            // The concrete value of a symbolic byte must not enter the table, or the same read gives another term for
            // other inputs.
            if !shadow.is_empty() && shadow.get(window.start + place as u64).is_some() {
                *byte = 0;
            }
        }
        let mut array = self.terms.table(&bytes, window.index_width);
        if changing || !self.state.shadow(access.space).is_empty() {
            for place in 0..window.size as u64 {
                let byte = Location { offset: window.start + place, ..start };
                let origin = self.state.shadow(access.space).get(byte.offset);
                let difference = if changing { self.difference(byte, (byte, size)) } else { None };
                let held = origin.map(|origin| self.terms.byte(origin.term, u32::from(origin.byte)));
                let value = match (held, difference) {
                    (held, None) => held,
                    (held, Some(difference)) => {
                        let plain = u64::from(bytes[place as usize]);
                        let held = held.unwrap_or_else(|| self.terms.constant_u64(plain, Width::W8));
                        Some(self.terms.apply(Op::Xor, Width::W8, &[held, difference]))
                    }
                };
                if let Some(value) = value {
                    let index = self.terms.constant_u64(place, window.index_width);
                    array = self.terms.store(array, index, value);
                }
            }
        }
        let mut joined = None;
        for byte in 0..size {
            let distance = access.endian.place(byte, size) as u64;
            let distance = self.terms.constant_u64(distance, window.index_width);
            let index = self.terms.apply(Op::Add, window.index_width, &[window.index, distance]);
            let part = self.terms.read(array, index);
            joined = Some(self.terms.concat_onto(part, joined));
        }
        let whole = joined?;
        Some(if self.terms.width(whole) == access.width {
            whole
        } else {
            self.terms.extract(whole, 0, access.width)
        })
    }
}

impl<O: Sensed> Domain for ConcolicDomain<'_, O> {
    type Value = Concolic;

    #[inline]
    fn compute(&mut self, computation: &Computation, values: &mut [Concolic]) {
        let Computation { op, result, arguments, result_width, argument_widths, narrow } = *computation;
        // Not by `map`, which is not inlined here: this is the interpreter's inner loop.
        let [a, b, c] = arguments;
        let (a, b, c) = (a as usize, b as usize, c as usize);
        let bits = if narrow {
            let (a, b, c) = (values[a].bits.narrow(), values[b].bits.narrow(), values[c].bits.narrow());
            Concrete::Narrow(op.apply_word(result_width, argument_widths[0], a, b, c))
        } else {
            compute_wide(computation, |slot, width| values[slot as usize].bits.to_bits(width))
        };
        let term = if values[a].term.is_none() && values[b].term.is_none() && values[c].term.is_none() {
            None
        } else {
            self.compute_term(computation, values)
        };
        values[result as usize] = Concolic { bits, term };
    }

    #[inline]
    fn get(&mut self, place: &Fixed, values: &mut [Concolic]) -> Result<(), Fault> {
        values[place.slot as usize] = self.read(place.location, place)?;
        Ok(())
    }

    #[inline]
    fn put(&mut self, place: &Fixed, values: &mut [Concolic]) -> Result<(), Fault> {
        self.write(place.location, place, &values[place.slot as usize])
    }

    fn load(&mut self, access: &Access, values: &mut [Concolic]) -> Result<(), Fault> {
        if let Some((condition, taken, address)) = self.merged(access, values) {
            let (location, place) = access.at(address);
            if let Some(held) = self.held(location, &place) {
                let nothing = Concolic { bits: Concrete::from_bits(Bits::zero(access.width)), term: None };
                values[access.slot as usize] = self.choose(condition, taken, &held, &nothing, access.width);
                return Ok(());
            }
        }
        if self.is_off(access.step, access.guard, values) {
            let bits = Concrete::from_bits(Bits::zero(access.width));
            values[access.slot as usize] = Concolic { bits, term: None };
            return Ok(());
        }
        let address = &values[access.address as usize];
        let now = address.bits.narrow();
        let (location, place) = access.at(now);
        // The guard of a predicated load holds here, and often bounds its address.
        let guard = access.guard.and_then(|guard| values[guard as usize].term);
        let guarded = guard.map(|condition| {
            let mut ranges = self.ranges.clone();
            ranges.assume(self.terms, condition, true);
            ranges
        });
        let ranges = guarded.as_ref().unwrap_or(self.ranges);
        // If the path condition implies a single address, it is concrete.
        let open = address.term.filter(|term| ranges.fixed(self.terms, *term).is_none());
        self.align(access, open, now)?;
        let Some(term) = open else {
            self.located(access.space, values[access.address as usize].term, now);
            values[access.slot as usize] = self.read(location, &place)?;
            return Ok(());
        };
        let ranges = guarded.as_ref().unwrap_or(self.ranges);
        let window = ranges.find(self.terms, term, access.width.bytes());
        let window = window.filter(|window| window.size <= LARGEST || self.is_constant(access.space, window));
        let open = window.and_then(|window| self.read_window(&window, access));
        self.accessed(access, term, now, false, open.is_some());
        values[access.slot as usize] = match open {
            Some(term) => {
                let bits = self.concrete().read(location, &place)?;
                let term = (!self.terms.is_constant(term)).then_some(term);
                Concolic { bits, term }
            }
            None => self.read(location, &place)?,
        };
        Ok(())
    }

    fn store(&mut self, access: &Access, values: &mut [Concolic]) -> Result<(), Fault> {
        if let Some((condition, taken, address)) = self.merged(access, values) {
            let (location, place) = access.at(address);
            if let Some(held) = self.held(location, &place) {
                let value = self.choose(condition, taken, &values[access.slot as usize], &held, access.width);
                // If the location is not writable, the guard decides whether that is a fault.
                if self.may_write(location, &place, &held) {
                    return self.write(location, &place, &value);
                }
            }
        }
        if self.is_off(access.step, access.guard, values) {
            return Ok(());
        }
        let address = &values[access.address as usize];
        let now = address.bits.narrow();
        let open = address.term.filter(|term| self.ranges.fixed(self.terms, *term).is_none());
        self.align(access, open, now)?;
        match open {
            Some(term) => self.accessed(access, term, now, true, false),
            None => self.located(access.space, values[access.address as usize].term, now),
        }
        let (location, place) = access.at(now);
        self.write(location, &place, &values[access.slot as usize])
    }

    fn user(&mut self, call: &UserCall, values: &mut [Concolic]) -> Result<(), Fault> {
        let result = if self.is_off(call.step, call.guard, values) {
            None
        } else {
            let mut arguments = Vec::with_capacity(call.arguments.len());
            for (slot, width) in &call.arguments {
                let value = &values[*slot as usize];
                if let Some(argument) = value.term {
                    self.events.push(Event::Fixed { argument });
                }
                arguments.push(value.bits.to_bits(*width));
            }
            let context = OperationContext {
                state: self.state,
                terms: self.terms,
                events: self.events,
                ranges: self.ranges,
                step: call.step,
            };
            self.outside.operate(context, call.operation, &arguments)?
        };
        if let Some((slot, width)) = call.result {
            let is_given = result.is_some();
            let bits = Concrete::from_bits(result.unwrap_or_else(|| Bits::zero(width)));
            let term = if is_given { self.assumed_result(call.operation, &bits, width) } else { None };
            values[slot as usize] = Concolic { bits, term };
        }
        Ok(())
    }
}

impl<O: Sensed> MachineDomain for ConcolicDomain<'_, O> {
    fn constant(&self, bits: &Bits) -> Concolic {
        Concolic { bits: Concrete::from_bits(bits.clone()), term: None }
    }

    fn nothing(&self) -> Concolic {
        Concolic { bits: Concrete::Narrow(0), term: None }
    }

    fn decide(&mut self, condition: &Concolic) -> bool {
        let taken = condition.bits.narrow() != 0;
        if let Some(condition) = condition.term {
            self.events.push(Event::Decided { condition, taken });
        }
        taken
    }

    fn address(&mut self, value: &Concolic, _: Width) -> u64 {
        let now = value.bits.narrow();
        let target = value.term.and_then(|target| self.where_taken(target));
        self.events.extend(target.map(|target| Event::Jumped { target, value: now }));
        now
    }

    fn fetch(&mut self, space: SpaceId, address: u64, buffer: &mut [u8]) -> Result<Fetched, Denied> {
        self.concrete().fetch(space, address, buffer)
    }

    fn executes(&mut self, space: SpaceId, address: u64, size: usize) {
        // Code is not assumed to change: only data are.
        let start = Location { space, offset: address };
        if self.state.notes_written() && !self.state.is_assumed(start) {
            self.note_unwritten(start, size);
        }
        if self.state.shadow(space).is_empty() {
            return;
        }
        for distance in 0..size as u64 {
            let location = Location { space, offset: address.wrapping_add(distance) };
            if let Some((byte, value)) = self.symbolic_byte(location) {
                self.events.push(Event::Executed { byte, value });
            }
        }
    }

    fn is_plain(&self, location: Location, width: Width) -> bool {
        self.state.is_plain(location, width)
    }

    fn register(&mut self, location: Location, width: Width) -> u64 {
        for offset in location.offset..location.offset + width.bytes() as u64 {
            if let Some((byte, value)) = self.symbolic_byte(Location { offset, ..location }) {
                self.events.push(Event::Switched { byte, value });
            }
        }
        self.concrete().register(location, width)
    }
}

impl<O: Sensed> ConcolicDomain<'_, O> {
    /// The target of a predicated jump where its predicate, which was decided last, holds; `None` if it is a single one there.
    fn where_taken(&mut self, target: Term) -> Option<Term> {
        let Some(Event::Decided { condition, taken }) = self.events.last() else { return Some(target) };
        let (condition, taken) = (*condition, *taken);
        if self.fixed_where(target, condition, taken).is_some() {
            return None;
        }
        Some(selected_side(self.terms, target, condition, taken).unwrap_or(target))
    }

    /// The term and the value of a byte that depends on input, unless the path condition fixes it.
    fn symbolic_byte(&mut self, location: Location) -> Option<(Term, u8)> {
        let origin = self.state.shadow(location.space).get(location.offset)?;
        let byte = self.terms.byte(origin.term, u32::from(origin.byte));
        if self.terms.is_constant(byte) || self.ranges.fixed(self.terms, byte).is_some() {
            return None;
        }
        Some((byte, self.state.read(location.space, location.offset, 1).unwrap_or(0) as u8))
    }

    #[cold]
    fn compute_term(&mut self, computation: &Computation, values: &[Concolic]) -> Option<Term> {
        let Computation { op, arguments, result_width, argument_widths, .. } = *computation;
        let mut term_of = |place: usize| {
            let value = &values[arguments[place] as usize];
            match value.term {
                Some(term) => term,
                None => self.terms.constant(&value.bits.to_bits(argument_widths[place])),
            }
        };
        let mut operands = [term_of(0); 3];
        for (place, operand) in operands.iter_mut().enumerate().take(op.arity()).skip(1) {
            *operand = term_of(place);
        }
        let term = self.terms.apply(op, result_width, &operands[..op.arity()]);
        (!self.terms.is_constant(term)).then_some(term)
    }

    /// Checks alignment; with a symbolic address this is a branch on input.
    #[inline]
    fn align(&mut self, access: &Access, address: Option<Term>, now: u64) -> Result<(), Fault> {
        if let Some(address) = address.filter(|_| access.misaligned != 0) {
            let condition = is_aligned(self.terms, access, address);
            if !self.terms.is_constant(condition) {
                let taken = now & access.misaligned == 0;
                self.events.push(Event::Guarded { step: access.step, condition, taken });
            }
        }
        access.check_alignment(now)
    }

    /// An access at an address that the path condition fixes. Where objects are, the address may depend on their layout.
    fn located(&mut self, space: SpaceId, address: Option<Term>, value: u64) {
        if let Some(address) = address.filter(|_| self.state.has_aliases()) {
            self.events.push(Event::Located { space, address, value });
        }
    }

    fn accessed(&mut self, access: &Access, address: Term, value: u64, write: bool, window: bool) {
        let (step, space, size) = (access.step, access.space, access.width.bytes());
        self.events.push(Event::Accessed { step, space, address, value, size, write, window });
    }
}

/// The condition that an access is aligned, as a term over its address.
pub fn is_aligned(terms: &mut Terms, access: &Access, address: Term) -> Term {
    let width = terms.width(address);
    let mask = terms.constant_u64(access.misaligned, width);
    let below = terms.and(address, mask);
    let zero = terms.constant_u64(0, width);
    terms.eq(below, zero)
}
