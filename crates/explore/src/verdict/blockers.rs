//! Abnormal ends of paths: in a fault, at an operation without a model, or at a bound.
//!
//! Such an end proves nothing about the code behind it. A direction that no path reached is *blocked* while control
//! flow may lead from a blocker to its branch.

use std::collections::BTreeMap;

use everypath_machine::{End, FaultReason};

/// The abnormal ends of paths, by the instruction at which they ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blockers {
    ends: BTreeMap<u64, String>,
}

impl Blockers {
    /// Records how a path ended. `last` is the last instruction that was run, `text` the end in words.
    pub(crate) fn note(&mut self, end: &End, last: u64, text: impl FnOnce() -> String) {
        let address = match end {
            End::Exited { .. } | End::Infeasible => return,
            End::Faulted { address, reason: FaultReason::Access { .. } | FaultReason::Trap(_) } => *address,
            End::Faulted { .. } | End::Exhausted { .. } => last,
            End::Unmodelled { address, .. } => *address,
        };
        self.ends.entry(address).or_insert_with(text);
    }

    /// Whether no path ended abnormally.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The instructions in order, each with how paths ended there.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        self.ends.iter().map(|(address, text)| (*address, text.as_str()))
    }
}
