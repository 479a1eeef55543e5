//! A set of addresses of each space, as sorted disjoint ranges.

use crate::{AddressRange, Location, SpaceId};

/// A set of addresses of each space.
///
/// ```
/// use everypath_ir::{AddressRange, AddressSet, Location, SpaceId};
/// let range = |first, last| AddressRange { space: SpaceId(0), first, last };
/// let set: AddressSet = [range(8, 9), range(10, 11), range(20, 23)].into_iter().collect();
/// assert_eq!(set.iter().collect::<Vec<_>>(), [range(8, 11), range(20, 23)]);
/// assert!(set.overlaps(Location { space: SpaceId(0), offset: 16 }, 8));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressSet {
    /// By space: the first and the last address of each range. No two overlap or adjoin.
    spaces: Vec<Vec<(u64, u64)>>,
}

impl AddressSet {
    /// Whether one of these bytes is in the set.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, start: Location, size: usize) -> bool {
        // Most accesses are to a space of which nothing is in the set.
        let ranges = self.spaces.get(usize::from(start.space.0)).map_or(&[][..], Vec::as_slice);
        if ranges.is_empty() {
            return false;
        }
        let last = start.offset.saturating_add(size as u64 - 1);
        let after = ranges.partition_point(|(first, _)| *first <= last);
        after > 0 && ranges[after - 1].1 >= start.offset
    }

    /// Whether a byte is in the set.
    #[must_use]
    pub fn contains(&self, byte: Location) -> bool {
        self.overlaps(byte, 1)
    }

    /// The fewest ranges that make it up, in order.
    pub fn iter(&self) -> impl Iterator<Item = AddressRange> + '_ {
        self.spaces.iter().enumerate().flat_map(|(number, ranges)| {
            let space = SpaceId(number as u8);
            ranges.iter().map(move |(first, last)| AddressRange { space, first: *first, last: *last })
        })
    }
}

impl Extend<AddressRange> for AddressSet {
    fn extend<T: IntoIterator<Item = AddressRange>>(&mut self, ranges: T) {
        for AddressRange { space, first, last } in ranges {
            let space = usize::from(space.0);
            if self.spaces.len() <= space {
                self.spaces.resize(space + 1, Vec::new());
            }
            self.spaces[space].push((first, last));
        }
        self.spaces.iter_mut().for_each(merge);
    }
}

impl FromIterator<AddressRange> for AddressSet {
    fn from_iter<T: IntoIterator<Item = AddressRange>>(ranges: T) -> Self {
        let mut set = AddressSet::default();
        set.extend(ranges);
        set
    }
}

/// Sorts ranges, and joins those that overlap or adjoin.
fn merge(ranges: &mut Vec<(u64, u64)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|(first, last), (_, end)| {
        let joins = *first <= end.saturating_add(1);
        if joins {
            *end = (*end).max(*last);
        }
        joins
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(space: u8, first: u64, last: u64) -> AddressRange {
        AddressRange { space: SpaceId(space), first, last }
    }

    #[test]
    fn an_access_overlaps_a_range_with_any_of_its_bytes() {
        let set: AddressSet = [range(1, 16, 19), range(1, 8, 9)].into_iter().collect();
        let overlaps = |space, offset, size| set.overlaps(Location { space: SpaceId(space), offset }, size);
        assert!(overlaps(1, 13, 4) && overlaps(1, 19, 1) && overlaps(1, 9, 1));
        assert!(!overlaps(1, 12, 4) && !overlaps(1, 20, 1) && !overlaps(1, 10, 6) && !overlaps(0, 16, 1));
        assert!(!overlaps(2, 16, 1), "no range is in a later space");
    }

    #[test]
    fn ranges_that_overlap_or_adjoin_are_one() {
        let mut set: AddressSet = [range(0, 4, 7), range(0, 0, 3), range(1, 8, 8)].into_iter().collect();
        set.extend([range(0, 2, 9), range(0, 11, u64::MAX), range(0, 12, 12)]);
        let ranges: Vec<AddressRange> = set.iter().collect();
        assert_eq!(ranges, [range(0, 0, 9), range(0, 11, u64::MAX), range(1, 8, 8)]);
    }
}
