//! Words of the state, by which paths are compared and merged.

use std::collections::BTreeSet;

use everypath_environment::Guest;
use everypath_ir::{Endian, Location, Place, SpaceId, SpaceKind, Width};
use everypath_term::Term;
use rustc_hash::FxHashMap;

use crate::path::task::Task;

/// The merged words that a term stands for: the places of the merges and the words. Several words may have been merged to
/// the same term.
pub(crate) type MergedWords = FxHashMap<Term, BTreeSet<(Place, StateWord)>>;

/// A word of the state: its location and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StateWord {
    pub(crate) location: Location,
    pub(crate) size: u8,
}

impl StateWord {
    /// The width of its contents.
    pub(crate) fn width(self) -> Width {
        Width::of_bytes(usize::from(self.size)).unwrap_or(Width::W8)
    }
}

/// How words of the state are read.
pub(crate) struct WordLayout {
    /// Size of a word in bytes: that of an address.
    pub(crate) size: u64,
    endians: Vec<Endian>,
    is_memory: Vec<bool>,
    pub(crate) stack_pointer: Option<(Location, Width)>,
    pub(crate) grows_up: bool,
}

impl WordLayout {
    pub(crate) fn of(guest: &Guest) -> WordLayout {
        let spaces = &guest.architecture().layout().spaces;
        let pointer = guest.architecture().stack_pointer();
        WordLayout {
            size: pointer.map_or(4, |(_, width)| width.bytes() as u64).clamp(1, 8).next_power_of_two(),
            endians: spaces.iter().map(|space| space.endian).collect(),
            is_memory: spaces.iter().map(|space| space.kind == SpaceKind::Memory).collect(),
            stack_pointer: pointer,
            grows_up: guest.architecture().description().registers.stack_grows_up,
        }
    }

    /// Whether a word is in memory.
    pub(crate) fn is_memory(&self, word: StateWord) -> bool {
        self.is_memory[usize::from(word.location.space.0)]
    }

    /// The address spaces.
    pub(crate) fn spaces(&self) -> impl Iterator<Item = SpaceId> {
        (0..self.endians.len() as u8).map(SpaceId)
    }

    /// A word, or its bytes if it is partly uninitialised on a path, or at the edge of mapped memory.
    pub(crate) fn pieces(&self, members: &mut [Task], location: Location) -> Vec<StateWord> {
        let word = StateWord { location, size: self.size as u8 };
        let byte = |distance: u64| Location { offset: location.offset + distance, ..location };
        let is_whole = |task: &mut Task| {
            (0..self.size).all(|distance| !task.state.is_unset(byte(distance)))
                && task.state.get(location, word.width(), self.endian(location)).is_ok()
        };
        if members.iter_mut().all(is_whole) {
            vec![word]
        } else {
            (0..self.size).map(|distance| StateWord { location: byte(distance), size: 1 }).collect()
        }
    }

    pub(crate) fn endian(&self, location: Location) -> Endian {
        self.endians[usize::from(location.space.0)]
    }
}
