//! Tables and ranges of an ELF file, truncated to the size of the file.

use std::ops::Range;

use object::read::elf::FileHeader;
use object::{Endianness, Pod, ReadRef};

use super::Reader;

impl<'data, Header: FileHeader<Endian = Endianness>> Reader<'data, Header> {
    /// The entries of a table that are in the file, with a warning if some are missing.
    pub(super) fn table<Entry: Pod>(&mut self, what: &str, offset: u64, count: u64) -> &'data [Entry] {
        let room = (self.data.len() as u64).saturating_sub(offset) / size_of::<Entry>() as u64;
        let present = count.min(room);
        if present < count {
            self.warn_at(offset, format!("{what}: of {count} entries, {present} are in the file"));
        }
        self.data.read_slice_at(offset, usize::try_from(present).unwrap_or(0)).unwrap_or_default()
    }

    /// The part of a range of the file that is in the file.
    pub(super) fn present(&self, offset: u64, size: u64) -> Range<usize> {
        let length = self.data.len() as u64;
        let start = offset.min(length);
        let end = offset.saturating_add(size).min(length).max(start);
        // Both are at most the length of the file, which is in memory.
        start as usize..end as usize
    }
}
