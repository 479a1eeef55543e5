//! Resolution of indirect exits: the targets taken, and whether all are known (saturation: Bardin and Herrmann 2008).

use std::collections::{BTreeMap, BTreeSet};

use everypath_analyze::Resolution;
use everypath_ir::{ExitKind, Place};
use everypath_record::{Address, IndirectExitRecord};

use crate::map::static_map::ProgramMap;
use crate::verdict::coverage::Coverage;

/// The targets that paths took at indirect exits.
#[derive(Clone, Default)]
pub(crate) struct IndirectTargetLog {
    /// By instruction and kind of exit.
    targets: BTreeMap<(u64, ExitKind), BTreeSet<u64>>,
    /// New targets of jumps and calls, not yet passed to the graph: instruction, kind of exit, target.
    new: Vec<(u64, ExitKind, Place)>,
    /// All of them that were taken.
    taken: Vec<(u64, ExitKind, Place)>,
}

fn name(kind: ExitKind) -> &'static str {
    match kind {
        ExitKind::Call => "call",
        ExitKind::Return => "return",
        ExitKind::Fall | ExitKind::Jump => "jump",
    }
}

/// The targets of an exit that the static analysis knows.
fn proposed(map: &ProgramMap, branch: u64, kind: ExitKind) -> BTreeSet<u64> {
    match kind {
        ExitKind::Return => map.return_targets(branch),
        ExitKind::Call | ExitKind::Fall | ExitKind::Jump => map.proposed(branch),
    }
}

impl IndirectTargetLog {
    /// Whether all exits and targets of another are among these.
    pub(crate) fn include(&self, other: &IndirectTargetLog) -> bool {
        other.targets.iter().all(|(exit, targets)| {
            self.targets.get(exit).is_some_and(|known| targets.iter().all(|target| known.contains(target)))
        })
    }

    /// Lists an indirect exit that was not taken.
    pub(crate) fn list(&mut self, branch: u64, kind: ExitKind) {
        self.targets.entry((branch, kind)).or_default();
    }

    /// Records an indirect exit that was taken.
    pub(crate) fn took(&mut self, branch: u64, kind: ExitKind, to: Place) {
        let is_new = self.targets.entry((branch, kind)).or_default().insert(to.address);
        if is_new && kind != ExitKind::Return {
            self.new.push((branch, kind, to));
            self.taken.push((branch, kind, to));
        }
    }

    /// The targets of all jumps and calls that were taken.
    pub(crate) fn all_taken(&self) -> Vec<(u64, ExitKind, Place)> {
        self.taken.clone()
    }

    /// Passes a target to the graph, as that of an exit of this kind.
    pub(crate) fn learn(&mut self, branch: u64, kind: ExitKind, to: Place) {
        self.new.push((branch, kind, to));
    }

    /// The targets of listed returns that the static analysis knows.
    pub(crate) fn proposed_returns(&self, map: &ProgramMap) -> Vec<(Address, Address)> {
        let returns = self.targets.keys().filter(|(_, kind)| *kind == ExitKind::Return);
        let targets = returns.flat_map(|(branch, _)| {
            map.return_targets(*branch).into_iter().map(|target| (Address(*branch), Address(target)))
        });
        targets.collect()
    }

    /// Takes out the targets of jumps and calls that are new since the last call.
    pub(crate) fn take_new(&mut self) -> Vec<(u64, ExitKind, Place)> {
        std::mem::take(&mut self.new)
    }

    /// Whether the static analysis resolves every exit.
    pub(crate) fn are_resolved(&self, map: &ProgramMap, coverage: &Coverage) -> bool {
        self.targets.iter().all(|((branch, kind), taken)| {
            // The targets of a conditional return are directions, which the graph does not list.
            if *kind == ExitKind::Return && coverage.is_branch(Address(*branch), *kind) {
                return false;
            }
            let resolved = matches!(map.resolution(*branch, *kind), Some(Resolution::Resolved(_)));
            resolved && taken.is_subset(&proposed(map, *branch, *kind))
        })
    }

    /// Whether a path has returned to code of the static analysis to which that return does not lead there: it does not hold then.
    pub(crate) fn contradict(&self, map: &ProgramMap) -> bool {
        self.targets.iter().filter(|((_, kind), _)| *kind == ExitKind::Return).any(
            |((branch, kind), taken)| {
                let is_resolved = matches!(map.resolution(*branch, *kind), Some(Resolution::Resolved(_)));
                let known = proposed(map, *branch, *kind);
                is_resolved && taken.iter().any(|target| map.covers(*target) && !known.contains(target))
            },
        )
    }

    /// Whether the static analysis resolves the indirect exits that no path took.
    pub(crate) fn rest_is_resolved(&self, map: &ProgramMap) -> bool {
        let mut rest = map.indirect_exits().into_iter().filter(|exit| !self.targets.contains_key(exit));
        rest.all(|(branch, kind)| matches!(map.resolution(branch, kind), Some(Resolution::Resolved(_))))
    }

    /// Judges whether each exit is resolved, by an exploration of every path, which `every` names, or by the static
    /// analysis. `is_blocked` tells whether a path that ended abnormally may have led to an exit.
    pub(crate) fn judge(
        &self,
        every: Option<&str>,
        map: Option<&ProgramMap>,
        is_blocked: impl Fn(u64) -> bool,
    ) -> Vec<IndirectExitRecord> {
        let judge = |((branch, kind), taken): (&(u64, ExitKind), &BTreeSet<u64>)| {
            let resolution = map.and_then(|map| map.resolution(*branch, *kind));
            let proposed = map.map(|map| proposed(map, *branch, *kind)).unwrap_or_default();
            let unknown = if every.is_some() {
                "paths end abnormally before it, so the code behind was not explored"
            } else {
                "not every path was explored"
            };
            let every_path = every.filter(|_| !is_blocked(*branch));
            let (resolved, reason) = match resolution {
                _ if every_path.is_some() => {
                    (true, format!("{}, and none leads elsewhere", every_path.unwrap_or_default()))
                }
                // An analysis that misses an executed target proves nothing.
                Some(Resolution::Resolved(why)) if taken.is_subset(&proposed) => (true, why.to_string()),
                Some(Resolution::Unresolved(why)) => (false, format!("{unknown}, and {why}")),
                Some(Resolution::Resolved(_)) | None => (false, unknown.to_owned()),
            };
            let mut targets = taken.clone();
            if every.is_none() {
                targets.extend(proposed);
            }
            IndirectExitRecord {
                branch: Address(*branch),
                kind: name(*kind).to_owned(),
                targets: targets.into_iter().map(Address).collect(),
                resolved,
                reason,
            }
        };
        self.targets.iter().map(judge).collect()
    }
}
