//! A reverse post-order of all blocks that an entry reaches, over calls as well: the order in which a fixpoint over the
//! program visits them (Kam and Ullman 1976). The blocks of a loop come before those after it, and a callee before what
//! is after its call.

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::{Dominators, Flow, loops};
use super::node::{BlockId, EdgeKind, FunctionId};
use super::whole::Graph;

impl Graph {
    /// The blocks that an entry reaches, in reverse post-order.
    pub fn reverse_postorder(&self, entry: BlockId) -> Vec<BlockId> {
        let nesting = self.nesting();
        let depth = |block: BlockId| nesting.get(&block).copied().unwrap_or(0);
        // What is visited last comes first: what leaves a loop is visited first, then the rest of it, then calls.
        let children = |block: BlockId| {
            let mut edges: Vec<(bool, u32, BlockId)> = self
                .successors(block)
                .map(|edge| (matches!(edge.kind, EdgeKind::Call), depth(edge.to), edge.to))
                .collect();
            edges.sort_unstable();
            edges.into_iter().map(|(.., to)| to).collect::<Vec<BlockId>>().into_iter()
        };
        let mut visited = FxHashSet::from_iter([entry]);
        let mut stack = vec![(entry, children(entry))];
        let mut order = Vec::new();
        while let Some((block, rest)) = stack.last_mut() {
            match rest.next() {
                Some(next) if visited.insert(next) => stack.push((next, children(next))),
                Some(_) => {}
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// How many loops of its function each block is in, if it is in one.
    fn nesting(&self) -> FxHashMap<BlockId, u32> {
        let mut nesting = FxHashMap::default();
        for function in (0..self.functions().len() as u32).map(FunctionId) {
            let flow = Flow::of(self, function);
            for found in loops(&flow, &Dominators::new(&flow)) {
                for block in found.body {
                    *nesting.entry(flow.blocks[block as usize]).or_default() += 1;
                }
            }
        }
        nesting
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::sample::{block_at, graph_of};

    /// A loop that calls a function; after it, another function is called.
    #[test]
    fn loops_and_callees_come_before_what_is_behind_them() {
        let code = [
            0xe8, 0x10, 0x00, 0x00, 0x00, // 0x1000: call 0x1015
            0xff, 0xcf, // 0x1005: dec edi
            0x75, 0xf7, // 0x1007: jne 0x1000
            0xe8, 0x02, 0x00, 0x00, 0x00, // 0x1009: call 0x1010
            0xc3, // 0x100e: ret
            0x90, // not reached
            0x89, 0xf8, // 0x1010: mov eax,edi
            0xc3, // 0x1012: ret
            0x90, 0x90, // not reached
            0x89, 0xf0, // 0x1015: mov eax,esi
            0xc3, // 0x1017: ret
        ];
        let graph = graph_of("x86-64", &code);
        let order = graph.reverse_postorder(block_at(&graph, 0x1000));
        let addresses: Vec<u64> = order.iter().map(|block| graph.block(*block).place.address).collect();
        assert_eq!(addresses, [0x1000, 0x1015, 0x1005, 0x1009, 0x1010, 0x100e]);
    }
}
