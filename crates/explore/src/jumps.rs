//! Computed exits, and where they have led to: whether all their targets are known.

use std::collections::{BTreeMap, BTreeSet};

use everypath_ir::{Exit, ExitKind, Target};
use everypath_record::{Address, Jump};

/// Where computed exits have led to.
#[derive(Default)]
pub(crate) struct Jumps {
    /// By instruction and kind of exit.
    targets: BTreeMap<(u64, &'static str), BTreeSet<u64>>,
}

fn name(kind: ExitKind) -> &'static str {
    match kind {
        ExitKind::Call => "call",
        ExitKind::Return => "return",
        ExitKind::Fall | ExitKind::Jump => "jump",
    }
}

impl Jumps {
    /// Takes note of an exit that was taken.
    pub(crate) fn took(&mut self, branch: u64, exit: &Exit, target: u64) {
        if matches!(exit.target, Target::Computed { .. }) {
            self.targets.entry((branch, name(exit.kind))).or_default().insert(target);
        }
    }

    /// What is known of each.
    pub(crate) fn judge(&self, complete: bool) -> Vec<Jump> {
        let judge = |((branch, kind), targets): (&(u64, &'static str), &BTreeSet<u64>)| Jump {
            branch: Address(*branch),
            kind: (*kind).to_owned(),
            targets: targets.iter().copied().map(Address).collect(),
            saturated: complete,
            because: match complete {
                true => "every path was explored, and none leads elsewhere".to_owned(),
                false => "not every path was explored".to_owned(),
            },
        };
        self.targets.iter().map(judge).collect()
    }
}
