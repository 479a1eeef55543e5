//! The memory map of a space: regions and their permissions.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Access permissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Permissions {
    /// Readable.
    pub read: bool,
    /// Writable.
    pub write: bool,
    /// Executable.
    pub execute: bool,
}

impl Permissions {
    /// Read, write and execute.
    pub const ALL: Permissions = Permissions { read: true, write: true, execute: true };
    /// Read and write.
    pub const DATA: Permissions = Permissions { read: true, write: true, execute: false };
    /// Read and execute.
    pub const CODE: Permissions = Permissions { read: true, write: false, execute: true };
}

/// A mapped range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first address.
    pub start: u64,
    /// The last address.
    pub last: u64,
    /// The permissions.
    pub permissions: Permissions,
    /// True for MMIO: the environment handles reads and writes, as of a peripheral or a volatile cell.
    pub outside: bool,
    /// True if every byte is initialised from the start.
    pub has_contents: bool,
    /// True if these contents are an assumption until the program writes them.
    pub is_assumed: bool,
}

impl Region {
    /// Plain memory.
    pub fn memory(start: u64, last: u64, permissions: Permissions) -> Self {
        Self { start, last, permissions, outside: false, has_contents: false, is_assumed: false }
    }

    /// The same region, initialised from the start.
    #[must_use]
    pub fn with_contents(self) -> Self {
        Self { has_contents: true, ..self }
    }

    /// An MMIO region.
    pub fn outside(start: u64, last: u64) -> Self {
        Self {
            start,
            last,
            permissions: Permissions::DATA,
            outside: true,
            has_contents: true,
            is_assumed: false,
        }
    }
}

/// The disjoint regions of a space. Shared by all states until one of them changes it.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// By first address. A hostile file may have very many regions.
    by_start: Rc<BTreeMap<u64, Region>>,
}

impl Regions {
    /// The region that contains an address.
    pub fn at(&self, address: u64) -> Option<Region> {
        let (_, region) = self.by_start.range(..=address).next_back()?;
        (region.last >= address).then_some(*region)
    }

    /// Whether both map the same regions.
    pub(crate) fn is_same(&self, other: &Regions) -> bool {
        Rc::ptr_eq(&self.by_start, &other.by_start) || self.by_start == other.by_start
    }

    /// All regions, by address.
    pub fn iter(&self) -> impl Iterator<Item = Region> + '_ {
        self.by_start.values().copied()
    }

    /// Adds a region, which replaces the parts of others that it overlaps.
    pub fn insert(&mut self, new: Region) {
        if new.start > new.last {
            return;
        }
        self.remove(new.start, new.last);
        Rc::make_mut(&mut self.by_start).insert(new.start, new);
    }

    /// Removes a range of addresses.
    pub fn remove(&mut self, start: u64, last: u64) {
        let by_start = Rc::make_mut(&mut self.by_start);
        // A region that starts before the range may extend into it, and beyond.
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
