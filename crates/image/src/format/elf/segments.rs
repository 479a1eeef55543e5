//! The memory of an ELF file: from its program headers, otherwise from its sections.

use std::ops::Range;

use object::Endianness;
use object::elf::{self, PT_GNU_RELRO, PT_INTERP, PT_LOAD, PT_NOTE, SHT_NOBITS};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use super::Reader;
use super::dynamic::Dynamic;
use crate::layout::{Layout, Span};
use crate::{Class, FileKind, Host, ProgramHeaders, Segment, SegmentPermissions, host};

/// Larger alignments of the sections of an object file are not kept: nothing depends on them before linking.
const LARGEST_ALIGNMENT: u64 = 1 << 16;

/// A part of the file that is loaded, before overlaps are resolved.
struct Part {
    name: String,
    permissions: SegmentPermissions,
    copy_of: Option<u64>,
}

/// The parts, and the memory they fill.
#[derive(Default)]
struct Placed {
    parts: Vec<Part>,
    layout: Layout,
    /// Load addresses of bytes that the program expects at other addresses.
    copies: Layout,
}

impl Placed {
    /// All ranges; the addresses that the program expects have precedence over load addresses.
    fn into_spans(self) -> (Vec<Part>, impl Iterator<Item = Span>) {
        let mut all = self.copies;
        for span in self.layout.into_spans() {
            all.place(span);
        }
        (self.parts, all.into_spans())
    }
}

impl<Header: FileHeader<Endian = Endianness>> Reader<'_, Header> {
    /// Reads the loaded memory and the dynamic section.
    pub(super) fn read_segments(&mut self) -> Dynamic {
        let (placed, dynamic) = self.place_program_headers();
        let placed = if placed.parts.is_empty() { self.place_sections() } else { placed };
        if self.machine.kind == FileKind::Relocatable {
            self.warn("the file is not linked: its sections are laid one after the other, and relocations are not applied");
        } else if self.input.options.base.is_some() && self.machine.kind != FileKind::Shared {
            self.warn("the base address is not used: the file states its addresses");
        }
        let (parts, spans) = placed.into_spans();
        for span in spans {
            let part = &parts[span.origin];
            self.contents.segments.push(Segment {
                address: span.first,
                size: span.size(),
                permissions: part.permissions,
                space: None,
                name: part.name.clone(),
                copy_of: part.copy_of,
                backing: self.input.file.clone(),
                range: span.range,
            });
        }
        dynamic
    }

    fn place_program_headers(&mut self) -> (Placed, Dynamic) {
        let mut placed = Placed::default();
        let offset: u64 = self.header.e_phoff(self.endian).into();
        if offset == 0 || self.header.e_phnum(self.endian) == 0 {
            return (placed, Dynamic::default());
        }
        let entry_size = usize::from(self.header.e_phentsize(self.endian));
        if entry_size != size_of::<Header::ProgramHeader>() {
            self.warn_at(offset, format!("program headers of {entry_size} bytes cannot be read"));
            return (placed, Dynamic::default());
        }
        let count = match self.header.phnum(self.endian, self.data) {
            Ok(count) => u64::from(count),
            Err(error) => {
                self.warn_at(offset, format!("the program headers cannot be read: {error}"));
                return (placed, Dynamic::default());
            }
        };
        let headers: &[Header::ProgramHeader] = self.table("program headers", offset, count);
        let dynamic = self.read_dynamic(headers);
        self.contents.called_by_linker.clone_from(&dynamic.called_by_linker);
        // A file that no dynamic linker loads relocates itself: its start-up code writes this memory, including
        // variables.
        let settled = headers.iter().filter(|header| header.p_type(self.endian) == PT_GNU_RELRO);
        for header in settled.filter(|_| dynamic.is_loaded) {
            let start: u64 = header.p_vaddr(self.endian).into();
            // Linkers round its size in memory up to a page, over the variables after it.
            let (file, memory): (u64, u64) =
                (header.p_filesz(self.endian).into(), header.p_memsz(self.endian).into());
            let size = file.min(memory);
            self.contents.settled.push((start, start.saturating_add(size)));
        }
        self.read_host(headers);
        self.contents.program_headers = self.headers_in_memory(headers, offset);
        let loaded = headers.iter().enumerate().filter(|(_, header)| header.p_type(self.endian) == PT_LOAD);
        let loaded: Vec<(usize, &Header::ProgramHeader)> = loaded.collect();
        for (index, header) in loaded {
            self.place_load_address(&mut placed, index, header);
            let flags = header.p_flags(self.endian);
            let part = Part { name: format!("load {index}"), permissions: permissions(flags), copy_of: None };
            let memory_size = header.p_memsz(self.endian).into();
            let mut file_size: u64 = header.p_filesz(self.endian).into();
            if file_size > memory_size {
                self.warn(format!(
                    "segment {index} has more bytes in the file than in memory; they are left out"
                ));
                file_size = memory_size;
            }
            let file = (header.p_offset(self.endian).into(), file_size);
            self.place(&mut placed, part, header.p_vaddr(self.endian).into(), memory_size, file);
        }
        (placed, dynamic)
    }

    /// Where the program headers are in memory, given where they are in the file.
    fn headers_in_memory(&self, headers: &[Header::ProgramHeader], offset: u64) -> Option<ProgramHeaders> {
        let entry_size = size_of::<Header::ProgramHeader>() as u64;
        let count = headers.len() as u64;
        let end = offset.checked_add(entry_size.checked_mul(count)?)?;
        let loaded = headers.iter().filter(|header| header.p_type(self.endian) == PT_LOAD);
        let address = loaded.into_iter().find_map(|header| {
            let start: u64 = header.p_offset(self.endian).into();
            let size: u64 = header.p_filesz(self.endian).into();
            let address: u64 = header.p_vaddr(self.endian).into();
            (start <= offset && end <= start.checked_add(size)?).then(|| address.wrapping_add(offset - start))
        })?;
        Some(ProgramHeaders { address, entry_size, count })
    }

    /// Reads the dynamic linker or operating system that the program headers name.
    fn read_host(&mut self, headers: &[Header::ProgramHeader]) {
        let (endian, byte_order) = (self.endian, self.machine.endian);
        let contents = |header: &Header::ProgramHeader| {
            &self.data[self.present(header.p_offset(endian).into(), header.p_filesz(endian).into())]
        };
        let of = |kind| headers.iter().filter(move |header| header.p_type(endian) == kind);
        let linker = of(PT_INTERP).next().map(|header| {
            let path = contents(header).split(|byte| *byte == 0).next().unwrap_or_default();
            Host::DynamicLinker(String::from_utf8_lossy(path).into_owned())
        });
        let system = || {
            let number = |bytes: &[u8]| byte_order.number(bytes);
            of(PT_NOTE).find_map(|header| host::system(contents(header), number)).map(Host::System)
        };
        self.contents.host = linker.or_else(system);
    }

    /// Also maps initialised data at its load address, from which a firmware's start-up code copies it.
    fn place_load_address(&mut self, placed: &mut Placed, index: usize, header: &Header::ProgramHeader) {
        let expected: u64 = header.p_vaddr(self.endian).into();
        let loaded: u64 = header.p_paddr(self.endian).into();
        let size: u64 = header.p_filesz(self.endian).into();
        // Many linkers leave the field at 0 where they do not mean it.
        if loaded == expected || loaded == 0 {
            return;
        }
        let mut range = self.present(header.p_offset(self.endian).into(), size);
        let room = usize::try_from(self.last_address() - loaded).unwrap_or(usize::MAX).saturating_add(1);
        range.end = range.end.min(range.start.saturating_add(room));
        if let Some(span) = Span::new(loaded, range.len() as u64, range, placed.parts.len()) {
            placed.parts.push(Part {
                name: format!("load {index} (load address)"),
                permissions: SegmentPermissions { write: false, ..permissions(header.p_flags(self.endian)) },
                copy_of: Some(expected),
            });
            placed.copies.place(span);
        }
    }

    fn place_sections(&mut self) -> Placed {
        let mut placed = Placed::default();
        let endian = self.endian;
        let allocated = |header: &&Header::SectionHeader| header.sh_flags(endian).0 & elf::SHF_ALLOC.0 != 0;
        if self.section_headers.iter().filter(allocated).all(|header| header.sh_addr(endian).into() == 0) {
            self.lay_out_sections();
        }
        let names: Vec<String> = self.contents.sections.iter().map(|section| section.name.clone()).collect();
        // Empty sections were left out of the list of sections, but are counted by the headers.
        let listed = self
            .section_headers
            .iter()
            .zip(0..)
            .filter(|(header, _)| header.sh_type(endian) != elf::SHT_NULL);
        for ((header, index), name) in listed.zip(names).filter(|((header, _), _)| allocated(header)) {
            let size: u64 = header.sh_size(endian).into();
            let address = self.section_addresses[index];
            let flags = header.sh_flags(endian).0;
            let permissions = SegmentPermissions {
                read: true,
                write: flags & elf::SHF_WRITE.0 != 0,
                execute: flags & elf::SHF_EXECINSTR.0 != 0,
            };
            let in_file = if header.sh_type(endian) == SHT_NOBITS { 0 } else { size };
            let file = (header.sh_offset(endian).into(), in_file);
            self.place(&mut placed, Part { name, permissions, copy_of: None }, address, size, file);
        }
        placed
    }

    /// Assigns consecutive addresses to the sections of a relocatable object, which all have address 0.
    fn lay_out_sections(&mut self) {
        let endian = self.endian;
        let mut next = self.input.options.base.unwrap_or(0);
        for (header, address) in self.section_headers.iter().zip(&mut self.section_addresses) {
            if header.sh_flags(endian).0 & elf::SHF_ALLOC.0 == 0 {
                continue;
            }
            let alignment: u64 = header.sh_addralign(endian).into();
            let alignment = if alignment.is_power_of_two() { alignment.min(LARGEST_ALIGNMENT) } else { 1 };
            let aligned = next.checked_next_multiple_of(alignment);
            // A section that does not fit keeps the last address, where placing it gives a warning.
            *address = aligned.unwrap_or(u64::MAX);
            next = address.saturating_add(header.sh_size(endian).into());
        }
        let listed = self.section_headers.iter().zip(&self.section_addresses);
        let listed = listed.filter(|(header, _)| header.sh_type(endian) != elf::SHT_NULL);
        for (section, (header, &address)) in self.contents.sections.iter_mut().zip(listed) {
            if header.sh_flags(endian).0 & elf::SHF_ALLOC.0 != 0 {
                section.address = address;
            }
        }
    }

    /// Places a part of the file in memory. Bytes that the file lacks are left unmapped, not taken for zero.
    fn place(&mut self, placed: &mut Placed, part: Part, address: u64, size: u64, file: (u64, u64)) {
        let (offset, file_size) = file;
        let range = self.present(offset, file_size);
        let present = range.len() as u64;
        if size == 0 {
            return;
        }
        let Some(room) = self.last_address().checked_sub(address) else {
            self.warn(format!("{} at {address:#x} is beyond the last address; it is left out", part.name));
            return;
        };
        let fitting = size.min(room.saturating_add(1));
        if fitting < size {
            self.warn(format!(
                "{} at {address:#x} passes the last address; the rest of it is left out",
                part.name
            ));
        }
        if present < file_size.min(fitting) {
            let text = format!(
                "{}: of {file_size} bytes, {present} are in the file; the others are not mapped",
                part.name
            );
            self.warn_at(offset, text);
        }
        let origin = placed.parts.len();
        let spans: [Option<Span>; 2] = if present < file_size {
            let zero = address.checked_add(file_size);
            let zero =
                zero.and_then(|zero| Span::new(zero, fitting.saturating_sub(file_size), empty(), origin));
            [Span::new(address, present.min(fitting), range, origin), zero]
        } else {
            [Span::new(address, fitting, range, origin), None]
        };
        for span in spans.into_iter().flatten() {
            if let Some(hidden) = placed.layout.place(span) {
                let (first, last) = hidden.into_inner();
                self.warn(format!("{} covers {first:#x} to {last:#x}, which were loaded before", part.name));
            }
        }
        placed.parts.push(part);
    }

    fn last_address(&self) -> u64 {
        match self.machine.class {
            Class::Bits32 => u64::from(u32::MAX),
            Class::Bits64 => u64::MAX,
        }
    }
}

fn empty() -> Range<usize> {
    0..0
}

fn permissions(flags: elf::ProgramFlags) -> SegmentPermissions {
    SegmentPermissions {
        read: flags.0 & elf::PF_R.0 != 0,
        write: flags.0 & elf::PF_W.0 != 0,
        execute: flags.0 & elf::PF_X.0 != 0,
    }
}
