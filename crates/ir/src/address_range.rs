//! A range of addresses of one space.

use crate::{Location, SpaceId, Width};

/// A range of addresses of one space, which is never empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AddressRange {
    /// The space.
    pub space: SpaceId,
    /// The first address.
    pub first: u64,
    /// The last address.
    pub last: u64,
}

impl AddressRange {
    /// So many bytes from a location on, cut off at the largest address; `None` if there are none.
    ///
    /// ```
    /// use everypath_ir::{AddressRange, Location, SpaceId};
    /// let start = Location { space: SpaceId(0), offset: 8 };
    /// assert_eq!(AddressRange::of_bytes(start, 4).map(|range| range.last), Some(11));
    /// assert_eq!(AddressRange::of_bytes(start, 0), None);
    /// ```
    #[must_use]
    pub fn of_bytes(start: Location, size: u64) -> Option<AddressRange> {
        let Location { space, offset: first } = start;
        Some(AddressRange { space, first, last: first.saturating_add(size.checked_sub(1)?) })
    }

    /// The bytes of a value of this width at a location.
    ///
    /// ```
    /// use everypath_ir::{AddressRange, Location, SpaceId, Width};
    /// let start = Location { space: SpaceId(0), offset: 8 };
    /// assert_eq!(AddressRange::of_value(start, Width::W16).last, 9);
    /// ```
    #[must_use]
    pub fn of_value(start: Location, width: Width) -> AddressRange {
        let Location { space, offset: first } = start;
        AddressRange { space, first, last: first.saturating_add(width.bytes() as u64 - 1) }
    }

    /// Its first byte.
    #[must_use]
    pub fn start(&self) -> Location {
        Location { space: self.space, offset: self.first }
    }

    /// Whether a byte is in it.
    #[must_use]
    pub fn contains(&self, byte: Location) -> bool {
        self.space == byte.space && (self.first..=self.last).contains(&byte.offset)
    }

    /// Whether a byte is in both.
    #[must_use]
    pub fn overlaps(&self, other: &AddressRange) -> bool {
        self.space == other.space && self.first <= other.last && other.first <= self.last
    }

    /// The parts that none of the others covers, in order.
    ///
    /// ```
    /// use everypath_ir::{AddressRange, SpaceId};
    /// let range = |first, last| AddressRange { space: SpaceId(0), first, last };
    /// assert_eq!(range(2, 9).without(&[range(4, 5), range(0, 2)]), [range(3, 3), range(6, 9)]);
    /// ```
    #[must_use]
    pub fn without<'o>(&self, others: impl IntoIterator<Item = &'o AddressRange>) -> Vec<AddressRange> {
        let mut others: Vec<&AddressRange> =
            others.into_iter().filter(|other| other.overlaps(self)).collect();
        others.sort_unstable();
        let part = |first: u64, last: u64| AddressRange { space: self.space, first, last };
        let (mut found, mut next) = (Vec::new(), Some(self.first));
        for other in others {
            let Some(from) = next else { break };
            if other.first > from {
                found.push(part(from, other.first - 1));
            }
            if other.last >= from {
                next = other.last.checked_add(1);
            }
        }
        found.extend(next.filter(|from| *from <= self.last).map(|from| part(from, self.last)));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(first: u64, last: u64) -> AddressRange {
        AddressRange { space: SpaceId(1), first, last }
    }

    #[test]
    fn what_others_do_not_cover_remains() {
        let whole = range(2, 9);
        assert_eq!(whole.without(&[]), [whole]);
        assert_eq!(whole.without(&[range(4, 5), range(0, 2), range(9, 20)]), [range(3, 3), range(6, 8)]);
        assert_eq!(whole.without(&[range(3, 8), range(4, 5)]), [range(2, 2), range(9, 9)]);
        assert_eq!(whole.without(&[range(0, 1), range(10, 11)]), [whole]);
        assert_eq!(whole.without(&[AddressRange { space: SpaceId(0), ..whole }]), [whole]);
        assert_eq!(range(2, u64::MAX).without(&[range(2, u64::MAX)]), []);
    }
}
