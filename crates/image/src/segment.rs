//! A range of memory and the bytes of the file that fill it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A range of memory with its bytes in the file; the rest is zero.
#[derive(Clone)]
pub struct Segment {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) permissions: SegmentPermissions,
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

    /// The size in memory, at least 1. The file states it; it can exceed any available memory.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The bytes that the file puts at the start of the segment; the rest of its size is zero.
    pub fn data(&self) -> &[u8] {
        &self.backing[self.range.clone()]
    }

    /// The access permissions.
    pub fn permissions(&self) -> SegmentPermissions {
        self.permissions
    }

    /// The address space; `None` for the architecture's default.
    pub fn space(&self) -> Option<&str> {
        self.space.as_deref()
    }

    /// The name of the segment in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address at which the program expects these bytes, if this is only their load address: start-up code of
    /// firmware copies initial data from here (in flash) to that address (in RAM).
    pub fn copy_of(&self) -> Option<u64> {
        self.copy_of
    }

    /// Whether the segment contains the address.
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

/// Access permissions of a range of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentPermissions {
    /// It may read.
    pub read: bool,
    /// It may write.
    pub write: bool,
    /// It may execute.
    pub execute: bool,
}

impl SegmentPermissions {
    /// All permissions, for formats that do not state them.
    pub const ALL: Self = Self { read: true, write: true, execute: true };
}

impl fmt::Display for SegmentPermissions {
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
