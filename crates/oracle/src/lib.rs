//! Bug oracles: each watches a run, concrete or concolic, and reports violations on it and for other input.
//!
//! After each block an oracle gets a [`BlockObservation`]. It reports a violation on this run as
//! [`OracleReport::Violation`]. Where values have terms it also states a condition on input under which there would be one:
//! an [`OracleReport::Suspect`]. The exploration queries the solver for such input, and runs it from the entry; only a
//! violation on such a run is a finding (active property checking, Godefroid, Levin and Molnar, EMSOFT 2008).
//!
//! An oracle is one file, headed by *what* it reports, *how* it detects it, and its *false positives* and *false
//! negatives*, and one entry in [`ALL`].
//!
//! ```
//! use everypath_ir::SpaceId;
//! use everypath_machine::{AccessFault, Denied, End, FaultReason};
//! use everypath_oracle::{ALL, OracleSetup, ended};
//!
//! // One of each for the start of a path, and their copies for a fork of it.
//! let setup = OracleSetup { stack: Some((0x2000, 0x2fff)), ..OracleSetup::default() };
//! let oracles: Vec<_> = ALL.iter().map(|definition| (definition.make)(&setup)).collect();
//! let forked: Vec<_> = oracles.iter().map(|oracle| oracle.fork()).collect();
//! assert_eq!(forked.len(), ALL.len());
//!
//! // The instruction at 0x1004 ended the run by an access to unmapped memory.
//! let denied = Denied { address: 0x9000, fault: AccessFault::Unmapped };
//! let end = End::Faulted { address: 0x1004, reason: FaultReason::Access { space: SpaceId(0), denied } };
//! let (name, address) = ended(&end, 0x1002).expect("a violation");
//! assert_eq!((name, address), ("unmapped", 0x1004));
//! let definition = ALL.iter().find(|definition| definition.name == name).expect("an oracle");
//! println!("{address:#x}: {}", definition.about);
//! ```

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
