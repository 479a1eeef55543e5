//! Coverage-guided search: pending branches that would take an uncovered direction, the latest first; then indirect
//! jumps that may have a new target, the earliest first; then all others, the latest first.

use std::collections::{BTreeMap, BTreeSet};

use everypath_record::Direction;

use super::{Candidate, SearchView, Strategy};

/// Candidates by the direction they would take. A covered direction stays covered.
#[derive(Default)]
pub(super) struct NewFirst {
    /// Candidates whose direction was uncovered when last checked, by number.
    new: BTreeMap<u64, Candidate>,
    /// Indirect jumps that may have a new target, by number.
    jumps: BTreeMap<u64, Candidate>,
    /// All others, by number.
    old: BTreeMap<u64, Candidate>,
    covered: BTreeSet<Direction>,
}

impl Strategy for NewFirst {
    fn add(&mut self, candidate: Candidate) {
        let is_new = candidate.direction.is_some_and(|direction| !self.covered.contains(&direction));
        let list = match candidate.jump {
            _ if is_new => &mut self.new,
            true => &mut self.jumps,
            false => &mut self.old,
        };
        list.insert(candidate.number, candidate);
    }

    fn next(&mut self, view: &dyn SearchView) -> Option<Candidate> {
        while let Some((number, candidate)) = self.new.pop_last() {
            match candidate.direction {
                Some(direction) if view.is_covered(direction) => {
                    self.covered.insert(direction);
                    self.old.insert(number, candidate);
                }
                _ => return Some(candidate),
            }
        }
        self.jumps.pop_first().or_else(|| self.old.pop_last()).map(|(_, candidate)| candidate)
    }
}
