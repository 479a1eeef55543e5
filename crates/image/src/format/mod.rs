//! The formats of executable files: one file each, and one line in [`ALL`].

mod elf;
mod ihex;
mod raw;
mod srec;

use std::fmt;
use std::sync::Arc;

use crate::contents::Contents;
use crate::{ReadError, ReadOptions};

/// All formats, in the order in which they are tried.
pub static ALL: &[&ImageFormat] = &[&elf::FORMAT, &ihex::FORMAT, &srec::FORMAT, &raw::FORMAT];

/// A format of executable files.
pub struct ImageFormat {
    /// The name on the command line.
    pub name: &'static str,
    /// The name in a sentence.
    pub title: &'static str,
    /// Whether the format has no magic number, so that it is used only on request.
    pub only_forced: bool,
    /// Whether the content looks like this format.
    pub detect: fn(&[u8]) -> bool,
    pub(crate) read: fn(&Input<'_>) -> Result<Contents, ReadError>,
}

impl ImageFormat {
    /// The format with this name.
    ///
    /// ```
    /// use everypath_image::ImageFormat;
    ///
    /// assert_eq!(ImageFormat::by_name("elf").unwrap().title, "ELF");
    /// assert!(ImageFormat::by_name("unheard of").is_none());
    /// ```
    pub fn by_name(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|format| format.name == name)
    }
}

impl fmt::Debug for ImageFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Format({})", self.name)
    }
}

/// The input of a format's reader: the file, which is not empty, and the caller's options.
pub(crate) struct Input<'options> {
    pub(crate) format: &'static ImageFormat,
    pub(crate) file: Arc<[u8]>,
    pub(crate) options: &'options ReadOptions,
}

impl Input<'_> {
    /// The error that nothing in the file can be mapped.
    pub(crate) fn nothing(&self, seen: impl Into<String>) -> ReadError {
        ReadError::Nothing { format: self.format.name, seen: seen.into() }
    }
}

/// The first format that recognises the content.
pub(crate) fn detect(file: &[u8]) -> Option<&'static ImageFormat> {
    ALL.iter().copied().find(|format| !format.only_forced && (format.detect)(file))
}
