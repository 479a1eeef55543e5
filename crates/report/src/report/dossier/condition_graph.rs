//! The graph of the conditions of one source line: whether short-circuit evaluation reaches each condition on one path.
//!
//! Covering all branch directions of a decision implies MC/DC if and only if the binary decision diagram of its conditions is a
//! tree (Comar, Guitton, Hainque and Quinot, "Formalization and Comparison of MCDC and Object Branch Coverage Criteria", ERTS
//! 2012). In a tree there is one path to each condition: tests in which it is true and false agree on all conditions that were
//! evaluated before it, and those behind it are evaluated in one of the two only, because its subtrees share none. Both
//! subtrees have every leaf covered, so that two of these tests differ in the outcome. In `(a || b) && c`, `c` is reached
//! from `a` and from `b`, and two tests of `c` need not agree on the others.
//!
//! The diagram is taken from the control-flow graph: its nodes are the blocks that end in a branch of the line. A node is
//! reached by an *edge*, a branch direction of another node, over blocks that are no nodes. Edges are followed forward through
//! all code of the function, because a condition may be evaluated by inlined code of other lines. A backward edge of a loop
//! usually begins another evaluation of the decision; it is followed through code of the line alone, where it may be
//! the order in which the compiler placed the conditions. A condition must be reached by at most one edge, and not both by an
//! edge and around the others. This errs on the side of "reached on two paths".

use std::collections::{BTreeSet, HashMap};

use everypath_record::{Address, ListedFunction, ListedLine};

/// The control-flow graph of a function, with its blocks in reverse post-order.
pub(super) struct ConditionGraph<'r> {
    function: &'r ListedFunction,
    /// The successors of each block, by indices.
    successors: Vec<Vec<usize>>,
    /// The predecessors of each block.
    predecessors: Vec<Vec<usize>>,
    /// The blocks in reverse post-order of a depth-first search.
    order: Vec<usize>,
    /// The position of each block in that order.
    positions: Vec<usize>,
}

/// An edge: the index of a condition's block and of its successor.
type Edge = (usize, usize);

/// How a block is reached on forward paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Unreached,
    /// Over no condition of the line.
    Outside,
    /// Over one edge.
    One(Edge),
    Several,
}

impl Reach {
    fn join(self, other: Reach) -> Reach {
        match (self, other) {
            (Reach::Unreached, reach) | (reach, Reach::Unreached) => reach,
            (one, other) if one == other => one,
            _ => Reach::Several,
        }
    }
}

impl<'r> ConditionGraph<'r> {
    /// The graph of a function.
    pub(super) fn new(function: &'r ListedFunction) -> ConditionGraph<'r> {
        let blocks = function.blocks.iter().enumerate();
        let starts: HashMap<Address, usize> = blocks.map(|(index, block)| (block.start(), index)).collect();
        let successors = function.blocks.iter().map(|block| {
            block.successors.iter().filter_map(|address| starts.get(address).copied()).collect()
        });
        let successors: Vec<Vec<usize>> = successors.collect();
        let entry = starts.get(&function.address).copied();
        let order = reverse_post_order(&successors, entry);
        let mut positions = vec![0; order.len()];
        for (position, block) in order.iter().enumerate() {
            positions[*block] = position;
        }
        let mut predecessors = vec![Vec::new(); order.len()];
        for (block, successors) in successors.iter().enumerate() {
            successors.iter().for_each(|successor| predecessors[*successor].push(block));
        }
        ConditionGraph { function, successors, predecessors, order, positions }
    }

    /// The first condition that is reached on two paths, if there is one: the address of its branch. `conditions` are the
    /// blocks that end in a branch of `line`.
    pub(super) fn reached_by_two_paths(
        &self,
        conditions: &BTreeSet<usize>,
        line: Option<ListedLine>,
    ) -> Option<Address> {
        let forward = self.forward_reaches(conditions);
        let backward = self.backward_edges(conditions, line);
        let is_twice = |condition: &&usize| {
            let edges = backward.iter().filter(|(_, to)| to == *condition).count();
            match forward[*condition] {
                Reach::Several => true,
                Reach::One(_) => edges > 0,
                Reach::Unreached | Reach::Outside => edges > 1,
            }
        };
        let mut conditions: Vec<&usize> = conditions.iter().collect();
        conditions.sort_by_key(|condition| self.positions[**condition]);
        conditions.into_iter().find(is_twice).map(|condition| self.function.blocks[*condition].last())
    }

    /// How each condition is reached on forward paths.
    fn forward_reaches(&self, conditions: &BTreeSet<usize>) -> HashMap<usize, Reach> {
        let positions = || conditions.iter().map(|condition| self.positions[*condition]);
        let (Some(first), Some(last)) = (positions().min(), positions().max()) else { return HashMap::new() };
        let mut reaches: HashMap<usize, Reach> = HashMap::new();
        for (position, &block) in self.order.iter().enumerate().take(last + 1).skip(first) {
            let mut reach = reaches.get(&block).copied().unwrap_or(Reach::Unreached);
            // No condition leads to blocks before the first one. A block that nothing leads to is an entry.
            let mut before = self.predecessors[block].iter().filter(|one| self.positions[**one] < first);
            if reach == Reach::Unreached || before.next().is_some() {
                reach = reach.join(Reach::Outside);
            }
            reaches.insert(block, reach);
            for &next in self.successors[block].iter().filter(|next| self.positions[**next] > position) {
                let passed = if conditions.contains(&block) { Reach::One((block, next)) } else { reach };
                let joined = reaches.get(&next).copied().unwrap_or(Reach::Unreached).join(passed);
                reaches.insert(next, joined);
            }
        }
        conditions.iter().map(|condition| (*condition, reaches[condition])).collect()
    }

    /// The edges over which a path with a backward edge of a loop reaches a condition through code of the line alone, each with
    /// that condition.
    fn backward_edges(
        &self,
        conditions: &BTreeSet<usize>,
        line: Option<ListedLine>,
    ) -> BTreeSet<(Edge, usize)> {
        let mut found = BTreeSet::new();
        for &condition in conditions {
            for &next in &self.successors[condition] {
                let mut seen = BTreeSet::new();
                let mut waiting = vec![(next, self.positions[next] <= self.positions[condition])];
                while let Some((block, is_backward)) = waiting.pop() {
                    if !seen.insert((block, is_backward)) {
                        continue;
                    }
                    if conditions.contains(&block) {
                        if is_backward {
                            found.insert(((condition, next), block));
                        }
                    } else if self.is_of(block, line) {
                        let turns = |to: usize| self.positions[to] <= self.positions[block];
                        let further = self.successors[block].iter();
                        waiting.extend(further.map(|to| (*to, is_backward || turns(*to))));
                    }
                }
            }
        }
        found
    }

    /// Whether a block has instructions of this line only, or without a line.
    fn is_of(&self, block: usize, line: Option<ListedLine>) -> bool {
        let instructions = &self.function.blocks[block].instructions;
        instructions.iter().all(|instruction| instruction.source.is_none() || instruction.source == line)
    }
}

/// The blocks in reverse post-order of a depth-first search from the entry, and then from each block that is left.
fn reverse_post_order(successors: &[Vec<usize>], entry: Option<usize>) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut finished: Vec<usize> = Vec::with_capacity(successors.len());
    for root in entry.into_iter().chain(0..successors.len()) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((block, next)) = path.last_mut() {
            let Some(&successor) = successors[*block].get(*next) else {
                finished.push(*block);
                path.pop();
                continue;
            };
            *next += 1;
            if !std::mem::replace(&mut seen[successor], true) {
                path.push((successor, 0));
            }
        }
    }
    finished.reverse();
    finished
}
