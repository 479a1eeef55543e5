//! The path tree, coverage, and the search strategies; deterministic from a seed.
//!
//! An [`Explorer`] runs a guest on input that is not fixed. Where a run decides by what input says, it notes the other
//! way together with a fork of the state; a [`Strategy`] says which of the noted ways is asked about next; if the solver
//! has a model, the run goes on from the fork with every byte re-evaluated. What comes out is a [`record
//! suite`](everypath_record::Suite): tests, a verdict for each branch direction, findings, and what was assumed.

mod blockers;
mod branches;
mod certificate;
mod computed;
mod coverage;
mod decide;
mod digest;
mod evidence;
mod exploration;
mod explorer;
mod flow;
mod given;
mod handler_writes;
mod handlers;
mod initial;
mod judge;
mod jumps;
mod ledger;
mod map;
mod memory;
mod milestones;
mod pending;
mod plan;
mod pointer_use;
mod premises;
mod replay;
mod rerun;
mod search;
mod setup;
mod stop;
mod strategy;
mod suspicion;
mod task;
mod trail;
mod verify;
mod watch;
mod watchers;

pub use certificate::Certified;
pub use evidence::check_claim;
pub use exploration::Exploration;
pub use explorer::Explorer;
pub use ledger::{Kind, Ledger};
pub use plan::{Criterion, Plan};
pub use replay::{Replayed, replay};
pub use rerun::rerun;
pub use strategy::{ALL as STRATEGIES, Candidate, Strategy, StrategyEntry};
pub use verify::verify;
pub use watch::{Now, Observer, Quiet};
