//! The image: the contents of a file, sorted and read-only.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::contents::Contents;
use crate::dwarf;
use crate::format::{self, Input};
use crate::lines::{LineTable, Lines, SourceLine};
use crate::unwind::Unwind;
use crate::{
    Attribute, Entry, EntryReason, FileKind, FileMachine, Host, ImageFormat, ProgramHeaders, ReadError,
    ReadOptions, Relocation, Section, Segment, Symbol, SymbolKind, Warning,
};

/// Copies beyond this size are refused: a file can claim any amount of zero memory.
const LARGEST_COPY: usize = 1 << 24;

/// The number of symbols before an address that are searched for one that contains it.
const SYMBOLS_LOOKED_AT: usize = 256;

/// An executable file as mapped memory, symbols, source lines and entry points.
pub struct Image {
    bias: u64,
    format: &'static ImageFormat,
    name: Option<String>,
    machine: Option<FileMachine>,
    segments: Vec<Segment>,
    sections: Vec<Section>,
    symbols: Vec<Symbol>,
    entries: Vec<Entry>,
    settled: Vec<(u64, u64)>,
    called_by_linker: Vec<u64>,
    attributes: Vec<Attribute>,
    host: Option<Host>,
    program_headers: Option<ProgramHeaders>,
    relocations: Vec<Relocation>,
    warnings: Vec<Warning>,
    lines: OnceLock<Lines>,
    unwind: OnceLock<Unwind>,
}

impl Image {
    /// Reads a file, in the format that is detected or that the options force.
    ///
    /// # Errors
    /// If nothing can be read at all; a file that can be read in part gives [`warnings`](Self::warnings).
    pub fn read(bytes: impl Into<Arc<[u8]>>, options: &ReadOptions) -> Result<Self, ReadError> {
        let file: Arc<[u8]> = bytes.into();
        if file.is_empty() {
            return Err(ReadError::Empty);
        }
        let format = match options.format {
            Some(format) => format,
            None => format::detect(&file).ok_or_else(|| ReadError::unrecognised(&file))?,
        };
        let mut contents = (format.read)(&Input { format, file, options })?;
        if let Some(given) = options.entry {
            let split = contents.machine.map(|machine| machine.split_code_address(given));
            let (address, alternate) = split.unwrap_or((given, false));
            contents.entries.push(Entry { address, alternate, reason: EntryReason::Given, name: None });
        }
        for segment in &mut contents.segments {
            segment.space.clone_from(&options.space);
        }
        let is_movable = contents.machine.is_some_and(|machine| machine.kind == FileKind::Shared);
        let bias = options.base.filter(|_| is_movable).unwrap_or(0);
        if bias != 0 {
            contents.move_by(bias);
        }
        contents.sort();
        let Contents {
            name,
            machine,
            segments,
            sections,
            symbols,
            entries,
            settled,
            called_by_linker,
            attributes,
            host,
            program_headers,
            relocations,
            warnings,
        } = contents;
        let warnings = warnings.finish();
        Ok(Self {
            bias,
            format,
            name,
            machine,
            segments,
            sections,
            symbols,
            entries,
            settled,
            called_by_linker,
            attributes,
            host,
            program_headers,
            relocations,
            warnings,
            lines: OnceLock::new(),
            unwind: OnceLock::new(),
        })
    }

    /// The format of the file.
    pub fn format(&self) -> &'static ImageFormat {
        self.format
    }

    /// The name that the file gives itself.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The processor, according to the file.
    pub fn machine(&self) -> Option<&FileMachine> {
        self.machine.as_ref()
    }

    /// The mapped memory, by address space and address; segments do not overlap.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The sections, in the order of the file.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The symbols, by address and name.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The entry points: first the caller's, then the file's start, then the others.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The build attributes, which identify the processor variant.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The environment that the program needs to run, if the file states it.
    pub fn host(&self) -> Option<&Host> {
        self.host.as_ref()
    }

    /// The difference between the addresses in memory and those in the file, which is not zero if the file is
    /// position-independent and was loaded elsewhere.
    pub fn load_bias(&self) -> u64 {
        self.bias
    }

    /// The program headers, if a segment holds them.
    pub fn program_headers(&self) -> Option<ProgramHeaders> {
        self.program_headers
    }

    /// Warnings about parts of the file that could not be read.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The segment at an address of the image's address space, [`ReadOptions::space`].
    pub fn segment_at(&self, address: u64) -> Option<&Segment> {
        let space = self.segments.first()?.space();
        self.segment_in(space, address)
    }

    /// The segment at an address of the named address space (`None`: the architecture's default).
    pub fn segment_in(&self, space: Option<&str>, address: u64) -> Option<&Segment> {
        let after =
            self.segments.partition_point(|segment| (segment.space(), segment.address) <= (space, address));
        let segment = &self.segments[after.checked_sub(1)?];
        (segment.space() == space && segment.contains(address)).then_some(segment)
    }

    /// The `count` bytes at an address of the image's address space, borrowed where the file has them in one
    /// piece.
    ///
    /// `None` if one of them is not mapped, or if more than 16 MiB would have to be copied.
    pub fn bytes_at(&self, address: u64, count: usize) -> Option<Cow<'_, [u8]>> {
        if count == 0 {
            return Some(Cow::Borrowed(&[]));
        }
        let segment = self.segment_at(address)?;
        let offset = usize::try_from(address - segment.address).ok();
        let piece = offset.and_then(|offset| segment.data().get(offset..offset.checked_add(count)?));
        if let Some(piece) = piece {
            return Some(Cow::Borrowed(piece));
        }
        if count > LARGEST_COPY {
            return None;
        }
        let mut bytes = vec![0; count];
        (self.read_at(address, &mut bytes) == count).then_some(Cow::Owned(bytes))
    }

    /// Fills the buffer with the contiguous mapped bytes at an address, and returns their number.
    pub fn read_at(&self, address: u64, buffer: &mut [u8]) -> usize {
        let mut done = 0;
        while done < buffer.len() {
            let Some(here) = address.checked_add(done as u64) else { break };
            let Some(segment) = self.segment_at(here) else { break };
            let offset = here - segment.address;
            let room = usize::try_from(segment.size - offset).unwrap_or(usize::MAX);
            let count = room.min(buffer.len() - done);
            let target = &mut buffer[done..done + count];
            let data = usize::try_from(offset).ok().and_then(|offset| segment.data().get(offset..));
            let data = data.unwrap_or_default();
            let filled = data.len().min(count);
            target[..filled].copy_from_slice(&data[..filled]);
            target[filled..].fill(0);
            done += count;
        }
        done
    }

    /// The symbol with this name: a global one before a local one.
    pub fn symbol_named(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().filter(|symbol| symbol.name == name).min_by_key(|symbol| symbol.binding)
    }

    /// The symbol of an address: the nearest preceding one whose size reaches it, otherwise the nearest preceding one
    /// without a size in the same segment.
    pub fn symbol_at(&self, address: u64) -> Option<&Symbol> {
        self.nearest_symbol(address, SymbolKind::is_address)
    }

    /// The function that the instruction at an address belongs to, as [`symbol_at`](Self::symbol_at), but by symbols of functions
    /// and labels in executable segments only.
    pub fn function_symbol_at(&self, address: u64) -> Option<&Symbol> {
        use SymbolKind::{Function, IndirectFunction, Label};
        self.segment_at(address).filter(|segment| segment.permissions().execute)?;
        self.nearest_symbol(address, |kind| matches!(kind, Function | IndirectFunction | Label))
    }

    fn nearest_symbol(&self, address: u64, is_wanted: fn(SymbolKind) -> bool) -> Option<&Symbol> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let before = self.symbols[..after].iter().rev().take(SYMBOLS_LOOKED_AT);
        let candidates = before.filter(|symbol| is_wanted(symbol.kind));
        let better = |symbol: &&Symbol| (std::cmp::Reverse(symbol.address), symbol.kind, symbol.binding);
        let sized =
            candidates.clone().filter(|symbol| address - symbol.address < symbol.size).min_by_key(better);
        sized.or_else(|| {
            let segment = self.segment_at(address)?;
            candidates
                .filter(|symbol| symbol.size == 0 && segment.contains(symbol.address))
                .min_by_key(better)
        })
    }

    /// The source lines, read from the debug information at the first call; `None` if there are none.
    pub fn lines(&self) -> Option<&LineTable> {
        self.line_information().table.as_ref()
    }

    /// Warnings about the debug information; like [`lines`](Self::lines), this reads it at the first call.
    pub fn line_warnings(&self) -> &[Warning] {
        &self.line_information().warnings
    }

    /// The source line that the instruction at an address comes from.
    pub fn source_line(&self, address: u64) -> Option<SourceLine<'_>> {
        self.lines()?.at(address)
    }

    /// The ranges of functions from the unwind tables, read at the first call: first address, and end. Functions in the
    /// alternate instruction set have the lowest bit of their first address set.
    pub fn unwind_ranges(&self) -> &[(u64, u64)] {
        &self.unwind().ranges
    }

    /// The landing pad for exceptions thrown by the call at an address, from the unwind tables.
    pub fn landing_pad(&self, address: u64) -> Option<u64> {
        self.landing_pads(address, address.saturating_add(1)).next()
    }

    /// The landing pads for exceptions thrown by instructions from an address up to an end, from the unwind tables.
    pub fn landing_pads(&self, start: u64, end: u64) -> impl Iterator<Item = u64> + '_ {
        let sites = &self.unwind().call_sites;
        let first = sites.partition_point(|site| site.end <= start);
        sites[first..].iter().take_while(move |site| site.start < end).map(|site| site.landing_pad)
    }

    fn unwind(&self) -> &Unwind {
        self.unwind.get_or_init(|| crate::unwind::read(self))
    }

    /// The functions that the dynamic linker calls before and after the program.
    pub fn called_by_linker(&self) -> &[u64] {
        &self.called_by_linker
    }

    /// Memory that only the dynamic linker writes, before any instruction of the file runs (`PT_GNU_RELRO`): first
    /// address, and end. After that it never changes. A file that relocates itself has none: its own start-up code
    /// writes there.
    pub fn settled_ranges(&self) -> &[(u64, u64)] {
        &self.settled
    }

    /// The relocated words, by address: the dynamic linker or the program's start-up code overwrites their bytes in the
    /// file.
    pub fn relocations(&self) -> &[Relocation] {
        &self.relocations
    }

    fn line_information(&self) -> &Lines {
        self.lines.get_or_init(|| dwarf::read_lines(self))
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Image")
            .field("format", &self.format.name)
            .field("name", &self.name)
            .field("machine", &self.machine)
            .field("segments", &self.segments)
            .field("sections", &self.sections.len())
            .field("symbols", &self.symbols.len())
            .field("entries", &self.entries.len())
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}
