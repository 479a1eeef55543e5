//! Accesses that memory denies, and instruction bytes that it gives.

/// Why an access cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessFault {
    /// There is nothing at that address.
    Unmapped,
    /// What is there may not be read.
    NotReadable,
    /// What is there may not be written.
    NotWritable,
    /// What is there may not be executed.
    NotExecutable,
    /// A value is accessed only at a multiple of its size, and this is none.
    Misaligned,
    /// What is there lies outside: see [`crate::Region::outside`]. Whoever runs the state answers in its place.
    Outside,
    /// The memory that a run may touch is used up: see [`crate::Memory::limit_pages`].
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

/// An access that cannot be done, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Denied {
    /// The first byte that cannot be accessed.
    pub address: u64,
    /// Why.
    pub fault: AccessFault,
}

/// Instruction bytes that were fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// How many.
    pub count: usize,
    /// Whether one of them may be written.
    pub writable: bool,
}
