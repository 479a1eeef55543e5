//! Concolic execution (DART, Godefroid et al. 2005) with state forking and generational search (Godefroid et al. 2008).
//!
//! An [`Explorer`] runs a guest on symbolic input. At each decision on input it enqueues the alternative, with a fork
//! of the state, as a pending branch; a [`Strategy`] chooses the next one; if the solver finds it satisfiable, the run
//! continues from the fork with every symbolic byte re-evaluated under the new model. The result is a [`record
//! suite`](everypath_record::Suite): tests, a verdict for each branch direction, findings and assumptions. It is
//! deterministic for a given seed.

mod cancellation;
mod entry;
mod exploration;
mod explorer;
mod extensions;
mod frontier;
mod map;
mod observer;
mod path;
mod plan;
mod probe;
mod queries;
mod record;
mod run;
mod schedule;
mod strategy;
mod verdict;

pub use exploration::{ConfigurationGaps, Effort, Exploration};
pub use explorer::Explorer;
pub use extensions::Extensions;
pub use map::evidence::check_claim;
pub use observer::{NoObserver, Observer, ProgressReport};
pub use plan::{Bounds, Criterion, Plan};
pub use record::replay::{Replayed, replay};
pub use record::rerun::rerun;
pub use record::verify::verify;
pub use strategy::{ALL as STRATEGIES, Candidate, Strategy, StrategyEntry};
pub use verdict::certificate::Certified;
pub use verdict::ledger::{Kind, Ledger};
