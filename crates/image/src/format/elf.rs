//! ELF, of 32 and 64 bits and both byte orders.

mod dynamic;
mod entries;
mod relocations;
mod sections;
mod segments;
mod symbols;
mod tables;

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::FileHeader;
use object::{Endianness, ReadRef};

use super::{ImageFormat, Input};
use crate::attributes;
use crate::contents::Contents;
use crate::names::Names;
use crate::{Class, Endian, FileKind, FileMachine, FilePosition, ReadError};

pub(super) static FORMAT: ImageFormat =
    ImageFormat { name: "elf", title: "ELF", only_forced: false, detect, read };

fn detect(file: &[u8]) -> bool {
    file.starts_with(&elf::ELFMAG)
}

/// The offsets of the file's class and byte order in its header.
const CLASS_OFFSET: usize = 4;
const ENDIAN_OFFSET: usize = 5;
/// The type of a section with build attributes; other sections with this number begin differently.
const ATTRIBUTES: u32 = 0x7000_0003;

fn read(input: &Input<'_>) -> Result<Contents, ReadError> {
    if !detect(&input.file) {
        return Err(input.nothing("the file does not begin with the ELF mark"));
    }
    match input.file.get(CLASS_OFFSET) {
        Some(1) => read_class::<FileHeader32<Endianness>>(input, Class::Bits32),
        Some(2) => read_class::<FileHeader64<Endianness>>(input, Class::Bits64),
        Some(other) => {
            Err(input.nothing(format!("the header has class {other}, which is neither 32 nor 64 bits")))
        }
        None => Err(input.nothing("the header is cut off")),
    }
}

/// State of the reader.
struct Reader<'data, Header: FileHeader<Endian = Endianness>> {
    input: &'data Input<'data>,
    data: &'data [u8],
    header: &'data Header,
    endian: Endianness,
    machine: FileMachine,
    /// By section index, so the first one is the empty section 0.
    section_headers: &'data [Header::SectionHeader],
    /// The address of each section: from its header, or assigned here for a relocatable object.
    section_addresses: Vec<u64>,
    names: Names,
    contents: Contents,
}

fn read_class<Header>(input: &Input<'_>, class: Class) -> Result<Contents, ReadError>
where
    Header: FileHeader<Endian = Endianness>,
{
    let data: &[u8] = &input.file;
    let header = data.read_at::<Header>(0).map_err(|()| input.nothing("the header is cut off"))?;
    let (endian, byte_order) = match data[ENDIAN_OFFSET] {
        1 => (Endianness::Little, Endian::Little),
        2 => (Endianness::Big, Endian::Big),
        other => return Err(input.nothing(format!("the header has byte order {other}, which is unknown"))),
    };
    let machine = FileMachine {
        number: header.e_machine(endian).0,
        class,
        endian: byte_order,
        flags: header.e_flags(endian).0,
        interface: header.e_ident().os_abi.0,
        kind: match header.e_type(endian) {
            elf::ET_REL => FileKind::Relocatable,
            elf::ET_EXEC => FileKind::Executable,
            elf::ET_DYN => FileKind::Shared,
            elf::ET_CORE => FileKind::Core,
            other => FileKind::Other(other.0),
        },
    };
    let mut reader = Reader {
        input,
        data,
        header,
        endian,
        machine,
        section_headers: &[],
        section_addresses: Vec::new(),
        names: Names::new(data.len()),
        contents: Contents { machine: Some(machine), ..Contents::default() },
    };
    reader.read_sections();
    let dynamic = reader.read_segments();
    if reader.contents.segments.is_empty() {
        let first = reader.contents.warnings.finish().into_iter().next();
        let reason = first.map_or_else(String::new, |warning| format!(" ({warning})"));
        return Err(input.nothing(format!("the header is there, but no memory to load{reason}")));
    }
    reader.read_attributes();
    reader.read_symbols();
    reader.read_entries();
    reader.read_relocations(&dynamic);
    Ok(reader.contents)
}

impl<Header: FileHeader<Endian = Endianness>> Reader<'_, Header> {
    /// Reads the build attributes.
    fn read_attributes(&mut self) {
        let sections = self.contents.sections.iter().filter(|section| section.kind == ATTRIBUTES);
        let read = sections.flat_map(|section| attributes::read(section.data(), self.machine.endian));
        self.contents.attributes = read.collect();
    }

    fn warn(&mut self, text: impl Into<String>) {
        self.contents.warnings.file(text);
    }

    fn warn_at(&mut self, offset: u64, text: impl Into<String>) {
        self.contents.warnings.add(FilePosition::Offset(offset), text);
    }
}
