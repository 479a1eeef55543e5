//! A region: every block that known jumps reach from some entry points, none overlapping another.

use crate::code::Code;
use crate::lifter::Session;
use crate::translate::NotLifted;
use everypath_ir::{Block, ExitKind, Observers, Place, Statement, Target};
use std::collections::{BTreeMap, HashSet};

/// Blocks found from entry points by following jumps, calls and what comes after calls.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The blocks, by place.
    pub blocks: BTreeMap<Place, Block>,
    /// Places that are jumped or fallen to and have no block, with the reason.
    pub holes: BTreeMap<Place, NotLifted>,
    /// Whether the limit on blocks was reached before everything was followed.
    pub limit_reached: bool,
}

impl Region {
    /// Finds the blocks that `entries` lead to, `limit` of them at most.
    pub fn build(
        session: &mut Session<'_>,
        code: &dyn Code,
        entries: impl IntoIterator<Item = Place>,
        limit: usize,
    ) -> Self {
        let mut region = Self::default();
        // Where a block must end because another one starts there.
        let mut starts: HashSet<Place> = HashSet::new();
        // For each instruction inside a block, the place where that block starts.
        let mut inside: BTreeMap<Place, Place> = BTreeMap::new();
        let mut open: Vec<Place> = entries.into_iter().collect();
        open.reverse();
        while let Some(place) = open.pop() {
            if region.blocks.contains_key(&place) || region.holes.contains_key(&place) {
                continue;
            }
            if region.blocks.len() >= limit {
                region.limit_reached = true;
                break;
            }
            // A jump into the middle of a block splits it: the front part is lifted again, up to here. An instruction
            // in a delay slot cannot be split off: asked for a second time, it is lifted as a block beside.
            if starts.insert(place)
                && let Some(front) = inside.get(&place).copied()
                && let Some(block) = region.blocks.remove(&front)
            {
                for later in later_instructions(&block) {
                    inside.remove(&later);
                }
                open.push(place);
                open.push(front);
                continue;
            }
            match session.block_until(code, place, |next| starts.contains(&next)) {
                Err(why) => {
                    region.holes.insert(place, why);
                }
                Ok(block) => {
                    inside.extend(later_instructions(&block).map(|later| (later, place)));
                    open.extend(successors(&block).into_iter().rev());
                    region.blocks.insert(place, block);
                }
            }
        }
        let lifter = session.lifter();
        if lifter.options().observers == Some(Observers::Overwritten) {
            region.drop_unread_flags(lifter.architecture().layout());
        }
        region
    }
}

/// The instructions of a block after its first. They have the context of the block: one that changes it for the
/// next instruction is looked up under another context, lifted a second time, and the blocks overlap.
fn later_instructions(block: &Block) -> impl Iterator<Item = Place> + '_ {
    block.statements.iter().skip(1).filter_map(|statement| match statement {
        Statement::Instruction { address, .. } if *address != block.place.address => {
            Some(Place::new(*address, block.place.context))
        }
        _ => None,
    })
}

/// The places that a block leads to, in the order of its exits; after a call also the place it returns to.
fn successors(block: &Block) -> Vec<Place> {
    let mut places = Vec::new();
    for exit in &block.exits {
        if let Target::Place(place) = exit.target {
            places.push(place);
        }
        if exit.kind == ExitKind::Call {
            places.push(Place::new(block.end, block.place.context));
        }
    }
    places
}
