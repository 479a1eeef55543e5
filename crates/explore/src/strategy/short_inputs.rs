//! Best-first search by input length: the pending branch with the fewest reads of inputs, of those the newest.
//! Most directions of a parser are taken by some short input, and there are few of those.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Candidate, SearchView, Strategy};

/// Candidates by reads, the newest first.
#[derive(Default)]
pub(super) struct FewestReads {
    waiting: BTreeMap<(u64, Reverse<u64>), Candidate>,
}

impl Strategy for FewestReads {
    fn add(&mut self, candidate: Candidate) {
        self.waiting.insert((candidate.reads, Reverse(candidate.number)), candidate);
    }

    fn next(&mut self, _: &dyn SearchView) -> Option<Candidate> {
        self.waiting.pop_first().map(|(_, candidate)| candidate)
    }
}
