//! A range of memory and the bytes of the file that fill it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A range of memory with the bytes that the file puts there; what the file does not fill is zero.
#[derive(Clone)]
pub struct Segment {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) permissions: Permissions,
    pub(crate) space: Option<String>,
    pub(crate) name: String,
    pub(crate) copy_of: Option<u64>,
    pub(crate) backing: Arc<[u8]>,
    pub(crate) range: Range<usize>,
}

impl Segment {
    /// The first address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The last address: inclusive, so that a segment can reach the end of the address space.
    pub fn last(&self) -> u64 {
        self.address + (self.size - 1)
    }

    /// The size in memory, at least 1. It is what the file claims, and can be far more than anyone has memory
    /// for.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The bytes that the file puts at the start of the segment; the rest of its size is zero.
    pub fn data(&self) -> &[u8] {
        &self.backing[self.range.clone()]
    }

    /// What the program may do here.
    pub fn permissions(&self) -> Permissions {
        self.permissions
    }

    /// The address space; `None` for the architecture's default.
    pub fn space(&self) -> Option<&str> {
        self.space.as_deref()
    }

    /// What the segment is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the program expects these bytes, if this is only the place they are loaded to: start-up code of
    /// firmware copies initial data from here (in flash) to that address (in memory).
    pub fn copy_of(&self) -> Option<u64> {
        self.copy_of
    }

    /// Whether the address is in the segment.
    pub fn contains(&self, address: u64) -> bool {
        address.checked_sub(self.address).is_some_and(|offset| offset < self.size)
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Segment")
            .field("address", &self.address)
            .field("size", &self.size)
            .field("permissions", &self.permissions)
            .field("space", &self.space)
            .field("name", &self.name)
            .field("copy_of", &self.copy_of)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

/// What a program may do with a range of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Permissions {
    /// It may read.
    pub read: bool,
    /// It may write.
    pub write: bool,
    /// It may execute.
    pub execute: bool,
}

impl Permissions {
    /// Everything is allowed: for formats that do not say.
    pub const ALL: Self = Self { read: true, write: true, execute: true };
}

impl fmt::Display for Permissions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |allowed: bool, letter: char| if allowed { letter } else { '-' };
        write!(
            formatter,
            "{}{}{}",
            letter(self.read, 'r'),
            letter(self.write, 'w'),
            letter(self.execute, 'x')
        )
    }
}
