//! Bug oracles: each watches a run, concrete or concolic, and reports violations on it and for other input.
//!
//! After each block an oracle gets a [`BlockObservation`]. It reports a violation on this run as
//! [`OracleReport::Wrong`]. Where values have terms it also states a condition on input under which there would be one:
//! an [`OracleReport::Suspect`]. The exploration queries the solver for such input, and runs it from the entry; only a
//! violation on such a run is a finding (active property checking, Godefroid, Levin and Molnar, EMSOFT 2008).
//!
//! An oracle is one file, headed by *what* it reports, *how* it detects it, and its *false positives* and *false
//! negatives*, and one entry in [`ALL`].

mod block_facts;
mod calls;
mod definition;
mod division_by_zero;
mod ended;
mod never_written;
mod no_instruction;
mod observation;
mod read_only;
mod stack;
mod trap;
mod unmapped;

pub use block_facts::BlockFacts;
pub use definition::{ALL, Definition, Growth, Oracle, OracleReport, OracleSetup};
pub use ended::{RUNS_INTO_NOTHING, TRAP, ended};
pub use observation::{BlockObservation, ObservedValue, TakenExit};
