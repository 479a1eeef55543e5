//! The layer.

use everypath_term::{Model, Term, Terms};

use super::memory::Memory;
use super::search::Found;
use crate::layer::report;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// Shorter queries are cheap for everybody.
pub(super) const LONG: usize = 8;
/// More bytes are left to others.
pub(super) const BYTES: usize = 512;

/// Decides queries whose conditions depend on one or two bytes each, such as chains of values of which each depends on the
/// last one. What the conditions compute does not matter, only which values they allow.
pub struct Relate {
    below: Box<dyn Solver>,
    memory: Memory,
    statistics: Statistics,
}

impl Relate {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Relate {
        let statistics = Statistics { name: "relate", ..Statistics::default() };
        Relate { below, memory: Memory::default(), statistics }
    }

    fn answer(&mut self, terms: &Terms, query: Query<'_>) -> Option<Answer> {
        if query.conditions.len() < LONG {
            return None;
        }
        let bounds = self.memory.bounds(terms, query.conditions);
        if bounds.len() < LONG || !self.memory.pays(&bounds) {
            return None;
        }
        let none = || Answer::None(bounds.iter().map(|bound| bound.condition).collect::<Vec<Term>>());
        let mut network = self.memory.network(&bounds);
        if network.len() > BYTES {
            return None;
        }
        if !network.propagate(self.memory.relations()) {
            return Some(none());
        }
        if bounds.len() < query.conditions.len() {
            return None;
        }
        let zero = Model::new();
        match network.search(self.memory.relations(), query.known.unwrap_or(&zero)) {
            Found::Model(model) => Some(Answer::Model(model)),
            Found::Nothing => Some(none()),
            Found::GaveUp => None,
        }
    }
}

impl Solver for Relate {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        match self.answer(terms, query) {
            Some(answer) => {
                self.statistics.answered += 1;
                answer
            }
            None => self.below.check(terms, query, limits),
        }
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
