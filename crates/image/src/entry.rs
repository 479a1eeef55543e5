//! Entry points.

use std::fmt;

/// A possible entry point, and the reason to consider it one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The address, without the bit that selects an instruction set.
    pub address: u64,
    /// The address had its lowest bit set on a machine where that selects the alternate instruction set.
    pub alternate: bool,
    /// The reason.
    pub reason: EntryReason,
    /// The name of the function there, where the reason is a symbol.
    pub name: Option<String>,
}

/// The reasons to consider an address an entry point, in the order of [`crate::Image::entries`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryReason {
    /// The caller named it in [`crate::ReadOptions::entry`].
    Given,
    /// The file names it as its start.
    Start,
    /// The file lists it among the functions that run before the main program.
    Initializer,
    /// The file lists it among the functions that run after the main program.
    Finalizer,
    /// A function that other files can call.
    Exported,
}

impl fmt::Display for EntryReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Given => "given",
            Self::Start => "start",
            Self::Initializer => "initializer",
            Self::Finalizer => "finalizer",
            Self::Exported => "exported",
        })
    }
}
