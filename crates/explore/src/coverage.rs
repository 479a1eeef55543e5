//! What was run: instructions, and the ways out of branches.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use everypath_ir::{Place, Target};
use everypath_machine::{End, ReadyBlock};
use everypath_record::{Address, Direction};
use everypath_term::Term;
use rustc_hash::FxHashMap;

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

/// The exits of a block that was run.
pub(crate) struct Exits {
    /// For each exit, the direction, if the block branches and the target is known.
    pub(crate) directions: Vec<Option<Direction>>,
    /// The block's last instruction.
    pub(crate) branch: Address,
}

impl Exits {
    /// Those of a block.
    pub(crate) fn of<V>(place: Place, block: &ReadyBlock<V>) -> Exits {
        let branch = Address(block.marks.last().map_or(place.address, |(_, address)| *address));
        let exits = &block.block.exits;
        // A loop inside an instruction is no branch that a person sees.
        let inside =
            |target: &Place| target.part != 0 || (place.part != 0 && target.address == place.address);
        let branches = exits.len() > 1;
        let direction = |exit: &everypath_ir::Exit| match exit.target {
            Target::Place(target) if branches && !inside(&target) => {
                Some(Direction { branch, target: Address(target.address) })
            }
            _ => None,
        };
        Exits { directions: exits.iter().map(direction).collect(), branch }
    }
}

/// What was run.
#[derive(Default)]
pub(crate) struct Coverage {
    blocks: FxHashMap<Place, Exits>,
    instructions: BTreeSet<u64>,
    directions: BTreeMap<Direction, Known>,
    uncovered: usize,
}

impl Coverage {
    /// Takes note of a block that is run; `true` if it was not run before.
    pub(crate) fn enter<V>(&mut self, place: Place, block: &ReadyBlock<V>) -> bool {
        if self.blocks.contains_key(&place) {
            return false;
        }
        self.instructions.extend(block.marks.iter().map(|(_, address)| *address));
        let exits = Exits::of(place, block);
        for direction in exits.directions.iter().flatten() {
            self.discover(*direction);
        }
        self.blocks.insert(place, exits);
        true
    }

    /// The direction of an exit of a block, if it is one of a branch. Targets that are computed are known only when they
    /// are taken.
    pub(crate) fn direction(&self, place: Place, exit: usize) -> Option<Direction> {
        self.blocks.get(&place)?.directions.get(exit).copied().flatten()
    }

    /// Takes note of an exit that was taken; gives the direction if it was never taken before.
    pub(crate) fn leave(&mut self, place: Place, exit: usize) -> Option<Direction> {
        self.take(self.direction(place, exit)?)
    }

    /// Takes note of a direction that was taken; gives it if it never was before.
    pub(crate) fn take(&mut self, direction: Direction) -> Option<Direction> {
        let known = self.directions.get_mut(&direction)?;
        known.taken += 1;
        if known.taken > 1 {
            return None;
        }
        self.uncovered -= 1;
        Some(direction)
    }

    /// Takes note of a block that was not run to its end.
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

    /// Takes note of a direction that there is. The targets of a jump that input computes are directions, too.
    pub(crate) fn discover(&mut self, direction: Direction) {
        if let Entry::Vacant(entry) = self.directions.entry(direction) {
            entry.insert(Known::default());
            self.uncovered += 1;
        }
    }

    /// The last instruction of a block that was run.
    pub(crate) fn branch(&self, place: Place) -> Option<Address> {
        self.blocks.get(&place).map(|seen| seen.branch)
    }

    pub(crate) fn known(&mut self, direction: Direction) -> Option<&mut Known> {
        self.directions.get_mut(&direction)
    }

    pub(crate) fn is_covered(&self, direction: Direction) -> bool {
        self.directions.get(&direction).is_some_and(|known| known.taken > 0)
    }

    /// Whether every direction that was discovered was taken.
    pub(crate) fn all_taken(&self) -> bool {
        self.uncovered == 0
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
