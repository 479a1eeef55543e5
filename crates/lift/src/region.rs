//! Recursive-traversal disassembly (Schwarz, Debray and Andrews 2002): a worklist over direct jumps from entry points,
//! to non-overlapping blocks.

use crate::code::Code;
use crate::lifter::LiftSession;
use crate::translate::NotLifted;
use everypath_ir::{Block, ExitKind, Observers, Place, Target};
use std::collections::{BTreeMap, HashSet};

/// The blocks that are reachable from entry points by jumps, calls and call fall-throughs.
#[derive(Clone, Debug, Default)]
pub struct LiftedRegion {
    /// The blocks, by place.
    pub blocks: BTreeMap<Place, Block>,
    /// Successors that could not be lifted, with the reason.
    pub holes: BTreeMap<Place, NotLifted>,
    /// Whether the limit on blocks was reached before the worklist was empty.
    pub limit_reached: bool,
}

impl LiftedRegion {
    /// Finds the blocks that are reachable from `entries`, at most `limit` of them.
    pub fn build(
        session: &mut LiftSession<'_>,
        code: &dyn Code,
        entries: impl IntoIterator<Item = Place>,
        limit: usize,
    ) -> Self {
        let mut region = Self::default();
        // Starts of blocks; a block must end before another one starts.
        let mut starts: HashSet<Place> = HashSet::new();
        // For each instruction inside a block, the start of that block.
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
            // in a delay slot cannot be split off; when it is reached again, it is lifted as an additional block.
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

/// The instructions of a block after its first, in the context of the block. If one changes the context for the next
/// instruction, that one is looked up under another context and lifted again, and the blocks overlap.
fn later_instructions(block: &Block) -> impl Iterator<Item = Place> + '_ {
    let later = block.instructions().filter(|(address, _)| *address != block.place.address);
    later.map(|(address, _)| Place::new(address, block.place.context))
}

/// The successors of a block, in the order of its exits; for a call also its fall-through.
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
