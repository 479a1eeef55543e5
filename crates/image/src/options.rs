//! Options of [`crate::Image::read`] that override the file.

use crate::ImageFormat;

/// Options that override the file; by default the file alone decides.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Read in this format, whatever the content looks like.
    pub format: Option<&'static ImageFormat>,
    /// The load address: required for a raw binary, used for the sections of a relocatable object, added to the
    /// addresses of a position-independent file, and ignored with a warning for files that state their addresses.
    pub base: Option<u64>,
    /// An entry point, put before those of the file.
    pub entry: Option<u64>,
    /// The address space that the segments are in; `None` for the architecture's default.
    pub space: Option<String>,
}
