//! The outcome of running a path.

use everypath_machine::End;

use crate::merge::Learnt;
use crate::run::runner::PathRun;

/// A path that was run to its end.
pub(super) struct Finished {
    pub(super) run: PathRun,
    pub(super) end: End,
    /// Whether the exploration was cancelled during the run.
    pub(super) cancelled: bool,
}

/// The outcome of running a path.
pub(super) enum Followed {
    /// It has ended.
    Ended(Finished),
    /// It waits where other paths may meet it.
    Paused(PathRun),
    /// It was merged of paths that must be kept apart.
    MergedCursor(PathRun, Learnt),
    /// It is abstract, and computes an address from words that must not be merged.
    Discarded(PathRun),
}
