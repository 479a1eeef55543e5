//! Depth-first search: the latest pending branch first.

use super::{Candidate, SearchView, Strategy};

/// A stack of candidates.
#[derive(Default)]
pub(crate) struct LastFirst {
    stack: Vec<Candidate>,
}

impl Strategy for LastFirst {
    fn add(&mut self, candidate: Candidate) {
        self.stack.push(candidate);
    }

    fn next(&mut self, _: &dyn SearchView) -> Option<Candidate> {
        self.stack.pop()
    }
}
