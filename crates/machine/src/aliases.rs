//! May-alias analysis along a path: objects that a function is given pointers to may be variables of the program, although
//! they have other addresses here. A store to either leaves unknown what the other holds from then on.

use std::rc::Rc;

use everypath_ir::{Location, SpaceId};

use crate::address_ranges::AddressRanges;

/// The memory that may be the same under two addresses, and which of it a path has stored to.
#[derive(Clone, Debug)]
pub(crate) struct Aliases {
    /// The variables, and the objects.
    sides: Rc<[AddressRanges; 2]>,
    /// For both, whether the path has stored there.
    stored: [bool; 2],
}

impl Aliases {
    /// Variables and objects, of a layout with so many spaces, on a path that has stored nothing yet.
    pub(crate) fn new(
        spaces: usize,
        variables: impl IntoIterator<Item = (SpaceId, u64, u64)>,
        objects: impl IntoIterator<Item = (SpaceId, u64, u64)>,
    ) -> Aliases {
        let mut sides = [AddressRanges::new(spaces), AddressRanges::new(spaces)];
        variables.into_iter().for_each(|(space, first, last)| sides[0].add(space, first, last));
        objects.into_iter().for_each(|(space, first, last)| sides[1].add(space, first, last));
        Aliases { sides: Rc::new(sides), stored: [false; 2] }
    }

    /// Takes in a store of the path.
    #[inline]
    pub(crate) fn store(&mut self, location: Location, size: usize) {
        for (side, stored) in self.sides.iter().zip(&mut self.stored) {
            *stored |= side.meet(location, size);
        }
    }

    /// Whether a store of the path may have changed one of these bytes under another address.
    #[inline]
    pub(crate) fn are_doubtful(&self, location: Location, size: usize) -> bool {
        let [variables, objects] = &*self.sides;
        let [to_variables, to_objects] = self.stored;
        to_objects && variables.meet(location, size) || to_variables && objects.meet(location, size)
    }

    /// Whether one of these bytes may have another address, on any path.
    pub(crate) fn have(&self, location: Location, size: usize) -> bool {
        self.sides.iter().any(|side| side.meet(location, size))
    }

    /// Whether another path doubts the same memory.
    pub(crate) fn agree(&self, other: &Aliases) -> bool {
        self.stored == other.stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VARIABLE: Location = Location { space: SpaceId(0), offset: 0x10 };
    const OBJECT: Location = Location { space: SpaceId(0), offset: 0x20 };

    fn aliases() -> Aliases {
        Aliases::new(1, [(SpaceId(0), 0x10, 0x13)], [(SpaceId(0), 0x20, 0x23)])
    }

    #[test]
    fn a_store_makes_the_other_side_doubtful() {
        let mut path = aliases();
        assert!(!path.are_doubtful(VARIABLE, 4) && !path.are_doubtful(OBJECT, 4));
        path.store(VARIABLE, 4);
        assert!(!path.are_doubtful(VARIABLE, 4) && path.are_doubtful(OBJECT, 4));
        path.store(OBJECT, 4);
        assert!(path.are_doubtful(VARIABLE, 4) && path.are_doubtful(OBJECT, 4));
    }

    #[test]
    fn a_store_elsewhere_says_nothing() {
        let mut path = aliases();
        path.store(Location { offset: 0x18, ..VARIABLE }, 4);
        assert!(path.agree(&aliases()));
        assert!(path.have(VARIABLE, 1) && !path.have(Location { offset: 0x18, ..VARIABLE }, 4));
    }
}
