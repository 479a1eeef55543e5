//! Fair search: the branch direction that was queried least often, its shallowest and its deepest pending branch in
//! turns. A direction near the entry whose flip changes everything after it is not starved by the many pending branches
//! at the end of long paths.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::Direction;

use super::{Candidate, SearchView, Strategy};

/// Candidates of one direction.
#[derive(Default)]
struct OfDirection {
    /// Number of queries for it.
    asked: u64,
    /// By depth and number.
    waiting: BTreeMap<(usize, u64), Candidate>,
}

/// Candidates by direction; those without a known direction count as one.
#[derive(Default)]
pub(super) struct LeastAsked {
    directions: BTreeMap<Option<Direction>, OfDirection>,
    /// The directions with candidates, by the number of queries.
    order: BTreeSet<(u64, Option<Direction>)>,
}

impl Strategy for LeastAsked {
    fn add(&mut self, candidate: Candidate) {
        let of = self.directions.entry(candidate.direction).or_default();
        of.waiting.insert((candidate.depth, candidate.number), candidate);
        self.order.insert((of.asked, candidate.direction));
    }

    fn next(&mut self, _: &dyn SearchView) -> Option<Candidate> {
        let (asked, direction) = self.order.pop_first()?;
        let of = self.directions.get_mut(&direction)?;
        let chosen = if asked.is_multiple_of(2) { of.waiting.pop_first() } else { of.waiting.pop_last() };
        of.asked += 1;
        if !of.waiting.is_empty() {
            self.order.insert((of.asked, direction));
        }
        chosen.map(|(_, candidate)| candidate)
    }
}
