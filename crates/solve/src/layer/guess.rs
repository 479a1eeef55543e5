//! Tries models that answered earlier queries: many a question has been answered before by an answer to another.

use std::collections::VecDeque;

use everypath_term::{Model, Terms};

use super::report;
use crate::truth::Truth;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// How many models are kept.
const KEPT: usize = 12;

/// Tries the known model and the last models that were found.
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
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let zero = Model::new();
        if self.truth.all_hold(terms, query.conditions, query.known.unwrap_or(&zero)) {
            self.statistics.answered += 1;
            return Answer::Model(query.known.unwrap_or(&zero).clone());
        }
        for place in 0..self.models.len() {
            let model = self.models[place].clone();
            if self.truth.all_hold(terms, query.conditions, &model) {
                // Moved to the front: what served once serves again.
                self.models.remove(place);
                self.models.push_front(model.clone());
                self.statistics.answered += 1;
                return Answer::Model(model);
            }
        }
        let answer = self.below.check(terms, query, limits);
        if let Answer::Model(model) = &answer {
            self.models.push_front(model.clone());
            self.models.truncate(KEPT);
        }
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
