//! What somebody who waits for an exploration gets to see, and how he can end it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use everypath_solve::Statistics;

/// Where an exploration is.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// Branch directions that were taken.
    pub covered: usize,
    /// Branch directions that are known.
    pub directions: usize,
    /// Instructions that were run at least once.
    pub instructions: usize,
    /// Tests so far.
    pub tests: usize,
    /// Findings so far.
    pub findings: usize,
    /// Paths that were run to their end.
    pub paths: u64,
    /// Ways that are noted and not yet asked about.
    pub pending: usize,
    /// Questions asked.
    pub questions: u64,
    /// Instructions of the guest that were run.
    pub executed: u64,
    /// Where the current path is.
    pub address: u64,
    /// What the layers of the solver did.
    pub solver: Vec<Statistics>,
}

/// Somebody who waits.
pub trait Observer {
    /// Is told now and then where the exploration is; `false` ends it.
    fn goes_on(&mut self, now: &dyn Fn() -> Now) -> bool;

    /// A flag that ends the exploration soon after it is set, also inside one solver query. An alarm for the bound of time
    /// sets it, too.
    fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}

/// Waits for the end.
pub struct Quiet;

impl Observer for Quiet {
    fn goes_on(&mut self, _: &dyn Fn() -> Now) -> bool {
        true
    }
}
