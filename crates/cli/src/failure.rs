//! Why a command did not succeed, and the exit code that says so.

use std::io;
use std::process::ExitCode;

/// The input could not be used.
const INPUT: u8 = 1;
/// The fault is ours: `EX_SOFTWARE` of `sysexits.h`.
const BUG: u8 = 70;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input could not be used: what happened, where, and what to do next.
    Input(String),
    /// Everypath is wrong.
    Bug(String),
    /// The output could not be written.
    Output(io::Error),
}

impl Failure {
    /// Reports the failure to the user, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Input(message) => {
                eprintln!("everypath: {message}");
                ExitCode::from(INPUT)
            }
            Self::Bug(message) => {
                eprintln!("everypath: {message}");
                eprintln!("everypath: this is a fault of everypath, not of the file; please report it");
                ExitCode::from(BUG)
            }
            // A reader that closes the pipe has seen enough.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => {
                eprintln!("everypath: the output could not be written: {error}");
                ExitCode::from(INPUT)
            }
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() { Self::Output(error.into()) } else { Self::Bug(format!("no JSON: {error}")) }
    }
}
