//! Outcomes of guards inside instructions: predicated accesses and conditional traps, which are no branch directions.

use everypath_ir::Place;
use rustc_hash::FxHashSet;

/// An outcome of a guard that depends on input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GuardOutcome {
    /// The block.
    pub(crate) place: Place,
    /// The guarded step of the block.
    pub(crate) step: u32,
    /// Whether the guard holds.
    pub(crate) holds: bool,
}

/// The outcomes that paths had.
#[derive(Default)]
pub(crate) struct Guards(FxHashSet<GuardOutcome>);

impl Guards {
    /// Records an outcome of a path.
    pub(crate) fn record(&mut self, outcome: GuardOutcome) {
        self.0.insert(outcome);
    }

    /// Whether a path had this outcome.
    pub(crate) fn has(&self, outcome: GuardOutcome) -> bool {
        self.0.contains(&outcome)
    }
}
