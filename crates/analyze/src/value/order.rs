//! An order in which blocks come after what leads to them, as far as loops allow.

use crate::graph::{BlockId, Graph};
use rustc_hash::FxHashMap;

/// The numbers of blocks in the order of a walk from an entry: reversed, each block follows its successors.
pub(super) fn order(graph: &Graph, entry: BlockId) -> FxHashMap<BlockId, u32> {
    let mut seen: FxHashMap<BlockId, u32> = FxHashMap::default();
    seen.insert(entry, 0);
    let successors = |block: BlockId| -> Vec<BlockId> {
        let inside = graph.successors(block).filter(|edge| edge.kind.is_inside());
        inside.map(|edge| edge.to).filter(|to| *to == entry || !graph.is_entry(*to)).collect()
    };
    let mut stack = vec![(entry, successors(entry))];
    let mut done = Vec::new();
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if seen.insert(next, 0).is_none() {
                    stack.push((next, successors(next)));
                }
            }
            None => {
                done.push(*block);
                stack.pop();
            }
        }
    }
    for (number, block) in done.iter().rev().enumerate() {
        seen.insert(*block, number as u32);
    }
    seen
}
