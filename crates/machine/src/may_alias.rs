//! May-alias analysis along a path: objects that a function is given pointers to may be variables of the program, or overlap
//! each other, although they have other addresses here. A store to one of them may *clobber* the others.

use std::rc::Rc;

use everypath_ir::{Location, SpaceId};

use crate::address_ranges::AddressRanges;

/// Number of bytes beyond the stack pointer that a function may use without moving it (a red zone).
const RED_ZONE: u64 = 256;

/// Number of bytes on the other side of the stack pointer at the entry in which a function finds its return address and arguments.
const INCOMING: u64 = 64;

/// Memory that may be the same under two addresses.
#[derive(Clone, Debug)]
pub struct AliasedMemory {
    /// The memory in which the program may have variables, as space, first and last address.
    pub variables: Vec<(SpaceId, u64, u64)>,
    /// The objects that may be such variables, and overlap each other.
    pub objects: Vec<(SpaceId, u64, u64)>,
    /// The location and the size in bytes of the stack pointer.
    pub stack_pointer: Option<(Location, usize)>,
    /// Whether pushing makes the stack pointer larger.
    pub stack_grows_up: bool,
}

/// The part of memory that stores are about: the variables, or one of the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Variables,
    Object(usize),
}

/// The parts that a path has stored to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    Nothing,
    One(Part),
    Several,
}

/// Memory that may be the same under two addresses, and which of it a path has stored to.
#[derive(Clone, Debug)]
pub(crate) struct MayAlias {
    memory: Rc<AliasedMemory>,
    variables: Rc<AddressRanges>,
    /// The stack pointer at the entry.
    entry: Option<u64>,
    stored: Stored,
}

impl MayAlias {
    /// This memory, of a layout with so many spaces, on a path that has stored nothing yet.
    pub(crate) fn new(spaces: usize, memory: AliasedMemory, entry: Option<u64>) -> MayAlias {
        let mut variables = AddressRanges::new(spaces);
        memory.variables.iter().for_each(|(space, first, last)| variables.add(*space, *first, *last));
        MayAlias { memory: Rc::new(memory), variables: Rc::new(variables), entry, stored: Stored::Nothing }
    }

    /// The location and the size of the stack pointer.
    pub(crate) fn stack_pointer(&self) -> Option<(Location, usize)> {
        self.memory.stack_pointer
    }

    /// Takes in a store of the path, with the stack pointer before it.
    #[inline]
    pub(crate) fn note_store(&mut self, location: Location, size: usize, pointer: Option<u64>) {
        if let Some(part) = self.part_of(location, size, pointer) {
            self.stored = match self.stored {
                Stored::Nothing => Stored::One(part),
                Stored::One(known) if known == part => Stored::One(part),
                Stored::One(_) | Stored::Several => Stored::Several,
            };
        }
    }

    /// Whether a store of the path to another address may have changed one of these bytes.
    #[inline]
    pub(crate) fn may_be_clobbered(&self, location: Location, size: usize, pointer: Option<u64>) -> bool {
        let by_other = |part: Part| match self.stored {
            Stored::Nothing => false,
            Stored::One(stored) => stored != part,
            Stored::Several => true,
        };
        self.stored != Stored::Nothing && self.part_of(location, size, pointer).is_some_and(by_other)
    }

    /// Whether one of these bytes may have another address, on any path.
    pub(crate) fn contains(&self, location: Location, size: usize) -> bool {
        self.variables.overlaps(location, size) || self.object_of(location, size).is_some()
    }

    /// Whether another path has stored to the same memory.
    pub(crate) fn has_same_stores(&self, other: &MayAlias) -> bool {
        self.stored == other.stored
    }

    fn part_of(&self, location: Location, size: usize, pointer: Option<u64>) -> Option<Part> {
        if let Some(object) = self.object_of(location, size) {
            return Some(Part::Object(object));
        }
        (self.variables.overlaps(location, size) && !self.is_on_stack(location.offset, pointer))
            .then_some(Part::Variables)
    }

    fn object_of(&self, location: Location, size: usize) -> Option<usize> {
        let last = location.offset.saturating_add(size as u64 - 1);
        self.memory.objects.iter().position(|(space, first, end)| {
            *space == location.space && *first <= last && *end >= location.offset
        })
    }

    /// Whether an address is in the frames of the function and of those that it calls.
    fn is_on_stack(&self, address: u64, pointer: Option<u64>) -> bool {
        let (Some(entry), Some(now)) = (self.entry, pointer) else { return false };
        match self.memory.stack_grows_up {
            true => (entry.saturating_sub(INCOMING)..=now.saturating_add(RED_ZONE)).contains(&address),
            false => (now.saturating_sub(RED_ZONE)..entry.saturating_add(INCOMING)).contains(&address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(offset: u64) -> Location {
        Location { space: SpaceId(0), offset }
    }

    const VARIABLE: u64 = 0x10;
    const FIRST: u64 = 0x2000;
    const SECOND: u64 = 0x2010;
    const TOP: u64 = 0x1000;

    /// A variable, two objects, and a stack that is among the variables.
    fn path() -> MayAlias {
        let range = |first: u64, last: u64| (SpaceId(0), first, last);
        let memory = AliasedMemory {
            variables: vec![range(0, 0x1fff)],
            objects: vec![range(FIRST, FIRST + 3), range(SECOND, SECOND + 3)],
            stack_pointer: None,
            stack_grows_up: false,
        };
        MayAlias::new(1, memory, Some(TOP))
    }

    fn doubted(path: &MayAlias) -> Vec<u64> {
        let places = [VARIABLE, FIRST, SECOND];
        places.into_iter().filter(|place| path.may_be_clobbered(at(*place), 4, Some(TOP - 8))).collect()
    }

    #[test]
    fn a_store_may_clobber_everything_else() {
        for (stored, others) in
            [(VARIABLE, [FIRST, SECOND]), (FIRST, [VARIABLE, SECOND]), (SECOND, [VARIABLE, FIRST])]
        {
            let mut path = path();
            assert_eq!(doubted(&path), []);
            path.note_store(at(stored), 4, Some(TOP - 8));
            assert_eq!(doubted(&path), others);
        }
    }

    #[test]
    fn stores_to_two_parts_may_clobber_both() {
        let mut path = path();
        path.note_store(at(VARIABLE), 4, Some(TOP));
        path.note_store(at(FIRST), 1, Some(TOP));
        assert_eq!(doubted(&path), [VARIABLE, FIRST, SECOND]);
    }

    #[test]
    fn the_stack_is_no_variable() {
        let mut path = path();
        path.note_store(at(TOP - 4), 4, Some(TOP - 8));
        path.note_store(at(TOP), 4, Some(TOP - 8));
        assert!(path.has_same_stores(&self::path()));
        path.note_store(at(TOP - 8 - RED_ZONE - 4), 4, Some(TOP - 8));
        assert_eq!(doubted(&path), [FIRST, SECOND]);
    }
}
