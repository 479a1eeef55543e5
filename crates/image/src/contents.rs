//! The output of a format's reader, before it is sorted.

use crate::warning::Warnings;
use crate::{Attribute, Entry, FileMachine, Host, Relocation, Section, Segment, Symbol};

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
    pub(crate) relocations: Vec<Relocation>,
    pub(crate) warnings: Warnings,
}

impl Contents {
    /// Whether some segment contains the address.
    pub(crate) fn maps(&self, address: u64) -> bool {
        self.segments.iter().any(|segment| segment.contains(address))
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
