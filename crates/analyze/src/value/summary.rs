//! Function summaries: the state in which a function returns, in terms of its entry.

use super::state::AbstractState;
use crate::graph::BlockId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Summary of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Summary {
    /// No return has been reached so far.
    NeverReturns,
    /// Returns in this state, expressed in the symbols of its own entry.
    Returns(Box<AbstractState>),
    /// Not analysed: a bound was hit.
    Unknown,
}

/// Function summaries, keyed by entry block.
pub(super) struct Summaries {
    by_entry: FxHashMap<BlockId, Summary>,
    /// Functions that may return more than once per call.
    twice: FxHashSet<BlockId>,
}

impl Summaries {
    /// No summaries yet. `twice` are the entry blocks of functions that may return more than once per call.
    pub(super) fn new(twice: FxHashSet<BlockId>) -> Self {
        Self { by_entry: FxHashMap::default(), twice }
    }

    pub(super) fn insert(&mut self, entry: BlockId, summary: Summary) {
        self.by_entry.insert(entry, summary);
    }

    pub(super) fn get(&self, entry: BlockId) -> Option<&Summary> {
        self.by_entry.get(&entry)
    }

    /// Returns true if a function may return more than once per call, as `setjmp` does.
    pub(super) fn returns_twice(&self, entry: BlockId) -> bool {
        self.twice.contains(&entry)
    }
}
