//! Denied memory accesses, and fetched instruction bytes.

/// The reason why an access is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessFault {
    /// The address is not mapped.
    Unmapped,
    /// The region is not readable.
    NotReadable,
    /// The region is not writable.
    NotWritable,
    /// The region is not executable.
    NotExecutable,
    /// The access must be aligned to its size and is not.
    Misaligned,
    /// The region is MMIO, which the environment handles: see [`crate::Region::outside`].
    Outside,
    /// The page limit of the run is reached: see [`crate::Memory::limit_pages`].
    Exhausted,
}

impl std::fmt::Display for AccessFault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Unmapped => "access to memory that does not exist",
            Self::NotReadable => "read of memory that may not be read",
            Self::NotWritable => "write to memory that may not be written",
            Self::NotExecutable => "execution of memory that may not be executed",
            Self::Misaligned => "access to a value that is not aligned",
            Self::Outside => "access to the outside, where nothing answers",
            Self::Exhausted => "access to more memory than may be touched",
        })
    }
}

/// A denied access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Denied {
    /// The first inaccessible byte.
    pub address: u64,
    /// The reason.
    pub fault: AccessFault,
}

/// The result of an instruction fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The number of bytes fetched.
    pub count: usize,
    /// True if one of the bytes is writable.
    pub writable: bool,
}
