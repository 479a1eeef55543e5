//! Aliases between IR slots and abstract locations at the end of a block: refining a slot refines every location that
//! holds its value.

use everypath_ir::{AddressRange, Location, SpaceId};

/// An abstract location: a register, memory at a fixed address, or a stack slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AbstractLocation {
    /// A register, or memory at a fixed address.
    Place(Location),
    /// Memory at an offset from the stack pointer at the function entry.
    Stack(SpaceId, i64),
}

/// Abstract locations known to hold the same value as an IR slot.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotAliases {
    list: Vec<(AbstractLocation, u64, u32)>,
}

impl SlotAliases {
    /// Records that a location holds the value of a slot, because it was read or written.
    pub(super) fn read(&mut self, location: AbstractLocation, size: u64, slot: u32) {
        self.list.push((location, size, slot));
    }

    /// Drops aliases that overlap a byte range, because it was or may have been written.
    pub(super) fn changed(&mut self, location: AbstractLocation, size: u64) {
        self.list.retain(|(other, length, _)| match (location, *other) {
            (AbstractLocation::Place(a), AbstractLocation::Place(b)) => {
                let ranges = AddressRange::of_bytes(a, size).zip(AddressRange::of_bytes(b, *length));
                ranges.is_none_or(|(written, held)| !written.overlaps(&held))
            }
            (AbstractLocation::Stack(space, a), AbstractLocation::Stack(other, b)) => {
                let apart =
                    |from: i64, size: u64, to: i64| i128::from(from) + i128::from(size) <= i128::from(to);
                space != other || apart(a, size, b) || apart(b, *length, a)
            }
            _ => true,
        });
    }

    /// Drops all fixed-address aliases in a space, after a write to an unknown address.
    pub(super) fn space_changed(&mut self, space: SpaceId) {
        self.list.retain(
            |(location, ..)| !matches!(location, AbstractLocation::Place(place) if place.space == space),
        );
    }

    /// Drops all stack aliases.
    pub(super) fn stack_changed(&mut self) {
        self.list.retain(|(location, ..)| matches!(location, AbstractLocation::Place(_)));
    }

    /// Drops all aliases.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// The locations, with the slots whose values they hold.
    pub(super) fn iter(&self) -> impl Iterator<Item = (AbstractLocation, u32)> + '_ {
        self.list.iter().map(|(location, _, slot)| (*location, *slot))
    }
}
