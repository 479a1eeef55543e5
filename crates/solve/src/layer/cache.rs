//! Counterexample cache (KLEE): a query equal to a satisfiable one has its model; a superset of a known unsat core is
//! unsat.

use everypath_term::{Model, Term, Terms};
use rustc_hash::FxHashMap;

use super::report;
use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// The number of conditions in all cached answers at which the cache is cleared; a bound on memory, not on correctness.
const KEPT: usize = 4_000_000;

/// Caches answers by sets of conditions.
pub struct Cache {
    below: Box<dyn Solver>,
    /// Models by the whole condition set, sorted.
    models: FxHashMap<Box<[Term]>, Model>,
    /// Unsat cores, each sorted and indexed by the query's last condition if the core contains it, because few other
    /// queries do: a query that contains a core is unsatisfiable.
    cores: FxHashMap<Term, Vec<Box<[Term]>>>,
    /// The number of conditions in all cached answers.
    kept: usize,
    members: Members,
    collections: u32,
    statistics: Statistics,
}

/// A set of terms as a table of stamps by their index: to become another set takes no more steps than that has elements.
#[derive(Default)]
struct Members {
    stamps: Vec<u32>,
    stamp: u32,
}

impl Members {
    /// Becomes the set of these terms.
    fn become_set(&mut self, terms: &[Term]) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            // The stamps of 2^32 sets before would count again.
            self.stamps.fill(0);
            self.stamp = 1;
        }
        let end = terms.iter().map(|term| term.index() + 1).max().unwrap_or(0);
        if self.stamps.len() < end {
            self.stamps.resize(end, 0);
        }
        for term in terms {
            self.stamps[term.index()] = self.stamp;
        }
    }

    /// Returns true if a term is in the set.
    fn contains(&self, term: Term) -> bool {
        self.stamps.get(term.index()) == Some(&self.stamp)
    }
}

impl Cache {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Cache {
        Cache {
            below,
            models: FxHashMap::default(),
            cores: FxHashMap::default(),
            kept: 0,
            members: Members::default(),
            collections: 0,
            statistics: Statistics { name: "cache", ..Statistics::default() },
        }
    }

    fn find(&mut self, sorted: &[Term]) -> Option<Answer> {
        if let Some(model) = self.models.get(sorted) {
            return Some(Answer::Sat(model.clone()));
        }
        self.members.become_set(sorted);
        for term in sorted {
            for core in self.cores.get(term).into_iter().flatten() {
                if core.iter().all(|member| self.members.contains(*member)) {
                    return Some(Answer::Unsat(core.to_vec()));
                }
            }
        }
        None
    }

    fn keep(&mut self, sorted: Box<[Term]>, last_condition: Option<Term>, answer: &Answer) {
        if self.kept >= KEPT {
            self.clear();
        }
        self.kept += 1 + sorted.len();
        match answer {
            Answer::Sat(model) => {
                self.models.insert(sorted, model.clone());
            }
            Answer::Unsat(core) => {
                let key = last_condition.filter(|last| core.contains(last)).or(core.last().copied());
                let Some(key) = key else { return };
                let mut core: Box<[Term]> = core.as_slice().into();
                core.sort_unstable();
                self.cores.entry(key).or_default().push(core);
            }
            // A query that is undecided now may be decided under other limits.
            Answer::Unknown(_) => (),
        }
    }

    fn clear(&mut self) {
        self.models.clear();
        self.cores.clear();
        self.kept = 0;
    }
}

impl Solver for Cache {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        if self.collections != terms.collections() {
            // After a collection, term numbers may denote other terms.
            self.collections = terms.collections();
            self.clear();
        }
        let mut sorted: Box<[Term]> = query.conditions.into();
        sorted.sort_unstable();
        if let Some(answer) = self.find(&sorted) {
            self.statistics.answered += 1;
            return answer;
        }
        let answer = self.below.check(terms, query, limits);
        self.keep(sorted, query.conditions.last().copied(), &answer);
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}

#[cfg(test)]
mod tests {
    use everypath_term::{Input, Terms};

    use super::Members;

    #[test]
    fn a_set_has_its_own_members_only() {
        let mut terms = Terms::new();
        let bytes: Vec<_> = (0..8).map(|number| terms.input(Input(number))).collect();
        let mut members = Members { stamp: u32::MAX - 2, ..Members::default() };
        for round in 0..6 {
            let chosen: Vec<_> = bytes.iter().copied().skip(round % 3).step_by(1 + round % 2).collect();
            members.become_set(&chosen);
            for byte in &bytes {
                assert_eq!(members.contains(*byte), chosen.contains(byte), "round {round}");
            }
        }
    }
}
