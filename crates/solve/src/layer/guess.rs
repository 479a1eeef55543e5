//! Model reuse: a model of an earlier query often satisfies the next one.

use std::collections::VecDeque;

use everypath_term::{Model, Terms};

use super::report;
use crate::truth::Truth;
use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// The number of models kept.
const KEPT: usize = 12;

/// Evaluates the query under the known model and the most recent models.
pub struct Guess {
    below: Box<dyn Solver>,
    models: VecDeque<Model>,
    truth: Truth,
    statistics: Statistics,
}

impl Guess {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Guess {
        let statistics = Statistics { name: "guess", ..Statistics::default() };
        Guess { below, models: VecDeque::new(), truth: Truth::default(), statistics }
    }
}

impl Solver for Guess {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        let zero = Model::new();
        if self.truth.all_hold(terms, query.conditions, query.known.unwrap_or(&zero)) {
            self.statistics.answered += 1;
            return Answer::Sat(query.known.unwrap_or(&zero).clone());
        }
        for place in 0..self.models.len() {
            let model = self.models[place].clone();
            if self.truth.all_hold(terms, query.conditions, &model) {
                // Move to front: a model that was reused is likely to be reused again.
                self.models.remove(place);
                self.models.push_front(model.clone());
                self.statistics.answered += 1;
                return Answer::Sat(model);
            }
        }
        let answer = self.below.check(terms, query, limits);
        if let Answer::Sat(model) = &answer {
            self.models.push_front(model.clone());
            self.models.truncate(KEPT);
        }
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
