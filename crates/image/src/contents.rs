//! The output of a format's reader, before it is sorted.

use crate::warning::Warnings;
use crate::{
    Attribute, Entry, FileMachine, Host, ProgramHeaders, Relocation, Section, Segment, Symbol, SymbolKind,
};

/// The output of a format's reader; [`crate::Image`] sorts it and makes it read-only.
#[derive(Default)]
pub(crate) struct Contents {
    pub(crate) name: Option<String>,
    pub(crate) machine: Option<FileMachine>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) sections: Vec<Section>,
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) settled: Vec<(u64, u64)>,
    /// The functions that the dynamic linker calls before and after the program.
    pub(crate) called_by_linker: Vec<u64>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) host: Option<Host>,
    pub(crate) program_headers: Option<ProgramHeaders>,
    pub(crate) relocations: Vec<Relocation>,
    pub(crate) warnings: Warnings,
}

impl Contents {
    /// Whether some segment contains the address.
    pub(crate) fn maps(&self, address: u64) -> bool {
        self.segments.iter().any(|segment| segment.contains(address))
    }

    /// Moves a position-independent file to where it is loaded.
    pub(crate) fn move_by(&mut self, bias: u64) {
        let moved = |address: &mut u64| *address = address.wrapping_add(bias);
        for segment in &mut self.segments {
            moved(&mut segment.address);
            segment.copy_of.iter_mut().for_each(moved);
        }
        // Sections that are not loaded have no address.
        self.sections
            .iter_mut()
            .filter(|section| section.address != 0)
            .for_each(|section| moved(&mut section.address));
        let is_address =
            |symbol: &&mut Symbol| !matches!(symbol.kind, SymbolKind::ThreadLocal | SymbolKind::Absolute);
        self.symbols.iter_mut().filter(is_address).for_each(|symbol| moved(&mut symbol.address));
        self.entries.iter_mut().for_each(|entry| moved(&mut entry.address));
        for (start, end) in &mut self.settled {
            moved(start);
            moved(end);
        }
        self.called_by_linker.iter_mut().for_each(moved);
        self.program_headers.iter_mut().for_each(|headers| moved(&mut headers.address));
        for relocation in &mut self.relocations {
            moved(&mut relocation.address);
            let symbol = relocation.symbol.as_mut().and_then(|symbol| symbol.value.as_mut());
            symbol.into_iter().for_each(moved);
        }
    }

    /// Sorts everything and removes duplicates.
    pub(crate) fn sort(&mut self) {
        self.segments.sort_by(|left, right| (&left.space, left.address).cmp(&(&right.space, right.address)));
        self.symbols.sort_by(|left, right| {
            (left.address, &left.name, left.kind, left.binding, left.size).cmp(&(
                right.address,
                &right.name,
                right.kind,
                right.binding,
                right.size,
            ))
        });
        // The two symbol tables of a dynamically linked file have most symbols in common.
        self.symbols.dedup_by(|later, kept| {
            let same = later.address == kept.address && later.name == kept.name;
            if same {
                kept.dynamic |= later.dynamic;
            }
            same
        });
        self.relocations.sort_by_key(|relocation| relocation.address);
        self.entries.sort_by_key(|entry| entry.reason);
        let mut seen = std::collections::HashSet::new();
        self.entries.retain(|entry| seen.insert((entry.address, entry.alternate)));
    }
}
