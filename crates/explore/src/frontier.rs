//! The frontier: the pending branches, the strategy that orders them, and the eviction of their forked states.

use std::collections::BTreeMap;

use everypath_record::Direction;

use crate::pending::{Pending, Resume, Waiting};
use crate::roots::{Roots, TermHolder};
use crate::strategy::{Candidate, Strategy};
use crate::task::Task;

/// The pending branches of an exploration.
pub(crate) struct Frontier {
    /// By number, in the order in which they were enqueued.
    pending: BTreeMap<u64, Waiting>,
    strategy: Box<dyn Strategy>,
    /// Number of branches enqueued so far.
    enqueued: u64,
    /// Number of pending branches that hold a forked state.
    held: usize,
}

impl Frontier {
    pub(crate) fn new(strategy: Box<dyn Strategy>) -> Frontier {
        Frontier { pending: BTreeMap::new(), strategy, enqueued: 0, held: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Number of pending branches that hold a forked state.
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    /// Enqueues a pending branch. Returns how many were enqueued so far.
    pub(crate) fn push(&mut self, pending: Pending) -> u64 {
        let jump = matches!(pending.resume, Resume::Computed { fresh: true, .. });
        let (depth, direction) = (pending.prefix.len(), pending.direction);
        let candidate = Candidate { number: self.enqueued, depth, direction, jump };
        self.enqueued += 1;
        let waiting = Waiting::new(pending);
        self.held += usize::from(waiting.task().is_some());
        self.pending.insert(candidate.number, waiting);
        self.strategy.add(candidate);
        self.enqueued
    }

    /// Removes the pending branch that the strategy chooses, and restores its task; one without a forked state starts
    /// from the root.
    pub(crate) fn pop(&mut self, is_covered: &dyn Fn(Direction) -> bool, root: &mut Task) -> Option<Pending> {
        // Bounded: a strategy may name branches that are not pending any more.
        for _ in 0..=self.enqueued {
            let chosen = self.strategy.next(is_covered)?;
            if let Some(waiting) = self.pending.remove(&chosen.number) {
                self.held -= usize::from(waiting.task().is_some());
                return Some(waiting.into_pending(root));
            }
        }
        None
    }

    /// Evicts the states of all but so many pending branches, those with the shortest replay from the entry first.
    /// Returns the number of evicted states.
    pub(crate) fn evict(&mut self, keep: usize, root: &mut Task) -> u64 {
        let holds = self.pending.iter().filter(|(_, waiting)| waiting.can_be_evicted());
        let mut holds: Vec<(u64, u64)> = holds
            .map(|(number, waiting)| (waiting.task().map_or(0, |task| task.instructions), *number))
            .collect();
        holds.sort_unstable();
        let count = holds.len().saturating_sub(keep);
        for (_, number) in holds.into_iter().take(count) {
            if let Some(waiting) = self.pending.get_mut(&number) {
                waiting.evict(root);
                self.held -= 1;
            }
        }
        count as u64
    }
}

impl TermHolder for Frontier {
    fn roots(&self, roots: &mut Roots) {
        self.pending.values().for_each(|waiting| waiting.roots(roots));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::ALL;

    /// Every strategy gives back each candidate exactly once, whatever is covered.
    #[test]
    fn strategies_give_each_candidate_once() {
        for entry in ALL {
            let mut strategy = (entry.make)(7);
            let candidate =
                |number| Candidate { number, depth: (number % 5) as usize, direction: None, jump: false };
            (0..50).for_each(|number| strategy.add(candidate(number)));
            let mut given: Vec<u64> = Vec::new();
            while let Some(next) = strategy.next(&|_| false) {
                given.push(next.number);
                if given.len() == 10 {
                    (50..60).for_each(|number| strategy.add(candidate(number)));
                }
            }
            given.sort_unstable();
            assert_eq!(given, (0..60).collect::<Vec<u64>>(), "{}", entry.name);
        }
    }
}
