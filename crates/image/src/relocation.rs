//! Relocations of a linked file: words that the dynamic linker, or the program's own start-up code, writes.

use std::sync::Arc;

/// A word of memory that is written before the program proper runs, so that the file does not contain its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The address of the word.
    pub address: u64,
    /// The relocation type, `r_type`, which is specific to the machine; `None` for a compact relative relocation
    /// (`DT_RELR`), which is the same on all machines. The words reserved for the dynamic linker have type 0.
    pub kind: Option<u32>,
    /// The symbol that it refers to.
    pub symbol: Option<RelocationSymbol>,
    /// The addend, if the relocation has one; otherwise the number in the file at the address.
    pub addend: Option<i64>,
}

/// The symbol that a relocation refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelocationSymbol {
    /// The name, as the file has it (mangled).
    pub name: Arc<str>,
    /// The value that the dynamic linker binds it to, if that is certain: this file defines it, and no other file can
    /// preempt it. It includes the bit that selects an instruction set.
    pub value: Option<u64>,
    /// The size in bytes of the named object; 0 if the file does not state it.
    pub size: u64,
    /// Whether it names a resolver: a function that returns the address of the function to use.
    pub indirect: bool,
}
