//! Snapshot of the ledger and the blockers, to which an exploration returns when it undoes a merge; coverage is kept.

use crate::verdict::blockers::Blockers;
use crate::verdict::ledger::Ledger;

/// The assumptions and the abnormal ends of paths, at some time.
#[derive(Clone, Default)]
pub(crate) struct Notes {
    pub(crate) ledger: Ledger,
    pub(crate) blockers: Blockers,
}
