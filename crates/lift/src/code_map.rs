//! A map of code and data with decoding contexts, from mapping symbols, function symbols and entry points.

use crate::architecture::{Architecture, VectorTable};
use everypath_image::{Endian, Entry, EntryReason, Image, Mapping, SymbolKind};
use everypath_ir::{Context, Place};

/// The contents from an address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Instructions in a context.
    Code(Context),
    /// Data between instructions.
    Data,
}

/// A possible entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeStart {
    /// The first instruction.
    pub place: Place,
    /// The reason to consider it an entry point.
    pub reason: String,
    /// The name of the function there.
    pub name: Option<String>,
}

/// A map of code and data, with the decoding context of code.
#[derive(Debug)]
pub struct CodeMap<'a> {
    architecture: &'a Architecture,
    /// Sorted by address, one for each address.
    marks: Vec<(u64, Mark)>,
}

impl<'a> CodeMap<'a> {
    /// The map of an image: from mapping symbols if it has them; otherwise from functions and entry points, which
    /// matter only where a code address carries a mode.
    pub fn new(architecture: &'a Architecture, image: &Image) -> Self {
        let mut map = Self { architecture, marks: Vec::new() };
        for symbol in image.symbols() {
            let mark = match symbol.kind {
                SymbolKind::Mapping(Mapping::Data) => Mark::Data,
                SymbolKind::Mapping(mapping) => map.code(symbol.address, mapping == Mapping::AlternateCode),
                _ => continue,
            };
            map.marks.push((symbol.address, mark));
        }
        if map.marks.is_empty() && map.mode_bits() != 0 {
            let functions = image.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Function);
            for symbol in functions {
                map.marks.push((symbol.address, map.code(symbol.address, symbol.alternate)));
            }
            for entry in image.entries() {
                let place = map.entry(image, entry);
                map.marks.push((place.address, Mark::Code(place.context)));
            }
        }
        map.order();
        map
    }

    fn order(&mut self) {
        // A stable sort keeps the first of two marks at one address.
        self.marks.sort_by_key(|(address, _)| *address);
        self.marks.dedup_by_key(|(address, _)| *address);
    }

    /// The mode bits of a code address.
    fn mode_bits(&self) -> u64 {
        let bits = self.architecture.description().modes.iter().filter_map(|mode| mode.source.address_bit);
        bits.fold(0, |bits, bit| bits | 1_u64.checked_shl(bit).unwrap_or(0))
    }

    fn code(&self, address: u64, alternate: bool) -> Mark {
        let bits = if alternate { self.mode_bits() } else { 0 };
        Mark::Code(self.architecture.code_address(address | bits).1)
    }

    /// The start that an address given by the user denotes. A mode bit that is set selects the mode; one that is clear
    /// does not, because users also write plain addresses.
    pub fn given(&mut self, address: u64) -> Place {
        if address & self.mode_bits() != 0 {
            let (address, context) = self.architecture.code_address(address);
            self.marks.insert(0, (address, Mark::Code(context)));
            self.order();
            return Place::new(address, context);
        }
        self.place(address)
    }

    /// The start of a block at an address, in the context that the map has there.
    pub fn place(&self, address: u64) -> Place {
        match self.at(address, 0) {
            Mark::Code(context) => Place::new(address, context),
            Mark::Data => Place::new(address, self.architecture.default_context()),
        }
    }

    fn entry(&self, image: &Image, entry: &Entry) -> Place {
        let is_plain = entry.reason == EntryReason::Given || image.machine().is_none();
        let bits = if entry.alternate { self.mode_bits() } else { 0 };
        let address = entry.address | bits;
        if is_plain && address & self.mode_bits() == 0 {
            return self.place(address);
        }
        let (address, context) = self.architecture.code_address(address);
        Place::new(address, context)
    }

    /// The contents of an address: the last mark from `floor` on or, before the first mark, the context of the code
    /// that begins there.
    pub fn at(&self, address: u64, floor: u64) -> Mark {
        let after = self.marks.partition_point(|(marked, _)| *marked <= address);
        let before =
            after.checked_sub(1).map(|index| self.marks[index]).filter(|(marked, _)| *marked >= floor);
        match (before, self.marks.get(after).copied()) {
            (Some((_, mark)), _) | (None, Some((_, mark @ Mark::Code(_)))) => mark,
            (None, Some((_, Mark::Data)) | None) => Mark::Code(self.architecture.default_context()),
        }
    }

    /// The marks after an address.
    pub fn after(&self, address: u64) -> &[(u64, Mark)] {
        &self.marks[self.marks.partition_point(|(marked, _)| *marked <= address)..]
    }

    /// The entry points: those of the image, otherwise those that the architecture's rule gives.
    pub fn starts(&self, image: &Image) -> Vec<CodeStart> {
        let is_given = image.entries().first().is_some_and(|entry| entry.reason == EntryReason::Given);
        let by_table = self.start_by_table(image).filter(|_| !is_given);
        if image.entries().is_empty() {
            return by_table.or_else(|| self.start_by_rule(image)).into_iter().collect();
        }
        let start = |entry: &Entry| CodeStart {
            place: self.entry(image, entry),
            reason: entry.reason.to_string(),
            name: entry.name.clone(),
        };
        let mut starts: Vec<CodeStart> = by_table.into_iter().collect();
        for start in image.entries().iter().map(start) {
            match starts.iter_mut().find(|known| known.place == start.place) {
                Some(known) => known.name = start.name.or(known.name.take()),
                None => starts.push(start),
            }
        }
        starts
    }

    /// The vector table, if the program has one.
    pub fn vector_table(&self, image: &Image) -> Option<VectorTable> {
        let (size, endian) = self.pointer();
        self.architecture.description().vector_table(image, size, endian)
    }

    /// The size of a code pointer in bytes.
    pub fn pointer_size(&self) -> usize {
        self.pointer().0
    }

    /// The size in bytes and the byte order of a code pointer.
    fn pointer(&self) -> (usize, Endian) {
        let specification = self.architecture.specification();
        let size = specification.space(specification.default_space()).address_size.min(8) as usize;
        (size, if specification.is_big_endian() { Endian::Big } else { Endian::Little })
    }

    /// The reset handler, which may differ from the entry point in the file's header.
    fn start_by_table(&self, image: &Image) -> Option<CodeStart> {
        let table = self.vector_table(image)?;
        let (address, context) = self.architecture.code_address(table.entry?);
        let offset = self.architecture.description().vectors.as_ref()?.entry?;
        let reason = format!("vector {:#x} of {}", table.base + offset, self.architecture.name());
        Some(CodeStart { place: Place::new(address, context), reason, name: None })
    }

    fn start_by_rule(&self, image: &Image) -> Option<CodeStart> {
        let rule = self.architecture.description().entry.as_ref()?;
        let name = self.architecture.name();
        if let Some(address) = rule.address {
            image.segment_at(address)?;
            return Some(CodeStart {
                place: self.place(address),
                reason: format!("start of {name}"),
                name: None,
            });
        }
        let vector = rule.vector?;
        let (size, endian) = self.pointer();
        let mut bytes = [0; 8];
        if image.read_at(vector, &mut bytes[..size]) < size {
            return None;
        }
        let (address, context) = self.architecture.code_address(endian.number(&bytes[..size]));
        let reason = format!("vector {vector:#x} of {name}");
        Some(CodeStart { place: Place::new(address, context), reason, name: None })
    }
}
