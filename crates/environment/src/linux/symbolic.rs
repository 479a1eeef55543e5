//! System calls of a symbolic run: what a call decides on is fixed, and what it reads from the standard input has terms.

use super::caller::Caller;
use super::concrete::{copy_values, put_file_size};
use super::input_files::{InputFile, SIZE_BYTES};
use super::interface::Linux;
use super::process::Process;
use crate::results::answer_location;
use crate::sense::{InputOrigin, Sensor};
use everypath_ir::{Bits, Location, Op, Width};
use everypath_machine::{Event, Fault, OperationContext, Sensed, State, TermByte};
use everypath_term::Term;
use std::cmp::Ordering;
use std::sync::Arc;

/// The size of the number of bytes of the standard input, in bytes.
const LENGTH: u32 = 4;

/// A symbolic run that makes a system call.
pub(crate) struct SymbolicCaller<'c, 's, 'e> {
    sensor: &'c mut Sensor<'e>,
    context: OperationContext<'s>,
    linux: &'c Linux,
}

impl Sensor<'_> {
    /// Performs a system call.
    pub(crate) fn system_call(
        &mut self,
        context: OperationContext<'_>,
        linux: &Linux,
    ) -> Result<Option<Bits>, Fault> {
        let Some(mut process) = self.progress.take_process() else { return Err(Fault::SystemCall(None)) };
        let mut caller = SymbolicCaller { sensor: self, context, linux };
        let performed = linux.perform(Arc::<Process>::make_mut(&mut process), &mut caller);
        self.progress.put_process(process);
        performed
    }
}

impl SymbolicCaller<'_, '_, '_> {
    /// The term of a number that the state holds, if it depends on input and the path has not fixed it.
    fn open_term(&mut self, location: Location, size: usize) -> Option<(Term, u64)> {
        let OperationContext { state, terms, ranges, .. } = &mut self.context;
        // Whatever access the program has to it: the system reads memory that the program may not.
        let bits = Bits::from_u64(state.peek(location, size), Width::of_bytes(size)?);
        let term = state.shadow(location.space).read(terms, location.offset, &bits, self.linux.endian)?;
        let is_known = terms.is_constant(term) || ranges.fixed(terms, term).is_some();
        (!is_known).then(|| (term, bits.to_word()))
    }

    fn choose(&mut self, location: Location, size: usize) {
        let Some((argument, value)) = self.open_term(location, size) else { return };
        let is_chosen =
            |event: &Event| matches!(event, Event::Chosen { argument: other, .. } if *other == argument);
        if !self.context.events.iter().any(is_chosen) {
            self.context.events.push(Event::Chosen { argument, value });
        }
    }

    /// The term of the number that is the size of a file, if it is open.
    fn size_term(&mut self, file: &InputFile) -> Option<Term> {
        let OperationContext { state, terms, .. } = &mut self.context;
        let value = state.peek(file.size, SIZE_BYTES);
        let bits = Bits::from_u64(value, Width::of_bytes(SIZE_BYTES)?);
        state.shadow(file.size.space).read(terms, file.size.offset, &bits, self.linux.endian)
    }

    /// A decision of the path: whether a number of bytes, with its term, is at least this one.
    fn decide_size(&mut self, term: Term, count: u64, taken: bool) {
        let terms = &mut *self.context.terms;
        let count = terms.constant_u64(count, terms.width(term));
        let is_less = terms.apply(Op::Ult, Width::W1, &[term, count]);
        let condition = terms.not(is_less);
        self.context.events.push(Event::Guarded { step: self.context.step, condition, taken });
    }

    /// The number of bytes of the standard input on this path, and its term.
    fn length(&mut self, cell: usize) -> (u64, Option<Term>) {
        let reads = &mut self.sensor.progress.reads[cell];
        *reads = (*reads).max(1);
        if let Some(length) = self.sensor.world.given_input_length() {
            return (length, None);
        }
        let (mut value, mut joined) = (0, None);
        for byte in 0..LENGTH {
            let input =
                self.sensor.inputs.number(InputOrigin::Reading { cell: cell as u32, ordinal: 0, byte });
            value |= u64::from(self.sensor.model.get(input)) << (8 * byte);
            let term = self.context.terms.input(input);
            joined = Some(self.context.terms.concat_onto(term, joined));
        }
        (value, joined)
    }
}

impl Caller for SymbolicCaller<'_, '_, '_> {
    fn state(&mut self) -> &mut State {
        self.context.state
    }

    fn fix(&mut self, location: Location, size: usize) {
        if self.context.state.shadow(location.space).is_empty() {
            return;
        }
        if size <= 8 {
            return self.choose(location, size);
        }
        for offset in (location.offset..).take(size) {
            self.choose(Location { offset, ..location }, 1);
        }
    }

    fn written(&mut self, location: Location, size: usize) {
        let Some(last) = (size as u64).checked_sub(1) else { return };
        if !self.context.state.shadow(location.space).is_empty() {
            let shadow = self.context.state.shadow_mut(location.space);
            shadow.clear(location.offset, location.offset.saturating_add(last));
        }
    }

    fn input_has(&mut self, count: u64) -> bool {
        let Some(size) = self.linux.input_size() else { return false };
        if count <= u64::from(size.least) || count > u64::from(size.most) {
            return count <= u64::from(size.least);
        }
        let Some((_, Some(cell))) = self.sensor.world.input_cells else { return false };
        let (length, term) = self.length(cell);
        let taken = length >= count;
        if let Some(term) = term {
            self.decide_size(term, count, taken);
        }
        taken
    }

    fn file_has(&mut self, file: &InputFile, count: u64) -> bool {
        let taken = file.size_in(self.context.state, self.linux.endian) >= count;
        // The number counts as the nearest one within the bounds, and `count` is above the lower one and not above the upper one.
        if let Some(term) = self.size_term(file) {
            self.decide_size(term, count, taken);
        }
        taken
    }

    fn copy(&mut self, from: Location, to: Location, count: u64) {
        copy_values(self.context.state, from, to, count);
        let has_terms = |space| !self.context.state.shadow(space).is_empty();
        if !has_terms(from.space) && !has_terms(to.space) {
            return;
        }
        for offset in 0..count {
            let origin = self.context.state.shadow(from.space).get(from.offset + offset);
            self.context.state.shadow_mut(to.space).set(to.offset + offset, origin);
        }
    }

    fn put_file_size(&mut self, file: &InputFile, shift: u32, to: Location, size: usize) {
        put_file_size(self.context.state, file, shift, to, size, self.linux.endian);
        self.written(to, size);
        let Some((term, width)) = self.size_term(file).zip(Width::of_bytes(size)) else { return };
        let terms = &mut *self.context.terms;
        let own = terms.width(term);
        let bound = |terms: &mut everypath_term::Terms, term, bound: u32, is_least: bool| {
            let limit = terms.constant_u64(u64::from(bound), own);
            let operands = if is_least { [term, limit] } else { [limit, term] };
            let is_beyond = terms.apply(Op::Ult, Width::W1, &operands);
            terms.select(is_beyond, limit, term)
        };
        let term = bound(terms, term, file.bounds.least, true);
        let term = bound(terms, term, file.bounds.most, false);
        let rest = terms.constant_u64((1 << shift) - 1, own);
        let rounded = terms.apply(Op::Add, own, &[term, rest]);
        let distance = terms.constant_u64(u64::from(shift), own);
        let units = terms.apply(Op::Lshr, own, &[rounded, distance]);
        let units = match width.bits().cmp(&own.bits()) {
            Ordering::Less => terms.extract(units, 0, width),
            Ordering::Equal => units,
            Ordering::Greater => terms.apply(Op::Zext, width, &[units]),
        };
        let shadow = self.context.state.shadow_mut(to.space);
        shadow.write(terms, to.offset, width, Some(units), self.linux.endian);
    }

    fn put_input(&mut self, location: Location) {
        let Some((cell, _)) = self.sensor.world.input_cells else { return };
        let ordinal = self.sensor.progress.reads[cell];
        self.sensor.progress.reads[cell] += 1;
        let (value, origin) = match self.sensor.world.scripted(cell, ordinal as usize) {
            Some(value) => (value as u8, None),
            None => {
                let input =
                    self.sensor.inputs.number(InputOrigin::Reading { cell: cell as u32, ordinal, byte: 0 });
                let term = self.context.terms.input(input);
                (self.sensor.model.get(input), Some(TermByte { term, byte: 0 }))
            }
        };
        if let Some(memory) = self.context.state.memory(location.space) {
            memory.poke(location.offset, value);
        }
        if origin.is_some() || !self.context.state.shadow(location.space).is_empty() {
            self.context.state.shadow_mut(location.space).set(location.offset, origin);
        }
    }

    fn assume(&mut self, location: Location, size: usize, answer: u64) {
        let Some(start) = answer_location(self.sensor.world, answer) else { return };
        for distance in 0..size as u64 {
            let byte = Location { offset: start.offset + distance, ..start };
            let Some((term, is_first)) = self.sensor.changed(self.context.terms, byte, (start, size)) else {
                continue;
            };
            self.context.events.push(Event::assumed_zero(term, is_first));
            let at = Location { offset: location.offset.wrapping_add(distance), ..location };
            let held = self.context.terms.constant_u64(self.context.state.peek(at, 1), Width::W8);
            let term = self.context.terms.apply(Op::Xor, Width::W8, &[held, term]);
            self.context.state.shadow_mut(at.space).set(at.offset, Some(TermByte { term, byte: 0 }));
        }
    }

    fn note(&mut self, assumption: &'static str) {
        self.context.events.push(Event::Answered { assumption, loses_paths: false });
    }

    fn note_loss(&mut self, assumption: &'static str) {
        self.context.events.push(Event::Answered { assumption, loses_paths: true });
    }

    fn output(&mut self, _: u32, _: &[u8]) {}
}
