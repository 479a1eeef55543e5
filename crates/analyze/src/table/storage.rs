//! Registers and stack slots as holders of constants.

use everypath_ir::{Location, Width};
use std::collections::BTreeSet;

/// The constants that reach a location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reaching {
    pub(super) values: BTreeSet<u64>,
    /// True if the result assumes the calling convention.
    pub(super) by_convention: bool,
}

/// A register or stack slot at the start of a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct StorageLocation {
    /// The register, or the base register of a stack slot.
    pub(super) register: Location,
    pub(super) register_width: Width,
    /// `None` for the register itself; otherwise the stack slot at this offset from it.
    pub(super) offset: Option<u64>,
    pub(super) width: Width,
}

impl StorageLocation {
    /// The base register itself.
    pub(super) fn register(self) -> StorageLocation {
        StorageLocation { offset: None, width: self.register_width, ..self }
    }
}
