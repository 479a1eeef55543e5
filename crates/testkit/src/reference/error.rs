//! Errors of the reference as a whole; an instruction that crashes it is not an error.

use std::fmt;
use std::io;

/// The reason why the reference cannot work.
#[derive(Debug)]
pub enum ReferenceError {
    /// The child could not be started, or a file could not be written.
    Input(io::Error),
    /// The child refused the request or died while loading the specification.
    Setup(String),
    /// The child's answer is not of the agreed form.
    Answer(String),
}

impl fmt::Display for ReferenceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => write!(formatter, "the reference cannot be run: {error}"),
            Self::Setup(message) => write!(formatter, "the reference cannot be set up: {message}"),
            Self::Answer(line) => write!(formatter, "the reference answered in an unknown form: {line}"),
        }
    }
}

impl std::error::Error for ReferenceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Input(error) => Some(error),
            Self::Setup(_) | Self::Answer(_) => None,
        }
    }
}

impl From<io::Error> for ReferenceError {
    fn from(error: io::Error) -> Self {
        Self::Input(error)
    }
}
