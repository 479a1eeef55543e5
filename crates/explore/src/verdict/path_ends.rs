//! The ends of paths after which there may be code that no path has reached.

use std::collections::BTreeSet;

use everypath_environment::Guest;
use everypath_ir::Place;
use everypath_machine::{End, FaultReason, Missing};

use crate::map::static_map::ProgramMap;
use crate::path::task::Task;
use crate::verdict::blockers::Blockers;

/// The ends of paths that leave code unexplored.
#[derive(Default)]
pub(crate) struct PathEnds {
    /// Instructions at which paths ended abnormally, and how.
    pub(crate) blockers: Blockers,
    /// Whether a path has ended where it could have continued.
    has_broken_off: bool,
    /// The traps at which paths have ended.
    traps: BTreeSet<Place>,
    /// Whether a path has ended at an operation without a model, which may lead to code that the graph does not have.
    has_unmodelled: bool,
}

impl PathEnds {
    /// Records the end of a path; a cancelled one has not ended by itself.
    pub(crate) fn note(&mut self, task: &Task, end: &End, cancelled: bool, guest: &Guest) {
        if !cancelled {
            self.blockers.note(end, task.last, || guest.explain(end));
        }
        self.has_broken_off |= cancelled || matches!(end, End::Repeats { .. } | End::Postponed { .. });
        self.has_unmodelled |= matches!(end, End::Unmodelled { missing: Missing::Operation(_), .. });
        if let End::Faulted { address, reason: FaultReason::Trap(_) } = end {
            self.traps.insert(Place::new(*address, task.at.place.context));
        }
    }

    /// Whether there may be code that no path has reached although every direction before it is covered: a path ended
    /// abnormally, or where it could have continued.
    pub(crate) fn may_have_missed_code(&self) -> bool {
        !self.blockers.is_empty() || self.has_broken_off
    }

    /// The traps at which paths have ended.
    pub(crate) fn traps(&self) -> impl Iterator<Item = u64> {
        self.traps.iter().map(|trap| trap.address)
    }

    /// Whether a path has ended where code may follow that the control-flow graph does not have: at an operation without a model, or at
    /// a trap with code behind it.
    pub(crate) fn hide_code(&self, guest: &Guest, map: Option<&ProgramMap>) -> bool {
        self.has_unmodelled || self.traps_hide_code(guest, map)
    }

    /// Whether there is code behind a trap of a path that nothing else leads to.
    fn traps_hide_code(&self, guest: &Guest, map: Option<&ProgramMap>) -> bool {
        let hides_code = |trap: &Place| {
            let next = guest.instruction(*trap).map(|block| Place::new(block.end, trap.context));
            next.is_some_and(|next| match map {
                Some(map) => map.lacks_code_behind(guest, next),
                None => guest.instruction(next).is_some(),
            })
        };
        self.traps.iter().any(hides_code)
    }
}
