//! Strongly connected components (Tarjan 1972), without recursion.

/// Tarjan's algorithm. It can be restricted to a subgraph, as the weak topological order needs.
pub(super) struct Tarjan<'s> {
    successors: &'s [Vec<u32>],
    /// The subgraph that each node belongs to; initially all are in subgraph 0.
    parts: Vec<u32>,
    /// Discovery index of each node; zero if not visited.
    number: Vec<u32>,
    low: Vec<u32>,
    next: u32,
    /// Tarjan's stack: finished nodes that are in no component yet.
    left: Vec<u32>,
}

/// Marks a node that is already in a component.
const DONE: u32 = u32::MAX;

impl<'s> Tarjan<'s> {
    pub(super) fn new(successors: &'s [Vec<u32>]) -> Self {
        let count = successors.len();
        let (parts, number, low) = (vec![0; count], vec![0; count], vec![0; count]);
        Self { successors, parts, number, low, next: 1, left: Vec::new() }
    }

    /// Moves nodes of a component into a subgraph of their own, to be searched again.
    pub(super) fn restrict_to(&mut self, members: &[u32], part: u32) {
        for member in members {
            self.parts[*member as usize] = part;
            self.number[*member as usize] = 0;
        }
    }

    /// The components reachable from `from` inside a subgraph, in reverse topological order (successors first). Members
    /// of a component are in postorder: the last is the node at which the search entered.
    pub(super) fn components(&mut self, part: u32, from: &[u32]) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        for root in from {
            let mut stack: Vec<(u32, usize)> = Vec::new();
            let mut entered = Some(*root);
            loop {
                if let Some(block) = entered.take()
                    && self.parts[block as usize] == part
                    && self.number[block as usize] == 0
                {
                    self.number[block as usize] = self.next;
                    self.low[block as usize] = self.next;
                    self.next += 1;
                    stack.push((block, 0));
                }
                let Some((block, edge)) = stack.last_mut() else { break };
                let block = *block as usize;
                if let Some(to) = self.successors[block].get(*edge).copied() {
                    *edge += 1;
                    if self.parts[to as usize] == part && self.number[to as usize] != 0 {
                        self.low[block] = self.low[block].min(self.number[to as usize]);
                    }
                    entered = Some(to);
                    continue;
                }
                stack.pop();
                self.left.push(block as u32);
                if let Some((above, _)) = stack.last() {
                    self.low[*above as usize] = self.low[*above as usize].min(self.low[block]);
                }
                if self.low[block] == self.number[block] {
                    // Nodes discovered after this one that are in no component yet belong to its component.
                    let before = |left: &u32| self.number[*left as usize] < self.number[block];
                    let first = self.left.iter().rposition(before).map_or(0, |before| before + 1);
                    let component = self.left.split_off(first);
                    for member in &component {
                        self.parts[*member as usize] = DONE;
                    }
                    found.push(component);
                }
            }
        }
        found
    }
}

#[cfg(test)]
pub(super) mod checks {
    use super::Tarjan;
    use everypath_testkit::random::Random;

    /// A random graph with at most `nodes` nodes and fewer than `others` successors each.
    pub(in super::super) fn any_lists(random: &mut Random, nodes: u64, others: u64) -> Vec<Vec<u32>> {
        let count = 1 + random.number_below(nodes);
        let mut list =
            || (0..random.number_below(others)).map(|_| random.number_below(count) as u32).collect();
        (0..count).map(|_| list()).collect()
    }

    /// For each node, whether it is reachable from `from`.
    pub(in super::super) fn reached(lists: &[Vec<u32>], from: u32) -> Vec<bool> {
        let mut seen = vec![false; lists.len()];
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut seen[at as usize], true) {
                stack.extend(&lists[at as usize]);
            }
        }
        seen
    }

    #[test]
    fn members_reach_each_other_and_what_is_called_comes_first() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let lists = any_lists(&mut random, 10, 3);
            let all: Vec<u32> = (0..lists.len() as u32).collect();
            let reached: Vec<Vec<bool>> = all.iter().map(|from| reached(&lists, *from)).collect();
            let found = Tarjan::new(&lists).components(0, &all);
            assert_eq!(found.iter().map(Vec::len).sum::<usize>(), lists.len(), "{lists:?}: {found:?}");
            let of = |at: usize| found.iter().position(|component| component.contains(&(at as u32)));
            for (a, from_a) in reached.iter().enumerate() {
                for (b, from_b) in reached.iter().enumerate() {
                    assert_eq!(of(a) == of(b), from_a[b] && from_b[a], "{lists:?}: {found:?}");
                    assert!(!from_a[b] || of(b) <= of(a), "{lists:?}: {found:?}");
                }
            }
        }
    }
}
