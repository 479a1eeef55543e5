//! Remembers answers: the same query, a query that contains one without an answer, a query within one with a model.

use everypath_term::{Model, Term, Terms};
use rustc_hash::FxHashMap;

use super::report;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// How many conditions the answers that are kept have together before all are dropped; a bound on memory, not on correctness.
const KEPT: usize = 4_000_000;

/// Remembers answers by sets of conditions.
pub struct Cache {
    below: Box<dyn Solver>,
    /// Models by the whole set, sorted.
    models: FxHashMap<Box<[Term]>, Model>,
    /// Cores, sorted, each under the question if that is part of it, because few other queries contain it: a query that
    /// contains a core has no model.
    cores: FxHashMap<Term, Vec<Box<[Term]>>>,
    /// How many conditions the answers have together.
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
            return Some(Answer::Model(model.clone()));
        }
        for term in sorted {
            for core in self.cores.get(term).into_iter().flatten() {
                if core.iter().all(|member| sorted.binary_search(member).is_ok()) {
                    return Some(Answer::None(core.to_vec()));
                }
            }
        }
        None
    }

    fn keep(&mut self, sorted: Box<[Term]>, question: Option<Term>, answer: &Answer) {
        if self.kept >= KEPT {
            self.clear();
        }
        self.kept += 1 + sorted.len();
        match answer {
            Answer::Model(model) => {
                self.models.insert(sorted, model.clone());
            }
            Answer::None(core) => {
                let key = question.filter(|question| core.contains(question)).or(core.last().copied());
                let Some(key) = key else { return };
                let mut core: Box<[Term]> = core.as_slice().into();
                core.sort_unstable();
                self.cores.entry(key).or_default().push(core);
            }
            // An answer that was not found may be found with another limit.
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
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        if self.collections != terms.collections() {
            // The numbers of terms may mean other terms now.
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
