//! Detection of spin loops: loops that read memory, write none, and that the value sets let no execution leave.
//!
//! Something other than the program is to end such a loop, by changing that memory. Value sets know only the program's own
//! writes, so they prove nothing then.

use std::collections::BTreeSet;

use everypath_analyze::{BlockId, EdgeKind, Program};
use everypath_ir::{Block, Location, SpaceKind, Statement};

use crate::map::static_map::ProgramMap;

/// A loop of more basic blocks does more than wait.
const BLOCKS: usize = 16;

/// The effect of a block that matters to a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It only computes.
    None,
    /// It reads memory.
    Reads,
    /// It changes memory by a store, or ends in an indirect exit.
    Changes,
}

/// Whether one of the blocks with dead exits is in a wait loop that no other exit leaves.
pub(super) fn has_wait_loop(map: &ProgramMap, program: &Program<'_>, dead: &BTreeSet<(BlockId, u8)>) -> bool {
    let blocks: BTreeSet<BlockId> = dead.iter().map(|(block, _)| *block).collect();
    blocks.into_iter().any(|block| is_wait_loop(map, program, block, dead))
}

/// Whether the blocks after a block, without dead exits, are a wait loop that has it.
fn is_wait_loop(
    map: &ProgramMap,
    program: &Program<'_>,
    head: BlockId,
    dead: &BTreeSet<(BlockId, u8)>,
) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([head]), vec![head]);
    let (mut comes_back, mut reads) = (false, false);
    while let Some(block) = open.pop() {
        match effect(map, program, block) {
            Effect::Changes => return false,
            Effect::Reads => reads = true,
            Effect::None => {}
        }
        for edge in map.graph.successors(block).filter(|edge| !dead.contains(&(block, edge.exit))) {
            if edge.kind == EdgeKind::Call {
                return false;
            }
            comes_back |= edge.to == head;
            if seen.insert(edge.to) {
                open.push(edge.to);
            }
        }
        if seen.len() > BLOCKS {
            return false;
        }
    }
    comes_back && reads
}

fn effect(map: &ProgramMap, program: &Program<'_>, block: BlockId) -> Effect {
    if map.graph.hole(block).is_some() || !map.graph.indirect_exits_of(block).is_empty() {
        return Effect::Changes;
    }
    let lifted = map.graph.lift(block, program, &mut program.lifter().session());
    lifted.map_or(Effect::Changes, |lifted| effect_of(program, &lifted))
}

fn effect_of(program: &Program<'_>, block: &Block) -> Effect {
    let layout = program.architecture().layout();
    let in_memory = |location: &Location| layout[location.space].kind == SpaceKind::Memory;
    let mut found = Effect::None;
    for statement in &block.statements {
        match statement {
            Statement::Store { .. } => return Effect::Changes,
            Statement::Put { location, .. } if in_memory(location) => return Effect::Changes,
            Statement::Load { .. } => found = Effect::Reads,
            Statement::Get { location, .. } if in_memory(location) => found = Effect::Reads,
            _ => {}
        }
    }
    found
}
