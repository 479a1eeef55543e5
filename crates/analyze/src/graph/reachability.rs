//! Reachability in a graph, by depth-first search.

use super::node::BlockId;
use super::whole::Graph;

impl Graph {
    /// For each block, whether some blocks reach it, over calls as well; they reach themselves. Where recovery left an exit
    /// open, the graph lacks edges.
    pub(crate) fn reachable_from(&self, entries: impl IntoIterator<Item = BlockId>) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let entries = entries.into_iter().map(|block| block.0).collect();
        mark_reachable(&mut reached, entries, |block| self.successors(BlockId(block)).map(|edge| edge.to.0));
        reached
    }
}

/// Marks the nodes that are reachable from some nodes, and these. The search does not enter nodes that are marked already:
/// it continues an earlier one.
pub(crate) fn mark_reachable<Successors: IntoIterator<Item = u32>>(
    reached: &mut [bool],
    from: Vec<u32>,
    successors: impl Fn(u32) -> Successors,
) {
    let mut open = from;
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            open.extend(successors(node));
        }
    }
}
