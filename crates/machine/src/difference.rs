//! The difference of two states that run the same program: the words whose contents differ. Pages and lines that both
//! share are skipped, so the cost is that of what either wrote since they had a common ancestor.

use std::collections::BTreeSet;
use std::rc::Rc;

use everypath_ir::{Location, SpaceId};

use crate::memory::Memory;
use crate::page::{PAGE_SIZE, Page};
use crate::registers::Registers;
use crate::state::{SpaceState, State};

impl State {
    /// The first bytes of the aligned words of `size` bytes whose contents differ: bits, terms, or whether they are
    /// initialised. `None` if the memory maps differ.
    pub fn differing_words(&self, other: &State, size: u64) -> Option<BTreeSet<Location>> {
        let mut words = BTreeSet::new();
        for (number, (ours, theirs)) in self.spaces().iter().zip(other.spaces()).enumerate() {
            let space = SpaceId(number as u8);
            let mut add = |offset: u64| {
                words.insert(Location { space, offset: offset - offset % size });
            };
            match (ours, theirs) {
                (SpaceState::Registers(ours), SpaceState::Registers(theirs)) => {
                    ours.for_each_difference(theirs, &mut add);
                }
                (SpaceState::Memory(ours), SpaceState::Memory(theirs)) => {
                    if !ours.regions().is_same(theirs.regions()) {
                        return None;
                    }
                    ours.for_each_difference(theirs, &mut add);
                }
                _ => return None,
            }
            self.shadow(space).for_each_difference(other.shadow(space), &mut add);
        }
        Some(words)
    }
}

impl Memory {
    /// Calls `add` for each byte that differs.
    fn for_each_difference(&self, other: &Memory, add: &mut dyn FnMut(u64)) {
        let blank = Page::zero(false);
        let numbers: BTreeSet<u64> = self.page_numbers().chain(other.page_numbers()).collect();
        for number in numbers {
            let (ours, theirs) = (self.page(number), other.page(number));
            if let (Some(ours), Some(theirs)) = (ours, theirs)
                && Rc::ptr_eq(ours, theirs)
            {
                continue;
            }
            let (ours, theirs) = (ours.map_or(&blank, |page| page), theirs.map_or(&blank, |page| page));
            let is_written =
                |page: &Page, offset| page.written.as_ref().is_some_and(|written| written.contains(offset));
            for offset in 0..PAGE_SIZE {
                if ours.bytes[offset] != theirs.bytes[offset]
                    || is_written(ours, offset) != is_written(theirs, offset)
                {
                    add(number * PAGE_SIZE as u64 + offset as u64);
                }
            }
        }
    }
}

impl Registers {
    /// Calls `add` for each byte that differs.
    fn for_each_difference(&self, other: &Registers, add: &mut dyn FnMut(u64)) {
        let numbers: BTreeSet<usize> = self.page_numbers().chain(other.page_numbers()).collect();
        for number in numbers {
            let ((ours, ours_at), (theirs, theirs_at)) =
                (self.shared_page(number), other.shared_page(number));
            if ours_at.is_some() && ours_at == theirs_at {
                continue;
            }
            for offset in 0..ours.len() {
                if ours[offset] != theirs[offset] {
                    add((number * ours.len() + offset) as u64);
                }
            }
        }
    }
}
