//! Interrupt handlers of a program, from vector tables and vector addresses.

use crate::guest::Guest;
use everypath_ir::{Block, ExitKind, Location, Place, Target};
use everypath_lift::CodeBytes;

/// The maximum number of entries of a jump table of vectors: no processor has more interrupts.
const MOST: u64 = 256;
/// The number of bytes of a handler's first instruction: without them, it is another handler.
const FIRST_INSTRUCTION: usize = 4;
/// The number of bytes decoded at a vector.
const VECTOR_BYTES: usize = 16;

/// The entry point of an interrupt handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The number of the interrupt.
    pub number: u64,
    /// The address of the vector.
    pub vector: u64,
    /// The entry point.
    pub place: Place,
}

impl Guest {
    /// The interrupt entry points: the entries of the vector table but those that an instruction raises, or the code at the processor's vector addresses. A
    /// program without interrupts may have other code there, which it reaches by itself.
    pub fn handlers(&self) -> Vec<Handler> {
        let architecture = self.architecture();
        let Some(vectors) = &architecture.description().vectors else { return Vec::new() };
        let mut handlers = Vec::new();
        let map = self.code_map();
        let table = map.vector_table(self.image());
        let base = table.as_ref().map_or(0, |table| table.base);
        for (vector, handler) in table.map(|table| table.handlers).unwrap_or_default() {
            let offset = vector.wrapping_sub(base);
            if vectors.raised.contains(&offset) {
                continue;
            }
            let (address, context) = architecture.code_address(handler);
            let number = offset / map.pointer_size() as u64;
            handlers.push(Handler { number, vector, place: Place::new(address, context) });
        }
        for (number, vector) in (0..).zip(&vectors.code) {
            let place = map.place(*vector);
            if self.instruction_at(place).is_some() {
                handlers.push(Handler { number, vector: *vector, place });
            }
        }
        if let Some(row) = vectors.jumps {
            let mut next = row;
            for number in 0..MOST {
                let place = map.place(next);
                let Some(instruction) = self.instruction_at(place) else { break };
                // The first vector that is no jump may be a handler by itself; how long it is says nothing of the next.
                if number > 0 {
                    handlers.push(Handler { number, vector: next, place });
                }
                if !is_jump(&instruction) {
                    break;
                }
                next = instruction.end;
            }
        }
        handlers
    }

    /// The instruction that the file has at a place.
    fn instruction_at(&self, place: Place) -> Option<Block> {
        let mut bytes = [0; VECTOR_BYTES];
        let count = self.image().read_at(place.address, &mut bytes);
        self.single_instruction(&CodeBytes { address: place.address, bytes: &bytes[..count] }, place)
    }

    /// Locations and sizes in bytes of what determines the handlers: the vector base registers, and the first instruction at each of
    /// the processor's vector addresses, which a program may write.
    pub fn vector_bases(&self) -> Vec<(Location, usize)> {
        let Some(vectors) = self.architecture().description().vectors.as_ref() else { return Vec::new() };
        let registers = vectors.base_registers.iter().filter_map(|name| self.architecture().register(name));
        let in_memory = vectors.base_address.map(|offset| (Location { space: self.code_space(), offset }, 4));
        let first =
            |address: &u64| (Location { space: self.code_space(), offset: *address }, FIRST_INSTRUCTION);
        let registers = registers.map(|(location, width)| (location, width.bytes().min(8)));
        registers.chain(in_memory).chain(vectors.code.iter().map(first)).collect()
    }

    /// The address of the register in memory that holds the address of the vector table, and the latter. Some chips leave
    /// it there after a reset; others show the table at the address that the register has.
    pub fn placed_vectors(&self) -> Option<(u64, u64)> {
        let register = self.architecture().description().vectors.as_ref()?.base_address?;
        Some((register, self.code_map().vector_table(self.image())?.base))
    }

    /// First and last addresses to which interrupt handlers return.
    pub fn handler_returns(&self) -> Option<(u64, u64)> {
        let (start, size) = self.architecture().description().vectors.as_ref()?.returns?;
        Some((start, start.saturating_add(size.checked_sub(1)?)))
    }

    /// The message for a misplaced vector table, whose reset handler is outside of the file.
    pub(crate) fn misplaced_vectors(&self) -> Option<String> {
        let vectors = self.architecture().description().vectors.as_ref()?;
        let offset = vectors.entry.filter(|_| vectors.movable)?;
        let first = self.image().segments().first()?;
        let mut bytes = [0; 4];
        let at = first.address().checked_add(offset)?;
        if self.image().read_at(at, &mut bytes) < bytes.len() {
            return None;
        }
        let endian = self.architecture().layout().space(self.code_space())?.endian;
        let (entry, _) = self.architecture().code_address(endian.number(&bytes));
        self.image().segment_at(entry).is_none().then(|| {
            format!(
                " (the vector table at {:#x} names {entry:#x}, which is outside of the file: if that should be inside, \
                 give the address of the file's first byte with --base ADDRESS)",
                first.address()
            )
        })
    }
}

/// Whether an instruction does nothing but jump elsewhere, to a place that it names.
fn is_jump(instruction: &Block) -> bool {
    let behind = Place::new(instruction.end, instruction.place.context);
    matches!(&instruction.exits[..], [exit] if exit.kind == ExitKind::Jump
        && matches!(exit.target, Target::Place(to) if to != behind))
}
