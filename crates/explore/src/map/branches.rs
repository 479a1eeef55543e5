//! The branch directions of a block, taken from each of its instructions decoded alone.
//!
//! A block is lifted for one entry, and constants that its front leaves in registers fold its exits. The set of branch
//! directions must not depend on that, so it comes from single instructions (`docs/why/branch-directions.md`):
//!
//! - an instruction with two or more exits has a direction for each target it names, and for each target that one of
//!   its indirect exits takes (predicated jumps and conditional returns included);
//! - an instruction whose only exit is an indirect jump or call has a direction for each target it takes;
//! - an unconditional return and a direct jump or call have none.

use std::sync::Arc;

use everypath_ir::{Block, Exit, ExitKind, Place, Target};
use everypath_machine::{BlockSource, Machine, MachineDomain};
use everypath_record::{Address, Direction};

/// The branch direction of a block's exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitDirection {
    /// None: the last instruction does not branch.
    None,
    /// A direct exit.
    Fixed(Direction),
    /// An indirect exit: the target is known when it is taken.
    Indirect,
}

/// The branch directions of a block.
#[derive(Clone, Debug)]
pub(crate) struct BlockBranches {
    /// The block they were computed for: overwritten code gives another one at the same place.
    pub(crate) block: Arc<Block>,
    /// The last instruction.
    pub(crate) branch: Address,
    /// For each exit of the block, the direction it takes.
    pub(crate) exits: Vec<ExitDirection>,
    /// Directions that every run through the block takes: branches before its last instruction that the lifter folded.
    pub(crate) always: Vec<Direction>,
    /// Directions that no run through the block can take: the folded opposites.
    pub(crate) never: Vec<Direction>,
    /// Conditional indirect branches, with the kind of that exit.
    pub(crate) conditional_indirect: Vec<(Address, ExitKind)>,
}

/// Whether a target is another part of the instruction at a place: a loop inside an instruction is no branch.
fn is_inside(place: Place, target: Place) -> bool {
    target.part != 0 || (place.part != 0 && target.address == place.address)
}

/// The exits of one instruction, without those that lead to another part of itself.
struct InstructionExits<'b> {
    exits: Vec<&'b Exit>,
}

impl<'b> InstructionExits<'b> {
    fn of(place: Place, block: &'b Block) -> InstructionExits<'b> {
        let inside = |exit: &&Exit| matches!(exit.target, Target::Place(target) if is_inside(place, target));
        // An instruction that loops within itself still branches: its exits are counted with the inner ones.
        InstructionExits { exits: block.exits.iter().filter(|exit| !inside(exit)).collect() }
    }

    fn is_conditional(&self, block: &Block) -> bool {
        block.exits.len() > 1
    }

    fn branches(&self, block: &Block) -> bool {
        let indirect =
            |exit: &&Exit| matches!(exit.target, Target::Computed { .. }) && exit.kind != ExitKind::Return;
        self.is_conditional(block) || self.exits.iter().any(indirect)
    }

    fn named(&self, branch: Address) -> impl Iterator<Item = Direction> {
        self.exits.iter().filter_map(move |exit| match exit.target {
            Target::Place(target) => Some(Direction { branch, target: Address(target.address) }),
            Target::Computed { .. } => None,
        })
    }

    fn indirect(&self) -> Option<ExitKind> {
        let computed = |exit: &&&Exit| matches!(exit.target, Target::Computed { .. });
        self.exits.iter().find(computed).map(|exit| exit.kind)
    }
}

/// The addresses of a block's instructions, delay slots included.
fn addresses(block: &Block) -> Vec<u64> {
    block.instructions().map(|(address, _)| address).collect()
}

/// Lifts the instructions of straight-line code one by one, from their start addresses. `visit` gets each with its
/// place, its last address (that of its delay slot, if it has one), and the address of its successor, if any.
fn walk(
    place: Place,
    starts: &[u64],
    instruction: &mut impl FnMut(Place) -> Option<Arc<Block>>,
    mut visit: impl FnMut(Place, Arc<Block>, Address, Option<u64>),
) {
    let (mut at, mut passed) = (place, 0);
    while passed < starts.len()
        && let Some(single) = instruction(at)
    {
        passed += addresses(&single).len().max(1);
        let next = starts.get(passed).copied();
        let behind = single.exits.iter().find_map(|exit| match exit.target {
            Target::Place(target) if Some(target.address) == next && target.part == 0 => Some(target),
            _ => None,
        });
        visit(at, single, Address(starts[passed.min(starts.len()) - 1]), next);
        match behind {
            Some(behind) => at = behind,
            None => break,
        }
    }
}

/// The branches of code that may not have been executed.
#[derive(Default)]
pub(crate) struct CodeBranches {
    /// The directions that instructions name, and those of resolved indirect jumps.
    pub(crate) directions: Vec<Direction>,
    /// Conditional indirect branches, with the kind of that exit.
    pub(crate) conditional_indirect: Vec<(Address, ExitKind)>,
}

impl CodeBranches {
    /// Adds the branches of straight-line code, without the directions of indirect exits.
    pub(crate) fn add(
        &mut self,
        place: Place,
        starts: &[u64],
        mut instruction: impl FnMut(Place) -> Option<Arc<Block>>,
    ) {
        walk(place, starts, &mut instruction, |at, single, branch, _| {
            let exits = InstructionExits::of(at, &single);
            if exits.branches(&single) {
                self.directions.extend(exits.named(branch));
            }
            if exits.is_conditional(&single) {
                self.conditional_indirect.extend(exits.indirect().map(|kind| (branch, kind)));
            }
        });
    }
}

impl BlockBranches {
    /// Computes the directions of a block that a machine has executed.
    pub(crate) fn of_executed<B: BlockSource, D: MachineDomain>(
        machine: &mut Machine<B, D::Value>,
        domain: &mut D,
        place: Place,
    ) -> Option<BlockBranches> {
        let block = machine.known(place)?.block.clone();
        let branching = machine.branching(place).to_vec();
        Some(BlockBranches::of(place, &block, &branching, |at| machine.instruction(domain, at)))
    }

    /// Computes the directions of a block, in which these instructions branch if lifted alone. `instruction` lifts the
    /// one at a place alone.
    fn of(
        place: Place,
        block: &Arc<Block>,
        branching: &[Place],
        mut instruction: impl FnMut(Place) -> Option<Arc<Block>>,
    ) -> BlockBranches {
        let starts = addresses(block);
        let branch = Address(starts.last().copied().unwrap_or(place.address));
        let mut found = BlockBranches {
            block: block.clone(),
            branch,
            exits: Vec::new(),
            always: Vec::new(),
            never: Vec::new(),
            conditional_indirect: Vec::new(),
        };
        if starts.len() <= 1 {
            found.leave(place, block);
            return found;
        }
        if cfg!(debug_assertions) {
            // The invariant behind skipping the others: an instruction that is not listed has no direction alone.
            walk(place, &starts, &mut instruction, |at, single, _, _| {
                let branches = InstructionExits::of(at, &single).branches(&single);
                assert!(branching.contains(&at) || !branches, "the branch at {at:?} is not listed");
            });
        }
        found.exits = vec![ExitDirection::None; block.exits.len()];
        for &at in branching {
            let Some(first) = starts.iter().position(|start| *start == at.address) else { continue };
            let single = instruction(at).unwrap_or_else(|| block.clone());
            // It is passed if an instruction follows it and its delay slots.
            let passed = first + addresses(&single).len().max(1);
            match starts.get(passed) {
                Some(next) => found.pass(at, &single, Address(starts[passed - 1]), *next),
                None => found.leave(at, &single),
            }
        }
        found
    }

    /// Adds an instruction before the last, after which every run continues.
    fn pass(&mut self, at: Place, single: &Block, branch: Address, next: u64) {
        let exits = InstructionExits::of(at, single);
        if exits.branches(single) {
            for direction in exits.named(branch) {
                let list = if direction.target.0 == next { &mut self.always } else { &mut self.never };
                list.push(direction);
            }
            if exits.is_conditional(single) {
                self.conditional_indirect.extend(exits.indirect().map(|kind| (branch, kind)));
            }
        }
    }

    /// Adds the last instruction, lifted alone.
    fn leave(&mut self, at: Place, single: &Block) {
        let alone = InstructionExits::of(at, single);
        let branches = alone.branches(single);
        let (block, branch) = (self.block.clone(), self.branch);
        let direction = |exit: &Exit| match exit.target {
            _ if !branches => ExitDirection::None,
            Target::Place(target) if is_inside(at, target) => ExitDirection::None,
            Target::Place(target) => {
                ExitDirection::Fixed(Direction { branch, target: Address(target.address) })
            }
            Target::Computed { .. } => ExitDirection::Indirect,
        };
        self.exits = block.exits.iter().map(direction).collect();
        if branches {
            let kept = |direction: &Direction| self.exits.contains(&ExitDirection::Fixed(*direction));
            let folded: Vec<Direction> = alone.named(branch).filter(|one| !kept(one)).collect();
            self.never.extend(folded);
        }
        if alone.is_conditional(single) {
            self.conditional_indirect.extend(alone.indirect().map(|kind| (branch, kind)));
        }
    }

    /// Every direction with a static target.
    pub(crate) fn named(&self) -> impl Iterator<Item = Direction> {
        let fixed = self.exits.iter().filter_map(|exit| match exit {
            ExitDirection::Fixed(direction) => Some(*direction),
            _ => None,
        });
        fixed.chain(self.always.iter().copied()).chain(self.never.iter().copied())
    }

    /// The direction of an exit to a target.
    pub(crate) fn taken(&self, exit: usize, target: u64) -> Option<Direction> {
        match *self.exits.get(exit)? {
            ExitDirection::None => None,
            ExitDirection::Fixed(direction) => Some(direction),
            ExitDirection::Indirect => Some(Direction { branch: self.branch, target: Address(target) }),
        }
    }

    /// The direction of an exit with a static target.
    pub(crate) fn fixed(&self, exit: usize) -> Option<Direction> {
        match self.exits.get(exit)? {
            ExitDirection::Fixed(direction) => Some(*direction),
            _ => None,
        }
    }
}
