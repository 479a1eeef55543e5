//! The sections of an ELF file.

use object::Endianness;
use object::elf::{self, SHT_NOBITS, SHT_NULL};
use object::read::elf::{FileHeader, SectionHeader};

use super::Reader;
use crate::Section;

impl<'data, Header: FileHeader<Endian = Endianness>> Reader<'data, Header> {
    /// Reads the section headers.
    pub(super) fn read_sections(&mut self) {
        let offset: u64 = self.header.e_shoff(self.endian).into();
        if offset == 0 {
            return;
        }
        let entry_size = usize::from(self.header.e_shentsize(self.endian));
        if entry_size != size_of::<Header::SectionHeader>() {
            self.warn_at(offset, format!("section headers of {entry_size} bytes cannot be read"));
            return;
        }
        let count = match self.header.shnum(self.endian, self.data) {
            Ok(count) => u64::from(count),
            Err(error) => {
                self.warn_at(offset, format!("the section headers cannot be read: {error}"));
                return;
            }
        };
        self.section_headers = self.table("section headers", offset, count);
        self.section_addresses =
            self.section_headers.iter().map(|header| header.sh_addr(self.endian).into()).collect();
        let strings = self.section_name_strings();
        for header in self.section_headers {
            if header.sh_type(self.endian) == SHT_NULL {
                continue;
            }
            let name = strings.get(header.sh_name(self.endian) as usize..).unwrap_or_default();
            let Some(name) = self.names.take(name) else {
                self.warn("the names of the sections are larger than the file; sections are left out");
                break;
            };
            let size = header.sh_size(self.endian).into();
            let range = match header.sh_type(self.endian) {
                SHT_NOBITS => 0..0,
                _ => self.present(header.sh_offset(self.endian).into(), size),
            };
            self.contents.sections.push(Section {
                name,
                address: header.sh_addr(self.endian).into(),
                size,
                kind: header.sh_type(self.endian).0,
                flags: header.sh_flags(self.endian).0,
                backing: self.input.file.clone(),
                range,
            });
        }
    }

    fn section_name_strings(&mut self) -> &'data [u8] {
        let index = match self.header.shstrndx(self.endian, self.data) {
            Ok(index) => index as usize,
            Err(_) if self.header.e_shstrndx(self.endian) == elf::SHN_UNDEF => return &[],
            Err(error) => {
                self.warn(format!("the sections have no names: {error}"));
                return &[];
            }
        };
        match self.section_headers.get(index) {
            Some(header) => {
                let range =
                    self.present(header.sh_offset(self.endian).into(), header.sh_size(self.endian).into());
                &self.data[range]
            }
            None => {
                self.warn("the sections have no names: the section with the names is not in the file");
                &[]
            }
        }
    }
}
