//! Dominators by semi-NCA (Georgiadis, Tarjan & Werneck 2006), post-dominators and natural loops of one function.

use super::node::{BlockId, FunctionId};
use super::reachability::mark_reachable;
use super::whole::Graph;
use rustc_hash::FxHashMap;

/// The control-flow graph of one function, numbered from zero; node zero is the entry.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The blocks.
    pub blocks: Vec<BlockId>,
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Flow {
    /// The blocks of a function and its intraprocedural edges.
    pub fn of(graph: &Graph, function: FunctionId) -> Self {
        let blocks = graph.function(function).blocks.clone();
        let numbers: FxHashMap<BlockId, u32> = blocks.iter().copied().zip(0..).collect();
        let lists: Vec<Vec<u32>> = blocks
            .iter()
            .map(|block| {
                let inside = graph.successors(*block).filter(|edge| edge.kind.is_inside());
                let mut list: Vec<u32> = inside.filter_map(|edge| numbers.get(&edge.to).copied()).collect();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        Self::new(blocks, &lists)
    }

    fn new(blocks: Vec<BlockId>, lists: &[Vec<u32>]) -> Self {
        let mut starts = vec![0];
        let mut targets = Vec::new();
        for list in lists {
            targets.extend_from_slice(list);
            starts.push(targets.len() as u32);
        }
        Self { blocks, starts, targets }
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns true if there is no block.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The successors of a block.
    pub fn successors(&self, block: u32) -> &[u32] {
        &self.targets[self.starts[block as usize] as usize..self.starts[block as usize + 1] as usize]
    }

    /// The strongly connected component of a block, sorted: the blocks that it reaches and that reach it, and itself.
    pub fn component(&self, block: u32) -> Vec<u32> {
        // Nothing leads to the virtual exit of the reversed graph.
        let (ahead, behind) = (self.reached_from(block), self.reversed().reached_from(block));
        (0..self.len() as u32).filter(|one| ahead[*one as usize] && behind[*one as usize]).collect()
    }

    /// Which blocks a block reaches; it reaches itself.
    fn reached_from(&self, block: u32) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        mark_reachable(&mut reached, vec![block], |block| self.successors(block).iter().copied());
        reached
    }

    /// The reversed graph with a virtual exit as last node. The virtual exit leads to every block without successors,
    /// and to one block of each infinite loop.
    pub fn reversed(&self) -> Flow {
        let count = self.len();
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count + 1];
        for from in 0..count as u32 {
            for to in self.successors(from) {
                lists[*to as usize].push(from);
            }
        }
        lists[count] = (0..count as u32).filter(|block| self.successors(*block).is_empty()).collect();
        let mut reached = vec![false; count];
        let mut from = lists[count].clone();
        let mut last = count;
        loop {
            mark_reachable(&mut reached, from, |block| lists[block as usize].iter().copied());
            // Take the highest number left: of a loop, the block found last.
            let Some(left) = (0..last).rev().find(|block| !reached[*block]) else { break };
            last = left + 1;
            lists[count].push(left as u32);
            from = vec![left as u32];
        }
        let blocks = self.blocks.clone();
        Self::new(blocks, &lists)
    }
}

/// The immediate dominators of a graph, by semi-NCA (Georgiadis, Tarjan & Werneck 2006), a variant of Lengauer-Tarjan.
#[derive(Clone, Debug)]
pub struct Dominators {
    root: u32,
    /// The immediate dominator of each block: the root has itself, an unreachable block has `u32::MAX`.
    immediate: Vec<u32>,
    depth: Vec<u32>,
}

const UNREACHED: u32 = u32::MAX;

impl Dominators {
    /// The dominators of a function, from its entry.
    pub fn new(flow: &Flow) -> Self {
        Self::from_root(flow, 0)
    }

    /// The post-dominators; node [`Flow::len`] is the virtual exit.
    pub fn post(flow: &Flow) -> Self {
        Self::from_root(&flow.reversed(), flow.len() as u32)
    }

    fn from_root(flow: &Flow, root: u32) -> Self {
        let count = flow.len();
        let mut number = vec![UNREACHED; count];
        let mut order: Vec<u32> = Vec::with_capacity(count);
        let mut parent: Vec<u32> = Vec::with_capacity(count);
        let mut stack = vec![(root, 0)];
        while let Some((block, from)) = stack.pop() {
            if number[block as usize] != UNREACHED {
                continue;
            }
            let here = order.len() as u32;
            number[block as usize] = here;
            order.push(block);
            parent.push(from);
            stack.extend(flow.successors(block).iter().rev().map(|to| (*to, here)));
        }
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
        for (from, block) in order.iter().enumerate() {
            for to in flow.successors(*block) {
                before[number[*to as usize] as usize].push(from as u32);
            }
        }
        let reached = order.len() as u32;
        let mut ancestor = parent.clone();
        let mut label: Vec<u32> = (0..reached).collect();
        let mut semi: Vec<u32> = (0..reached).collect();
        let mut path = Vec::new();
        for block in (1..reached).rev() {
            for &from in &before[block as usize] {
                let best = if from <= block {
                    from
                } else {
                    compress(from, block, &mut ancestor, &mut label, &semi, &mut path);
                    semi[label[from as usize] as usize]
                };
                semi[block as usize] = semi[block as usize].min(best);
            }
        }
        let mut immediate = parent;
        for block in 1..reached {
            let mut up = immediate[block as usize];
            while up > semi[block as usize] {
                up = immediate[up as usize];
            }
            immediate[block as usize] = up;
        }
        let mut result = Self { root, immediate: vec![UNREACHED; count], depth: vec![0; count] };
        for (here, block) in order.iter().enumerate() {
            let up = order[immediate[here] as usize];
            result.immediate[*block as usize] = up;
            result.depth[*block as usize] = if *block == root { 0 } else { result.depth[up as usize] + 1 };
        }
        result
    }

    /// The immediate dominator of a block; `None` for the root and for unreachable blocks.
    pub fn immediate(&self, block: u32) -> Option<u32> {
        let up = self.immediate[block as usize];
        (up != UNREACHED && block != self.root).then_some(up)
    }

    /// Returns true if every path to the second block passes through the first.
    pub fn dominates(&self, first: u32, second: u32) -> bool {
        if self.immediate[first as usize] == UNREACHED || self.immediate[second as usize] == UNREACHED {
            return false;
        }
        let mut at = second;
        while self.depth[at as usize] > self.depth[first as usize] {
            at = self.immediate[at as usize];
        }
        at == first
    }
}

/// Path compression: labels the processed ancestors of a node with the least semidominator, and shortens the path.
fn compress(
    from: u32,
    limit: u32,
    ancestor: &mut [u32],
    label: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) {
    path.clear();
    let mut at = from;
    while ancestor[at as usize] > limit {
        path.push(at);
        at = ancestor[at as usize];
    }
    let mut above = at;
    for &below in path.iter().rev() {
        if semi[label[above as usize] as usize] < semi[label[below as usize] as usize] {
            label[below as usize] = label[above as usize];
        }
        ancestor[below as usize] = ancestor[at as usize];
        above = below;
    }
}

/// A natural loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The block that dominates the loop.
    pub header: u32,
    /// The sources of its back edges.
    pub backs: Vec<u32>,
    /// All its blocks including the header, sorted.
    pub body: Vec<u32>,
}

/// The natural loops of a function, by header.
pub fn loops(flow: &Flow, dominators: &Dominators) -> Vec<Loop> {
    let count = flow.len();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut backs: Vec<Vec<u32>> = vec![Vec::new(); count];
    for from in 0..count as u32 {
        for &to in flow.successors(from) {
            before[to as usize].push(from);
            if dominators.dominates(to, from) {
                backs[to as usize].push(from);
            }
        }
    }
    let mut found = Vec::new();
    let mut seen = vec![UNREACHED; count];
    for (header, backs) in backs.into_iter().enumerate().filter(|(_, backs)| !backs.is_empty()) {
        let header = header as u32;
        seen[header as usize] = header;
        let mut body = vec![header];
        let mut stack = backs.clone();
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut seen[block as usize], header) != header {
                body.push(block);
                stack.extend(&before[block as usize]);
            }
        }
        body.sort_unstable();
        found.push(Loop { header, backs, body });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(lists: &[&[u32]]) -> Flow {
        let lists: Vec<Vec<u32>> = lists.iter().map(|list| list.to_vec()).collect();
        Flow::new((0..lists.len() as u32).map(BlockId).collect(), &lists)
    }

    /// The definition: a block dominates the blocks that become unreachable when it is removed.
    fn dominated(flow: &Flow, without: u32) -> Vec<bool> {
        let mut reached = vec![false; flow.len()];
        let mut stack = vec![0];
        while let Some(block) = stack.pop() {
            if block != without && !std::mem::replace(&mut reached[block as usize], true) {
                stack.extend(flow.successors(block));
            }
        }
        reached.iter().map(|reached| !reached).collect()
    }

    #[test]
    fn dominators_are_what_the_definition_says() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let count = 2 + random(14);
            let lists: Vec<Vec<u32>> =
                (0..count).map(|_| (0..random(4)).map(|_| random(count) as u32).collect()).collect();
            let flow = Flow::new((0..count as u32).map(BlockId).collect(), &lists);
            let dominators = Dominators::new(&flow);
            let reached: Vec<bool> = dominated(&flow, UNREACHED).iter().map(|not| !not).collect();
            for first in 0..count as u32 {
                let lost = dominated(&flow, first);
                for second in 0..count as u32 {
                    let both = reached[first as usize] && reached[second as usize];
                    let expected = both && lost[second as usize];
                    assert_eq!(dominators.dominates(first, second), expected, "{lists:?}: {first} {second}");
                }
            }
        }
    }

    #[test]
    fn a_diamond_with_a_loop() {
        let flow = flow(&[&[1, 2], &[3], &[3], &[1, 4], &[]]);
        let dominators = Dominators::new(&flow);
        assert_eq!(dominators.immediate(3), Some(0));
        assert_eq!(Dominators::post(&flow).immediate(0), Some(3));
        assert_eq!((flow.component(0), flow.component(3)), (vec![0], vec![1, 3]));
        // Both 1 and 2 lead into the cycle of 1 and 3, so that it has no header.
        assert_eq!(loops(&flow, &dominators), []);
    }

    #[test]
    fn a_loop_has_its_body() {
        let flow = flow(&[&[1], &[2, 4], &[3], &[1], &[]]);
        let found = loops(&flow, &Dominators::new(&flow));
        assert_eq!(found, [Loop { header: 1, backs: vec![3], body: vec![1, 2, 3] }]);
    }

    #[test]
    fn a_loop_without_an_exit_has_post_dominators() {
        let flow = flow(&[&[1], &[2], &[1]]);
        let post = Dominators::post(&flow);
        assert!(post.dominates(1, 0));
    }

    #[test]
    fn a_long_chain_takes_no_stack() {
        let count = 300_000_u32;
        let lists: Vec<Vec<u32>> =
            (0..count).map(|block| if block + 1 < count { vec![block + 1] } else { vec![] }).collect();
        let flow = Flow::new((0..count).map(BlockId).collect(), &lists);
        assert_eq!(Dominators::new(&flow).immediate(count - 1), Some(count - 2));
    }
}
