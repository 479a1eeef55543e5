//! Which addresses of a space exist and what may be done with them.

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

/// The regions of a space: sorted, none overlapping another. Shared by all states until one of them changes it.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    sorted: Rc<Vec<Region>>,
}

impl Regions {
    /// The region that has an address.
    pub fn at(&self, address: u64) -> Option<Region> {
        let after = self.sorted.partition_point(|region| region.start <= address);
        let region = self.sorted[..after].last()?;
        (region.last >= address).then_some(*region)
    }

    /// All regions, by address.
    pub fn iter(&self) -> impl Iterator<Item = Region> + '_ {
        self.sorted.iter().copied()
    }

    /// Adds a region; where it overlaps others it takes their place.
    pub fn insert(&mut self, new: Region) {
        if new.start > new.last {
            return;
        }
        let mut sorted = Vec::with_capacity(self.sorted.len() + 2);
        for old in self.sorted.iter() {
            if old.start < new.start {
                sorted.push(Region { last: old.last.min(new.start - 1), ..*old });
            }
            if old.last > new.last {
                sorted.push(Region { start: old.start.max(new.last + 1), ..*old });
            }
        }
        sorted.push(new);
        sorted.sort_by_key(|region| region.start);
        self.sorted = Rc::new(sorted);
    }

    /// Takes a range of addresses away.
    pub fn remove(&mut self, start: u64, last: u64) {
        self.insert(Region::memory(start, last, Permissions::default()));
        let sorted =
            self.sorted.iter().copied().filter(|region| region.start != start || region.last != last);
        self.sorted = Rc::new(sorted.collect());
    }

    /// What may be done with every byte of a page of plain memory, if that is the same for all of them.
    pub(crate) fn uniform(&self, start: u64, last: u64) -> Option<Permissions> {
        let region = self.at(start)?;
        (region.last >= last && !region.outside).then_some(region.permissions)
    }
}
