//! A named part of the file, as the linker laid it out.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use object::elf;

/// A named part of the file, as the linker laid it out.
#[derive(Clone)]
pub struct Section {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) kind: u32,
    pub(crate) flags: u64,
    pub(crate) backing: Arc<[u8]>,
    pub(crate) range: Range<usize>,
}

impl Section {
    /// The name, such as `.text`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address of the section, if it is [`allocated`](Self::allocated).
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The size that the file states; [`data`](Self::data) may be shorter.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The ELF section type, `sh_type`.
    pub fn kind(&self) -> u32 {
        self.kind
    }

    /// The ELF section flags, `sh_flags`.
    pub fn flags(&self) -> u64 {
        self.flags
    }

    /// The section is part of the program's memory.
    pub fn allocated(&self) -> bool {
        self.flags & elf::SHF_ALLOC.0 != 0
    }

    /// The program may write here.
    pub fn writable(&self) -> bool {
        self.flags & elf::SHF_WRITE.0 != 0
    }

    /// The section is writable for the linker or the start-up code only: tables of addresses that the program does not
    /// change, by the names that linkers give them.
    pub fn is_relocated(&self) -> bool {
        const NAMES: [&str; 9] = [
            ".got",
            ".toc",
            ".data.rel.ro",
            ".dynamic",
            ".init_array",
            ".fini_array",
            ".preinit_array",
            ".ctors",
            ".dtors",
        ];
        NAMES.iter().any(|name| self.name.starts_with(name))
    }

    /// The section holds instructions.
    pub fn executable(&self) -> bool {
        self.flags & elf::SHF_EXECINSTR.0 != 0
    }

    /// The bytes of the section in the file, still compressed if the file compresses them.
    pub fn data(&self) -> &[u8] {
        &self.backing[self.range.clone()]
    }
}

impl fmt::Debug for Section {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Section")
            .field("name", &self.name)
            .field("address", &self.address)
            .field("size", &self.size)
            .field("kind", &self.kind)
            .field("flags", &self.flags)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}
