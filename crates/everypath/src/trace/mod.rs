//! Traces: what was executed elsewhere, on a board, in an emulator or by a fuzzer, as evidence that branch directions are covered.
//!
//! Each format is one file and one line in [`TRACES`].

mod address_list;
mod coverage;
mod credit;
mod drcov;
mod qemu_log;
mod suite_tests;

use crate::binary::{Binary, hash};
use crate::error::Error;
use crate::outcome::Outcome;
use everypath_record::Direction;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub(crate) use coverage::{TraceCoverage, TraceMap};
pub(crate) use credit::credit;

/// An execution that another tool recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionTrace {
    /// Its name: the path of its file.
    pub name: String,
    /// The hash (SHA-256) of its file; empty if it comes from none.
    pub hash: String,
    /// The executed instructions or basic blocks.
    pub execution: RecordedExecution,
}

/// The recorded part of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedExecution {
    /// The starts of instructions or of basic blocks, in the order of their execution, without gaps; a list for each processor.
    InOrder(Vec<Vec<u64>>),
    /// The basic blocks, first address and size, without an order.
    Unordered(Vec<(u64, u64)>),
    /// A test of another suite, which was replayed on the concrete machine.
    Replayed(ReplayedTest),
}

/// The replay of a test of another suite, under the configuration of that suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedTest {
    /// The folder of its suite.
    pub suite: String,
    /// The function that its configuration tests by itself (`[call]`).
    pub function: Option<String>,
    /// Whether that configuration is another one than that of this run. What the test does then refutes nothing that is infeasible in
    /// this run.
    pub has_own_configuration: bool,
    /// The branch directions that it takes.
    pub directions: BTreeSet<Direction>,
    /// The instructions that it executes.
    pub executed: BTreeSet<u64>,
}

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

/// The program that a trace is of.
struct TracedProgram<'p> {
    /// The name of its file.
    name: &'p str,
    /// The lowest address that its file loads.
    base: u64,
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

/// Why a direction is open that was only measured.
const NOT_TRACED: &str = "no trace takes it, and no input was looked for; `everypath test --trace` does that";

impl Binary {
    /// Judges the branch directions of the program by traces alone: covered by a trace, infeasible by static analysis, or open.
    ///
    /// ```
    /// use everypath::{Binary, RecordedExecution, ExecutionTrace, Verdict};
    /// // movx a,@dptr; jz 4; inc a; sjmp 4
    /// let binary = Binary::options().architecture("8051").raw(0).read(b"\xe0\x60\x01\x04\x80\xfe")?;
    /// let execution = RecordedExecution::InOrder(vec![vec![0, 1, 3, 4]]);
    /// let trace = ExecutionTrace { name: "bench".to_owned(), hash: String::new(), execution };
    /// let outcome = binary.cover(&[trace])?;
    /// let covered = outcome.verdicts().iter().filter(|judged| matches!(judged.verdict, Verdict::Covered { .. }));
    /// assert_eq!(covered.map(|judged| judged.direction.to_string()).collect::<Vec<_>>(), ["0x1 -> 0x3"]);
    /// # Ok::<(), everypath::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`crate::ExplorationBuilder::run`].
    pub fn cover(&self, traces: &[ExecutionTrace]) -> Result<Outcome, Error> {
        let mut outcome = self.explore().paths(0).run()?;
        outcome.forget_tests(NOT_TRACED);
        outcome.credit(traces)?;
        Ok(outcome)
    }

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
        Ok(ExecutionTrace { name: file.display().to_string(), hash: hash(&bytes), execution })
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
