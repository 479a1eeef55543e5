//! A portfolio of search orders in turns, because no single order wins (Avgerinos et al. 2014 and KLEE interleave theirs
//! for the same reason).
//!
//! Pending branches with an uncovered direction come first. Then each order gets its share of the *work*, not of the
//! paths: an order whose paths are cheap is not starved by one whose paths are expensive. The depth-first part is
//! persistent: it continues below the branches that it chose itself, wherever the other parts have been meanwhile, so
//! that it completes one subtree after another and its states stay few.

use std::collections::{BTreeMap, BTreeSet};

use super::breadth_first::ShortestFirst;
use super::depth_first::LastFirst;
use super::fair::LeastAsked;
use super::nearest::Nearest;
use super::random_state::AnyOf;
use super::short_inputs::FewestReads;
use super::{Candidate, SearchView, Strategy};

/// The work of one turn. Long enough that a depth-first part completes small subtrees, short enough that an exploration of
/// a second has many turns.
const TURN: u64 = 400_000;

/// One order of search in the portfolio.
struct Part {
    order: Box<dyn Strategy>,
    /// Its turns in a round.
    turns: u64,
    /// Whether it is given only the branches found after its own choices, and others only if it has none left.
    persistent: bool,
}

/// The portfolio.
pub(super) struct Portfolio {
    /// The candidates that no part has chosen yet. The parts forget chosen ones when they meet them.
    waiting: BTreeMap<u64, Candidate>,
    /// Candidates whose direction was uncovered when last checked, by number.
    uncovered: BTreeSet<u64>,
    parts: Vec<Part>,
    /// The part whose turn it is, and the effort at which its turn ends.
    turn: usize,
    ends_at: u64,
}

impl Portfolio {
    pub(super) fn new(seed: u64) -> Portfolio {
        let part = |order: Box<dyn Strategy>, turns, persistent| Part { order, turns, persistent };
        Portfolio {
            waiting: BTreeMap::new(),
            uncovered: BTreeSet::new(),
            parts: vec![
                part(Box::<LastFirst>::default(), 2, true),
                part(Box::<LeastAsked>::default(), 2, false),
                part(Box::new(AnyOf::new(seed)), 1, false),
                part(Box::<ShortestFirst>::default(), 1, false),
                part(Box::<FewestReads>::default(), 1, false),
                part(Box::<Nearest>::default(), 2, false),
            ],
            turn: 0,
            ends_at: 0,
        }
    }

    /// The newest candidate whose direction is uncovered.
    fn next_uncovered(&mut self, view: &dyn SearchView) -> Option<Candidate> {
        while let Some(number) = self.uncovered.pop_last() {
            let Some(candidate) = self.waiting.get(&number).copied() else { continue };
            if candidate.direction.is_some_and(|direction| !view.is_covered(direction)) {
                return self.waiting.remove(&number);
            }
        }
        None
    }

    /// The next candidate of the part whose turn it is.
    fn next_of_turn(&mut self, view: &dyn SearchView) -> Option<Candidate> {
        let part = &mut self.parts[self.turn];
        while let Some(chosen) = part.order.next(view) {
            if let Some(candidate) = self.waiting.remove(&chosen.number) {
                return Some(candidate);
            }
        }
        // A persistent part that has none left takes the newest of all.
        self.waiting.pop_last().map(|(_, candidate)| candidate)
    }
}

impl Strategy for Portfolio {
    fn add(&mut self, candidate: Candidate) {
        self.waiting.insert(candidate.number, candidate);
        if candidate.direction.is_some() {
            self.uncovered.insert(candidate.number);
        }
        for (number, part) in self.parts.iter_mut().enumerate() {
            if !part.persistent || number == self.turn {
                part.order.add(candidate);
            }
        }
    }

    fn next(&mut self, view: &dyn SearchView) -> Option<Candidate> {
        let effort = view.effort();
        if effort >= self.ends_at {
            self.turn = (self.turn + 1) % self.parts.len();
            self.ends_at = effort + self.parts[self.turn].turns * TURN;
        }
        let chosen = self.next_uncovered(view).or_else(|| self.next_of_turn(view))?;
        self.parts.iter_mut().for_each(|part| part.order.forget(chosen));
        Some(chosen)
    }
}
