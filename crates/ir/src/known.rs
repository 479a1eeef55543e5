//! What is known of places while a block is built, so that a value just written is not read back.

use crate::{BlockBuilder, Endian, Location, Op, Operand, SpaceId, Width};

/// A value that lies in some bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    space: SpaceId,
    offset: u64,
    size: u32,
    value: Operand,
    /// Whether the value has been put where it belongs.
    stored: bool,
}

impl Entry {
    fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.size))
    }
}

/// The values of registers, temporaries and other places that nothing but the block changes, as far as they are known at
/// one point of it.
#[derive(Debug, Default)]
pub struct KnownPlaces {
    entries: Vec<Entry>,
}

impl KnownPlaces {
    /// The value of some bytes: a known one or a part of it, else one that is read.
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
        // Older entries lie partly under this one, so none of them is hidden by it.
        self.entries.push(Entry {
            space: location.space,
            offset: location.offset,
            size,
            value,
            stored: true,
        });
        value
    }

    /// The value of some bytes if it is known.
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

    /// Notes that some bytes have a new value. `stored` says whether a statement puts it there already.
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

    /// Puts values that lie partly in these bytes where they belong, so that the bytes can be read or overwritten.
    fn store_overlapping(&mut self, builder: &mut BlockBuilder, location: Location, size: u32) {
        for entry in self.entries.iter_mut().filter(|entry| overlaps(entry, location, size)) {
            if !entry.stored {
                builder.put(Location { space: entry.space, offset: entry.offset }, entry.value);
                entry.stored = true;
            }
        }
    }

    /// Puts every value of a space where it belongs.
    pub fn store_all(&mut self, builder: &mut BlockBuilder, space: SpaceId) {
        for entry in self.entries.iter_mut().filter(|entry| entry.space == space && !entry.stored) {
            builder.put(Location { space, offset: entry.offset }, entry.value);
            entry.stored = true;
        }
    }

    /// Forgets the values of a space that lie before an offset, or partly so.
    pub(crate) fn forget_before(&mut self, end: Location) {
        self.entries.retain(|entry| entry.space != end.space || entry.offset >= end.offset);
    }

    /// Forgets the values of a space.
    pub fn forget(&mut self, space: SpaceId) {
        self.entries.retain(|entry| entry.space != space);
    }

    /// Forgets all but the values of a space: something outside the block may have changed them.
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
