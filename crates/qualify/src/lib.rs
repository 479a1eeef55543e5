//! The qualification kit of Everypath, in the sense of DO-330 (tool qualification level 5) and of ISO 26262-8, clause 11:
//! tool operational requirements, verification cases with their procedures, results, and known problems.
//!
//! A [`Kit`] is data: [`Requirement`]s with [`VerificationCase`]s, small [`KitProgram`]s with the verdicts that a person
//! derived from their listing, and instruction vectors. [`Kit::run`] carries the cases out with the installed command, in
//! the user's environment, without a source tree or a compiler, and returns a [`Qualification`], which is rendered as
//! Markdown and as JSON. Nothing in it depends on time.
//!
//! ```no_run
//! use everypath_qualify::{Kit, Workplace};
//!
//! let kit = Kit::built_in()?;
//! let workplace = Workplace::new("/usr/bin/everypath".as_ref(), "qualification".as_ref())?;
//! let qualification = kit.run(&workplace, "2026-01-31");
//! println!("{}", qualification.to_markdown());
//! # Ok::<(), everypath_qualify::KitError>(())
//! ```

mod concrete_runs;
mod environment;
mod kit;
mod markdown;
mod procedure;
mod program;
mod qualification;
mod requirement;
mod vector_run;
mod workplace;

pub use environment::HostEnvironment;
pub use kit::{Kit, KitError, VectorFile};
pub use procedure::Procedure;
pub use program::{ExpectedFinding, ExpectedVerdicts, KitProgram};
pub use qualification::{CaseOutcome, CaseResult, CheckResult, Qualification};
pub use requirement::{KnownProblem, Requirement, VerificationCase};
pub use workplace::{CommandRun, Workplace};

/// The program in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
