//! The error for a file that cannot be read at all.

use std::error::Error;
use std::fmt;

use crate::format;

/// The reason why a file cannot be read at all; a file that can be read in part gives warnings instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// The file has no bytes.
    Empty,
    /// No format recognises the file; its first bytes.
    Unrecognised {
        /// The first bytes of the file, as text.
        seen: String,
    },
    /// A raw binary was asked for, and no base address given.
    BaseMissing,
    /// The format was recognised or forced, but the file holds nothing of it that can be mapped.
    Nothing {
        /// The name of the format.
        format: &'static str,
        /// The contents seen instead.
        seen: String,
    },
}

impl ReadError {
    pub(crate) fn unrecognised(file: &[u8]) -> Self {
        let start = &file[..file.len().min(8)];
        let hex: Vec<String> = start.iter().map(|byte| format!("{byte:02x}")).collect();
        Self::Unrecognised { seen: format!("{} ({:?})", hex.join(" "), String::from_utf8_lossy(start)) }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(formatter, "the file is empty"),
            Self::Unrecognised { seen } => {
                let titles: Vec<&str> = format::ALL
                    .iter()
                    .filter(|format| !format.only_forced)
                    .map(|format| format.title)
                    .collect();
                write!(
                    formatter,
                    "the file begins with {seen}, which is none of {}; for a plain binary use --format raw --base ADDRESS",
                    titles.join(", ")
                )
            }
            Self::BaseMissing => {
                write!(formatter, "a raw binary does not say where it lies in memory; add --base ADDRESS")
            }
            Self::Nothing { format, seen } => {
                write!(
                    formatter,
                    "nothing could be read as {format}: {seen}; another format can be forced with --format"
                )
            }
        }
    }
}

impl Error for ReadError {}
