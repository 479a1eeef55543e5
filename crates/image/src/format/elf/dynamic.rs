//! The dynamic section of an ELF file, which instructs the dynamic linker.

use object::Endianness;
use object::elf::{PT_DYNAMIC, PT_INTERP};
use object::read::elf::{FileHeader, ProgramHeader};

use super::Reader;
use crate::FileKind;

/// Tags of the dynamic section.
const NULL: u64 = 0;
const NEEDED: u64 = 1;
const PLT_SIZE: u64 = 2;
const PLT_WORDS: u64 = 3;
const STRINGS: u64 = 5;
const SYMBOLS: u64 = 6;
const RELA: u64 = 7;
const RELA_SIZE: u64 = 8;
const STRINGS_SIZE: u64 = 10;
const INITIALISER: u64 = 12;
const FINALISER: u64 = 13;
const REL: u64 = 17;
const REL_SIZE: u64 = 18;
const PLT_FORM: u64 = 20;
const PLT: u64 = 23;
const RELR_SIZE: u64 = 35;
const RELR: u64 = 36;
const FLAGS: u64 = 0x6fff_fffb;
/// The flag of a position-independent program, as opposed to a library.
const IS_PROGRAM: u64 = 0x0800_0000;

/// The contents of the dynamic section.
#[derive(Debug, Default, Clone)]
pub(super) struct Dynamic {
    /// Whether a dynamic linker loads this file and writes its relocated words.
    pub(super) is_loaded: bool,
    /// Whether the file is a program, whose symbols have precedence: no other file can preempt them.
    pub(super) is_program: bool,
    /// Relocation tables: their form, offset in the file and size.
    pub(super) tables: Vec<(Form, u64, u64)>,
    /// The functions that the dynamic linker calls before and after the program.
    pub(super) called_by_linker: Vec<u64>,
    /// The address of the words reserved for the dynamic linker.
    pub(super) reserved: Option<u64>,
    /// Offsets in the file of the symbols and their names, and the size of the names.
    pub(super) symbols: Option<u64>,
    pub(super) strings: Option<(u64, u64)>,
}

/// The form of a relocation table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Addends are in the relocated words.
    Implicit,
    /// Each entry has its addend.
    Explicit,
    /// A bitmap of words that are relative to the load address.
    Compact,
}

impl<Header: FileHeader<Endian = Endianness>> Reader<'_, Header> {
    /// Reads the parts of the dynamic section that matter for loading.
    pub(super) fn read_dynamic(&self, headers: &[Header::ProgramHeader]) -> Dynamic {
        let endian = self.endian;
        let has = |kind| headers.iter().any(|header| header.p_type(endian) == kind);
        let mut dynamic = Dynamic {
            is_loaded: has(PT_INTERP),
            is_program: self.machine.kind == FileKind::Executable,
            ..Dynamic::default()
        };
        let Some(header) = headers.iter().find(|header| header.p_type(endian) == PT_DYNAMIC) else {
            return dynamic;
        };
        let range = self.present(header.p_offset(endian).into(), header.p_filesz(endian).into());
        let size = usize::from(self.machine.class.bytes());
        let entries = self.data[range].chunks_exact(2 * size);
        let entries = entries.map(|entry| (self.number(&entry[..size]), self.number(&entry[size..])));
        let entries: Vec<(u64, u64)> = entries.take_while(|(tag, _)| *tag != NULL).collect();
        let value = |wanted: u64| entries.iter().find(|(tag, _)| *tag == wanted).map(|(_, value)| *value);
        let offset = |address: u64| {
            headers.iter().filter(|header| header.p_type(endian) == object::elf::PT_LOAD).find_map(|header| {
                let distance = address.checked_sub(header.p_vaddr(endian).into())?;
                let file: u64 = header.p_filesz(endian).into();
                (distance < file).then(|| header.p_offset(endian).into().saturating_add(distance))
            })
        };
        dynamic.is_loaded |= value(NEEDED).is_some();
        dynamic.is_program |= value(FLAGS).is_some_and(|flags| flags & IS_PROGRAM != 0);
        let plt = match value(PLT_FORM) {
            Some(RELA) => Form::Explicit,
            _ => Form::Implicit,
        };
        let known = [
            (Form::Explicit, RELA, RELA_SIZE),
            (Form::Implicit, REL, REL_SIZE),
            (Form::Compact, RELR, RELR_SIZE),
            (plt, PLT, PLT_SIZE),
        ];
        let tables =
            known.into_iter().filter_map(|(form, at, size)| Some((form, offset(value(at)?)?, value(size)?)));
        dynamic.tables = tables.collect();
        dynamic.called_by_linker = [INITIALISER, FINALISER].into_iter().filter_map(value).collect();
        dynamic.reserved = value(PLT_WORDS);
        dynamic.symbols = value(SYMBOLS).and_then(offset);
        dynamic.strings = value(STRINGS).and_then(offset).zip(value(STRINGS_SIZE));
        dynamic
    }
}
