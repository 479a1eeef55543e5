//! Relocations of a linked file: words that the dynamic linker, or the program's own start-up code, writes.

use std::sync::Arc;

/// A word of memory that is written before the program proper runs, so that the bytes in the file are not what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The address of the word.
    pub address: u64,
    /// The relocation type, `r_type`, whose meaning depends on the machine; `None` for a compact relative relocation
    /// (`DT_RELR`), which means the same on all of them. The words that the dynamic linker keeps for itself have type 0.
    pub kind: Option<u32>,
    /// The symbol that it refers to.
    pub symbol: Option<RelocationSymbol>,
    /// The addend, where the relocation states it; otherwise it is the number in the file at the address.
    pub addend: Option<i64>,
}

/// The symbol that a relocation refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelocationSymbol {
    /// The name, as the file has it (mangled).
    pub name: Arc<str>,
    /// The value that the dynamic linker binds it to, if that is certain: this file defines it, and no other file can take
    /// its place. The bit that selects an instruction set is a part of it.
    pub value: Option<u64>,
    /// The size in bytes of what it names; 0 if the file does not say.
    pub size: u64,
    /// Whether it names a function that returns the address of the function to be used in its place.
    pub indirect: bool,
}
