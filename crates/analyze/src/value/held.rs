//! Which places hold, at the end of a block, what a step of it read or wrote: what is learnt of the one holds of the other.

use everypath_ir::{Location, SpaceId};

/// A place that has a name: a register, memory at a fixed address, or a distance on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    /// A register, or memory at a fixed address.
    Place(Location),
    /// A distance from the stack pointer at the entry of the function.
    Stack(SpaceId, i64),
}

/// The places whose contents are in a slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    list: Vec<(Spot, u64, u32)>,
}

impl Held {
    /// A place holds what is in a slot: it was read.
    pub(super) fn read(&mut self, spot: Spot, size: u64, slot: u32) {
        self.list.push((spot, size, slot));
    }

    /// Some bytes were written, or may have been.
    pub(super) fn changed(&mut self, spot: Spot, size: u64) {
        self.list.retain(|(other, length, _)| match (spot, *other) {
            (Spot::Place(a), Spot::Place(b)) => {
                a.space != b.space
                    || a.offset.saturating_add(size) <= b.offset
                    || b.offset.saturating_add(*length) <= a.offset
            }
            (Spot::Stack(space, a), Spot::Stack(other, b)) => {
                let apart =
                    |from: i64, size: u64, to: i64| i128::from(from) + i128::from(size) <= i128::from(to);
                space != other || apart(a, size, b) || apart(b, *length, a)
            }
            _ => true,
        });
    }

    /// Something of a space was written, wherever it lies.
    pub(super) fn space_changed(&mut self, space: SpaceId) {
        self.list.retain(|(spot, ..)| !matches!(spot, Spot::Place(place) if place.space == space));
    }

    /// Something of the stack was written.
    pub(super) fn stack_changed(&mut self) {
        self.list.retain(|(spot, ..)| matches!(spot, Spot::Place(_)));
    }

    /// Anything may have been written.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// The places and the slots whose contents they hold.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Spot, u32)> + '_ {
        self.list.iter().map(|(spot, _, slot)| (*spot, *slot))
    }
}
