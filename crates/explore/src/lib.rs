//! Concolic execution (DART, Godefroid et al. 2005) with state forking and generational search (Godefroid et al. 2008).
//!
//! An [`Explorer`] runs a guest on symbolic input. At each decision on input it enqueues the alternative, with a fork
//! of the state, as a pending branch; a [`Strategy`] chooses the next one; if the solver finds it satisfiable, the run
//! continues from the fork with every symbolic byte re-evaluated under the new model. The result is a [`record
//! suite`](everypath_record::Suite): tests, a verdict for each branch direction, findings and assumptions. It is
//! deterministic for a given seed.

mod blockers;
mod branches;
mod cancellation;
mod certificate;
mod checkpoints;
mod computed;
mod coverage;
mod decide;
mod events;
mod evidence;
mod exploration;
mod explorer;
mod extensions;
mod flow;
mod frontier;
mod handler_writes;
mod handlers;
mod initial;
mod judge;
mod jumps;
mod ledger;
mod map;
mod memory;
mod observer;
mod oracles;
mod path_condition;
mod pending;
mod plan;
mod pointer_use;
mod premises;
mod recorder;
mod replay;
mod rerun;
mod roots;
mod search;
mod setup;
mod strategy;
mod suspicion;
mod task;
mod test_input;
mod verify;

pub use certificate::Certified;
pub use evidence::check_claim;
pub use exploration::Exploration;
pub use explorer::Explorer;
pub use extensions::Extensions;
pub use ledger::{Kind, Ledger};
pub use observer::{NoObserver, Now, Observer};
pub use plan::{Criterion, Plan};
pub use replay::{Replayed, replay};
pub use rerun::rerun;
pub use strategy::{ALL as STRATEGIES, Candidate, Strategy, StrategyEntry};
pub use verify::verify;
