//! A program as static analysis sees it: code to lift, memory that never changes, and executable ranges.

use crate::relocated::{Relocated, RelocatedWords};
use everypath_image::{Image, Section, Segment};
use everypath_ir::{Block, Endian, Location, Place, SpaceId, Statement, Width};
use everypath_lift::{Architecture, CodeMap, Lifter};
use std::sync::Arc;

/// Models of user operations after which execution does not continue.
const ENDING: [&str; 2] = ["trap", "stop"];

/// Sections that only the linker or start-up code writes.
const LINKER_TABLES: [&str; 3] = [".got", ".got2", ".data.rel.ro"];

/// A program with its architecture.
pub struct Program<'i> {
    image: &'i Image,
    lifter: Lifter,
    code_space: SpaceId,
    endian: Endian,
    /// Size of a code pointer, in bytes.
    pointer: usize,
    /// Executable ranges (first and last address), sorted.
    executable: Vec<(u64, u64)>,
    /// Words whose run-time contents differ from those in the file.
    relocated: RelocatedWords,
    /// Linker-made tables, such as the global offset table: first address and end.
    linker_tables: Vec<(u64, u64)>,
    /// The global-pointer register of the calling convention, with its address.
    global_pointer: Option<(Location, Width, u64)>,
}

impl<'i> Program<'i> {
    /// Binds an image to an architecture. Returns `None` if the architecture's code space is not memory.
    pub fn new(architecture: Arc<Architecture>, image: &'i Image) -> Option<Self> {
        let specification = architecture.specification();
        let code_space = architecture.spaces().get(specification.default_space())?;
        let space = specification.space(specification.default_space());
        let pointer = space.address_size.clamp(1, 8) as usize;
        let endian = architecture.layout().space(code_space)?.endian;
        let executable = executable(image);
        let meaning = &architecture.description().relocations;
        let relocated = RelocatedWords::new(image, meaning, endian, pointer);
        let lifter = Lifter::new(architecture);
        let is_table = |section: &&Section| {
            let is_one = |name: &str| {
                section.name().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            section.allocated() && LINKER_TABLES.iter().any(|name| is_one(name))
        };
        let tables = image.sections().iter().filter(is_table);
        let linker_tables = tables
            .map(|section| (section.address(), section.address().saturating_add(section.size())))
            .collect();
        let global_pointer = global_pointer(lifter.architecture(), image, endian, pointer);
        Some(Self {
            image,
            lifter,
            code_space,
            endian,
            pointer,
            executable,
            relocated,
            linker_tables,
            global_pointer,
        })
    }

    /// The global-pointer register of the calling convention, with its address.
    pub(crate) fn global_pointer(&self) -> Option<(Location, Width, u64)> {
        self.global_pointer
    }

    /// The image.
    pub fn image(&self) -> &'i Image {
        self.image
    }

    /// The architecture.
    pub fn architecture(&self) -> &Architecture {
        self.lifter.architecture()
    }

    /// The lifter of its basic blocks.
    pub fn lifter(&self) -> &Lifter {
        &self.lifter
    }

    /// The address space that holds instructions.
    pub fn code_space(&self) -> SpaceId {
        self.code_space
    }

    /// The stack pointer, and the number that a return adds to it, where calls push the return address.
    pub(crate) fn return_pop(&self) -> Option<(Location, Width, u64)> {
        let description = self.architecture().description();
        let pushes = description.call.as_ref().is_some_and(|call| call.return_address.is_none());
        let (location, width) = self.architecture().stack_pointer().filter(|_| pushes)?;
        let size = self.pointer_size() as u64;
        let popped = if description.registers.stack_grows_up { size.wrapping_neg() } else { size };
        Some((location, width, popped))
    }

    /// Size of a code pointer, in bytes.
    pub fn pointer_size(&self) -> usize {
        self.pointer
    }

    /// The code map that symbols and entry points give.
    pub fn code_map(&self) -> CodeMap<'_> {
        CodeMap::new(self.architecture(), self.image)
    }

    /// Returns true if an address is in a code section or, in a file without sections, in executable memory.
    pub fn is_code(&self, address: u64) -> bool {
        let after = self.executable.partition_point(|(first, _)| *first <= address);
        after.checked_sub(1).is_some_and(|index| address <= self.executable[index].1)
    }

    /// Returns true if the program can write the byte at an address.
    fn is_writable(&self, segment: &Segment, address: u64) -> bool {
        if self.image.machine().is_some() {
            let settled = |(start, end): &(u64, u64)| (*start..*end).contains(&address);
            return segment.permissions().write && !self.image.settled_ranges().iter().any(settled);
        }
        // For a file without permissions, use those of the architecture's memory map.
        let ranges = self.architecture().description().memory.iter();
        let mut ranges = ranges.filter(|range| range.space.is_none());
        let range = ranges.find(|range| address.checked_sub(range.start).is_some_and(|at| at < range.size));
        range.is_none_or(|range| range.access.contains('w'))
    }

    /// The imported function or variable whose address the dynamic linker stores at an address.
    pub fn import_at(&self, address: u64) -> Option<&Arc<str>> {
        match self.relocated.touching(address, self.pointer as u64)? {
            (at, Relocated::Import(name)) if at == address => Some(name),
            _ => None,
        }
    }

    /// The initial target of a lazily bound import slot: code in the file that asks the dynamic linker to bind the
    /// slot.
    pub(crate) fn lazy_target(&self, address: u64) -> Option<u64> {
        let segment = self.image.segment_at(address).filter(|segment| self.is_writable(segment, address));
        let mut bytes = [0; 8];
        let read = self.image.read_at(address, &mut bytes[..self.pointer]);
        let target = self.endian.number(&bytes[..self.pointer]);
        (segment.is_some() && read == self.pointer && self.is_code(target)).then_some(target)
    }

    /// Resolver functions (IFUNC) of the file: the dynamic linker or start-up code calls them to choose an
    /// implementation.
    pub(crate) fn resolvers(&self) -> &[u64] {
        self.relocated.resolvers()
    }

    /// The constant in the code space at an address: the file or the dynamic linker stores it, and the program cannot
    /// write it.
    pub fn fixed(&self, address: u64, width: Width) -> Option<u64> {
        let size = width.bytes();
        if size > 8 {
            return None;
        }
        for distance in [0, size as u64 - 1] {
            let at = address.checked_add(distance)?;
            if self.is_writable(self.image.segment_at(at)?, at) {
                return None;
            }
        }
        self.initial(address, size)
    }

    /// The number at an address in a linker-made table, such as the global offset table. The program could write that
    /// memory, but by convention does not.
    pub(crate) fn linked(&self, address: u64, width: Width) -> Option<u64> {
        let size = width.bytes();
        let tables = &self.linker_tables;
        let is_inside =
            |(start, end): &(u64, u64)| *start <= address && address.saturating_add(size as u64) <= *end;
        (size <= 8 && tables.iter().any(is_inside)).then(|| self.initial(address, size))?
    }

    /// The number at an address when the program starts, if known.
    fn initial(&self, address: u64, size: usize) -> Option<u64> {
        match self.relocated.touching(address, size as u64) {
            None => {
                let mut bytes = [0; 8];
                let read = self.image.read_at(address, &mut bytes[..size]);
                (read == size).then(|| self.endian.number(&bytes[..size]))
            }
            Some((at, Relocated::Known(number))) if at == address && size == self.pointer => Some(*number),
            Some(_) => None,
        }
    }

    /// Whether these addresses are code that the program may overwrite. Stores there are reported by the value-set analysis.
    pub fn is_writable_code(&self, first: u64, last: u64) -> bool {
        let touched = self.executable.iter().filter(|(start, end)| *start <= last && first <= *end);
        touched.map(|(start, end)| (first.max(*start), last.min(*end))).any(|(start, end)| {
            let inside = |segment: &&Segment| segment.address() <= end && start <= segment.last();
            self.image.segments().iter().filter(inside).any(|segment| {
                let (start, end) = (start.max(segment.address()), end.min(segment.last()));
                self.is_writable(segment, start) || self.is_writable(segment, end)
            })
        })
    }

    /// Splits a code address as the program computes it into address and decoding context.
    pub fn code_place(&self, address: u64) -> Place {
        let (address, context) = self.architecture().code_address(address);
        Place::new(address, context)
    }

    /// Whether a user operation has no effect besides its result.
    pub(crate) fn is_harmless(&self, operation: u32) -> bool {
        self.architecture().is_harmless(operation)
    }

    /// Whether a statement may change memory and registers that it does not name, as a system call does. In the specifications, an
    /// operation with a result may have such effects, too.
    pub(crate) fn has_side_effects(&self, statement: &Statement) -> bool {
        matches!(statement, Statement::User { operation, .. } if !self.is_harmless(*operation))
    }

    /// Whether control may go on at an address that is no code of the file: memory from which the program may execute, or nothing
    /// that the file maps.
    pub(crate) fn may_execute_elsewhere(&self, address: u64) -> bool {
        let segment = self.image.segment_at(address);
        !self.is_code(address) && segment.is_none_or(|segment| segment.permissions().execute)
    }

    /// Whether functions preserve a location by the calling convention.
    pub(crate) fn is_preserved(&self, location: Location, width: Width) -> bool {
        let architecture = self.architecture();
        let convention = architecture.description().call.as_ref();
        let names = convention.map_or(&[][..], |call| call.preserved.as_slice());
        names.iter().filter_map(|name| architecture.register(name)).any(|(kept, whole)| {
            let room = (whole.bytes() as u64).checked_sub(width.bytes() as u64);
            let distance = location.offset.checked_sub(kept.offset);
            kept.space == location.space && room.zip(distance).is_some_and(|(room, at)| at <= room)
        })
    }

    /// Returns true if execution never leaves a block by its exits because an operation in it traps or stops.
    pub(crate) fn ends_in(&self, block: &Block) -> bool {
        let architecture = self.architecture();
        block.statements.iter().any(|statement| match statement {
            Statement::User { operation, guard: None, .. } => {
                let name = architecture.layout().user_operations.get(*operation as usize);
                let declared = name.and_then(|name| architecture.description().user_operation(name));
                declared.is_some_and(|declared| ENDING.contains(&declared.model.as_str()))
            }
            _ => false,
        })
    }

    /// The range of the function that contains an address, by the unwind tables: first address and end.
    pub(crate) fn unwind_range(&self, address: u64) -> Option<(u64, u64)> {
        let (start, end, _) = self.unwind_entry(address)?;
        (address < end).then_some((start, end))
    }

    /// The probable range of the function that contains an address: by the unwind tables or, where they give no end, up
    /// to the next function they list.
    pub(crate) fn likely_range(&self, address: u64) -> Option<(u64, u64)> {
        let (start, end, next) = self.unwind_entry(address)?;
        let is_exact = end > start + 1;
        let end = if is_exact { end } else { next.unwrap_or(end) };
        (address < end).then_some((start, end))
    }

    /// The last entry of the unwind tables that starts at or before an address: its start and end, and the start of the next.
    fn unwind_entry(&self, address: u64) -> Option<(u64, u64, Option<u64>)> {
        let ranges = self.image.unwind_ranges();
        // The lowest bit of a start may select a processor mode.
        let after = ranges.partition_point(|(start, _)| *start & !1 <= address);
        let (start, end) = ranges[after.checked_sub(1)?];
        Some((start & !1, end, ranges.get(after).map(|(next, _)| *next & !1)))
    }

    /// All pointer-sized words in data sections, or in non-executable segments of a file without code sections. The
    /// flag is true if the word is in writable memory next to another address: probably part of a list of pointers.
    pub(crate) fn data_words(&self) -> Vec<(u64, bool)> {
        let image = self.image;
        let has_sections = image.sections().iter().any(Section::executable);
        let mut words = Vec::new();
        let is_address = |word: &u64| image.segment_at(*word).is_some();
        let mut take = |address: u64, data: &[u8]| {
            let skipped = (self.pointer - address as usize % self.pointer) % self.pointer;
            let start = address + skipped as u64;
            let data = data.get(skipped..).unwrap_or_default();
            let word = |(index, word): (usize, &[u8])| {
                let at = start + (index * self.pointer) as u64;
                match self.relocated.touching(at, self.pointer as u64) {
                    None => self.endian.number(word),
                    Some((to, Relocated::Known(number))) if to == at => *number,
                    Some(_) => 0,
                }
            };
            let numbers: Vec<u64> = data.chunks_exact(self.pointer).enumerate().map(word).collect();
            // Where possible, lists of pointers are filled in when the program is loaded, so they are in writable
            // memory.
            let is_written = image.segment_at(address).is_some_and(|segment| segment.permissions().write);
            let listed = |index: usize| {
                let before = index.checked_sub(1).and_then(|before| numbers.get(before));
                is_written
                    && (before.is_some_and(is_address) || numbers.get(index + 1).is_some_and(is_address))
            };
            words.extend(numbers.iter().enumerate().map(|(index, word)| (*word, listed(index))));
        };
        if has_sections {
            let data = |section: &&Section| section.allocated() && !section.executable();
            for section in image.sections().iter().filter(data) {
                take(section.address(), section.data());
            }
        } else {
            for segment in image.segments().iter().filter(|segment| !segment.permissions().execute) {
                take(segment.address(), segment.data());
            }
        }
        words
    }
}

fn executable(image: &Image) -> Vec<(u64, u64)> {
    let sections = image.sections().iter().filter(|section| section.executable() && section.allocated());
    let sections = sections.filter(|section| section.size() > 0);
    let mut ranges: Vec<(u64, u64)> = sections
        .map(|section| (section.address(), section.address().saturating_add(section.size() - 1)))
        .collect();
    if ranges.is_empty() {
        let segments = image.segments().iter().filter(|segment| segment.permissions().execute);
        ranges = segments.map(|segment| (segment.address(), segment.last())).collect();
    }
    ranges.sort_unstable();
    ranges
}

/// The global-pointer register, with the address that the file gives for it.
fn global_pointer(
    architecture: &Architecture,
    image: &Image,
    endian: Endian,
    pointer: usize,
) -> Option<(Location, Width, u64)> {
    let declared = architecture.description().call.as_ref()?.global_pointer.as_ref()?;
    let (location, width) = architecture.register(&declared.register)?;
    let section = image.sections().iter().find(|section| section.name() == declared.section)?;
    let bytes = section.data().get(usize::try_from(declared.offset).ok()?..)?.get(..pointer)?;
    // An unlinked object file has zero there.
    Some((location, width, endian.number(bytes))).filter(|(.., address)| *address != 0)
}
