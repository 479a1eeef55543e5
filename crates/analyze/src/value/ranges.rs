//! Interval set of addresses; touching ranges are merged.

use std::sync::Arc;

/// Disjoint sorted ranges (first and last address). Copy-on-write.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ranges {
    list: Arc<Vec<(u64, u64)>>,
}

impl Ranges {
    /// The full address space.
    pub(super) fn all() -> Self {
        Self { list: Arc::new(vec![(0, u64::MAX)]) }
    }

    /// Adds a range. Returns true if the set grew.
    pub(super) fn insert(&mut self, first: u64, last: u64) -> bool {
        if self.covers(first, last) {
            return false;
        }
        let from = self.list.partition_point(|(_, end)| end.saturating_add(1) < first);
        let to = self.list.partition_point(|(start, _)| *start <= last.saturating_add(1));
        let first = self.list[from..to].first().map_or(first, |(start, _)| first.min(*start));
        let last = self.list[from..to].last().map_or(last, |(_, end)| last.max(*end));
        Arc::make_mut(&mut self.list).splice(from..to, [(first, last)]);
        true
    }

    /// Adds all ranges of another set. Returns true if this set grew.
    pub(super) fn insert_all(&mut self, other: &Ranges) -> bool {
        !Arc::ptr_eq(&self.list, &other.list)
            && other.list.iter().fold(false, |grew, (first, last)| self.insert(*first, *last) || grew)
    }

    /// The last range that starts at or before an address.
    fn at(&self, address: u64) -> Option<(u64, u64)> {
        let after = self.list.partition_point(|(start, _)| *start <= address);
        after.checked_sub(1).map(|index| self.list[index])
    }

    /// Returns true if any address in the range is in the set.
    pub(super) fn touches(&self, first: u64, last: u64) -> bool {
        self.at(last).is_some_and(|(_, end)| end >= first)
    }

    /// Returns true if all addresses in the range are in the set.
    pub(super) fn covers(&self, first: u64, last: u64) -> bool {
        self.at(first).is_some_and(|(_, end)| end >= last)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.list.iter().copied()
    }
}

#[cfg(test)]
mod checks {
    use super::Ranges;
    use everypath_testkit::random::Random;

    #[test]
    fn ranges_are_what_a_list_of_addresses_is() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let (mut ranges, mut plain) = (Ranges::default(), [false; 40]);
            for _ in 0..6 {
                let first = random.number_below(38);
                let last = first + random.number_below(40 - first);
                ranges.insert(first, last);
                plain[first as usize..=last as usize].fill(true);
                for first in 0..40 {
                    for last in first..40 {
                        let inside = &plain[first..=last];
                        let (first, last) = (first as u64, last as u64);
                        assert_eq!(ranges.touches(first, last), inside.contains(&true), "{ranges:?}");
                        assert_eq!(ranges.covers(first, last), !inside.contains(&false), "{ranges:?}");
                    }
                }
            }
        }
    }
}
