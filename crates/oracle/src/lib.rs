//! Bug oracles: each watches a run, in whichever domain, and states what is wrong, or what would be for other input.
//!
//! After each block an oracle gets a [`Look`] at what the block did. In the concrete domain it states what is
//! [`Statement::Wrong`]. Where values have terms it also names a condition under which it would be: a
//! [`Statement::Suspect`]. Whoever explores asks whether some input fulfils it, and runs that input from the start; only
//! what is wrong on such a run is a finding.
//!
//! An oracle is one file, headed by *what* it states, *how* it sees it, and its *false positives* and *false negatives*,
//! and one entry in [`ALL`].

mod block_facts;
mod calls;
mod division_by_zero;
mod ended;
mod look;
mod never_written;
mod no_instruction;
mod read_only;
mod stack;
mod trap;
mod unmapped;
mod watcher;

pub use block_facts::BlockFacts;
pub use ended::{RUNS_INTO_NOTHING, TRAP, ended};
pub use look::{Look, Seen, Way};
pub use watcher::{ALL, Definition, Growth, Setup, Statement, Watcher};
