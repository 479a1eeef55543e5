//! Progress reports of an exploration, and its cancellation by an observer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_solve::Statistics;

/// A progress report.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// Covered branch directions.
    pub covered: usize,
    /// Discovered branch directions.
    pub directions: usize,
    /// Distinct instructions executed.
    pub instructions: usize,
    /// Tests so far.
    pub tests: usize,
    /// Findings so far.
    pub findings: usize,
    /// Paths run to their end.
    pub paths: u64,
    /// Pending branches.
    pub pending: usize,
    /// Solver queries so far.
    pub questions: u64,
    /// Instructions of the guest executed, repetitions included.
    pub executed: u64,
    /// The address that the current path has reached.
    pub address: u64,
    /// Statistics of the solver layers.
    pub solver: Vec<Statistics>,
}

/// Observes the progress of an exploration.
pub trait Observer {
    /// Called now and then with a progress report; `false` cancels the exploration.
    fn goes_on(&mut self, now: &dyn Fn() -> Now) -> bool;

    /// A cancellation flag, which is polled inside solver queries as well. The alarm for the time limit sets it, too.
    fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}

/// A no-op observer.
pub struct NoObserver;

impl Observer for NoObserver {
    fn goes_on(&mut self, _: &dyn Fn() -> Now) -> bool {
        true
    }
}
