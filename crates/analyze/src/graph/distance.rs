//! Interprocedural distances with matched calls and returns: the shortest realisable path (Reps, Horwitz and Sagiv 1995)
//! from each block to some blocks, by breadth-first search against the edges.
//!
//! A realisable path first returns from functions and then calls some, so that there are three kinds of nodes: blocks from
//! which functions are only called, blocks from which they may still return, and the ends of functions. A call that
//! returns is one edge.

use std::collections::VecDeque;

use everypath_ir::ExitKind;

use super::node::{BlockId, EdgeKind, FunctionId};
use super::whole::Graph;

/// A node of the search.
#[derive(Clone, Copy)]
enum Stage {
    /// A block, from which functions are only called.
    Calls(BlockId),
    /// A block, from which functions may still return.
    Returns(BlockId),
    /// The end of a function.
    Ends(FunctionId),
}

/// Distances that are not known yet.
const FAR: u32 = u32::MAX;

/// The search.
struct Search {
    calls: Vec<u32>,
    returns: Vec<u32>,
    ends: Vec<u32>,
    queue: VecDeque<(Stage, u32)>,
}

impl Search {
    fn relax(&mut self, stage: Stage, distance: u32) {
        let known = match stage {
            Stage::Calls(block) => &mut self.calls[block.index()],
            Stage::Returns(block) => &mut self.returns[block.index()],
            Stage::Ends(function) => &mut self.ends[function.index()],
        };
        if *known == FAR {
            *known = distance;
            self.queue.push_back((stage, distance));
        }
    }
}

impl Graph {
    /// The length of the shortest realisable path from each block to one of `targets`, in edges; blocks without one are
    /// left out. The context of the path so far is not known: a function may return to any of its callers.
    pub fn distances(&self, targets: &[BlockId]) -> impl Iterator<Item = (BlockId, u32)> + use<> {
        let count = self.len();
        let mut search = Search {
            calls: vec![FAR; count],
            returns: vec![FAR; count],
            ends: vec![FAR; self.functions().len()],
            queue: VecDeque::new(),
        };
        targets.iter().for_each(|block| search.relax(Stage::Calls(*block), 0));
        while let Some((stage, distance)) = search.queue.pop_front() {
            match stage {
                Stage::Calls(block) => {
                    search.relax(Stage::Returns(block), distance);
                    for edge in self.predecessors(block) {
                        search.relax(Stage::Calls(edge.from), distance + 1);
                    }
                }
                Stage::Returns(block) => {
                    for edge in self.predecessors(block).filter(|edge| edge.kind != EdgeKind::Call) {
                        search.relax(Stage::Returns(edge.from), distance + 1);
                        if edge.kind.is_call_continuation() {
                            self.callees(edge.from, EdgeKind::Call)
                                .for_each(|callee| search.relax(Stage::Ends(callee), distance + 1));
                        }
                    }
                }
                Stage::Ends(function) => {
                    for block in self.leaves(function) {
                        let exits = self.indirect_exits_of(block);
                        if exits.iter().any(|exit| exit.kind == ExitKind::Return) {
                            search.relax(Stage::Returns(block), distance + 1);
                        }
                        self.callees(block, EdgeKind::TailCall)
                            .for_each(|callee| search.relax(Stage::Ends(callee), distance + 1));
                    }
                }
            }
        }
        let blocks = search.returns.into_iter().enumerate();
        blocks
            .filter(|(_, distance)| *distance != FAR)
            .map(|(block, distance)| (BlockId(block as u32), distance))
    }

    /// The functions that a block calls by edges of a kind.
    fn callees(&self, block: BlockId, kind: EdgeKind) -> impl Iterator<Item = FunctionId> + '_ {
        let calls = self.successors(block).filter(move |edge| edge.kind == kind);
        calls.filter_map(|edge| self.function_of(edge.to))
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::sample::{block_at, graph_of};

    /// Two calls of one function: from the function, what is after the first call is as near as what is after the second;
    /// from after the second call, nothing leads back, although the function returns there as well.
    #[test]
    fn calls_and_returns_are_matched() {
        let code = [
            0xe8, 0x0c, 0x00, 0x00, 0x00, // 0x1000: call 0x1011
            0x85, 0xff, // 0x1005: test edi,edi
            0x79, 0x05, // 0x1007: jns 0x100e
            0xe8, 0x03, 0x00, 0x00, 0x00, // 0x1009: call 0x1011
            0xc3, // 0x100e: ret
            0x90, 0x90, // not reached
            0x89, 0xf8, // 0x1011: mov eax,edi
            0xc3, // 0x1013: ret
        ];
        let graph = graph_of("x86-64", &code);
        let to = |address: u64| {
            let mut found: Vec<(u64, u32)> = graph
                .distances(&[block_at(&graph, address)])
                .map(|(block, distance)| (graph.block(block).place.address, distance))
                .collect();
            found.sort_unstable();
            found
        };
        assert_eq!(to(0x1009), [(0x1000, 2), (0x1005, 1), (0x1009, 0), (0x1011, 3)]);
        assert_eq!(to(0x1011), [(0x1000, 1), (0x1005, 2), (0x1009, 1), (0x1011, 0)]);
    }
}
