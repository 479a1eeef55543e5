//! Random search: a uniformly random pending branch, as `random-state` of KLEE (Cadar, Dunbar and Engler 2008).

use everypath_environment::Sequence;

use super::{Candidate, SearchView, Strategy};

/// The candidates to draw from.
pub(super) struct AnyOf {
    waiting: Vec<Candidate>,
    sequence: Sequence,
    drawn: u64,
}

impl AnyOf {
    pub(super) fn new(seed: u64) -> AnyOf {
        AnyOf { waiting: Vec::new(), sequence: Sequence::new(seed, "random-state"), drawn: 0 }
    }
}

impl Strategy for AnyOf {
    fn add(&mut self, candidate: Candidate) {
        self.waiting.push(candidate);
    }

    fn next(&mut self, _: &dyn SearchView) -> Option<Candidate> {
        if self.waiting.is_empty() {
            return None;
        }
        let place = self.sequence.at(self.drawn) % self.waiting.len() as u64;
        self.drawn += 1;
        Some(self.waiting.swap_remove(place as usize))
    }
}
