//! Errors in the files of an architecture.

use std::fmt;
use std::path::PathBuf;

/// The reason why an architecture cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchitectureError {
    /// No architecture has this name.
    Unknown {
        /// The requested name.
        name: String,
        /// The available names.
        known: Vec<String>,
    },
    /// A file of it could not be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        problem: String,
    },
    /// Its files are inconsistent.
    Wrong {
        /// Its name.
        name: String,
        /// The inconsistency.
        problem: String,
    },
    /// Its specification does not compile.
    Compile {
        /// The specification.
        path: PathBuf,
        /// The compiler's message.
        output: String,
    },
}

impl fmt::Display for ArchitectureError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, known } => {
                write!(formatter, "there is no architecture `{name}`; there are: {}", known.join(", "))
            }
            Self::File { path, problem } => write!(formatter, "{}: {problem}", path.display()),
            Self::Wrong { name, problem } => write!(formatter, "architecture `{name}`: {problem}"),
            Self::Compile { path, output } => {
                write!(formatter, "{} does not compile:\n{}", path.display(), output.trim_end())
            }
        }
    }
}

impl std::error::Error for ArchitectureError {}
