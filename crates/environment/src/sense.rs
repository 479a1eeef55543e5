//! The environment of a concolic run: each read of a volatile cell is new symbolic input.

use everypath_ir::{AddressSet, Bits, Location, Place, Width};
use everypath_machine::{AccessFault, Denied, Fault, OperationContext, Outside, Sensed, State};
use everypath_term::{Input, Model, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::interrupt_lines::Lines;
use crate::linux::Process;
use crate::model::{Call, Remembered};
use crate::world::{World, narrow_mask};

/// The origin of an input byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InputOrigin {
    /// A byte read from a volatile cell.
    Reading {
        /// The index of the cell in the configuration.
        cell: u32,
        /// The index of the read of the cell, from zero.
        ordinal: u32,
        /// The byte of the value, from the least significant.
        byte: u32,
    },
    /// A byte of memory or of a register at the start.
    Initial {
        /// The index of the input in the configuration.
        input: u32,
        /// The byte, from the lowest address, or from the least significant of the register.
        byte: u32,
    },
    /// An uninitialised byte of memory that the program read.
    Unwritten {
        /// Its location.
        location: Location,
    },
    /// The difference, as an xor mask, between a byte at the entry and the value that it is assumed to have there. It is assumed
    /// zero everywhere.
    Assumed {
        /// Its location.
        location: Location,
    },
    /// The difference, as an xor mask, between a byte that a peripheral, an interrupt handler or a store to another address may
    /// have changed and the value last written at its address. It is assumed zero everywhere.
    Changed {
        /// Its location.
        location: Location,
        /// The index of the read on its path: the byte may change between two reads.
        ordinal: u32,
    },
    /// A byte that stands for the contents of a word on several paths, which an abstraction has merged.
    Abstracted {
        /// Where the paths met.
        place: Place,
        /// The word.
        location: Location,
        /// The index of the byte.
        byte: u32,
        /// Tells it from the bytes of earlier merges that are still in use.
        copy: u32,
    },
}

/// The number of reads of such a byte that have their own input on a path. Further reads reuse them cyclically, because a
/// polling loop reads without end. Each of those is an event: what compares it with an earlier read may show nothing of that.
const CHANGES: u32 = 128;
/// The size of the widest access in bytes.
const WIDEST: u64 = 64;

/// The input bytes of all paths: the same byte of the same read has the same number on every path.
#[derive(Clone, Debug, Default)]
pub struct InputTable {
    origins: Vec<InputOrigin>,
    numbers: FxHashMap<InputOrigin, Input>,
    /// Accesses to memory that something besides the program may write, with the largest size of each.
    changing: BTreeMap<Location, u64>,
    /// The input bytes for the differences of such memory.
    changed: Vec<(Input, Location)>,
    /// Memory that interrupt handlers write, if their interrupts are taken: reads of it are only counted.
    shared: AddressSet,
}

impl InputTable {
    /// The number of an input byte; assigns one if it is new.
    pub fn number(&mut self, origin: InputOrigin) -> Input {
        *self.numbers.entry(origin).or_insert_with(|| {
            self.origins.push(origin);
            let input = Input(self.origins.len() as u32 - 1);
            if let InputOrigin::Assumed { location } | InputOrigin::Changed { location, .. } = origin {
                self.changed.push((input, location));
            }
            input
        })
    }

    /// The input byte of memory that is uninitialised, or whose contents are assumed.
    pub fn unwritten(&mut self, location: Location, is_assumed: bool) -> Input {
        if is_assumed {
            self.changing.entry(location).or_insert(1);
            self.number(InputOrigin::Assumed { location })
        } else {
            self.number(InputOrigin::Unwritten { location })
        }
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// The number of an input byte, if it was ever read.
    pub fn find(&self, origin: InputOrigin) -> Option<Input> {
        self.numbers.get(&origin).copied()
    }

    /// Accesses to memory that something besides the program may write, each with its size in bytes.
    pub fn changing(&self) -> impl Iterator<Item = (Location, u64)> + '_ {
        self.changing.iter().map(|(location, size)| (*location, *size))
    }

    /// The first of these accesses that covers a byte, or the byte.
    pub fn changing_around(&self, byte: Location) -> Location {
        let first = Location { offset: byte.offset.saturating_sub(WIDEST), ..byte };
        let mut near = self.changing.range(first..=byte);
        near.find(|(access, size)| byte.offset - access.offset < **size).map_or(byte, |(access, _)| *access)
    }

    /// Takes in that interrupt handlers write this memory, and that their interrupts are taken: a path reads what they
    /// wrote.
    pub fn share(&mut self, memory: AddressSet) {
        self.shared = memory;
    }

    /// The accesses to shared memory, each with the first shared byte.
    pub fn shared(&self) -> impl Iterator<Item = (Location, Location)> + '_ {
        self.changing.iter().filter_map(|(access, size)| {
            let byte = |distance| Location { offset: access.offset.wrapping_add(distance), ..*access };
            let first = (0..*size).map(byte).find(|byte| self.shared.contains(*byte))?;
            Some((*access, first))
        })
    }

    /// The location of which an input byte is such a difference.
    pub fn changed_at(&self, input: Input) -> Option<Location> {
        match self.origin(input)? {
            InputOrigin::Assumed { location } | InputOrigin::Changed { location, .. } => Some(location),
            _ => None,
        }
    }

    /// The input bytes that are assumed differences (`Assumed`, `Changed`), with their locations.
    pub fn changed(&self) -> &[(Input, Location)] {
        &self.changed
    }

    /// Whether an input byte is uninitialised memory.
    pub fn is_unwritten(&self, input: Input) -> bool {
        matches!(self.origin(input), Some(InputOrigin::Unwritten { .. }))
    }

    /// The origin of an input byte.
    pub fn origin(&self, input: Input) -> Option<InputOrigin> {
        self.origins.get(input.0 as usize).copied()
    }
}

/// The environment state of a path: how far its inputs are consumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of reads of each cell.
    pub reads: Vec<u32>,
    remembered: Remembered,
    /// The number of reads of each byte that something besides the program may write.
    changing: Rc<BTreeMap<Location, u32>>,
}

impl Progress {
    /// Whether another path differs at most in the numbers of reads.
    pub fn differs_only_in_reads(&self, other: &Progress) -> bool {
        self.remembers_same(other) && self.changing == other.changing
    }

    /// The process, which a system call changes.
    pub(crate) fn take_process(&mut self) -> Option<Arc<Process>> {
        self.remembered.process.take()
    }

    /// Whether the program is a process of Linux.
    pub fn is_process(&self) -> bool {
        self.remembered.process.is_some()
    }

    /// Puts the process back.
    pub(crate) fn put_process(&mut self, process: Arc<Process>) {
        self.remembered.process = Some(process);
    }

    /// The interrupt lines that the program has enabled and pended.
    pub fn lines(&self) -> &Lines {
        &self.remembered.lines
    }

    /// The same, to take an interrupt.
    pub fn lines_mut(&mut self) -> &mut Lines {
        &mut self.remembered.lines
    }

    /// Whether hidden processor state is the same on another path.
    pub fn remembers_same(&self, other: &Progress) -> bool {
        self.remembered == other.remembered
    }

    /// The number of reads of a byte that something besides the program may write.
    fn changes(&self, location: Location) -> u32 {
        self.changing.get(&location).copied().unwrap_or(0)
    }

    /// The input byte for the difference of such a byte that the path has read, `later` reads ago.
    pub fn changed_by_read(&self, table: &InputTable, location: Location, later: u32) -> Option<Input> {
        let read = self.changes(location).checked_sub(1 + later)?;
        table.find(InputOrigin::Changed { location, ordinal: read % CHANGES })
    }

    /// The bytes that something besides the program may write, and which the path has read since it had another progress.
    pub fn changing_since<'p>(&'p self, earlier: &'p Progress) -> impl Iterator<Item = Location> + 'p {
        let is_read = |(location, reads): &(&Location, &u32)| **reads > earlier.changes(**location);
        self.changing.iter().filter(is_read).map(|(location, _)| *location)
    }

    /// The image of an input under the renaming that maps what was read before an earlier state of a path, whose progress is
    /// `earlier`, to what was read behind it: the read of the same cell, or of the same byte that something besides the
    /// program may write, as many reads later as the path has made since.
    pub fn image(&self, earlier: &Progress, table: &InputTable, input: Input) -> Option<Input> {
        match table.origin(input)? {
            InputOrigin::Reading { cell, ordinal, byte } => {
                let before = earlier.reads[cell as usize];
                let later = ordinal + (self.reads[cell as usize] - before);
                (later >= before && later > ordinal)
                    .then(|| table.find(InputOrigin::Reading { cell, ordinal: later, byte }))
                    .flatten()
            }
            InputOrigin::Changed { location, ordinal } => {
                let before = earlier.changes(location);
                // The last read before the earlier state that has this input.
                let read = before.checked_sub(1 + before.checked_sub(1 + ordinal)? % CHANGES)?;
                let later = read + (self.changes(location) - before);
                (later >= before && later > read)
                    .then(|| table.find(InputOrigin::Changed { location, ordinal: later % CHANGES }))
                    .flatten()
            }
            InputOrigin::Initial { .. }
            | InputOrigin::Unwritten { .. }
            | InputOrigin::Assumed { .. }
            | InputOrigin::Abstracted { .. } => None,
        }
    }

    /// Takes the greater number of reads of each cell.
    pub fn advance(&mut self, other: &Progress) {
        self.reads.iter_mut().zip(&other.reads).for_each(|(ours, theirs)| *ours = (*ours).max(*theirs));
    }

    /// The number of reads of all cells.
    pub fn count(&self) -> u64 {
        self.reads.iter().map(|reads| u64::from(*reads)).sum()
    }
}

impl World {
    /// The environment state at the start of a path.
    pub fn progress(&self) -> Progress {
        Progress {
            reads: vec![0; self.sources.len()],
            remembered: self.remembered.clone(),
            changing: Rc::default(),
        }
    }
}

/// The environment of a concolic run.
pub struct Sensor<'e> {
    /// The volatile cells and the models of user operations.
    pub world: &'e World,
    /// The environment state of the path.
    pub progress: &'e mut Progress,
    /// The input bytes.
    pub inputs: &'e mut InputTable,
    /// The values of input bytes on this path.
    pub model: &'e Model,
}

impl Sensor<'_> {
    fn cell(&self, location: Location) -> Result<usize, Fault> {
        let denied = Denied { address: location.offset, fault: AccessFault::Outside };
        self.world.cell_at(location).ok_or(Fault::Access { space: location.space, denied })
    }
}

impl Outside for Sensor<'_> {
    fn user(&mut self, state: &mut State, operation: u32, arguments: &[Bits]) -> Result<Option<Bits>, Fault> {
        match self.world.models.get(operation as usize) {
            Some(Some(model)) => {
                model(&mut Call { state, remembered: &mut self.progress.remembered, arguments })
            }
            _ => Err(Fault::Unmodelled { operation }),
        }
    }

    fn device_at(&self, location: Location) -> Option<u32> {
        self.world.cell_at(location).map(|cell| cell as u32)
    }

    fn read(&mut self, location: Location, width: Width) -> Result<Bits, Fault> {
        // Only reads without terms get here; the cell gives its value under the model.
        self.sense(&mut Terms::new(), location, width).map(|(bits, _)| bits)
    }

    fn kept_bits(&self, location: Location, size: u64) -> u64 {
        self.world.kept_bits(location, size)
    }

    fn write(&mut self, location: Location, value: &Bits) -> Result<(), Fault> {
        if let Some(controller) = &self.world.controller {
            controller.write(&mut self.progress.remembered.lines, location, value);
        }
        self.cell(location).map(|_| ())
    }
}

impl Sensed for Sensor<'_> {
    fn sense(
        &mut self,
        terms: &mut Terms,
        location: Location,
        width: Width,
    ) -> Result<(Bits, Option<Term>), Fault> {
        let (known, held) = self.world.controlled(&self.progress.remembered, location, width);
        if known == narrow_mask(width) {
            return Ok((Bits::from_u64(held, width), None));
        }
        let cell = self.cell(location)?;
        let ordinal = self.progress.reads[cell];
        self.progress.reads[cell] += 1;
        if let Some(value) = self.world.scripted(cell, ordinal as usize) {
            return Ok((Bits::from_u64(value, width), None));
        }
        let mut bytes = vec![0; width.bytes()];
        let mut joined: Option<Term> = None;
        for (byte, value) in bytes.iter_mut().enumerate() {
            let origin = InputOrigin::Reading { cell: cell as u32, ordinal, byte: byte as u32 };
            let input = self.inputs.number(origin);
            *value = self.model.get(input);
            let term = terms.input(input);
            joined = Some(terms.concat_onto(term, joined));
        }
        let whole =
            joined.map(|term| if terms.width(term) == width { term } else { terms.extract(term, 0, width) });
        let bits = Bits::from_bytes_le(&bytes, width);
        let Some(term) = whole.filter(|_| known != 0) else { return Ok((bits, whole)) };
        let others = terms.constant_u64(!known & narrow_mask(width), width);
        let held_term = terms.constant_u64(held, width);
        let term = terms.and(term, others);
        Ok((Bits::from_u64(bits.to_word::<u64>() & !known | held, width), Some(terms.or(term, held_term))))
    }

    fn operate(
        &mut self,
        context: OperationContext<'_>,
        operation: u32,
        arguments: &[Bits],
    ) -> Result<Option<Bits>, Fault> {
        match (self.user(&mut *context.state, operation, arguments), self.world.linux.clone()) {
            (Err(Fault::SystemCall(_)), Some(linux)) => self.system_call(context, &linux),
            (performed, _) => performed,
        }
    }

    fn unwritten(&mut self, terms: &mut Terms, location: Location, is_assumed: bool) -> (Term, u8) {
        let input = self.inputs.unwritten(location, is_assumed);
        (terms.input(input), self.model.get(input))
    }

    fn assumed_result(&mut self, terms: &mut Terms, operation: u32, size: usize) -> Vec<(Term, bool)> {
        let Some(Some(start)) = self.world.assumed_results.get(operation as usize).copied() else {
            return Vec::new();
        };
        let byte = |distance: u64| Location { offset: start.offset + distance, ..start };
        (0..size as u64).filter_map(|distance| self.changed(terms, byte(distance), (start, size))).collect()
    }

    fn changed(
        &mut self,
        terms: &mut Terms,
        byte: Location,
        (access, size): (Location, usize),
    ) -> Option<(Term, bool)> {
        let widest = self.inputs.changing.entry(access).or_default();
        *widest = (*widest).max(size as u64);
        let reads = Rc::make_mut(&mut self.progress.changing).entry(byte).or_default();
        let (ordinal, is_first) = (*reads % CHANGES, *reads < CHANGES);
        *reads += 1;
        if self.inputs.shared.contains(byte) {
            return None;
        }
        Some((terms.input(self.inputs.number(InputOrigin::Changed { location: byte, ordinal })), is_first))
    }
}
