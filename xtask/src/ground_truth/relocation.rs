//! Relocations that the linker kept (`--emit-relocs`): each location that refers to another one.

use object::read::elf::{ElfFile, FileHeader};
use object::{
    FileKind, Object, ObjectSection, ObjectSymbol, RelocationKind, RelocationTarget, SectionFlags,
    SymbolKind, elf,
};

/// A location that refers to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Reference {
    /// The referring location.
    pub at: u64,
    /// The target.
    pub to: u64,
    /// Whether it is among instructions.
    pub code: bool,
    /// Whether it refers to a function by its name.
    pub function: bool,
}

/// The references of a file, by address, without those in the sections `without`.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn references(bytes: &[u8], without: &[String]) -> Result<Vec<Reference>, String> {
    let read = |error: object::Error| error.to_string();
    match FileKind::parse(bytes).map_err(read)? {
        FileKind::Elf32 => {
            collect(&ElfFile::<elf::FileHeader32<object::Endianness>>::parse(bytes).map_err(read)?, without)
        }
        FileKind::Elf64 => {
            collect(&ElfFile::<elf::FileHeader64<object::Endianness>>::parse(bytes).map_err(read)?, without)
        }
        _ => Err("not a file that is linked here".to_owned()),
    }
}

fn collect<Header: FileHeader>(
    file: &ElfFile<'_, Header>,
    without: &[String],
) -> Result<Vec<Reference>, String> {
    let big = file.endianness() == object::Endianness::Big;
    let mut found = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
        let name = section.name().unwrap_or_default();
        if !sh_flags.contains(elf::SHF_ALLOC) || without.iter().any(|other| other == name) {
            continue;
        }
        let code = sh_flags.contains(elf::SHF_EXECINSTR);
        let data = section.data().map_err(|error| error.to_string())?;
        for (at, relocation) in section.relocations() {
            let symbol = match relocation.target() {
                RelocationTarget::Symbol(index) => file.symbol_by_index(index).ok(),
                _ => None,
            };
            let function = symbol.as_ref().is_some_and(|symbol| symbol.kind() == SymbolKind::Text);
            let symbol = symbol.map_or(0, |symbol| symbol.address());
            let inside = at.wrapping_sub(section.address()) as usize;
            let size = usize::from(relocation.size() / 8);
            let held = data.get(inside..).and_then(|rest| rest.get(..size)).filter(|held| !held.is_empty());
            // The addend of a reference to a function depends on how the linker reaches it.
            let to = match (relocation.has_implicit_addend(), relocation.kind(), held) {
                // A linked file holds the whole address.
                (true, RelocationKind::Absolute, Some(held)) => number(held, big),
                (true, ..) => symbol,
                _ if function => symbol,
                // It is relative to its own address, and the instruction continues after it.
                (false, RelocationKind::Relative, Some(_)) if code => {
                    symbol.wrapping_add(relocation.addend() as u64).wrapping_add(size as u64)
                }
                _ => symbol.wrapping_add(relocation.addend() as u64),
            };
            let mask = if file.is_64() { u64::MAX } else { u64::from(u32::MAX) };
            found.push(Reference { at, to: to & mask, code, function });
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn number(bytes: &[u8], big: bool) -> u64 {
    let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if big { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
}
