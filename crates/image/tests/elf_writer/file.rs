//! Writes small ELF files of both classes and byte orders.

use everypath_image::{Class, Endian};

/// The four kinds of ELF file.
pub(crate) const SHAPES: [(Class, Endian); 4] = [
    (Class::Bits32, Endian::Little),
    (Class::Bits32, Endian::Big),
    (Class::Bits64, Endian::Little),
    (Class::Bits64, Endian::Big),
];

/// An ELF file to be written.
#[derive(Clone)]
pub(crate) struct ElfFile {
    pub(crate) class: Class,
    pub(crate) endian: Endian,
    pub(crate) kind: u16,
    pub(crate) machine: u16,
    pub(crate) flags: u32,
    pub(crate) entry: u64,
    pub(crate) loads: Vec<Load>,
    pub(crate) sections: Vec<SectionBytes>,
    pub(crate) symbols: Vec<SymbolEntry>,
    pub(crate) dynamic_symbols: Vec<SymbolEntry>,
}

/// A program header that is loaded, with its bytes.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) address: u64,
    pub(crate) load_address: u64,
    pub(crate) flags: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) memory_size: u64,
}

/// A section with its bytes; one with a size but no bytes is zero memory.
#[derive(Clone, Default)]
pub(crate) struct SectionBytes {
    pub(crate) name: &'static str,
    pub(crate) kind: u32,
    pub(crate) flags: u64,
    pub(crate) address: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) zero_size: u64,
    pub(crate) alignment: u64,
}

/// A symbol; `section` counts from 1 in the order of [`ElfFile::sections`].
#[derive(Clone)]
pub(crate) struct SymbolEntry {
    pub(crate) name: &'static str,
    pub(crate) value: u64,
    pub(crate) size: u64,
    pub(crate) kind: u8,
    pub(crate) binding: u8,
    pub(crate) section: u16,
}

/// The type of a file that is linked to fixed addresses.
pub(crate) const EXECUTABLE: u16 = 2;

impl ElfFile {
    pub(crate) fn new((class, endian): (Class, Endian), kind: u16, machine: u16) -> Self {
        Self {
            class,
            endian,
            kind,
            machine,
            flags: 0,
            entry: 0,
            loads: Vec::new(),
            sections: Vec::new(),
            symbols: Vec::new(),
            dynamic_symbols: Vec::new(),
        }
    }

    fn wide(&self) -> bool {
        self.class == Class::Bits64
    }

    /// A number of `size` bytes, in the file's byte order.
    pub(crate) fn number(&self, value: u64, size: usize) -> Vec<u8> {
        match self.endian {
            Endian::Little => value.to_le_bytes()[..size].to_vec(),
            Endian::Big => value.to_be_bytes()[8 - size..].to_vec(),
        }
    }

    /// A number as wide as an address.
    pub(crate) fn word(&self, value: u64) -> Vec<u8> {
        self.number(value, usize::from(self.class.bytes()))
    }

    fn symbol_table(&self, symbols: &[SymbolEntry]) -> (Vec<u8>, Vec<u8>) {
        let mut strings = vec![0];
        let mut table = vec![0; if self.wide() { 24 } else { 16 }];
        for symbol in symbols {
            let name = self.number(strings.len() as u64, 4);
            strings.extend(symbol.name.as_bytes());
            strings.push(0);
            let marks = [symbol.binding << 4 | symbol.kind, 0];
            let section = self.number(symbol.section.into(), 2);
            let (value, size) = (self.word(symbol.value), self.word(symbol.size));
            let parts: [&[u8]; 5] = if self.wide() {
                [&name, &marks, &section, &value, &size]
            } else {
                [&name, &value, &size, &marks, &section]
            };
            table.extend(parts.concat());
        }
        (table, strings)
    }

    /// The bytes of the file: header, program headers, bytes of loads and sections, section headers.
    pub(crate) fn write(&self) -> Vec<u8> {
        let (header_size, load_size, section_size) = if self.wide() { (64, 56, 64) } else { (52, 32, 40) };
        let mut sections: Vec<(SectionBytes, u32)> = vec![(SectionBytes::default(), 0)];
        sections.extend(self.sections.iter().cloned().map(|section| (section, 0)));
        for (symbols, kind, table, strings) in
            [(&self.symbols, 2, ".symtab", ".strtab"), (&self.dynamic_symbols, 11, ".dynsym", ".dynstr")]
        {
            if !symbols.is_empty() {
                let (table_bytes, string_bytes) = self.symbol_table(symbols);
                let section =
                    SectionBytes { name: table, kind, bytes: table_bytes, ..SectionBytes::default() };
                sections.push((section, sections.len() as u32 + 1));
                let section =
                    SectionBytes { name: strings, kind: 3, bytes: string_bytes, ..SectionBytes::default() };
                sections.push((section, 0));
            }
        }
        let mut names = vec![0];
        let mut name_offsets = Vec::new();
        sections.push((SectionBytes { name: ".shstrtab", kind: 3, ..SectionBytes::default() }, 0));
        for (section, _) in &sections {
            name_offsets.push(names.len() as u64);
            names.extend(section.name.as_bytes());
            names.push(0);
        }
        sections.last_mut().unwrap().0.bytes = names;

        let mut body = Vec::new();
        let body_offset = header_size + load_size * self.loads.len();
        let mut load_headers = Vec::new();
        for load in &self.loads {
            let offset = self.word((body_offset + body.len()) as u64);
            body.extend(&load.bytes);
            let (kind, flags) = (self.number(1, 4), self.number(load.flags.into(), 4));
            let addresses = [self.word(load.address), self.word(load.load_address)].concat();
            let sizes = [self.word(load.bytes.len() as u64), self.word(load.memory_size)].concat();
            let alignment = self.word(1);
            let parts: [&[u8]; 6] = if self.wide() {
                [&kind, &flags, &offset, &addresses, &sizes, &alignment]
            } else {
                [&kind, &offset, &addresses, &sizes, &flags, &alignment]
            };
            load_headers.extend(parts.concat());
        }
        let mut section_headers = Vec::new();
        for ((section, link), name) in sections.iter().zip(&name_offsets) {
            let offset = body_offset + body.len();
            body.extend(&section.bytes);
            let size = section.bytes.len() as u64 + section.zero_size;
            section_headers.extend(self.number(*name, 4));
            section_headers.extend(self.number(section.kind.into(), 4));
            section_headers.extend(
                [section.flags, section.address, offset as u64, size].map(|word| self.word(word)).concat(),
            );
            section_headers.extend(self.number((*link).into(), 4));
            section_headers.extend(self.number(0, 4));
            section_headers.extend(self.word(section.alignment));
            section_headers.extend(self.word(0));
        }

        let endian = if self.endian == Endian::Little { 1 } else { 2 };
        let mut file =
            vec![0x7f, b'E', b'L', b'F', self.class.bytes() / 4, endian, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend(self.number(self.kind.into(), 2));
        file.extend(self.number(self.machine.into(), 2));
        file.extend(self.number(1, 4));
        let load_offset = if self.loads.is_empty() { 0 } else { header_size as u64 };
        let section_offset = (body_offset + body.len()) as u64;
        file.extend([self.entry, load_offset, section_offset].map(|word| self.word(word)).concat());
        file.extend(self.number(self.flags.into(), 4));
        for half in
            [header_size, load_size, self.loads.len(), section_size, sections.len(), sections.len() - 1]
        {
            file.extend(self.number(half as u64, 2));
        }
        assert_eq!(file.len(), header_size);
        [file, load_headers, body, section_headers].concat()
    }
}
