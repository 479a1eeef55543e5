//! Why a vector file cannot be read, with its place.

use std::fmt;

/// A fault in a vector file; printed as `file:line: what is wrong`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorError {
    /// The file, as it was named by the caller.
    pub file: String,
    /// Line number from 1; 0 when the file as a whole is at fault.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for VectorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for VectorError {}
