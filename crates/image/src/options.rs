//! What the caller of [`crate::Image::read`] knows better than the file.

use crate::Format;

/// What the caller knows better than the file; by default the file alone decides.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Read in this format, whatever the content looks like.
    pub format: Option<&'static Format>,
    /// Where the file lies in memory: needed for a raw binary, used for the sections of a relocatable
    /// object, and without meaning (which gives a warning) for files that state their addresses.
    pub base: Option<u64>,
    /// An entry point, put before those of the file.
    pub entry: Option<u64>,
    /// The address space that the segments are in; `None` for the architecture's default.
    pub space: Option<String>,
}
