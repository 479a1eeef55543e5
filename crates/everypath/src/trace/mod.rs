//! Traces: what was executed elsewhere, on a board, in an emulator or by a fuzzer, as evidence that branch directions are covered.
//!
//! Each format is one file and one line in [`TRACES`].

mod address_list;
mod coverage;
mod credit;
mod drcov;
mod execution;
mod qemu_log;
mod suite_tests;

use crate::binary::Binary;
use crate::error::Error;
use everypath_record::sha256_hexadecimal;
use std::fs;
use std::path::Path;

pub(crate) use coverage::{TraceCoverage, TraceMap};
pub(crate) use credit::credit;
use execution::TracedProgram;
pub use execution::{ExecutionTrace, RecordedExecution, ReplayedTest};

/// A format of traces.
#[derive(Clone, Copy, Debug)]
pub struct TraceFormat {
    /// Its name.
    pub name: &'static str,
    /// A one-line description.
    pub what: &'static str,
    /// Whether a file is in this format.
    fits: fn(&[u8]) -> bool,
    /// Reads a file. The program has a name, and a first address to which offsets relate.
    read: fn(&[u8], &TracedProgram<'_>) -> Result<RecordedExecution, String>,
}

/// Every format; the first one that fits is taken, and the last one fits any text.
pub static TRACES: &[TraceFormat] = &[
    TraceFormat {
        name: "drcov",
        what: "basic blocks without an order (DynamoRIO, Frida, Lighthouse)",
        fits: drcov::fits,
        read: drcov::read,
    },
    TraceFormat {
        name: "qemu",
        what: "the log of QEMU with `-d exec,nochain`",
        fits: qemu_log::fits,
        read: qemu_log::read,
    },
    TraceFormat {
        name: "addresses",
        what: "an address in each line, of each executed instruction or basic block",
        fits: address_list::fits,
        read: address_list::read,
    },
];

impl Binary {
    /// Reads a trace of this program. [`Binary::read_traces`] also reads the tests of a suite.
    ///
    /// # Errors
    /// If the file cannot be read, or is in none of the formats of [`TRACES`].
    pub fn read_trace(&self, file: impl AsRef<Path>) -> Result<ExecutionTrace, Error> {
        let file = file.as_ref();
        let refused = |message: String| Error::Trace { file: file.display().to_string(), message };
        let bytes = fs::read(file).map_err(|error| refused(error.to_string()))?;
        // Any text may be a list of addresses.
        if bytes.trim_ascii_start().starts_with(b"{") {
            return Err(refused(
                "it is JSON, and no trace; of the tests that `everypath test` writes, give their folder, or one of the files in its folder \
                 `tests`"
                    .to_owned(),
            ));
        }
        let format = TRACES.iter().find(|format| (format.fits)(&bytes));
        let names: Vec<&str> = TRACES.iter().map(|format| format.name).collect();
        let unknown = || refused(format!("it is no trace; the formats are: {}", names.join(", ")));
        let execution = self.parse_trace(format.ok_or_else(unknown)?, &bytes).map_err(refused)?;
        Ok(ExecutionTrace { name: file.display().to_string(), hash: sha256_hexadecimal(&bytes), execution })
    }

    /// Reads bytes as a trace of this program in a format.
    ///
    /// # Errors
    /// The problem, in words, if they are not in this format.
    pub fn parse_trace(&self, format: &TraceFormat, bytes: &[u8]) -> Result<RecordedExecution, String> {
        let base = self.image().segments().first().map_or(0, everypath_image::Segment::address);
        (format.read)(bytes, &TracedProgram { name: &self.name, base })
    }
}
