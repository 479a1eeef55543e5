//! Breadth-first search: the pending branch with the shortest path condition, of those the earliest.

use std::collections::BTreeMap;

use super::{Candidate, SearchView, Strategy};

/// Candidates by depth and number.
#[derive(Default)]
pub(super) struct ShortestFirst {
    waiting: BTreeMap<(usize, u64), Candidate>,
}

impl Strategy for ShortestFirst {
    fn add(&mut self, candidate: Candidate) {
        self.waiting.insert((candidate.depth, candidate.number), candidate);
    }

    fn next(&mut self, _: &dyn SearchView) -> Option<Candidate> {
        self.waiting.pop_first().map(|(_, candidate)| candidate)
    }
}
