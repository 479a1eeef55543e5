//! Coverage: executed instructions, taken branch directions, and calls.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use everypath_ir::{Block, ExitKind, Place};
use everypath_machine::{End, ReadyBlock};
use everypath_record::{Address, Direction};
use everypath_term::Term;
use rustc_hash::FxHashMap;

use crate::map::branches::BlockBranches;
use crate::path::roots::{Roots, TermHolder};

/// The record of a branch direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct DirectionRecord {
    /// Number of times it was taken.
    pub(crate) taken: u64,
    /// Number of times the branch was reached and its condition excluded this direction without depending on input.
    pub(crate) constant: u64,
    /// Number of unsatisfiable queries for it.
    pub(crate) unsat: u64,
    /// The unsat cores of those queries, if certificates are wanted; each once.
    pub(crate) cores: BTreeSet<Vec<Term>>,
    /// Why it is undecided, each reason once.
    pub(crate) unknown: BTreeSet<String>,
    /// How often an abstract path took it, and its test did not.
    pub(crate) doubts: u32,
}

/// After so many tests that do not take a direction which an abstract path takes, no more are tried.
const DOUBTS: u32 = 512;

impl DirectionRecord {
    /// Whether no path took it, not even an abstract one.
    pub(crate) fn is_untaken(&self) -> bool {
        self.taken == 0 && self.doubts == 0
    }
}

/// Code that paths have executed.
#[derive(Clone, Default)]
pub(crate) struct ExecutedCode {
    instructions: BTreeSet<u64>,
    /// All conditional indirect branches.
    conditional_indirect: BTreeSet<(Address, ExitKind)>,
    /// Those of them that no path has taken so far.
    never_indirect: BTreeSet<(Address, ExitKind)>,
}

/// The code whose branches are judged, as ranges of addresses: that of the program, and not that of libraries.
#[derive(Clone, Debug, Default)]
pub(crate) struct JudgedCode(pub(crate) Vec<(u64, u64)>);

impl JudgedCode {
    fn contains(&self, address: u64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&address))
    }
}

/// The coverage of an exploration.
#[derive(Default)]
pub(crate) struct Coverage {
    blocks: FxHashMap<Place, BlockBranches>,
    executed: ExecutedCode,
    directions: BTreeMap<Direction, DirectionRecord>,
    uncovered: usize,
    /// The code whose branches are judged, if not all are.
    judged: Option<JudgedCode>,
    /// Calls of the control-flow graph that no path has made, if calls are the criterion.
    calls: BTreeSet<Direction>,
}

impl Coverage {
    /// Whether the branches of a block are known. Overwritten code becomes another block at the same place.
    pub(crate) fn has_block(&self, place: Place, block: &Arc<Block>) -> bool {
        self.blocks.get(&place).is_some_and(|known| Arc::ptr_eq(&known.block, block))
    }

    /// Records a block that is executed for the first time. Returns true if an instruction in it is new.
    pub(crate) fn record_block<V>(
        &mut self,
        place: Place,
        block: &ReadyBlock<V>,
        branches: BlockBranches,
    ) -> bool {
        let before = self.executed.instructions.len();
        self.executed.instructions.extend(block.instruction_starts.iter().map(|(_, address)| *address));
        for direction in branches.named() {
            self.discover(direction);
        }
        self.discover_indirect(&branches.conditional_indirect);
        self.blocks.insert(place, branches);
        self.executed.instructions.len() > before
    }

    /// Whether a path has executed the instruction at an address.
    pub(crate) fn has_executed(&self, address: u64) -> bool {
        self.executed.instructions.contains(&address)
    }

    /// The direction of an exit with a static target.
    pub(crate) fn direction(&self, place: Place, exit: usize) -> Option<Direction> {
        self.blocks.get(&place)?.fixed(exit)
    }

    /// The direction of an exit to a target.
    pub(crate) fn direction_of_exit(&self, place: Place, exit: usize, target: u64) -> Option<Direction> {
        self.blocks.get(&place)?.taken(exit, target)
    }

    /// Records that a block was left by an exit to a target, and adds the directions that no path took before.
    pub(crate) fn record_exit(&mut self, place: Place, exit: usize, target: u64, adds: &mut Vec<Direction>) {
        let Some(branches) = self.blocks.get(&place) else { return };
        let taken = branches.taken(exit, target);
        if branches.always.is_empty() && branches.never.is_empty() {
            if let Some(direction) = taken {
                self.discover(direction);
                adds.extend(self.record_taken(direction));
            }
            return;
        }
        let (always, never) = (branches.always.clone(), branches.never.clone());
        for direction in always.into_iter().chain(taken) {
            self.discover(direction);
            adds.extend(self.record_taken(direction));
        }
        for direction in never {
            if let Some(known) = self.directions.get_mut(&direction) {
                known.constant += 1;
            }
        }
    }

    /// The conditional indirect exits that no path has taken.
    pub(crate) fn untaken_conditional_indirect(&self) -> impl Iterator<Item = (Address, ExitKind)> {
        self.executed.never_indirect.iter().copied()
    }

    /// Records that an indirect exit was taken.
    pub(crate) fn record_indirect(&mut self, branch: Address, kind: ExitKind) {
        self.executed.never_indirect.remove(&(branch, kind));
    }

    /// Whether the targets of an indirect exit are directions: those of an unconditional return are not.
    pub(crate) fn is_branch(&self, branch: Address, kind: ExitKind) -> bool {
        kind != ExitKind::Return || self.executed.conditional_indirect.contains(&(branch, kind))
    }

    /// Records that a direction was taken. Returns it if that is the first time.
    pub(crate) fn record_taken(&mut self, direction: Direction) -> Option<Direction> {
        let known = self.directions.get_mut(&direction)?;
        if known.taken == 0 && known.doubts >= DOUBTS {
            return None;
        }
        known.taken += 1;
        if known.taken > 1 {
            return None;
        }
        self.uncovered -= 1;
        Some(direction)
    }

    /// Takes back that a direction was taken: an abstract path took it, and its test did not.
    pub(crate) fn doubt(&mut self, direction: Direction) {
        if let Some(known) = self.directions.get_mut(&direction).filter(|known| known.taken > 0) {
            known.taken = 0;
            known.doubts += 1;
            self.uncovered += 1;
        }
    }

    /// The code that paths have executed.
    pub(crate) fn executed(&self) -> &ExecutedCode {
        &self.executed
    }

    /// Returns to the code that paths had executed.
    pub(crate) fn set_executed(&mut self, executed: ExecutedCode) {
        let now = std::mem::replace(&mut self.executed, executed);
        // What was discovered meanwhile is still to be taken.
        let found: Vec<(Address, ExitKind)> = now.conditional_indirect.into_iter().collect();
        self.discover_indirect(&found);
    }

    /// Forgets the doubts of abstract paths that are not kept.
    pub(crate) fn forget_doubts(&mut self) {
        self.directions.values_mut().for_each(|known| known.doubts = 0);
    }

    /// Records the executed instructions of a block that was not run to its end.
    pub(crate) fn record_partial_block<V>(&mut self, block: &ReadyBlock<V>, end: &End) {
        let (End::Faulted { address: last, .. }
        | End::Unmodelled { address: last, .. }
        | End::Exited { address: last, .. }) = end
        else {
            return;
        };
        let place = block.instruction_starts.iter().position(|(_, address)| address == last);
        let run = block.instruction_starts.iter().take(place.map_or(0, |place| place + 1));
        self.executed.instructions.extend(run.map(|(_, address)| *address));
    }

    /// Records a discovered direction. The targets of an indirect jump are directions, too.
    pub(crate) fn discover(&mut self, direction: Direction) {
        if !self.is_judged(direction.branch.0) {
            return;
        }
        if let Entry::Vacant(entry) = self.directions.entry(direction) {
            entry.insert(DirectionRecord::default());
            self.uncovered += 1;
        }
    }

    /// Adds conditional indirect branches.
    pub(crate) fn discover_indirect(&mut self, branches: &[(Address, ExitKind)]) {
        for branch in branches {
            if !self.is_judged(branch.0.0) {
                continue;
            }
            if self.executed.conditional_indirect.insert(*branch) {
                self.executed.never_indirect.insert(*branch);
            }
        }
    }

    /// Judges only the branches in this code.
    pub(crate) fn judge_only(&mut self, code: JudgedCode) {
        self.judged = Some(code);
    }

    /// Whether branches at an address are judged.
    pub(crate) fn is_judged(&self, address: u64) -> bool {
        self.judged.as_ref().is_none_or(|judged| judged.contains(address))
    }

    /// Adds calls that a path must make.
    pub(crate) fn want_calls(&mut self, calls: impl IntoIterator<Item = Direction>) {
        self.calls.extend(calls);
    }

    /// Records that a path has made a call.
    pub(crate) fn called(&mut self, call: Direction) {
        if !self.calls.is_empty() {
            self.calls.remove(&call);
        }
    }

    /// Whether every call was made that a path must make.
    pub(crate) fn all_called(&self) -> bool {
        self.calls.is_empty()
    }

    /// The last instruction of an executed block.
    pub(crate) fn branch(&self, place: Place) -> Option<Address> {
        self.blocks.get(&place).map(|known| known.branch)
    }

    pub(crate) fn record_of(&mut self, direction: Direction) -> Option<&mut DirectionRecord> {
        self.directions.get_mut(&direction)
    }

    pub(crate) fn is_covered(&self, direction: Direction) -> bool {
        self.directions.get(&direction).is_some_and(|known| known.taken > 0)
    }

    /// Whether every discovered direction was taken, and every conditional indirect branch at least once.
    pub(crate) fn all_taken(&self) -> bool {
        self.uncovered == 0 && self.executed.never_indirect.is_empty()
    }

    pub(crate) fn directions(&self) -> &BTreeMap<Direction, DirectionRecord> {
        &self.directions
    }

    pub(crate) fn instructions(&self) -> usize {
        self.executed.instructions.len()
    }

    /// The number of covered directions, and of all.
    pub(crate) fn tally(&self) -> (usize, usize) {
        (self.directions.len() - self.uncovered, self.directions.len())
    }
}

impl TermHolder for Coverage {
    /// The unsat cores that certificates are made from.
    fn roots(&self, roots: &mut Roots) {
        roots.extend(self.directions().values().flat_map(|known| known.cores.iter().flatten().copied()));
    }
}
