//! Memory regions of an abstract state. A byte is addressed by its region and an unsigned offset.

use everypath_ir::SpaceId;

/// A memory region. Regions are disjoint as far as the analysis can tell; a write that may hit both havocs both.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Region {
    /// Registers, or memory at fixed addresses.
    Fixed(SpaceId),
    /// Stack slots, by their offset from the stack pointer at the function entry (see [`key`]).
    Stack(SpaceId),
}

impl Region {
    /// The address space that the region is part of.
    pub(super) fn space(self) -> SpaceId {
        match self {
            Region::Fixed(space) | Region::Stack(space) => space,
        }
    }
}

/// Bias that maps signed stack offsets to unsigned keys in the same order.
const MIDDLE: u64 = 1 << 63;

/// The key of a stack offset.
pub(super) fn key(distance: i64) -> u64 {
    (distance as u64).wrapping_add(MIDDLE)
}

/// The stack offset of a key.
pub(super) fn distance(key: u64) -> i64 {
    key.wrapping_sub(MIDDLE) as i64
}

/// The last byte of a range.
pub(super) fn last(offset: u64, size: u64) -> u64 {
    offset.saturating_add(size.max(1) - 1)
}
