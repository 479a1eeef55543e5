//! Where code is and in which context it is decoded, as symbols and entry points tell.

use crate::architecture::{Architecture, VectorTable};
use everypath_image::{Endian, Entry, EntryReason, Image, Mapping, SymbolKind};
use everypath_ir::{Context, Place};

/// What begins at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Instructions in a context.
    Code(Context),
    /// Data between instructions.
    Data,
}

/// Where execution may begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Where.
    pub place: Place,
    /// Why it is thought so.
    pub reason: String,
    /// The name of the function there.
    pub name: Option<String>,
}

/// Where code is and in which context it is decoded.
#[derive(Debug)]
pub struct CodeMap<'a> {
    architecture: &'a Architecture,
    /// By address, one for each.
    marks: Vec<(u64, Mark)>,
}

impl<'a> CodeMap<'a> {
    /// What an image tells: mapping symbols where it has them; else functions and entry points, which are of use only
    /// where a code address carries a mode.
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
        // Stable, so that of two marks at one address the first one told stays.
        self.marks.sort_by_key(|(address, _)| *address);
        self.marks.dedup_by_key(|(address, _)| *address);
    }

    /// The bits of a code address that are no part of it.
    fn mode_bits(&self) -> u64 {
        let bits = self.architecture.description().modes.iter().filter_map(|mode| mode.source.address_bit);
        bits.fold(0, |bits, bit| bits | 1_u64.checked_shl(bit).unwrap_or(0))
    }

    fn code(&self, address: u64, alternate: bool) -> Mark {
        let bits = if alternate { self.mode_bits() } else { 0 };
        Mark::Code(self.architecture.code_address(address | bits).1)
    }

    /// An address that the user gave. A mode bit that is set counts; one that is not set says nothing, because people
    /// write plain addresses too.
    pub fn given(&mut self, address: u64) -> Place {
        if address & self.mode_bits() != 0 {
            let (address, context) = self.architecture.code_address(address);
            self.marks.insert(0, (address, Mark::Code(context)));
            self.order();
            return Place::new(address, context);
        }
        self.place(address)
    }

    /// An address of an instruction, in the context that the marks say.
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

    /// What is at an address, by the last mark from `floor` on; before the first mark, what that one says of code.
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

    /// Where execution may begin: what the image says, or failing that the rule of the architecture.
    pub fn starts(&self, image: &Image) -> Vec<Start> {
        let is_given = image.entries().first().is_some_and(|entry| entry.reason == EntryReason::Given);
        let by_table = self.start_by_table(image).filter(|_| !is_given);
        if image.entries().is_empty() {
            return by_table.or_else(|| self.start_by_rule(image)).into_iter().collect();
        }
        let start = |entry: &Entry| Start {
            place: self.entry(image, entry),
            reason: entry.reason.to_string(),
            name: entry.name.clone(),
        };
        let mut starts: Vec<Start> = by_table.into_iter().collect();
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

    /// How many bytes a pointer to code has, and their order.
    fn pointer(&self) -> (usize, Endian) {
        let specification = self.architecture.specification();
        let size = specification.space(specification.default_space()).address_size.min(8) as usize;
        (size, if specification.is_big_endian() { Endian::Big } else { Endian::Little })
    }

    /// Where the processor starts after a reset, which need not be what the file's header says.
    fn start_by_table(&self, image: &Image) -> Option<Start> {
        let table = self.vector_table(image)?;
        let (address, context) = self.architecture.code_address(table.entry?);
        let reason = format!("vector table at {:#x}", table.base);
        Some(Start { place: Place::new(address, context), reason, name: None })
    }

    fn start_by_rule(&self, image: &Image) -> Option<Start> {
        let rule = self.architecture.description().entry.as_ref()?;
        let name = self.architecture.name();
        if let Some(address) = rule.address {
            image.segment_at(address)?;
            return Some(Start {
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
        Some(Start { place: Place::new(address, context), reason, name: None })
    }
}
