//! The entry points of an ELF file.

use object::Endianness;
use object::elf::{SHT_FINI_ARRAY, SHT_INIT_ARRAY, SHT_PREINIT_ARRAY};
use object::read::elf::{FileHeader, SectionHeader};

use super::Reader;
use crate::{Binding, Endian, Entry, EntryReason, FileKind, SymbolKind};

impl<Header: FileHeader<Endian = Endianness>> Reader<'_, Header> {
    /// Collects the entry points.
    pub(super) fn read_entries(&mut self) {
        self.read_start();
        self.read_arrays();
        self.read_exports();
    }

    fn read_start(&mut self) {
        let start: u64 = self.header.e_entry(self.endian).into();
        // 0 means no start address, unless a firmware has its code there.
        if start == 0 && !(self.machine.kind == FileKind::Executable && self.executes(0)) {
            return;
        }
        let (address, alternate) = self.machine.split_code_address(start);
        if !self.contents.maps(address) {
            self.warn(format!("the start address {address:#x} is outside of the loaded memory"));
        }
        self.contents.entries.push(Entry { address, alternate, reason: EntryReason::Start, name: None });
    }

    /// Reads the arrays of functions that run before and after the main program.
    fn read_arrays(&mut self) {
        let pointer = usize::from(self.machine.class.bytes());
        // Arrays of an honest file do not share bytes, so together they have no more pointers than fit the file.
        let mut left = self.data.len() / pointer;
        for header in self.section_headers {
            let reason = match header.sh_type(self.endian) {
                SHT_PREINIT_ARRAY | SHT_INIT_ARRAY => EntryReason::Initializer,
                SHT_FINI_ARRAY => EntryReason::Finalizer,
                _ => continue,
            };
            let range =
                self.present(header.sh_offset(self.endian).into(), header.sh_size(self.endian).into());
            for bytes in self.data[range].chunks_exact(pointer) {
                if left == 0 {
                    return;
                }
                left -= 1;
                let (address, alternate) = self.machine.split_code_address(self.number(bytes));
                // A position-independent file may have only zeros here, for the dynamic linker to fill in.
                if self.executes(address) {
                    self.contents.entries.push(Entry { address, alternate, reason, name: None });
                }
            }
        }
    }

    /// Functions that other files can call; a program that is fully linked has none unless it links
    /// dynamically.
    fn read_exports(&mut self) {
        let relocatable = self.machine.kind == FileKind::Relocatable;
        for symbol in &self.contents.symbols {
            let function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::IndirectFunction);
            if function && symbol.binding != Binding::Local && (symbol.dynamic || relocatable) {
                self.contents.entries.push(Entry {
                    address: symbol.address,
                    alternate: symbol.alternate,
                    reason: EntryReason::Exported,
                    name: Some(symbol.name.clone()),
                });
            }
        }
    }

    fn executes(&self, address: u64) -> bool {
        let after = self.contents.segments.partition_point(|segment| segment.address <= address);
        let segment = after.checked_sub(1).map(|index| &self.contents.segments[index]);
        segment.is_some_and(|segment| segment.contains(address) && segment.permissions.execute)
    }

    pub(super) fn number(&self, bytes: &[u8]) -> u64 {
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        match self.machine.endian {
            Endian::Little => bytes.iter().rev().fold(0, add),
            Endian::Big => bytes.iter().fold(0, add),
        }
    }
}
