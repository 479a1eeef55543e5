//! Local constant propagation in one basic block.

use crate::program::Program;
use everypath_ir::{Bits, Block, Location, Op, Operand, Statement, Width};
use rustc_hash::{FxHashMap, FxHashSet};

/// Constants that temporaries and locations hold in one block.
pub(super) struct BlockConstants<'b> {
    program: &'b Program<'b>,
    block: &'b Block,
    temps: FxHashMap<usize, Bits>,
    places: Vec<(Location, Bits)>,
    /// Temporaries and locations that hold an import slot's contents, with the address of the slot.
    slots: FxHashMap<usize, u64>,
    slot_places: Vec<(Location, Width, u64)>,
    /// Assume the calling convention, and that nobody writes linker-made tables.
    by_convention: bool,
    /// Temporaries that may hold the upper half of an address, to which instructions add the lower half.
    halves: FxHashSet<usize>,
}

impl<'b> BlockConstants<'b> {
    pub(super) fn new(program: &'b Program<'b>, block: &'b Block) -> Self {
        Self {
            program,
            block,
            temps: FxHashMap::default(),
            places: Vec::new(),
            slots: FxHashMap::default(),
            slot_places: Vec::new(),
            by_convention: false,
            halves: FxHashSet::default(),
        }
    }

    /// Constants under the calling convention, and assuming that nobody writes linker-made tables.
    pub(super) fn by_convention(program: &'b Program<'b>, block: &'b Block) -> Self {
        let mut constants = Self { by_convention: true, ..Self::new(program, block) };
        if let Some((register, width, address)) = program.global_pointer() {
            constants.places.push((register, Bits::from_u64(address, width)));
        }
        constants
    }

    /// The address of the import slot that an operand was read from.
    pub(super) fn slot(&self, operand: Operand) -> Option<u64> {
        self.slots.get(&operand.as_temp()?.index()).copied()
    }

    /// The constant value of an operand.
    pub(super) fn value(&self, operand: Operand) -> Option<Bits> {
        match operand.as_temp() {
            Some(temp) => self.temps.get(&temp.index()).cloned(),
            None => self.block.value(operand).cloned(),
        }
    }

    /// Interprets a statement.
    pub(super) fn pass(&mut self, statement: &Statement) {
        match *statement {
            Statement::Compute { result, op, arguments } => {
                let values: Option<Vec<Bits>> =
                    arguments[..op.arity()].iter().map(|argument| self.value(*argument)).collect();
                if let Some(values) = values {
                    self.temps.insert(result.index(), op.apply(self.block.temps[result.index()], &values));
                }
                // Code clears the bits that select an instruction set before a jump.
                if op == Op::And && self.value(arguments[1]).is_some() {
                    let slot = self.slot(arguments[0]);
                    self.slots.extend(slot.map(|slot| (result.index(), slot)));
                }
            }
            Statement::Get { result, location } => {
                let width = self.block.temps[result.index()];
                let held = self.places.iter().find(|(at, bits)| *at == location && bits.width() == width);
                let held = held.map(|(_, bits)| bits.clone()).or_else(|| self.read(location, width));
                self.temps.extend(held.map(|bits| (result.index(), bits)));
                let mut kept = self.slot_places.iter();
                let kept = kept.find(|(at, held, _)| *at == location && *held == width);
                let slot = kept.map(|(.., slot)| *slot).or_else(|| self.slot_at(location, width));
                self.slots.extend(slot.map(|slot| (result.index(), slot)));
            }
            Statement::Put { location, value } => {
                let width = self.block.width(value);
                let size = width.bytes() as u64;
                let is_apart = |at: &Location, held: Width| {
                    at.space != location.space
                        || (at.offset.wrapping_sub(location.offset) >= size
                            && location.offset.wrapping_sub(at.offset) >= held.bytes() as u64)
                };
                self.places.retain(|(at, bits)| is_apart(at, bits.width()));
                self.slot_places.retain(|(at, held, _)| is_apart(at, *held));
                self.places.extend(self.value(value).map(|bits| (location, bits)));
                self.slot_places.extend(self.slot(value).map(|slot| (location, width, slot)));
            }
            Statement::Load { result, space, address, guard: None } => {
                let width = self.block.temps[result.index()];
                let offset = self.value(address).and_then(|bits| bits.to_u64());
                let read = offset.and_then(|offset| self.read(Location { space, offset }, width));
                let is_half = offset.is_some_and(|offset| self.is_half(Location { space, offset }, width));
                self.halves.extend(is_half.then_some(result.index()));
                self.temps.extend(read.map(|bits| (result.index(), bits)));
                let slot = offset.and_then(|offset| self.slot_at(Location { space, offset }, width));
                self.slots.extend(slot.map(|slot| (result.index(), slot)));
            }
            // What a system call may change; the calling convention holds for it, too.
            Statement::User { .. } if self.program.has_side_effects(statement) => {
                let program = self.program;
                let global = program.global_pointer().map(|(register, ..)| register);
                let is_kept =
                    |at: Location, width: Width| Some(at) == global || program.is_preserved(at, width);
                self.places.retain(|(at, bits)| is_kept(*at, bits.width()));
                self.slot_places.retain(|(at, held, _)| is_kept(*at, *held));
            }
            _ => {}
        }
    }

    /// The address of a location, if it is an import slot.
    fn slot_at(&self, location: Location, width: Width) -> Option<u64> {
        let is_word =
            location.space == self.program.code_space() && width.bytes() == self.program.pointer_size();
        is_word.then_some(location.offset).filter(|slot| self.program.import_at(*slot).is_some())
    }

    /// Returns true if an operand may be the upper half of an address, read from a linker-made table.
    pub(super) fn may_be_half(&self, operand: Operand) -> bool {
        operand.as_temp().is_some_and(|temp| self.halves.contains(&temp.index()))
    }

    /// Returns true if a linker-made table, addressed through the global pointer, may hold the upper half of an address
    /// there.
    fn is_half(&self, location: Location, width: Width) -> bool {
        self.by_convention
            && self.program.global_pointer().is_some()
            && location.space == self.program.code_space()
            && self.program.linked(location.offset, width).is_some_and(|number| number & 0xffff == 0)
    }

    /// The constant at a location that never changes.
    fn read(&self, location: Location, width: Width) -> Option<Bits> {
        if location.space != self.program.code_space() {
            return None;
        }
        let fixed = self.program.fixed(location.offset, width);
        let read = match fixed {
            None if self.by_convention => self.program.linked(location.offset, width),
            fixed => fixed,
        };
        read.map(|number| Bits::from_u64(number, width))
    }
}
