//! Interrupt vector tables: the initial stack pointer, the reset handler and the handlers of exceptions and interrupts.

use super::description::Description;
use everypath_image::{Endian, Image};
use serde::Deserialize;

/// The layout of the vector table of a processor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Vectors {
    /// The address of a table of code addresses.
    pub table: Option<u64>,
    /// Whether the table may instead be at the beginning of a segment or section: memory there is mirrored at the
    /// address above, or a register holds the address of the table.
    pub movable: bool,
    /// The offset of the initial stack pointer in the table.
    pub stack_pointer: Option<u64>,
    /// The offset of the address of the reset handler.
    pub entry: Option<u64>,
    /// The offsets of the first exception or interrupt handler and of the end of the handlers.
    pub handlers: Option<(u64, u64)>,
    /// The offsets of those that only an instruction raises: the program calls them, and nothing interrupts it.
    pub raised: Vec<u64>,
    /// Addresses at which the processor executes a handler's first instruction.
    pub code: Vec<u64>,
    /// The address of consecutive jumps, one for each handler after that of the reset.
    pub jumps: Option<u64>,
    /// The registers that hold the address of the table: a program that writes one installs other handlers.
    pub base_registers: Vec<String>,
    /// The address of such a register in memory.
    pub base_address: Option<u64>,
    /// The register that is one if the program has a vector table, for instructions that raise an exception.
    pub found: Option<String>,
    /// The addresses to which a handler returns, wherever the exception was raised: start and size.
    pub returns: Option<(u64, u64)>,
}

/// The vector table of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorTable {
    /// Its address.
    pub base: u64,
    /// The initial stack pointer.
    pub stack_pointer: Option<u64>,
    /// The reset handler, as stored in the table.
    pub entry: Option<u64>,
    /// The handlers: the address of each entry, and the handler's address as stored there.
    pub handlers: Vec<(u64, u64)>,
}

impl Description {
    /// Finds the vector table of a program. Words of `size` bytes are rejected unless the reset handler is in the
    /// program's code and the stack in writable memory. If the reset handler is where the file starts, the stack may be
    /// anywhere: its memory is declared in the configuration.
    pub fn vector_table(&self, image: &Image, size: usize, endian: Endian) -> Option<VectorTable> {
        let vectors = self.vectors.as_ref()?;
        let fixed = vectors.table?;
        let segments = image.segments().iter().filter(|segment| segment.data().len() >= size);
        let sections = image.sections().iter().filter(|section| section.allocated() && section.size() > 0);
        let starts = segments
            .map(everypath_image::Segment::address)
            .chain(sections.map(everypath_image::Section::address));
        let movable = vectors.movable.then_some(starts).into_iter().flatten();
        let mut tables: Vec<VectorTable> = std::iter::once(fixed)
            .chain(movable)
            .filter_map(|base| self.table_at(image, base, size, endian))
            .collect();
        // Prefer the table whose reset handler is the start address of the file.
        let is_start = |table: &VectorTable| table.entry.is_some_and(|entry| self.is_start(image, entry));
        let chosen = tables.iter().position(is_start).unwrap_or(0);
        (chosen < tables.len()).then(|| tables.swap_remove(chosen))
    }

    /// Whether the file says that it starts at a code address.
    fn is_start(&self, image: &Image, address: u64) -> bool {
        let start = image.entries().iter().find(|entry| entry.reason == everypath_image::EntryReason::Start);
        start.is_some_and(|start| self.code(address) == self.code(start.address))
    }

    /// A code address without its mode bits.
    fn code(&self, address: u64) -> u64 {
        address & !self.mode_bits()
    }

    fn mode_bits(&self) -> u64 {
        let bits = self.modes.iter().filter_map(|mode| mode.source.address_bit);
        bits.fold(0, |bits, bit| bits | 1_u64.checked_shl(bit).unwrap_or(0))
    }

    fn table_at(&self, image: &Image, base: u64, size: usize, endian: Endian) -> Option<VectorTable> {
        let vectors = self.vectors.as_ref()?;
        let word = |offset: u64| {
            let mut bytes = [0; 8];
            let read = image.read_at(base.checked_add(offset)?, &mut bytes[..size]);
            (read == size).then(|| endian.number(&bytes[..size]))
        };
        let is_code = |address: &u64| {
            let executes = |code: u64| image.segment_at(code).is_some_and(|one| one.permissions().execute);
            address & self.mode_bits() == self.mode_bits() && executes(self.code(*address))
        };
        let mut table = VectorTable { base, stack_pointer: None, entry: None, handlers: Vec::new() };
        if let Some(offset) = vectors.stack_pointer {
            let top = word(offset)?;
            let is_stack = |range: &super::MemoryRange| {
                let is_plain = range.space.is_none() && range.access.contains('w') && !range.peripherals;
                let distance = top.checked_sub(range.start);
                is_plain && distance.is_some_and(|distance| distance > 0 && distance <= range.size)
            };
            let starts_here = vectors
                .entry
                .and_then(word)
                .is_some_and(|entry| top >= size as u64 && self.is_start(image, entry));
            let is_plausible = self.memory.iter().any(is_stack) && top.is_multiple_of(size as u64);
            if !is_plausible && !starts_here {
                return None;
            }
            // Linker scripts give the last byte of memory, too: processors ignore the lowest bits.
            table.stack_pointer = Some(top - top % size as u64);
        }
        if let Some(offset) = vectors.entry {
            table.entry = Some(word(offset).filter(is_code)?);
        }
        let (first, end) = vectors.handlers.unwrap_or((0, 0));
        // If the file has symbols, one gives the end of the table; otherwise the first word that cannot be a handler
        // ends it.
        let named = image.symbols().iter().find(|symbol| symbol.address == base && symbol.size > 0);
        let end = named.map_or(end, |symbol| end.min(symbol.size));
        for offset in (first..end).step_by(size) {
            match word(offset) {
                Some(0) => {}
                Some(handler) if is_code(&handler) => table.handlers.push((base + offset, handler)),
                // A table at its fixed address has as many entries as the processor defines.
                _ if vectors.movable => break,
                _ => {}
            }
        }
        Some(table)
    }
}
