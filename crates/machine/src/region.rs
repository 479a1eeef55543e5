//! Which addresses of a space exist and what may be done with them.

use std::collections::BTreeMap;
use std::rc::Rc;

/// What may be done with memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Permissions {
    /// It may be read.
    pub read: bool,
    /// It may be written.
    pub write: bool,
    /// It may be executed.
    pub execute: bool,
}

impl Permissions {
    /// Everything.
    pub const ALL: Permissions = Permissions { read: true, write: true, execute: true };
    /// Reading and writing.
    pub const DATA: Permissions = Permissions { read: true, write: true, execute: false };
    /// Reading and executing.
    pub const CODE: Permissions = Permissions { read: true, write: false, execute: true };
}

/// A range of addresses that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first address.
    pub start: u64,
    /// The last address.
    pub last: u64,
    /// What may be done there.
    pub permissions: Permissions,
    /// Whether what is read there comes from outside, and what is written goes there: a peripheral, a volatile cell.
    pub outside: bool,
    /// Whether every byte has a value from the start, so that none counts as never written.
    pub has_contents: bool,
}

impl Region {
    /// Plain memory.
    pub fn memory(start: u64, last: u64, permissions: Permissions) -> Self {
        Self { start, last, permissions, outside: false, has_contents: false }
    }

    /// The same region, in which every byte has a value from the start.
    #[must_use]
    pub fn with_contents(self) -> Self {
        Self { has_contents: true, ..self }
    }

    /// A window to the outside.
    pub fn outside(start: u64, last: u64) -> Self {
        Self { start, last, permissions: Permissions::DATA, outside: true, has_contents: true }
    }
}

/// The regions of a space, none overlapping another. Shared by all states until one of them changes it.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// By first address. A hostile file may have very many.
    by_start: Rc<BTreeMap<u64, Region>>,
}

impl Regions {
    /// The region that has an address.
    pub fn at(&self, address: u64) -> Option<Region> {
        let (_, region) = self.by_start.range(..=address).next_back()?;
        (region.last >= address).then_some(*region)
    }

    /// All regions, by address.
    pub fn iter(&self) -> impl Iterator<Item = Region> + '_ {
        self.by_start.values().copied()
    }

    /// Adds a region; where it overlaps others it takes their place.
    pub fn insert(&mut self, new: Region) {
        if new.start > new.last {
            return;
        }
        self.remove(new.start, new.last);
        Rc::make_mut(&mut self.by_start).insert(new.start, new);
    }

    /// Takes a range of addresses away.
    pub fn remove(&mut self, start: u64, last: u64) {
        let by_start = Rc::make_mut(&mut self.by_start);
        // The one that begins before the range may reach into it, and beyond.
        let before = by_start.range_mut(..start).next_back().map(|(_, region)| region);
        if let Some(before) = before.filter(|region| region.last >= start) {
            let whole = *before;
            before.last = start - 1;
            if whole.last > last {
                by_start.insert(last + 1, Region { start: last + 1, ..whole });
            }
        }
        while let Some((&found, &region)) = by_start.range(start..=last).next() {
            by_start.remove(&found);
            if region.last > last {
                by_start.insert(last + 1, Region { start: last + 1, ..region });
            }
        }
    }
}
