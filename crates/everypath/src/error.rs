//! The errors of the library.

use everypath_environment::AddressOrSymbol;
use everypath_image::ReadError;
use everypath_lift::{ArchitectureError, NotLifted};
use everypath_record::SuiteError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The reason why an operation of the library failed. A guest that faults is a result, not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("{}: cannot be read: {source}", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The bytes are not an executable in a known format.
    #[error("{program}: {source}")]
    Format {
        /// The program.
        program: String,
        /// The error of the reader.
        source: ReadError,
    },
    /// Neither the caller nor the file names an architecture that is known.
    #[error("{program}: {reason}; name the architecture, one of: {}", known.join(", "))]
    NoArchitecture {
        /// The program.
        program: String,
        /// The reason, in words.
        reason: String,
        /// The names of the known architectures.
        known: Vec<String>,
    },
    /// The named architecture is unknown, or its files are wrong.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// The configuration cannot be parsed, or does not fit the program.
    #[error("{program}: {message}")]
    Configuration {
        /// The program, or the file of the configuration.
        program: String,
        /// The problem, in words.
        message: String,
    },
    /// A trace cannot be read.
    #[error("{file}: {message}")]
    Trace {
        /// The file.
        file: String,
        /// The problem, in words.
        message: String,
    },
    /// The program has no function there.
    #[error("{program}: there is no function at {}", Shown(function))]
    NoFunction {
        /// The program.
        program: String,
        /// The address or symbol that was asked for.
        function: AddressOrSymbol,
    },
    /// A block could not be lifted.
    #[error("{program}: no block at {address:#x}: {source}")]
    Lift {
        /// The program.
        program: String,
        /// The start of the block.
        address: u64,
        /// The reason.
        source: NotLifted,
    },
    /// The exploration has no valid result, because its setup is wrong.
    #[error("{program}: {message}")]
    Exploration {
        /// The program.
        program: String,
        /// The problem and its remedy, in words.
        message: String,
    },
    /// A test suite could not be read or written.
    #[error(transparent)]
    Io(#[from] SuiteError),
}

/// An address or symbol, displayed.
struct Shown<'a>(&'a AddressOrSymbol);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            AddressOrSymbol::Address(address) => write!(formatter, "{address:#x}"),
            AddressOrSymbol::Symbol(name) => write!(formatter, "`{name}`"),
        }
    }
}
