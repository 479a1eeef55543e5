//! The relocations of a linked ELF file, from its sections, otherwise from its dynamic section.

use std::collections::HashMap;
use std::sync::Arc;

use object::Endianness;
use object::elf::{self, SHF_ALLOC, SHT_REL, SHT_RELA, SHT_RELR, STT_GNU_IFUNC};
use object::read::elf::{FileHeader, SectionHeader, Sym};

use super::Reader;
use super::dynamic::{Dynamic, Form};
use crate::{Class, FileKind, Relocation, RelocationSymbol};

/// The number of reserved words at the start of the global offset table of the procedure linkage table: the dynamic
/// linker stores its own addresses there, without a relocation for them.
const RESERVED: u64 = 3;

/// A relocation table with its symbols.
struct Table<'data, Symbol> {
    form: Form,
    bytes: &'data [u8],
    symbols: &'data [Symbol],
    strings: &'data [u8],
}

impl<'data, Header: FileHeader<Endian = Endianness>> Reader<'data, Header> {
    /// Reads the relocations that apply when the program is loaded.
    pub(super) fn read_relocations(&mut self, dynamic: &Dynamic) {
        // Those of an object file are for the linker.
        if self.machine.kind == FileKind::Relocatable {
            return;
        }
        let mut tables = self.tables_of_sections();
        if self.section_headers.is_empty() {
            tables = self.tables_of_dynamic(dynamic);
            // A program that relocates itself names its relocations by symbols alone: without sections, its words are
            // unknown.
            if tables.is_empty() && !dynamic.is_loaded {
                self.contents.settled.clear();
            }
        }
        // These come first, so that a relocation of the same word has precedence.
        let width = u64::from(self.machine.class.bytes());
        for address in
            dynamic.reserved.into_iter().flat_map(|start| (0..RESERVED).map(move |word| (start, word)))
        {
            let address = address.0.wrapping_add(address.1 * width);
            self.contents.relocations.push(Relocation { address, kind: Some(0), symbol: None, addend: None });
        }
        // Tables of an honest file do not share bytes.
        let mut left = self.data.len();
        let mut names: HashMap<u32, Option<Arc<str>>> = HashMap::new();
        for table in tables {
            let Some(rest) = left.checked_sub(table.bytes.len()) else {
                self.warn("the relocations are larger than the file; some are left out");
                break;
            };
            left = rest;
            match table.form {
                Form::Compact => self.read_compact(table.bytes),
                Form::Implicit | Form::Explicit => self.read_entries_of(&table, dynamic, &mut names),
            }
        }
    }

    fn tables_of_sections(&mut self) -> Vec<Table<'data, Header::Sym>> {
        let endian = self.endian;
        let mut tables = Vec::new();
        for header in self.section_headers {
            let form = match header.sh_type(endian) {
                SHT_RELA => Form::Explicit,
                SHT_REL => Form::Implicit,
                SHT_RELR => Form::Compact,
                _ => continue,
            };
            if header.sh_flags(endian).0 & SHF_ALLOC.0 == 0 {
                continue;
            }
            let range = self.present(header.sh_offset(endian).into(), header.sh_size(endian).into());
            let linked = self.section_headers.get(header.sh_link(endian) as usize);
            let linked = linked.filter(|linked| linked.sh_type(endian) == elf::SHT_DYNSYM);
            let (symbols, strings): (&[Header::Sym], &[u8]) = match linked {
                Some(linked) => {
                    let count = linked.sh_size(endian).into() / size_of::<Header::Sym>() as u64;
                    let symbols = self.table("dynamic symbols", linked.sh_offset(endian).into(), count);
                    let names = self.section_headers.get(linked.sh_link(endian) as usize);
                    let names = names.map_or(0..0, |names| {
                        self.present(names.sh_offset(endian).into(), names.sh_size(endian).into())
                    });
                    (symbols, &self.data[names])
                }
                None => (&[], &[]),
            };
            tables.push(Table { form, bytes: &self.data[range], symbols, strings });
        }
        tables
    }

    fn tables_of_dynamic(&mut self, dynamic: &Dynamic) -> Vec<Table<'data, Header::Sym>> {
        // The section does not give the number of symbols: assume as many as an index can name.
        let room = |offset: u64| (self.data.len() as u64).saturating_sub(offset);
        let symbols: &[Header::Sym] = match dynamic.symbols {
            Some(offset) => {
                let count = room(offset) / size_of::<Header::Sym>() as u64;
                self.table("dynamic symbols", offset, count)
            }
            None => &[],
        };
        let strings = dynamic.strings.map_or(0..0, |(offset, size)| self.present(offset, size));
        let strings = &self.data[strings];
        let tables = dynamic.tables.iter().map(|(form, offset, size)| Table {
            form: *form,
            bytes: &self.data[self.present(*offset, *size)],
            symbols,
            strings,
        });
        tables.collect()
    }

    fn read_entries_of(
        &mut self,
        table: &Table<'data, Header::Sym>,
        dynamic: &Dynamic,
        names: &mut HashMap<u32, Option<Arc<str>>>,
    ) {
        let word = usize::from(self.machine.class.bytes());
        let is_explicit = table.form == Form::Explicit;
        let size = if is_explicit { 3 * word } else { 2 * word };
        for entry in table.bytes.chunks_exact(size) {
            let information = self.number(&entry[word..2 * word]);
            let (index, kind) = match self.machine.class {
                Class::Bits32 => ((information >> 8) as u32, (information & 0xff) as u32),
                Class::Bits64 => ((information >> 32) as u32, information as u32),
            };
            let addend = is_explicit.then(|| {
                let addend = self.number(&entry[2 * word..]);
                if word == 4 { i64::from(addend as u32 as i32) } else { addend as i64 }
            });
            let symbol = table.symbols.get(index as usize).filter(|_| index != 0);
            let symbol =
                symbol.and_then(|symbol| self.relocation_symbol(symbol, index, table, dynamic, names));
            let address = self.number(&entry[..word]);
            self.contents.relocations.push(Relocation { address, kind: Some(kind), symbol, addend });
        }
    }

    fn relocation_symbol(
        &mut self,
        symbol: &Header::Sym,
        index: u32,
        table: &Table<'data, Header::Sym>,
        dynamic: &Dynamic,
        names: &mut HashMap<u32, Option<Arc<str>>>,
    ) -> Option<RelocationSymbol> {
        let endian = self.endian;
        let text = table.strings.get(symbol.st_name(endian) as usize..).unwrap_or_default();
        let name = names.entry(index).or_insert_with(|| self.names.take(text).map(Arc::from)).clone()?;
        let is_defined = symbol.st_shndx(endian) != elf::SHN_UNDEF;
        let is_own = dynamic.is_program || symbol.st_bind() == elf::STB_LOCAL;
        Some(RelocationSymbol {
            name,
            value: (is_defined && is_own).then(|| symbol.st_value(endian).into()),
            size: symbol.st_size(endian).into(),
            indirect: symbol.st_type() == STT_GNU_IFUNC,
        })
    }

    /// Reads a bitmap of relative relocations (`DT_RELR`): a word with bit 0 clear is an address; any other word says
    /// which of the words after the last address are relocated, too.
    fn read_compact(&mut self, bytes: &[u8]) {
        let size = usize::from(self.machine.class.bytes());
        let width = size as u64;
        let mut next = 0_u64;
        let relative = |address| Relocation { address, kind: None, symbol: None, addend: None };
        for entry in bytes.chunks_exact(size) {
            let entry = self.number(entry);
            if entry & 1 == 0 {
                self.contents.relocations.push(relative(entry));
                next = entry.wrapping_add(width);
                continue;
            }
            let bits = 8 * width - 1;
            for bit in (0..bits).filter(|bit| entry >> (bit + 1) & 1 == 1) {
                self.contents.relocations.push(relative(next.wrapping_add(bit * width)));
            }
            next = next.wrapping_add(bits * width);
        }
    }
}
