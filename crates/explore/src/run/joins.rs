//! Places where paths join, so that they may be merged.

use everypath_ir::{ExitKind, Place};

/// Whether an exit leads to where paths join: to the head of a loop, or behind a call. A jump backwards stands for the
/// back edge of a loop; which places are taken decides how much is merged, and nothing else.
pub(super) fn joins(kind: ExitKind, from: Place, to: Place) -> bool {
    kind == ExitKind::Return || kind == ExitKind::Jump && to.address <= from.address
}
