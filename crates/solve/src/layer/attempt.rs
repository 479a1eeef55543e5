//! Layers that answer a query by themselves or leave it to the next one as it is.

use everypath_term::Terms;

use super::report;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// A way to answer some queries.
pub trait Attempt {
    /// The name in the statistics.
    const NAME: &'static str;

    /// The answer, if this way finds it.
    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>) -> Option<Answer>;
}

/// Tries one way, and asks the next layer for what it does not answer.
pub struct Attempting<A> {
    way: A,
    below: Box<dyn Solver>,
    statistics: Statistics,
}

impl<A: Attempt + Default> Attempting<A> {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Attempting<A> {
        let statistics = Statistics { name: A::NAME, ..Statistics::default() };
        Attempting { way: A::default(), below, statistics }
    }
}

impl<A: Attempt> Solver for Attempting<A> {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        match self.way.attempt(terms, query) {
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
