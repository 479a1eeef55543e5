//! Coverage: the instructions that were run and the branch directions that were taken.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use everypath_ir::{Block, ExitKind, Place};
use everypath_machine::{End, ReadyBlock};
use everypath_record::{Address, Direction};
use everypath_term::Term;
use rustc_hash::FxHashMap;

use crate::branches::BlockBranches;

/// What is known of a direction so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// How many times it was taken.
    pub(crate) taken: u64,
    /// How often the branch was reached and this direction was closed whatever the input.
    pub(crate) constant: u64,
    /// How often the solver said that no input takes it here.
    pub(crate) none: u64,
    /// The conditions that exclude each other in those answers, if certificates are wanted; each list once.
    pub(crate) cores: BTreeSet<Vec<Term>>,
    /// Why it could not be found out, each reason once.
    pub(crate) unknown: BTreeSet<String>,
    /// The number of the first test that takes it.
    pub(crate) test: Option<usize>,
}

/// What was run.
#[derive(Default)]
pub(crate) struct Coverage {
    blocks: FxHashMap<Place, BlockBranches>,
    instructions: BTreeSet<u64>,
    directions: BTreeMap<Direction, Known>,
    uncovered: usize,
    /// Instructions that branch indirectly under a condition, and never did so far.
    never_indirect: BTreeSet<(Address, ExitKind)>,
    /// All of them.
    conditional_indirect: BTreeSet<(Address, ExitKind)>,
}

impl Coverage {
    /// Whether the branches of a block are known. Code that is overwritten becomes another block at the same place.
    pub(crate) fn knows(&self, place: Place, block: &Arc<Block>) -> bool {
        self.blocks.get(&place).is_some_and(|known| Arc::ptr_eq(&known.block, block))
    }

    /// Records a block that is run for the first time; `true` if an instruction in it is new.
    pub(crate) fn enter<V>(&mut self, place: Place, block: &ReadyBlock<V>, branches: BlockBranches) -> bool {
        let before = self.instructions.len();
        self.instructions.extend(block.marks.iter().map(|(_, address)| *address));
        for direction in branches.named() {
            self.discover(direction);
        }
        for indirect in &branches.conditional_indirect {
            if self.conditional_indirect.insert(*indirect) {
                self.never_indirect.insert(*indirect);
            }
        }
        self.blocks.insert(place, branches);
        self.instructions.len() > before
    }

    /// The direction of an exit of a block, if the target is known beforehand.
    pub(crate) fn direction(&self, place: Place, exit: usize) -> Option<Direction> {
        self.blocks.get(&place)?.fixed(exit)
    }

    /// The direction of leaving a block by an exit for a target.
    pub(crate) fn taken(&self, place: Place, exit: usize, target: u64) -> Option<Direction> {
        self.blocks.get(&place)?.taken(exit, target)
    }

    /// Records that a block was left by an exit for a target; adds the directions that nothing took before.
    pub(crate) fn leave(&mut self, place: Place, exit: usize, target: u64, adds: &mut Vec<Direction>) {
        let Some(branches) = self.blocks.get(&place) else { return };
        let taken = branches.taken(exit, target);
        if branches.always.is_empty() && branches.never.is_empty() {
            if let Some(direction) = taken {
                self.discover(direction);
                adds.extend(self.take(direction));
            }
            return;
        }
        let (always, never) = (branches.always.clone(), branches.never.clone());
        for direction in always.into_iter().chain(taken) {
            self.discover(direction);
            adds.extend(self.take(direction));
        }
        for direction in never {
            if let Some(known) = self.directions.get_mut(&direction) {
                known.constant += 1;
            }
        }
    }

    /// The conditional indirect exits that no path has taken.
    pub(crate) fn never_indirect(&self) -> impl Iterator<Item = (Address, ExitKind)> {
        self.never_indirect.iter().copied()
    }

    /// Records that an indirect exit was taken.
    pub(crate) fn took_indirect(&mut self, branch: Address, kind: ExitKind) {
        self.never_indirect.remove(&(branch, kind));
    }

    /// Whether the targets of an indirect exit are directions: those of an unconditional return are not.
    pub(crate) fn is_branch(&self, branch: Address, kind: ExitKind) -> bool {
        kind != ExitKind::Return || self.conditional_indirect.contains(&(branch, kind))
    }

    /// Records that a direction was taken; gives it if it never was before.
    pub(crate) fn take(&mut self, direction: Direction) -> Option<Direction> {
        let known = self.directions.get_mut(&direction)?;
        known.taken += 1;
        if known.taken > 1 {
            return None;
        }
        self.uncovered -= 1;
        Some(direction)
    }

    /// Records a block that was not run to its end.
    pub(crate) fn broke_off<V>(&mut self, block: &ReadyBlock<V>, end: &End) {
        let (End::Faulted { address: last, .. }
        | End::Unmodelled { address: last, .. }
        | End::Exited { address: last, .. }) = end
        else {
            return;
        };
        let place = block.marks.iter().position(|(_, address)| address == last);
        let run = block.marks.iter().take(place.map_or(0, |place| place + 1));
        self.instructions.extend(run.map(|(_, address)| *address));
    }

    /// Records a direction that there is. The targets of an indirect jump are directions, too.
    pub(crate) fn discover(&mut self, direction: Direction) {
        if let Entry::Vacant(entry) = self.directions.entry(direction) {
            entry.insert(Known::default());
            self.uncovered += 1;
        }
    }

    /// The last instruction of a block that was run.
    pub(crate) fn branch(&self, place: Place) -> Option<Address> {
        self.blocks.get(&place).map(|known| known.branch)
    }

    pub(crate) fn known(&mut self, direction: Direction) -> Option<&mut Known> {
        self.directions.get_mut(&direction)
    }

    pub(crate) fn is_covered(&self, direction: Direction) -> bool {
        self.directions.get(&direction).is_some_and(|known| known.taken > 0)
    }

    /// Whether every direction that was discovered was taken, and every conditional indirect exit at least once.
    pub(crate) fn all_taken(&self) -> bool {
        self.uncovered == 0 && self.never_indirect.is_empty()
    }

    pub(crate) fn directions(&self) -> &BTreeMap<Direction, Known> {
        &self.directions
    }

    pub(crate) fn instructions(&self) -> usize {
        self.instructions.len()
    }

    /// How many directions were taken, and how many there are.
    pub(crate) fn tally(&self) -> (usize, usize) {
        (self.directions.len() - self.uncovered, self.directions.len())
    }
}
