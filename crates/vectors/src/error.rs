//! The error for a vector file that cannot be read, with its position.

use std::fmt;

/// An error in a vector file; printed as `file:line: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorError {
    /// The file, as named by the caller.
    pub file: String,
    /// Line number from 1; 0 for the file as a whole.
    pub line: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for VectorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for VectorError {}
