//! Checks answers before anybody relies on them: a model by evaluation, a "none" by a second, independent solver.

use everypath_term::{Evaluation, Model, Terms};

use super::report;
use crate::{Answer, Limits, Query, Reason, Solver, Statistics};

/// Evaluates every model against the query; with a second solver, asks it about every "none".
pub struct Check {
    below: Box<dyn Solver>,
    second: Option<Box<dyn Solver>>,
    evaluation: Evaluation,
    statistics: Statistics,
}

impl Check {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Check {
        let statistics = Statistics { name: "check", ..Statistics::default() };
        Check { below, second: None, evaluation: Evaluation::new(Model::new()), statistics }
    }

    /// Asks a second solver about each "none": if it finds a model after all, the answer is refuted. Where the second one
    /// does not know, the answer of the first stands.
    #[must_use]
    pub fn with_second(self, second: Box<dyn Solver>) -> Check {
        Check { second: Some(second), ..self }
    }

    fn holds(&mut self, terms: &Terms, query: Query<'_>, model: &Model) -> bool {
        self.evaluation.set_model(model.clone());
        query.conditions.iter().all(|&condition| self.evaluation.holds(terms, condition))
    }
}

impl Solver for Check {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let answer = self.below.check(terms, query, limits);
        match &answer {
            Answer::Model(model) if !self.holds(terms, query, model) => {
                self.statistics.answered += 1;
                Answer::Unknown(Reason::Refuted("under the model a condition does not hold".to_owned()))
            }
            Answer::None(_) => {
                let Some(second) = &mut self.second else { return answer };
                let Answer::Model(model) = second.check(terms, query, limits) else { return answer };
                if !self.holds(terms, query, &model) {
                    return answer;
                }
                self.statistics.answered += 1;
                Answer::Unknown(Reason::Refuted(format!("the second solver has a model: {model:?}")))
            }
            _ => answer,
        }
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
