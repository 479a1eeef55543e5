//! Interrupt handlers of a program, from vector tables and vector addresses.

use crate::guest::Guest;
use everypath_ir::{ExitKind, Location, Place, Target};
use everypath_lift::CodeBytes;

/// The maximum number of entries of a jump table of vectors: no processor has more interrupts.
const MOST: usize = 256;
/// The number of bytes decoded at a vector.
const VECTOR_BYTES: usize = 16;

/// The entry point of an interrupt handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The address of the vector.
    pub vector: u64,
    /// The entry point.
    pub place: Place,
}

impl Guest {
    /// The interrupt entry points: the entries of the vector table, or the code at the processor's vector addresses. A
    /// program without interrupts may have other code there, which it reaches by itself.
    pub fn handlers(&self) -> Vec<Handler> {
        let architecture = self.architecture();
        let Some(vectors) = &architecture.description().vectors else { return Vec::new() };
        let mut handlers = Vec::new();
        let table = self.code_map().vector_table(self.image());
        for (vector, handler) in table.map(|table| table.handlers).unwrap_or_default() {
            let (address, context) = architecture.code_address(handler);
            handlers.push(Handler { vector, place: Place::new(address, context) });
        }
        let map = self.code_map();
        for vector in &vectors.code {
            let place = map.place(*vector);
            if self.has_code(place) {
                handlers.push(Handler { vector: *vector, place });
            }
        }
        if let Some(row) = vectors.jumps {
            let mut next = row;
            for number in 0..MOST {
                let place = map.place(next);
                let jump = self.only_exit(place);
                // The first vector that is no jump may be a handler by itself; how long it is says nothing of the next.
                if number > 0 && self.has_code(place) {
                    handlers.push(Handler { vector: next, place });
                }
                let Some((ExitKind::Jump, Target::Place(_), end)) = jump else { break };
                next = end;
            }
        }
        handlers
    }

    /// Whether the file has an instruction at a place.
    fn has_code(&self, place: Place) -> bool {
        let mut bytes = [0; VECTOR_BYTES];
        let count = self.image().read_at(place.address, &mut bytes);
        let code = CodeBytes { address: place.address, bytes: &bytes[..count] };
        count > 0 && self.single_instruction(&code, place).is_some()
    }

    /// The only exit of an instruction of the file that does nothing else, and the end of the instruction.
    fn only_exit(&self, place: Place) -> Option<(ExitKind, Target, u64)> {
        let mut bytes = [0; VECTOR_BYTES];
        let count = self.image().read_at(place.address, &mut bytes);
        let code = CodeBytes { address: place.address, bytes: &bytes[..count] };
        let block = self.single_instruction(&code, place)?;
        match &block.exits[..] {
            [exit] if exit.target != Target::Place(Place::new(block.end, place.context)) => {
                Some((exit.kind, exit.target, block.end))
            }
            _ => None,
        }
    }

    /// Locations and sizes in bytes of the vector base registers.
    pub fn vector_bases(&self) -> Vec<(Location, usize)> {
        let Some(vectors) = self.architecture().description().vectors.as_ref() else { return Vec::new() };
        let registers = vectors.base_registers.iter().filter_map(|name| self.architecture().register(name));
        let in_memory = vectors.base_address.map(|offset| (Location { space: self.code_space(), offset }, 4));
        registers.map(|(location, width)| (location, width.bytes().min(8))).chain(in_memory).collect()
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
