//! Output formats of recorded results: reports for people and for tools, and scripts that repeat a test.
//!
//! [`ReportData`], a suite with the listing of its program and what each test executes, becomes a report in one of the formats of
//! [`REPORTS`]. A [`Rerun`](everypath_record::Rerun), a test with all that its run needs, becomes a script for a simulator or
//! debugger in one of the formats of [`SCRIPTS`]. A [`HarnessSuite`](everypath_record::HarnessSuite), tests with their expected
//! outputs, becomes a program that runs them all and compares, in one of the formats of [`HARNESSES`].
//!
//! [`TerminalSummary`] is the text of a run for a terminal, and [`Explanation`] the story of one test, direction or finding.
//! [`SuiteDifference`] compares the results of two runs.
//!
//! ```
//! use everypath_record::{Address, Expected, Rerun};
//! use everypath_report::ScriptFormat;
//!
//! let rerun = Rerun {
//!     test: "0001".to_owned(),
//!     program: "firmware.elf".to_owned(),
//!     start: Vec::new(),
//!     program_counter: None,
//!     entry: Address(0x100),
//!     registers: vec![("sp".to_owned(), 0x2000)],
//!     memory: Vec::new(),
//!     readings: Vec::new(),
//!     instructions: vec![Address(0x100), Address(0x104)],
//!     end: Address(0x108),
//!     expected: vec![Expected { after: 2, at: Address(0x108) }],
//! };
//! let format = ScriptFormat::by_name("gdb").expect("a format");
//! let script = (format.script)(&rerun);
//! assert!(script.contains("set $sp = 0x2000\nset $pc = 0x100\neverypath_steps 2\neverypath_expect 0x108"));
//! // The debugger prints each address, which can be compared with the recorded ones.
//! assert_eq!((format.addresses)("at 0x100\nat 0x104\nat 0x108\n"), [0x100, 0x104, 0x108]);
//! ```

mod cause;
mod coloured;
mod difference;
mod explain;
mod harness;
mod justified;
mod locations;
mod number;
mod printable;
mod report;
mod script;
mod shell;
mod terminal;

pub use cause::Cause;
pub use coloured::ColouredWriter;
pub use difference::{
    DirectionChange, FunctionChange, LocatedAssumption, LocatedFinding, Matching, RunTally, SettingChange,
    SuiteDifference, VerdictChange, VerdictTally,
};
pub use explain::{
    ExecutedFunction, Explained, ExplainedDirection, ExplainedFinding, ExplainedTest, Explanation,
    ExplanationDocument, LocatedRead, UnknownSubject,
};
pub use harness::{HARNESSES, HarnessFormat, PredicatesFalse};
pub use number::with_separators;
pub use report::{REPORTS, ReportData, ReportFormat};
pub use script::{SCRIPTS, ScriptFormat};
pub use shell::shell_quoted;
pub use terminal::TerminalSummary;
