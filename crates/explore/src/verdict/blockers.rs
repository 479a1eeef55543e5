//! Abnormal ends of paths: in a fault, at an operation without a model, or at a bound.
//!
//! Such an end proves nothing about the code after it. A direction that no path reached is *blocked* while control
//! flow may lead from a blocker to its branch.

use std::collections::BTreeMap;

use everypath_environment::Guest;
use everypath_machine::{End, FaultReason};
use rustc_hash::FxHashMap;

use crate::map::static_map::ProgramMap;

/// The abnormal ends of paths, by the instruction at which they ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blockers {
    ends: BTreeMap<u64, String>,
    /// Those that a run from the entry has shown.
    confirmed: BTreeMap<u64, String>,
}

/// The instruction at which an end is abnormal.
fn blocked_at(end: &End, last: u64) -> Option<u64> {
    match end {
        // A signal that the system sends ends the process, as an exit does.
        End::Faulted { reason: FaultReason::Signal(_), .. } => None,
        End::Exited { .. } | End::Repeats { .. } | End::Postponed { .. } => None,
        End::Faulted { address, reason: FaultReason::Access { .. } | FaultReason::Trap(_) } => Some(*address),
        End::Faulted { .. } | End::Exhausted { .. } => Some(last),
        End::Unmodelled { address, .. } => Some(*address),
    }
}

impl Blockers {
    /// Records how a path ended. `last` is the last instruction that was run, `text` the end in words.
    pub(crate) fn note(&mut self, end: &End, last: u64, text: impl FnOnce() -> String) {
        if let Some(address) = blocked_at(end, last) {
            self.ends.entry(address).or_insert_with(text);
        }
    }

    /// Records how a run from the entry ended.
    pub(crate) fn note_confirmed(&mut self, end: &End, last: u64, text: impl FnOnce() -> String) {
        if let Some(address) = blocked_at(end, last) {
            self.confirmed.entry(address).or_insert_with(text);
        }
    }

    /// Records that a path may end abnormally at an instruction.
    pub(crate) fn note_suspected(&mut self, address: u64, text: &str) {
        self.ends.entry(address).or_insert_with(|| text.to_owned());
    }

    /// Returns to what was known earlier, with the ends that runs from the entry have shown since.
    pub(crate) fn return_to(&mut self, earlier: Blockers) {
        let confirmed = std::mem::take(&mut self.confirmed);
        *self = earlier;
        self.confirmed.extend(confirmed);
    }

    /// Whether no path ended abnormally.
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty() && self.confirmed.is_empty()
    }

    /// The instructions, each with how paths ended there.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        self.ends.iter().chain(&self.confirmed).map(|(address, text)| (*address, text.as_str()))
    }
}

/// The code after abnormal ends of paths.
pub(crate) struct BlockedCode<'b> {
    blockers: Vec<(u64, &'b str)>,
    /// The first of them from which control flow may lead anywhere.
    anywhere: Option<usize>,
    /// For each instruction of the graph, the first of them from which control flow may lead to it.
    behind: FxHashMap<u64, Option<usize>>,
}

impl<'b> BlockedCode<'b> {
    /// The code after these ends; without a graph, they may block anything.
    pub(crate) fn new(blockers: &'b Blockers, map: Option<&ProgramMap>, guest: &Guest) -> BlockedCode<'b> {
        let blockers: Vec<_> = blockers.iter().collect();
        let (mut anywhere, mut behind) = (None, FxHashMap::default());
        if let Some(map) = map.filter(|_| !blockers.is_empty()) {
            let instructions = map.blocks().flat_map(|block| map.instructions_of(block));
            behind.extend(instructions.map(|address| (address, None)));
            for (number, (address, _)) in blockers.iter().enumerate() {
                match map.reachable_from(guest, *address) {
                    // It may reach all code, so no later end is the first for any branch.
                    None => {
                        anywhere = Some(number);
                        break;
                    }
                    Some(blocks) => {
                        for address in blocks.into_iter().flat_map(|block| map.instructions_of(block)) {
                            behind.entry(address).or_default().get_or_insert(number);
                        }
                    }
                }
            }
        }
        BlockedCode { blockers, anywhere, behind }
    }

    /// The first instruction at which paths ended abnormally, and how, from which control flow may lead to a branch.
    pub(crate) fn by(&self, branch: u64) -> Option<(u64, &'b str)> {
        let number = match self.behind.get(&branch) {
            Some(first) => (*first).or(self.anywhere)?,
            None => 0,
        };
        self.blockers.get(number).copied()
    }

    /// Why a branch is blocked, in words, if it is.
    pub(crate) fn reason(&self, branch: u64) -> Option<String> {
        let (address, end) = self.by(branch)?;
        Some(format!("blocked: paths end at {address:#x} ({end}), so the code behind was not explored"))
    }
}
