//! The symbols of an ELF file.

use object::elf::{
    self, SHN_ABS, SHN_COMMON, SHN_UNDEF, SHN_XINDEX, SHT_DYNSYM, SHT_SYMTAB, SHT_SYMTAB_SHNDX,
};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, U32};

use super::Reader;
use crate::names::clip;
use crate::{Binding, FileKind, Mapping, Symbol, SymbolKind};

/// The machine that marks functions of its alternate instruction sets in the symbol's attributes, and these
/// marks.
const MARKING_MACHINE: u16 = 8;
const MARK_MASK: u8 = 0xc0;
const MARKS: [u8; 2] = [0x80, 0xc0];

impl<'data, Header: FileHeader<Endian = Endianness>> Reader<'data, Header> {
    /// Reads the symbol tables: at most one of each kind, as the format has it, so that time is bounded by
    /// the file.
    pub(super) fn read_symbols(&mut self) {
        for kind in [SHT_SYMTAB, SHT_DYNSYM] {
            let table = self.section_headers.iter().position(|header| header.sh_type(self.endian) == kind);
            if let Some(index) = table
                && self.read_symbol_table(index, kind == SHT_DYNSYM).is_none()
            {
                self.warn("the names of the symbols are larger than the file; symbols are left out");
            }
        }
    }

    /// Reads one table; `None` if the names are too large.
    fn read_symbol_table(&mut self, index: usize, dynamic: bool) -> Option<()> {
        let endian = self.endian;
        let header = &self.section_headers[index];
        let offset = header.sh_offset(endian).into();
        let count = header.sh_size(endian).into() / size_of::<Header::Sym>() as u64;
        let what = if dynamic { "dynamic symbols" } else { "symbols" };
        let symbols: &[Header::Sym] = self.table(what, offset, count);
        let strings = self.linked_strings(header, what);
        let far_sections = self.far_sections(index);
        for (position, symbol) in symbols.iter().enumerate() {
            let section = match symbol.st_shndx(endian) {
                SHN_UNDEF | SHN_COMMON => continue,
                SHN_ABS => None,
                SHN_XINDEX => far_sections.get(position).map(|index| index.get(endian) as usize),
                near => near.index().map(usize::from),
            };
            let name = clip(strings.get(symbol.st_name(endian) as usize..).unwrap_or_default());
            if name.is_empty() {
                continue;
            }
            let binding = match symbol.st_bind() {
                elf::STB_LOCAL => Binding::Local,
                elf::STB_WEAK => Binding::Weak,
                _ => Binding::Global,
            };
            let kind = match symbol.st_type() {
                elf::STT_SECTION | elf::STT_FILE => continue,
                elf::STT_FUNC => SymbolKind::Function,
                elf::STT_GNU_IFUNC => SymbolKind::IndirectFunction,
                elf::STT_OBJECT | elf::STT_COMMON => SymbolKind::Object,
                elf::STT_TLS => SymbolKind::ThreadLocal,
                elf::STT_NOTYPE => {
                    let mapping = Mapping::from_name(name).filter(|_| binding == Binding::Local);
                    let is_absolute = symbol.st_shndx(endian) == SHN_ABS;
                    let plain = if is_absolute { SymbolKind::Absolute } else { SymbolKind::Label };
                    mapping.map_or(plain, SymbolKind::Mapping)
                }
                other => SymbolKind::Other(other.0),
            };
            let mut value: u64 = symbol.st_value(endian).into();
            if self.machine.kind == FileKind::Relocatable
                && let Some(section) = section
            {
                value = value.wrapping_add(self.section_addresses.get(section).copied().unwrap_or(0));
            }
            let other = symbol.st_other().0;
            let (address, alternate) = match kind {
                SymbolKind::Function | SymbolKind::IndirectFunction => {
                    let marked =
                        self.machine.number == MARKING_MACHINE && MARKS.contains(&(other & MARK_MASK));
                    let (address, alternate) = self.machine.split_code_address(value);
                    (address, alternate || marked)
                }
                _ => (value, false),
            };
            let name = self.names.take(name)?;
            let size = symbol.st_size(endian).into();
            self.contents.symbols.push(Symbol {
                address,
                size,
                name,
                kind,
                binding,
                alternate,
                dynamic,
                other,
            });
        }
        Some(())
    }

    /// The strings that the names of a symbol table are in.
    fn linked_strings(&mut self, table: &Header::SectionHeader, what: &str) -> &'data [u8] {
        let Some(header) = self.section_headers.get(table.sh_link(self.endian) as usize) else {
            self.warn(format!("the {what} have no names: the section with the names is not in the file"));
            return &[];
        };
        let range = self.present(header.sh_offset(self.endian).into(), header.sh_size(self.endian).into());
        &self.data[range]
    }

    /// The section indexes that do not fit into the symbols of a table.
    fn far_sections(&mut self, table: usize) -> &'data [U32<Endianness>] {
        let endian = self.endian;
        let belongs = |header: &&Header::SectionHeader| {
            header.sh_type(endian) == SHT_SYMTAB_SHNDX && header.sh_link(endian) as usize == table
        };
        match self.section_headers.iter().find(belongs) {
            Some(header) => {
                let count = header.sh_size(endian).into() / size_of::<U32<Endianness>>() as u64;
                self.table("section indexes", header.sh_offset(endian).into(), count)
            }
            None => &[],
        }
    }
}
