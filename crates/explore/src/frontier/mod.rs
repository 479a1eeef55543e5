//! The frontier: the pending branches, the strategy that orders them, and the eviction of their forked states.

pub(crate) mod memory;
pub(crate) mod pending;
mod priorities;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use everypath_record::Direction;

use crate::frontier::memory::Memory;
use crate::frontier::pending::{Pending, Resume};
use crate::frontier::priorities::Priorities;
use crate::path::roots::{Roots, TermHolder};
use crate::steering::FunctionCode;
use crate::strategy::{Candidate, CandidatePlace, SearchView, Strategy};
use crate::verdict::guards::Guards;

/// Number of enqueued branches between two checks of the resident size.
const LOOK_EVERY: u64 = 64;
/// Maximum number of postponed paths.
const POSTPONED: usize = 8_192;

/// The pending branches of an exploration.
pub(crate) struct Frontier {
    /// By number, in the order in which they were enqueued.
    pending: BTreeMap<u64, Pending>,
    strategy: Box<dyn Strategy>,
    /// The numbers of those that are outcomes of guards inside instructions.
    guards: VecDeque<u64>,
    /// The numbers of those that are postponed paths.
    postponed: BTreeSet<u64>,
    /// Number of branches enqueued so far.
    enqueued: u64,
    /// Number of pending branches that hold a forked state.
    held: usize,
    /// The functions that come first or last, if an observer steers the search.
    priorities: Option<Priorities>,
    /// Whether the search is directed at targets.
    is_directed: bool,
    /// The memory limit, which bounds the number of forked states.
    pub(crate) memory: Memory,
}

/// A pending branch as a strategy sees it.
fn candidate(number: u64, pending: &Pending, is_directed: bool) -> Candidate {
    let jump = matches!(pending.resume, Resume::Computed { fresh: true, .. });
    let Pending { direction, reads, .. } = *pending;
    let place = CandidatePlace { address: pending.continues_at(), progress: pending.progress };
    let place = is_directed.then_some(place);
    Candidate { number, depth: pending.prefix.len(), reads, direction, jump, place }
}

impl Frontier {
    pub(crate) fn new(strategy: Box<dyn Strategy>, memory: Memory, is_directed: bool) -> Frontier {
        Frontier {
            pending: BTreeMap::new(),
            strategy,
            guards: VecDeque::new(),
            postponed: BTreeSet::new(),
            enqueued: 0,
            held: 0,
            priorities: None,
            is_directed,
            memory,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether a pending branch may hold a forked state. Otherwise it is replayed from the entry, which takes time
    /// instead of memory.
    pub(crate) fn has_room(&self) -> bool {
        self.memory.has_room(self.held)
    }

    /// Enqueues a pending branch, and evicts forked states if memory is scarce.
    pub(crate) fn push(&mut self, pending: Pending) {
        let candidate = candidate(self.enqueued, &pending, self.is_directed);
        if let Some(priorities) = &mut self.priorities {
            priorities.add(pending.address, candidate);
        }
        self.enqueued += 1;
        self.held += usize::from(pending.task().is_some());
        self.guards.extend(pending.guard.map(|_| candidate.number));
        self.postponed.extend(matches!(pending.resume, Resume::Postponed).then_some(candidate.number));
        self.pending.insert(candidate.number, pending);
        self.strategy.add(candidate);
        let evictable = || self.pending.values().filter(|pending| pending.can_be_evicted()).count();
        if self.enqueued.is_multiple_of(LOOK_EVERY)
            && let Some(keep) = self.memory.look(self.held, evictable)
        {
            let evicted = self.evict(keep);
            self.memory.evicted(evicted);
        }
    }

    /// Removes the pending branch that the strategy chooses.
    pub(crate) fn pop(&mut self, view: &dyn SearchView) -> Option<Pending> {
        // Bounded: a strategy may name branches that are not pending any more.
        for _ in 0..=self.enqueued {
            let Some(chosen) = self.strategy.next(view) else { break };
            if self.defers(chosen) {
                continue;
            }
            if let Some(pending) = self.remove(chosen.number) {
                return Some(pending);
            }
        }
        self.pop_by(view, Priorities::next_last)
    }

    /// Removes a pending branch of the functions that come first, if there are such.
    pub(crate) fn pop_first(&mut self, view: &dyn SearchView) -> Option<Pending> {
        self.pop_by(view, Priorities::next_first)
    }

    /// Removes the pending branch that a priority names.
    fn pop_by(
        &mut self,
        view: &dyn SearchView,
        next: impl Fn(&mut Priorities, &dyn SearchView) -> Option<Candidate>,
    ) -> Option<Pending> {
        self.priorities.as_ref()?;
        for _ in 0..=self.enqueued {
            let chosen = next(self.priorities.as_mut()?, view)?;
            if let Some(pending) = self.remove(chosen.number) {
                self.strategy.forget(chosen);
                return Some(pending);
            }
        }
        None
    }

    /// Whether a candidate comes last, and is therefore put off.
    fn defers(&mut self, chosen: Candidate) -> bool {
        let Some(priorities) = &mut self.priorities else { return false };
        let pending = self.pending.get(&chosen.number);
        pending.is_some_and(|pending| priorities.defers(pending.address, chosen))
    }

    /// Makes the pending branches of these functions come first, in this order.
    pub(crate) fn focus(&mut self, functions: Vec<FunctionCode>, order: Box<dyn Strategy>) {
        let pending = self.pending.iter();
        let is_directed = self.is_directed;
        let of =
            |(number, pending): (&u64, &Pending)| (pending.address, candidate(*number, pending, is_directed));
        let pending = pending.map(of);
        self.priorities.get_or_insert_default().focus(functions, order, pending);
    }

    /// Makes the pending branches of these functions come last, in this order.
    pub(crate) fn skip(&mut self, functions: Vec<FunctionCode>, order: Box<dyn Strategy>) {
        let deferred = self.priorities.get_or_insert_default().skip(functions, order);
        deferred.for_each(|candidate| self.strategy.add(candidate));
    }

    /// The pending branches: their branching instructions, and the directions that they would take.
    pub(crate) fn branches(&self) -> impl Iterator<Item = (u64, Option<Direction>)> {
        self.pending.values().map(|pending| (pending.address, pending.direction))
    }

    /// Number of branches enqueued so far.
    pub(crate) fn enqueued(&self) -> u64 {
        self.enqueued
    }

    /// Removes, of the pending branches from this number on, the first at the instruction at which the last one is. Interrupts
    /// and postponed paths are no branches.
    pub(crate) fn pop_last_instruction(&mut self, from: u64) -> Option<Pending> {
        let branches = || {
            let enqueued = self.pending.range(from..);
            enqueued.filter(|(_, pending)| !matches!(pending.resume, Resume::Interrupt | Resume::Postponed))
        };
        let (_, last) = branches().next_back()?;
        let number = *branches().find(|(_, pending)| pending.address == last.address)?.0;
        self.remove(number)
    }

    fn remove(&mut self, number: u64) -> Option<Pending> {
        let pending = self.pending.remove(&number)?;
        self.held -= usize::from(pending.task().is_some());
        self.postponed.remove(&number);
        Some(pending)
    }

    /// Whether a path may be postponed. Its state cannot be evicted, so postponed paths have a bound of their own.
    pub(crate) fn can_postpone(&self) -> bool {
        !self.memory.is_scarce() && self.postponed.len() < POSTPONED
    }

    /// Removes the path that was postponed first.
    pub(crate) fn pop_postponed(&mut self) -> Option<Pending> {
        let first = *self.postponed.first()?;
        self.remove(first)
    }

    /// Removes the oldest pending outcome of a guard that no path had.
    pub(crate) fn pop_new_guard(&mut self, guards: &Guards) -> Option<Pending> {
        while let Some(number) = self.guards.pop_front() {
            let is_new = |pending: &Pending| pending.guard.is_some_and(|outcome| !guards.has(outcome));
            if self.pending.get(&number).is_some_and(is_new) {
                return self.remove(number);
            }
        }
        None
    }

    /// Drops every pending branch.
    pub(crate) fn clear(&mut self) {
        self.pending.clear();
        self.guards.clear();
        self.postponed.clear();
        self.held = 0;
    }

    /// Evicts the states of all but so many pending branches, those with the shortest replay from the entry first.
    /// Returns the number of evicted states.
    fn evict(&mut self, keep: usize) -> u64 {
        let holds = self.pending.iter().filter(|(_, pending)| pending.can_be_evicted());
        let mut holds: Vec<(u64, u64)> = holds
            .map(|(number, pending)| (pending.task().map_or(0, |task| task.instructions), *number))
            .collect();
        holds.sort_unstable();
        let count = holds.len().saturating_sub(keep);
        for (_, number) in holds.into_iter().take(count) {
            if let Some(pending) = self.pending.get_mut(&number) {
                pending.evict();
                self.held -= 1;
            }
        }
        count as u64
    }
}

impl TermHolder for Frontier {
    fn roots(&self, roots: &mut Roots) {
        self.pending.values().for_each(|pending| pending.roots(roots));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::strategy::ALL;

    /// A search that has covered nothing, after some work.
    struct Nothing(u64);

    impl SearchView for Nothing {
        fn is_covered(&self, _: Direction) -> bool {
            false
        }

        fn effort(&self) -> u64 {
            self.0
        }

        fn open(&self) -> Vec<Direction> {
            Vec::new()
        }

        fn distances(&self, _: Direction) -> HashMap<u64, u32> {
            HashMap::new()
        }
    }

    /// Every strategy gives back each candidate exactly once, whatever is covered.
    #[test]
    fn strategies_give_each_candidate_once() {
        for entry in ALL {
            let mut strategy = (entry.make)(7);
            let candidate = |number| Candidate {
                number,
                depth: (number % 5) as usize,
                reads: number % 3,
                direction: None,
                jump: false,
                place: None,
            };
            (0..50).for_each(|number| strategy.add(candidate(number)));
            let mut given: Vec<u64> = Vec::new();
            while let Some(next) = strategy.next(&Nothing(given.len() as u64 * 100_000)) {
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
