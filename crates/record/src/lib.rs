//! Persistent results of a run: test cases, verdicts, findings, assumptions and coverage, as plain versioned data.
//!
//! A [`Suite`] is a folder: `summary.json`, a small file for each test, and `files.json`, the manifest. These types are
//! the interface that other tools can rely on. Addresses are text, `"0x1000"`: many readers of JSON round numbers.
//!
//! ```
//! use everypath_record::{Address, TestCase};
//!
//! let text = r#"{
//!   "format": 2,
//!   "name": "0001",
//!   "cells": [{ "name": "sensor", "values": [42] }],
//!   "end": "exited at 0xa with status 0",
//!   "instructions": 4,
//!   "path_hash": "0x5eed",
//!   "new_directions": [{ "branch": "0x4", "target": "0x7" }]
//! }"#;
//! let test: TestCase = serde_json::from_str(text)?;
//! assert_eq!(test.cells[0].values, [42]);
//! assert_eq!(test.new_directions[0].branch, Address(4));
//! assert_eq!(test.new_directions[0].to_string(), "0x4 -> 0x7");
//! let value: serde_json::Value = serde_json::from_str(text)?;
//! assert_eq!(serde_json::to_value(&test)?, value);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod address;
mod code_listing;
mod code_location;
mod digest;
mod executed_code;
mod expected_outputs;
mod finding;
mod folder;
mod harness_suite;
mod instruction_evidence;
mod jump;
mod justification;
mod merge;
mod rerun;
mod suite;
mod summary;
mod target_answer;
mod test_case;
mod unreached;
mod verdict;

pub use address::Address;
pub use code_listing::{CodeListing, ListedBlock, ListedFunction, ListedInstruction, ListedLine, SourceFile};
pub use code_location::{CodeLocation, FunctionOffset, SourcePosition};
pub use digest::sha256_hexadecimal;
pub use executed_code::{DecidingInput, ExecutedCode, InputDecision, InputRead};
pub use expected_outputs::{DeviceWrite, ExpectedOutputs, WrittenMemory};
pub use finding::{Assumption, Finding};
pub use folder::{OutputFile, OutputFolder, changed_files};
pub use harness_suite::{CalledFunction, HarnessSuite, HarnessTest, ProgramSymbol};
pub use instruction_evidence::{ExecutorComparison, InstructionEvidence, mnemonic};
pub use jump::IndirectExitRecord;
pub use justification::{
    FunctionDigest, Justification, JustificationDraft, JustificationStanding, LapseCause,
};
pub use merge::{
    CertificateSource, Contradiction, MergeError, MergedRun, MergedSuite, NamedSuite, SetupDifference,
};
pub use rerun::{Expected, RecordedRead, Rerun, Stored};
pub use suite::{Suite, SuiteError};
pub use summary::{Counts, CoveragePoint, ExitCode, RecordedConfiguration, Summary, Undeclared};
pub use target_answer::{ClosestApproach, TargetAnswer, TargetVerdict};
pub use test_case::{CellValues, MemoryBytes, TakenInterrupt, TestCase};
pub use unreached::{CodeRange, UnreachedCode, UnreachedFunction};
pub use verdict::{CoveredBy, Direction, Judged, Verdict};

/// The version of the format of all files. It changes when a reader of the old one would misunderstand the new one.
pub const FORMAT: u32 = 2;
