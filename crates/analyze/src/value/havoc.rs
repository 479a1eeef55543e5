//! Havocked memory of an abstract state: the bytes whose value is unknown unless a cell holds it, and what a caller must
//! havoc after the function returns.
//!
//! One set of bytes answers every read: a byte without a cell keeps its value at the entry exactly if it is not in the
//! set. A store to a bounded range, a store to an unknown address, the frames of callees that have returned, and
//! widening all add to that set; except that where the calling convention is trusted, a store to an unknown address
//! only havocs cells, because slots that still hold their entry values are spared. Its stack part has ranges of one space and ranges of every space, because a callee's
//! frame is dead whichever space it is accessed through.
//!
//! The set alone is not enough for calls. A store to an unknown address may hit the frames of callers as well, and by
//! convention it spares the slots there that hold saved registers. Which slots those are, only the caller's state says;
//! the callee cannot put them into a set of its own bytes. So the farthest such store is kept beside the set
//! ([`UnknownStore`]). It cannot be read off the set either: a stack that is unknown because its frame bound was widened
//! is no reason for the caller to lose its own slots.

use super::by_region::ByRegion;
use super::ranges::Ranges;
use super::region::{Region, distance, key};

/// Stores to unknown addresses since the function entry, by what they may have overwritten. A later variant includes
/// the earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum UnknownStore {
    /// There was none.
    #[default]
    Never,
    /// Any stack slot, but none that holds a saved entry value: the calling convention is trusted.
    SparesSaved,
    /// Any stack slot.
    Anywhere,
}

/// The havocked bytes of an abstract state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Havoc {
    ranges: ByRegion<Ranges>,
    /// Keys of stack offsets that are havocked in every space: none, or all up to some offset.
    every_stack: Ranges,
    unknown_store: UnknownStore,
}

impl Havoc {
    /// Returns true if any byte of a range is havocked: a read of it without cells is unknown.
    pub(super) fn touches(&self, region: Region, first: u64, last: u64) -> bool {
        let is_touched = |ranges: &Ranges| ranges.touches(first, last);
        self.ranges.get(region).is_some_and(is_touched)
            || (matches!(region, Region::Stack(_)) && is_touched(&self.every_stack))
    }

    /// Returns true only if all bytes of a range are havocked: a cell with an unknown value there says nothing more.
    pub(super) fn covers(&self, region: Region, first: u64, last: u64) -> bool {
        let is_covered = |ranges: &Ranges| ranges.covers(first, last);
        self.ranges.get(region).is_some_and(is_covered)
            || (matches!(region, Region::Stack(_)) && is_covered(&self.every_stack))
    }

    /// Adds a range, by its first and last byte.
    pub(super) fn insert(&mut self, region: Region, first: u64, last: u64) {
        self.ranges.entry(region).insert(first, last);
    }

    /// Adds a whole region.
    pub(super) fn insert_region(&mut self, region: Region) {
        self.ranges.insert(region, Ranges::all());
    }

    /// Adds the stack below an offset, in every space: returned callees used it.
    pub(super) fn insert_below(&mut self, floor: i64) {
        if let Some(last) = key(floor).checked_sub(1) {
            self.every_stack.insert(0, last);
        }
    }

    /// The offset below which the stack is havocked in every space; the smallest offset if it is not.
    pub(super) fn floor(&self) -> i64 {
        self.every_stack.iter().last().map_or(i64::MIN, |(_, last)| distance(last).saturating_add(1))
    }

    /// Records a store to an unknown address.
    pub(super) fn store_anywhere(&mut self, store: UnknownStore) {
        self.unknown_store = self.unknown_store.max(store);
        if store == UnknownStore::Anywhere {
            self.every_stack = Ranges::all();
        }
    }

    /// The farthest store to an unknown address.
    pub(super) fn unknown_store(&self) -> UnknownStore {
        self.unknown_store
    }

    /// The ranges of each region, without the stack ranges of every space.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (Region, u64, u64)> + '_ {
        self.ranges
            .iter()
            .flat_map(|(region, ranges)| ranges.iter().map(move |(first, last)| (region, first, last)))
    }

    /// Returns true if any byte of the stack is havocked.
    pub(super) fn touches_stack(&self) -> bool {
        self.every_stack != Ranges::default()
            || self.ranges.iter().any(|(region, _)| matches!(region, Region::Stack(_)))
    }

    /// Joins another set into this one. Returns true if this one grew, that is, if it did not include the other.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let mut grew = other.unknown_store > self.unknown_store;
        self.unknown_store = self.unknown_store.max(other.unknown_store);
        grew |= self.every_stack.insert_all(&other.every_stack);
        for (region, ranges) in other.ranges.iter() {
            grew |= self.ranges.entry(region).insert_all(ranges);
        }
        grew
    }

    /// Widening: a region that differs from an earlier set is havocked as a whole.
    pub(super) fn widen(&mut self, before: &Self) {
        for (region, ranges) in self.ranges.iter_mut() {
            if before.ranges.get(region) != Some(ranges) {
                *ranges = Ranges::all();
            }
        }
        if self.every_stack != before.every_stack {
            self.every_stack = Ranges::all();
        }
    }
}

#[cfg(test)]
mod checks {
    use super::{Havoc, UnknownStore};
    use crate::value::region::{Region, key};
    use everypath_ir::SpaceId;
    use everypath_testkit::random::Random;

    const SPACES: [SpaceId; 2] = [SpaceId(0), SpaceId(1)];
    const SIZE: i64 = 12;

    /// The same set as a list of bytes: fixed addresses and stack offsets of each space.
    type Bytes = [[bool; SIZE as usize]; 4];

    fn region(number: usize) -> (Region, u64) {
        let space = SPACES[number / 2];
        if number.is_multiple_of(2) {
            (Region::Fixed(space), 0)
        } else {
            (Region::Stack(space), key(-SIZE / 2))
        }
    }

    fn any_change(random: &mut Random, havoc: &mut Havoc, bytes: &mut Bytes) {
        let first = random.number_below(SIZE as u64) as usize;
        let last = first + random.number_below(SIZE as u64 - first as u64) as usize;
        match random.number_below(12) {
            0 => {
                havoc.insert_below(last as i64 - SIZE / 2);
                for stack in [1, 3] {
                    bytes[stack][..last].fill(true);
                }
            }
            1 if first == 0 => {
                havoc.store_anywhere(UnknownStore::Anywhere);
                for stack in [1, 3] {
                    bytes[stack].fill(true);
                }
            }
            2 => havoc.store_anywhere(UnknownStore::SparesSaved),
            _ => {
                let number = random.number_below(4) as usize;
                let (region, start) = region(number);
                havoc.insert(region, start + first as u64, start + last as u64);
                bytes[number][first..=last].fill(true);
            }
        }
    }

    fn compare(havoc: &Havoc, bytes: &Bytes) {
        for (number, bytes) in bytes.iter().enumerate() {
            let (region, start) = region(number);
            for first in 0..bytes.len() {
                for last in first..bytes.len() {
                    let inside = &bytes[first..=last];
                    let (first, last) = (start + first as u64, start + last as u64);
                    assert_eq!(havoc.touches(region, first, last), inside.contains(&true), "{havoc:?}");
                    assert!(!havoc.covers(region, first, last) || !inside.contains(&false), "{havoc:?}");
                }
            }
        }
    }

    #[test]
    fn a_set_and_the_join_of_two_are_what_lists_of_bytes_are() {
        let mut random = Random::new(5);
        for _ in 0..400 {
            let mut sets = [(Havoc::default(), Bytes::default()), (Havoc::default(), Bytes::default())];
            for (havoc, bytes) in &mut sets {
                for _ in 0..random.number_below(5) {
                    any_change(&mut random, havoc, bytes);
                    compare(havoc, bytes);
                }
            }
            let [(mut first, mut bytes), (second, others)] = sets;
            let before = first.clone();
            for (byte, other) in bytes.iter_mut().flatten().zip(others.iter().flatten()) {
                *byte |= other;
            }
            let grew = first.join(&second);
            compare(&first, &bytes);
            assert_eq!(grew, first != before);
            assert!(
                !first.clone().join(&second) && !first.clone().join(&before),
                "a join includes both sides"
            );
            let mut wider = first.clone();
            wider.widen(&before);
            assert!(!wider.join(&first), "widening includes what it widens");
        }
    }
}
