//! May-alias analysis along a path: objects that a function is given pointers to may be variables of the program, or overlap
//! each other, although they have other addresses here. A store to one of them may *clobber* the others.

use std::rc::Rc;

use everypath_ir::{AddressRange, AddressSet, Location, SpaceId};

/// Memory that may be the same under two addresses.
#[derive(Clone, Debug)]
pub struct AliasedMemory {
    /// The memory in which the program may have variables.
    pub variables: AddressSet,
    /// The part of it that the file names.
    pub named: AddressSet,
    /// The objects that may be such variables, and overlap each other.
    pub objects: Vec<AddressRange>,
    /// The stack.
    pub stack: Option<Stack>,
}

/// The stack of a function under test.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// The memory that it is in.
    pub space: SpaceId,
    /// The location and the size in bytes of the stack pointer.
    pub pointer: (Location, usize),
    /// Whether pushing makes the stack pointer larger.
    pub grows_up: bool,
    /// Number of bytes before those of the function in which it finds its return address and arguments.
    pub incoming: u64,
    /// Number of bytes beyond the stack pointer that a function may use without moving it, or before it does.
    pub red_zone: u64,
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
    /// The stack pointer at the entry.
    entry: Option<u64>,
    stored: Stored,
}

impl MayAlias {
    /// This memory, on a path that has stored nothing yet.
    pub(crate) fn new(memory: AliasedMemory, entry: Option<u64>) -> MayAlias {
        MayAlias { memory: Rc::new(memory), entry, stored: Stored::Nothing }
    }

    /// The location and the size of the stack pointer.
    pub(crate) fn stack_pointer(&self) -> Option<(Location, usize)> {
        Some(self.memory.stack?.pointer)
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
        self.memory.variables.overlaps(location, size) || self.object_of(location, size).is_some()
    }

    /// Whether another path has stored to the same memory.
    pub(crate) fn has_same_stores(&self, other: &MayAlias) -> bool {
        self.stored == other.stored
    }

    fn part_of(&self, location: Location, size: usize, pointer: Option<u64>) -> Option<Part> {
        if let Some(object) = self.object_of(location, size) {
            return Some(Part::Object(object));
        }
        (self.memory.variables.overlaps(location, size) && !self.is_on_stack(location, pointer))
            .then_some(Part::Variables)
    }

    fn object_of(&self, location: Location, size: usize) -> Option<usize> {
        let access = AddressRange::of_bytes(location, size as u64)?;
        self.memory.objects.iter().position(|object| object.overlaps(&access))
    }

    /// Whether a byte is in the frames of the function and of those that it calls. What the file names beside them is no part of
    /// them.
    fn is_on_stack(&self, byte: Location, pointer: Option<u64>) -> bool {
        let (Some(stack), Some(entry), Some(now)) = (self.memory.stack, self.entry, pointer) else {
            return false;
        };
        let Stack { space, grows_up, incoming, red_zone, .. } = stack;
        let (frames, around) = match grows_up {
            // The pointer is at the last byte that is in use.
            true => (
                entry.saturating_add(1)..now.saturating_add(1),
                entry.saturating_add(1).saturating_sub(incoming)..now.saturating_add(1 + red_zone),
            ),
            false => (now..entry, now.saturating_sub(red_zone)..entry.saturating_add(incoming)),
        };
        byte.space == space
            && (frames.contains(&byte.offset)
                || around.contains(&byte.offset) && !self.memory.named.contains(byte))
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

    const STACK: Stack = Stack {
        space: SpaceId(0),
        pointer: (Location { space: SpaceId(1), offset: 0 }, 4),
        grows_up: false,
        incoming: 16,
        red_zone: 32,
    };

    /// A variable, two objects, and a stack that is among the variables, with a named one above.
    fn path() -> MayAlias {
        let range = |first: u64, last: u64| AddressRange { space: SpaceId(0), first, last };
        let memory = AliasedMemory {
            variables: [range(0, 0x1fff)].into_iter().collect(),
            named: [range(TOP + 8, TOP + 11)].into_iter().collect(),
            objects: vec![range(FIRST, FIRST + 3), range(SECOND, SECOND + 3)],
            stack: Some(STACK),
        };
        MayAlias::new(memory, Some(TOP))
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
        for offset in [TOP - 4, TOP, TOP - 8 - STACK.red_zone] {
            path.note_store(at(offset), 4, Some(TOP - 8));
        }
        assert!(path.has_same_stores(&self::path()));
        for offset in [TOP - 12 - STACK.red_zone, TOP + 8, TOP + STACK.incoming] {
            let mut path = self::path();
            path.note_store(at(offset), 4, Some(TOP - 8));
            assert_eq!(doubted(&path), [FIRST, SECOND], "{offset:#x}");
        }
        path.note_store(Location { space: SpaceId(1), ..at(TOP - 4) }, 4, Some(TOP - 8));
        assert!(path.has_same_stores(&self::path()), "in another space there are no variables");
    }

    #[test]
    fn a_stack_may_grow_upwards() {
        let path = path();
        let stack = Stack { grows_up: true, incoming: 2, red_zone: 0, ..STACK };
        let memory = AliasedMemory { stack: Some(stack), ..AliasedMemory::clone(&path.memory) };
        let path = MayAlias::new(memory, Some(TOP));
        let is_on_stack = |offset: u64| path.is_on_stack(at(offset), Some(TOP + 4));
        assert!(is_on_stack(TOP - 1) && is_on_stack(TOP) && is_on_stack(TOP + 4));
        assert!(!is_on_stack(TOP - 2) && !is_on_stack(TOP + 5));
    }
}
