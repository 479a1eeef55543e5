//! Persistent results of a run: test cases, verdicts, findings, assumptions and coverage, as plain versioned data.
//!
//! A [`Suite`] is a folder: `summary.json`, a small file for each test, and `files.json`, the manifest. These types are
//! the interface that other tools can rely on. Addresses are text, `"0x1000"`: many readers of JSON round numbers.

mod address;
mod finding;
mod folder;
mod jump;
mod rerun;
mod suite;
mod summary;
mod test_case;
mod verdict;

pub use address::Address;
pub use finding::{Assumption, Finding};
pub use folder::{OutputFile, OutputFolder};
pub use jump::Jump;
pub use rerun::{Expected, RecordedRead, Rerun, Stored};
pub use suite::{Suite, SuiteError};
pub use summary::{Counts, ExitCode, Summary, Undeclared};
pub use test_case::{CellValues, MemoryBytes, TestCase};
pub use verdict::{Direction, Judged, Verdict};

/// The version of the format of all files. It changes when a reader of the old one would misunderstand the new one.
pub const FORMAT: u32 = 2;
