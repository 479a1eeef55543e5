//! The processor that an ELF header names.

use crate::Endian;

/// The processor of a file, as plain numbers that an architecture description interprets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileMachine {
    /// The ELF machine number, `e_machine`.
    pub number: u16,
    /// The width of addresses in the file.
    pub class: Class,
    /// The order of bytes of data.
    pub endian: Endian,
    /// The processor's flags, `e_flags`.
    pub flags: u32,
    /// The operating system or binary interface, `EI_OSABI`.
    pub interface: u8,
    /// The kind of file.
    pub kind: FileKind,
}

/// The machines on which the lowest bit of a code address selects the alternate instruction set.
const LOWEST_BIT_SELECTS: [u16; 2] = [8, 40];

impl FileMachine {
    /// A code address as the file has it, split into the address and whether it selects the alternate
    /// instruction set.
    pub fn split_code_address(&self, address: u64) -> (u64, bool) {
        if LOWEST_BIT_SELECTS.contains(&self.number) {
            (address & !1, address & 1 == 1)
        } else {
            (address, false)
        }
    }
}

/// The width of addresses in an ELF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
}

impl Class {
    /// The width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }

    /// The width in bytes.
    pub fn bytes(self) -> u8 {
        match self {
            Self::Bits32 => 4,
            Self::Bits64 => 8,
        }
    }
}

/// The kinds of ELF file, `e_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Compiled, but not linked: addresses are not final and relocations are not applied.
    Relocatable,
    /// Linked to fixed addresses.
    Executable,
    /// Position-independent: a library, or a program that can be loaded anywhere.
    Shared,
    /// A core dump.
    Core,
    /// Any other number.
    Other(u16),
}
