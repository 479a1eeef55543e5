//! Relocated words: memory contents that the dynamic linker or start-up code writes.

use everypath_image::{Image, Relocation};
use everypath_ir::Endian;
use everypath_lift::Relocations;
use std::sync::Arc;

/// The contents of a relocated word once the program runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Relocated {
    /// A known number, if the file is loaded where the image has it.
    Known(u64),
    /// The address of a symbol that another file defines.
    Import(Arc<str>),
    /// Not known statically.
    Unknown,
}

/// The relocated words of a file, sorted by address.
#[derive(Default)]
pub(crate) struct RelocatedWords {
    words: Vec<(u64, Relocated)>,
    /// The size of a word.
    size: u64,
    /// Copy-relocated variables (first and last address); another file defines their contents.
    copies: Vec<(u64, u64)>,
    /// Resolver functions whose results are stored in words (`IRELATIVE`).
    resolvers: Vec<u64>,
}

impl RelocatedWords {
    pub(crate) fn new(image: &Image, meaning: &Relocations, endian: Endian, pointer: usize) -> Self {
        let mut found = Self { size: pointer as u64, ..Self::default() };
        // Words that say how far into the file they point are moved with it.
        let bias = image.load_bias();
        let mask = if pointer < 8 { (1 << (8 * pointer)) - 1 } else { u64::MAX };
        for relocation in image.relocations() {
            let in_place = || {
                let mut bytes = [0; 8];
                let read = image.read_at(relocation.address, &mut bytes[..pointer]);
                (read == pointer).then(|| endian.number(&bytes[..pointer]))
            };
            let addend = || relocation.addend.map(|addend| addend as u64).or_else(in_place);
            let is = |list: &[u32]| relocation.kind.is_some_and(|kind| list.contains(&kind));
            let is_plain = relocation.symbol.is_none() && is(&meaning.sum);
            let contents = if is(&meaning.resolver) {
                found.resolvers.extend(addend().map(|addend| addend.wrapping_add(bias)));
                Relocated::Unknown
            } else if relocation.kind.is_none() || is(&meaning.relative) || is_plain {
                addend().map_or(Relocated::Unknown, |sum| Relocated::Known(sum.wrapping_add(bias) & mask))
            } else if is(&meaning.symbol) {
                of_symbol(relocation, Some(0), mask)
            } else if is(&meaning.sum) {
                of_symbol(relocation, addend(), mask)
            } else {
                Relocated::Unknown
            };
            let size = relocation.symbol.as_ref().map_or(0, |symbol| symbol.size);
            if contents == Relocated::Unknown && size > found.size {
                found.copies.push((relocation.address, relocation.address.saturating_add(size - 1)));
            }
            found.words.push((relocation.address, contents));
        }
        found.words.sort_by_key(|(address, _)| *address);
        found
    }

    /// Resolver functions whose results are stored in words.
    pub(crate) fn resolvers(&self) -> &[u64] {
        &self.resolvers
    }

    /// The relocated word that overlaps a byte range, with its first address.
    pub(crate) fn touching(&self, address: u64, size: u64) -> Option<(u64, &Relocated)> {
        let last = address.saturating_add(size.max(1) - 1);
        if self.copies.iter().any(|(start, end)| *start <= last && address <= *end) {
            return Some((address, &Relocated::Unknown));
        }
        let after = self.words.partition_point(|(start, _)| *start <= last);
        let (start, contents) = &self.words[after.checked_sub(1)?];
        (start.saturating_add(self.size - 1) >= address).then_some((*start, contents))
    }
}

fn of_symbol(relocation: &Relocation, addend: Option<u64>, mask: u64) -> Relocated {
    let Some(symbol) = relocation.symbol.as_ref().filter(|symbol| !symbol.indirect) else {
        return Relocated::Unknown;
    };
    match (symbol.value, addend) {
        (Some(value), Some(addend)) => Relocated::Known(value.wrapping_add(addend) & mask),
        (None, Some(0)) => Relocated::Import(symbol.name.clone()),
        _ => Relocated::Unknown,
    }
}
