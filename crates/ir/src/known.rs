//! Store-to-load forwarding and redundant-load elimination for fixed locations while a block is built.

use crate::{BlockBuilder, Endian, Location, Op, Operand, SpaceId, Width};

/// The known value of a range of bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    space: SpaceId,
    offset: u64,
    size: u32,
    value: Operand,
    /// Whether a statement has written the value back; if not, the write is pending.
    stored: bool,
}

impl Entry {
    fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.size))
    }
}

/// The known contents of registers, temporaries and other locations that only the block changes, at the current point
/// of its construction.
#[derive(Debug, Default)]
pub struct KnownPlaces {
    entries: Vec<Entry>,
}

impl KnownPlaces {
    /// The contents of a location: forwarded from a known value or a part of one, otherwise read by a new statement.
    pub fn read(
        &mut self,
        builder: &mut BlockBuilder,
        location: Location,
        size: u32,
        endian: Endian,
    ) -> Operand {
        if let Some(value) = self.find(builder, location, size, endian) {
            return value;
        }
        self.store_overlapping(builder, location, size);
        let value = builder.get(location, width(size));
        // Older entries overlap this one only in part, so it hides none of them.
        self.entries.push(Entry {
            space: location.space,
            offset: location.offset,
            size,
            value,
            stored: true,
        });
        value
    }

    /// The contents of a location, if a known value covers it.
    pub fn find(
        &self,
        builder: &mut BlockBuilder,
        location: Location,
        size: u32,
        endian: Endian,
    ) -> Option<Operand> {
        let end = location.offset.checked_add(u64::from(size))?;
        let entry = self.entries.iter().rev().find(|entry| {
            entry.space == location.space && entry.offset <= location.offset && entry.end() >= end
        })?;
        if entry.size == size {
            return Some(entry.value);
        }
        let below = match endian {
            Endian::Little => location.offset - entry.offset,
            Endian::Big => entry.end() - end,
        };
        let value = entry.value;
        Some(builder.compute(Op::Extract(8 * below as u16), width(size), &[value]))
    }

    /// Records the new contents of a location. `stored` says whether a statement has already written them.
    pub fn write(
        &mut self,
        builder: &mut BlockBuilder,
        location: Location,
        size: u32,
        value: Operand,
        stored: bool,
    ) {
        let end = location.offset.saturating_add(u64::from(size));
        let covered = |entry: &Entry| {
            entry.space == location.space && entry.offset >= location.offset && entry.end() <= end
        };
        self.entries.retain(|entry| !covered(entry));
        self.store_overlapping(builder, location, size);
        self.entries.retain(|entry| !overlaps(entry, location, size));
        self.entries.push(Entry { space: location.space, offset: location.offset, size, value, stored });
    }

    /// Emits the pending writes that overlap a location, before it is read or overwritten.
    fn store_overlapping(&mut self, builder: &mut BlockBuilder, location: Location, size: u32) {
        for entry in self.entries.iter_mut().filter(|entry| overlaps(entry, location, size)) {
            if !entry.stored {
                builder.put(Location { space: entry.space, offset: entry.offset }, entry.value);
                entry.stored = true;
            }
        }
    }

    /// Emits all pending writes of a space.
    pub fn store_all(&mut self, builder: &mut BlockBuilder, space: SpaceId) {
        for entry in self.entries.iter_mut().filter(|entry| entry.space == space && !entry.stored) {
            builder.put(Location { space, offset: entry.offset }, entry.value);
            entry.stored = true;
        }
    }

    /// Forgets the values that begin before an offset of a space.
    pub(crate) fn forget_before(&mut self, end: Location) {
        self.entries.retain(|entry| entry.space != end.space || entry.offset >= end.offset);
    }

    /// Forgets the values of a space.
    pub fn forget(&mut self, space: SpaceId) {
        self.entries.retain(|entry| entry.space != space);
    }

    /// Forgets the values of locations that something outside the block may change, by their first bytes.
    pub fn forget_if(&mut self, changes: impl Fn(Location) -> bool) {
        self.entries.retain(|entry| !changes(Location { space: entry.space, offset: entry.offset }));
    }

    /// Forgets the values of all other spaces, which something outside the block may have changed.
    pub fn forget_others(&mut self, space: SpaceId) {
        self.entries.retain(|entry| entry.space == space);
    }
}

fn overlaps(entry: &Entry, location: Location, size: u32) -> bool {
    let end = location.offset.saturating_add(u64::from(size));
    entry.space == location.space && entry.offset < end && location.offset < entry.end()
}

fn width(size: u32) -> Width {
    // Sizes are checked before an instruction is translated.
    Width::new(8 * size).unwrap_or(Width::W8)
}
