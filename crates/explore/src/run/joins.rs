//! Joins of control flow, found while a path runs: a jump backwards as the back edge of a loop, and the place after a call.

use everypath_ir::{ExitKind, Place};

use crate::path::task::Join;

/// The join that an exit leads to: the head of a loop, or the place after a call. A jump backwards stands for the back edge
/// of a loop; which places are taken decides how much is merged or subsumed, and nothing else.
pub(super) fn joins(kind: ExitKind, from: Place, to: Place) -> Option<Join> {
    match kind {
        ExitKind::Return => Some(Join::Return),
        ExitKind::Jump if to.address <= from.address => Some(Join::LoopHead),
        _ => None,
    }
}
