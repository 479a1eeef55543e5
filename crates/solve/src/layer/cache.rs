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
    collections: u32,
    statistics: Statistics,
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
            collections: 0,
            statistics: Statistics { name: "cache", ..Statistics::default() },
        }
    }

    fn find(&self, sorted: &[Term]) -> Option<Answer> {
        if let Some(model) = self.models.get(sorted) {
            return Some(Answer::Sat(model.clone()));
        }
        for term in sorted {
            for core in self.cores.get(term).into_iter().flatten() {
                if core.iter().all(|member| sorted.binary_search(member).is_ok()) {
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
