//! What can be wrong with an architecture's files.

use std::fmt;
use std::path::PathBuf;

/// Why an architecture cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchitectureError {
    /// There is none of this name.
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A file of it could not be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        problem: String,
    },
    /// Its files contradict themselves or each other.
    Wrong {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// Its specification does not compile.
    Compile {
        /// The specification.
        path: PathBuf,
        /// What the compiler said.
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
