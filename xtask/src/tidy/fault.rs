//! A broken rule, with its position and the remedy.

use std::fmt;

/// A broken rule; printed as `file:line: problem and remedy`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Path from the root of the workspace.
    pub file: String,
    /// Line number from 1.
    pub line: usize,
    /// The problem and the remedy.
    pub message: String,
}

impl Fault {
    /// A fault at a line.
    pub fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.message)
    }
}
