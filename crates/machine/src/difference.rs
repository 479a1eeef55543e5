//! The difference of two states that run the same program: the words whose contents differ. Pages and lines that both
//! share are skipped, so the cost is that of what either wrote since they had a common ancestor.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use everypath_ir::{Location, SpaceId};

use crate::memory::Memory;
use crate::page::{PAGE_SIZE, Page};
use crate::registers::Registers;
use crate::state::{SpaceState, State};

impl State {
    /// The first bytes of the aligned words of `size` bytes whose contents differ: bits, terms, or whether they are
    /// initialised. `None` if the memory maps differ, or what stores have made doubtful.
    pub fn differing_words(&self, other: &State, size: u64) -> Option<BTreeSet<Location>> {
        let mut words = BTreeSet::new();
        let differs = self.try_for_each_difference(other, |Location { space, offset }| {
            words.insert(Location { space, offset: offset - offset % size });
            ControlFlow::Continue(())
        });
        differs.is_continue().then_some(words)
    }

    /// Calls `visit` for the bytes whose contents differ, as of [`State::differing_words`], until it breaks: those of
    /// registers first, because a loop that makes progress mostly shows it there. A byte may be visited twice. Breaks at
    /// once if the memory maps differ, or what stores have made doubtful.
    pub fn try_for_each_difference(
        &self,
        other: &State,
        mut visit: impl FnMut(Location) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !self.agrees_in_aliases(other) {
            return ControlFlow::Break(());
        }
        let spaces = || self.spaces().iter().zip(other.spaces()).enumerate();
        for (number, spaces) in spaces() {
            let space = SpaceId(number as u8);
            if let (SpaceState::Registers(ours), SpaceState::Registers(theirs)) = spaces {
                let mut add = |offset: u64| visit(Location { space, offset });
                ours.try_for_each_difference(theirs, &mut add)?;
                self.shadow(space).try_for_each_difference(other.shadow(space), &mut add)?;
            }
        }
        for (number, spaces) in spaces() {
            let space = SpaceId(number as u8);
            let mut add = |offset: u64| visit(Location { space, offset });
            match spaces {
                (SpaceState::Registers(_), SpaceState::Registers(_)) => {}
                (SpaceState::Memory(ours), SpaceState::Memory(theirs))
                    if ours.regions().is_same(theirs.regions()) =>
                {
                    self.shadow(space).try_for_each_difference(other.shadow(space), &mut add)?;
                    ours.try_for_each_difference(theirs, &mut add)?;
                }
                _ => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }
}

impl State {
    /// Whether the bytes of all registers and of all memory are the same, whatever else the states have noted of them.
    pub fn has_same_bytes(&self, other: &State) -> bool {
        let mut spaces = self.spaces().iter().zip(other.spaces());
        spaces.all(|spaces| match spaces {
            (SpaceState::Registers(ours), SpaceState::Registers(theirs)) => {
                ours.try_for_each_difference(theirs, &mut |_| ControlFlow::Break(())).is_continue()
            }
            (SpaceState::Memory(ours), SpaceState::Memory(theirs)) => ours.has_same_bytes(theirs),
            _ => false,
        })
    }
}

impl Memory {
    fn has_same_bytes(&self, other: &Memory) -> bool {
        let mut numbers = self.page_numbers().chain(other.page_numbers());
        numbers.all(|number| match (self.page(number), other.page(number)) {
            (Some(ours), Some(theirs)) => Rc::ptr_eq(ours, theirs) || ours.bytes == theirs.bytes,
            (Some(only), None) | (None, Some(only)) => only.bytes.iter().all(|byte| *byte == 0),
            (None, None) => true,
        })
    }

    /// Calls `visit` for each byte that differs, until it breaks.
    fn try_for_each_difference(
        &self,
        other: &Memory,
        visit: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
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
                    visit(number * PAGE_SIZE as u64 + offset as u64)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Registers {
    /// Calls `visit` for each byte that differs, until it breaks.
    fn try_for_each_difference(
        &self,
        other: &Registers,
        visit: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let numbers: BTreeSet<usize> = self.page_numbers().chain(other.page_numbers()).collect();
        for number in numbers {
            let ((ours, ours_at), (theirs, theirs_at)) =
                (self.shared_page(number), other.shared_page(number));
            if ours_at.is_some() && ours_at == theirs_at {
                continue;
            }
            for offset in 0..ours.len() {
                if ours[offset] != theirs[offset] {
                    visit((number * ours.len() + offset) as u64)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
