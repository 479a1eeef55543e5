//! Generates tests from an executable alone, by concolic execution: no source, no symbols, any processor.
//!
//! A [`Binary`] is an opened executable. It can be inspected ([`Binary::instructions`], [`Binary::lift`],
//! [`Binary::graph`]) and explored ([`Binary::explore`]). An exploration finds input for every branch direction, proves
//! directions infeasible, and lets bug [oracles](oracle) watch each path.
//!
//! # From `cargo new` to a test suite
//!
//! `cargo new trial`, then `cargo add everypath` in its folder. The build needs Rust 1.95 and a C++ compiler; the first
//! one takes 5 to 15 minutes on two cores, since it compiles the specifications of all processors. `opt-level = 2` under
//! `[profile.dev.package."*"]` in `Cargo.toml` makes explorations several times faster. As `src/main.rs`, this program
//! prints the tests of the firmware that it contains:
//!
//! ```
//! use everypath::{Binary, Discovery, Verdict};
//!
//! fn main() -> Result<(), everypath::Error> {
//!     // mov dptr,#5; movx a,@dptr; cjne a,#42,done; mov p1,#1; done: sjmp done
//!     let firmware = [0x90, 0, 5, 0xe0, 0xb4, 42, 3, 0x75, 0x90, 1, 0x80, 0xfe];
//!     // Raw bytes, loaded at address 0. A file: `.open("firmware.hex")`, and for an ELF file just `Binary::open`.
//!     let binary = Binary::options().architecture("8051").raw(0).read(firmware)?;
//!     // The input: one byte, called "sensor", at address 5 of the space EXTMEM. Each read may give another value.
//!     let mut running = binary.explore().volatile_in("EXTMEM", "sensor", 5, 1).seconds(60).start();
//!     for discovery in &mut running {
//!         if let Discovery::Test(test) = discovery {
//!             println!("sensor = {:?}: {}", test.cells[0].values, test.end);
//!         }
//!     }
//!     let outcome = running.finish()?;
//!     assert!(outcome.verdicts().iter().all(|judged| matches!(judged.verdict, Verdict::Covered { .. })));
//!     assert!(outcome.tests().iter().any(|test| test.cells[0].values == [42]));
//!     Ok(())
//! }
//! ```
//!
//! [`Outcome::replay`] runs a test again. [`Outcome::write`] writes the suite to a folder that `everypath replay` and
//! `everypath export` read, if the inputs are declared in a configuration file: what a builder declares is not written.
//! [`Running::stop`] ends an exploration early, [`Running::steering`] changes it while it runs: which functions come first,
//! and its bounds. [`ExplorationBuilder::run_with`] takes an [`Observer`] instead of a thread. `Library::built_in().list()` has the names of the architectures; those of a processor's address spaces are
//! in [`Architecture::layout`].
//!
//! The folder `examples` has programs of up to 40 lines: decoding an instruction, lifting a function, a solver query,
//! an exploration, stopping one, an oracle and a search strategy of your own. The modules below re-export what such
//! programs need from the crates of the stages, which can be used on their own, too.
//!
//! # Coming from angr
//!
//! | angr | here |
//! |---|---|
//! | `Project` | [`Binary`] |
//! | `CFGFast`, `kb.functions` | [`Binary::graph`], [`Binary::functions`] |
//! | `factory.block(...).capstone`, `.vex` | [`Binary::instructions`], [`Binary::lift`] |
//! | `claripy` | [`solve`] |
//! | `factory.simgr().run()` | [`Binary::explore`], [`ExplorationBuilder::start`] |
//! | `posix.dumps(0)` of a found state | [`TestCase::cells`] of a [`Discovery::Test`] |
//! | exploration techniques | [`ExplorationBuilder::strategy`], [`ExplorationBuilder::own_strategy`] |
//! | `inspect` breakpoints | [`ExplorationBuilder::own_oracle`] |
//! | `SimProcedure`, hooks | none yet |

mod binary;
mod builder;
mod configuration_text;
mod cover;
mod draft;
mod environment;
mod error;
mod function_code;
mod harness;
mod justify;
mod listing;
mod locator;
mod native_tests;
mod open;
mod outcome;
mod running;
mod steering;
mod trace;
mod unreached;

pub use binary::{Binary, DecodedInstruction};
pub use builder::ExplorationBuilder;
pub use configuration_text::{ConfigurationMistake, ConfigurationText};
pub use draft::{
    ConfigurationDraft, DescribedRegister, DeviceDescription, DraftEntry, MappedRange, ObservedInterrupt,
    ObservedRegister,
};
pub use error::Error;
pub use listing::source_lines;
pub use locator::Locator;
pub use open::{OpenOptions, architecture_of};
pub use outcome::Outcome;
pub use running::{Discovery, Running};
pub use steering::SteeringQueue;
pub use trace::{ExecutionTrace, RecordedExecution, ReplayedTest, TRACES, TraceFormat};

pub use everypath_analyze::Graph;
pub use everypath_environment::{
    AddressOrSymbol, Configuration, Guest, InputDeclaration, JustificationEntry, LinuxSettings, Object,
    StreamSize, TargetError, TargetText, VolatileCell, without_justifications,
};
pub use everypath_explore::{
    Bounds, Criterion, DirectionStatus, FunctionCode, NoObserver, Observer, OpenReason, Plan, ProgressReport,
    Replayed, SearchDetails, Steering, verify,
};
pub use everypath_image::{Image, ImageFormat};
pub use everypath_lift::{Architecture, Library, MemoryRange, PeripheralReads};
pub use everypath_record::{
    Address, Assumption, CellValues, ClosestApproach, CodeRange, CoveredBy, Direction, ExitCode, Finding,
    Judged, Justification, JustificationStanding, LapseCause, OutputFolder, RecordedConfiguration, Suite,
    SuiteError, Summary, TargetAnswer, TargetVerdict, TestCase, Undeclared, UnreachedCode, UnreachedFunction,
    Verdict,
};

/// The programs in the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Control-flow graphs and value sets.
pub mod analyze {
    pub use everypath_analyze::*;
}

/// The intermediate representation: blocks, statements and operators.
pub mod ir {
    pub use everypath_ir::*;
}

/// Decoding and lifting instructions.
pub mod lift {
    pub use everypath_lift::*;
    pub use everypath_sleigh::{
        BadInstruction, Decoder, DecodingContext, Instruction, Operation, Specification,
    };
}

/// Terms over input bytes, and the solver.
pub mod solve {
    pub use everypath_solve::*;
    pub use everypath_term::{Evaluation, Input, Model, Term, Terms};
}

/// Bug oracles, and what one of your own needs.
pub mod oracle {
    pub use everypath_machine::{State, Step};
    pub use everypath_oracle::*;
}

/// Search strategies, and what one of your own needs.
pub mod strategy {
    pub use everypath_explore::{Candidate, STRATEGIES, SearchView, Strategy, StrategyEntry};
}
