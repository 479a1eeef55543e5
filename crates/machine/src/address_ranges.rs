//! A set of addresses of each space, as sorted disjoint ranges.

use everypath_ir::{Location, SpaceId};

/// A set of addresses of each space.
#[derive(Clone, Debug)]
pub(crate) struct AddressRanges {
    /// By space: the first and the last address of each range.
    spaces: Vec<Vec<(u64, u64)>>,
}

impl AddressRanges {
    /// No addresses, of a layout with so many spaces.
    pub(crate) fn new(spaces: usize) -> AddressRanges {
        AddressRanges { spaces: vec![Vec::new(); spaces] }
    }

    /// Adds a range.
    pub(crate) fn add(&mut self, space: SpaceId, first: u64, last: u64) {
        let ranges = &mut self.spaces[usize::from(space.0)];
        ranges.push((first, last));
        ranges.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (first, last) in ranges.drain(..) {
            match merged.last_mut().filter(|known| known.1 >= first) {
                Some(known) => known.1 = known.1.max(last),
                None => merged.push((first, last)),
            }
        }
        *ranges = merged;
    }

    /// Whether one of these bytes is in the set.
    #[inline]
    pub(crate) fn overlaps(&self, location: Location, size: usize) -> bool {
        let ranges = &self.spaces[usize::from(location.space.0)];
        if ranges.is_empty() {
            return false;
        }
        let last = location.offset.saturating_add(size as u64 - 1);
        let after = ranges.partition_point(|(first, _)| *first <= last);
        after > 0 && ranges[after - 1].1 >= location.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_overlaps_a_range_with_any_of_its_bytes() {
        let mut set = AddressRanges::new(2);
        set.add(SpaceId(1), 16, 19);
        set.add(SpaceId(1), 8, 9);
        let overlaps = |space, offset, size| set.overlaps(Location { space: SpaceId(space), offset }, size);
        assert!(overlaps(1, 13, 4) && overlaps(1, 19, 1) && overlaps(1, 9, 1));
        assert!(!overlaps(1, 12, 4) && !overlaps(1, 20, 1) && !overlaps(1, 10, 6) && !overlaps(0, 16, 1));
    }
}
