//! Weak topological order of a control-flow graph (Bourdoncle 1993). The fixpoint iterates blocks in this order and
//! widens on back edges.

use super::tarjan::Tarjan;
use crate::graph::{BlockId, EdgeKind, Function, Graph};
use rustc_hash::FxHashMap;

/// Maximum nesting depth of components; deeper ones are flattened into reverse postorder.
const DEPTH: u32 = 12;

/// The blocks that a function reaches from its entry, in weak topological order: a loop is stable before any block
/// after it is run.
pub(super) fn weak_topological_order(graph: &Graph, entry: BlockId) -> Vec<BlockId> {
    let (blocks, successors) = reach(graph, entry);
    weak_topological(&successors).into_iter().map(|number| blocks[number as usize]).collect()
}

/// The blocks that a function reaches from its entry, and the successors of each.
fn reach(graph: &Graph, entry: BlockId) -> (Vec<BlockId>, Vec<Vec<u32>>) {
    let mut blocks = vec![entry];
    let mut numbers: FxHashMap<BlockId, u32> = FxHashMap::from_iter([(entry, 0)]);
    let mut successors: Vec<Vec<u32>> = Vec::new();
    while let Some(block) = blocks.get(successors.len()).copied() {
        let next = |to: BlockId| {
            *numbers.entry(to).or_insert_with(|| {
                blocks.push(to);
                blocks.len() as u32 - 1
            })
        };
        let inside = graph.successors(block).filter(|edge| edge.kind != EdgeKind::Call);
        let inside = inside.map(|edge| edge.to).filter(|to| *to == entry || !graph.is_entry(*to));
        successors.push(inside.map(next).collect());
    }
    (blocks, successors)
}

/// The entry blocks of the functions that a block calls or jumps to.
pub(super) fn called_by(graph: &Graph, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
    graph.successors(block).map(|edge| edge.to).filter(|to| graph.is_entry(*to))
}

/// The functions that each function calls.
pub(super) fn callees(graph: &Graph) -> Vec<Vec<u32>> {
    let of = |function: &Function| {
        let (blocks, _) = reach(graph, function.entry);
        let called = blocks.iter().flat_map(|block| called_by(graph, *block));
        called.filter_map(|entry| graph.function_of(entry)).map(|function| function.0).collect()
    };
    graph.functions().iter().map(of).collect()
}

/// Pending part of the order.
enum Item {
    One(u32),
    /// A component without its head: the subgraph that its members are in, the successors of the head, and the nesting
    /// depth.
    Rest {
        loop_number: u32,
        from: Vec<u32>,
        depth: u32,
    },
}

/// The weak topological order of the nodes reachable from node zero.
fn weak_topological(successors: &[Vec<u32>]) -> Vec<u32> {
    let count = successors.len();
    let mut order = Vec::with_capacity(count);
    let mut search = Tarjan::new(successors);
    let mut loop_count = 0;
    let mut items = vec![Item::Rest { loop_number: 0, from: vec![0], depth: 0 }];
    while let Some(item) = items.pop() {
        let (loop_number, from, depth) = match item {
            Item::One(block) => {
                order.push(block);
                continue;
            }
            Item::Rest { loop_number, from, depth } => (loop_number, from, depth),
        };
        for component in search.components(loop_number, &from) {
            // Members are in postorder; the last is the head, at which the search entered.
            let Some((head, members)) = component.split_last().filter(|(_, members)| !members.is_empty())
            else {
                items.extend(component.into_iter().map(Item::One));
                continue;
            };
            if depth >= DEPTH {
                items.extend(component.iter().copied().map(Item::One));
                continue;
            }
            loop_count += 1;
            search.restrict_to(members, loop_count);
            let from = successors[*head as usize].clone();
            items.push(Item::Rest { loop_number: loop_count, from, depth: depth + 1 });
            items.push(Item::One(*head));
        }
    }
    order
}

#[cfg(test)]
mod checks {
    use super::super::tarjan::checks::{any_lists, reached};
    use super::weak_topological;
    use everypath_testkit::random::Random;

    #[test]
    fn every_back_edge_leads_to_a_component_in_one_piece() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let lists = any_lists(&mut random, 12, 4);
            let order = weak_topological(&lists);
            let place = |block: u32| order.iter().position(|other| *other == block);
            let all = reached(&lists, 0);
            assert_eq!(order.len(), all.iter().filter(|reached| **reached).count(), "{lists:?}: {order:?}");
            for (from, list) in lists.iter().enumerate().filter(|(from, _)| all[*from]) {
                for to in list {
                    let (start, end) = (place(*to).expect("in it"), place(from as u32).expect("in it"));
                    if start > end {
                        continue;
                    }
                    // Every block between a head and the source of a back edge to it reaches that source.
                    for between in &order[start..=end] {
                        assert!(reached(&lists, *between)[from], "{lists:?}: {order:?}, {from} to {to}");
                    }
                }
            }
        }
    }
}
