//! The base of layers that answer a query themselves or pass it to the next one unchanged.

use everypath_term::Terms;

use super::report;
use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// An incomplete decision procedure: it answers some queries.
pub trait Attempt {
    /// The name in the statistics.
    const NAME: &'static str;

    /// The answer, if the procedure finds one. Its work is bounded by the procedure itself, or it looks at the stop
    /// flag of the limits: the deadline of the whole search holds inside a query too.
    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Option<Answer>;
}

/// Tries one procedure, and passes the queries that it does not answer to the next layer.
pub struct Attempting<A> {
    technique: A,
    below: Box<dyn Solver>,
    statistics: Statistics,
}

impl<A: Attempt + Default> Attempting<A> {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Attempting<A> {
        let statistics = Statistics { name: A::NAME, ..Statistics::default() };
        Attempting { technique: A::default(), below, statistics }
    }
}

impl<A: Attempt> Solver for Attempting<A> {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        let answer = if limits.is_stopped() { None } else { self.technique.attempt(terms, query, limits) };
        match answer {
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
