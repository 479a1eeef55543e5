//! Checks answers before anybody relies on them: a model by evaluation, a "none" by a second, independent solver.
//!
//! It is the outermost layer of every stack, so that it sees what leaves the stack and not what some layer in between saw.

use everypath_term::Terms;

use super::report;
use crate::backend::BitBlast;
use crate::truth::Truth;
use crate::{Answer, Limits, Query, Reason, Solver, Statistics};

/// Evaluates every model against the whole query; with a second solver, asks it about every "none".
///
/// A model that does not satisfy the query is a fault of a layer below. The query is then asked of a bare backend, without a
/// known model, and that answer is checked, too. The statistics count such faults as `answered`.
pub struct Check {
    below: Box<dyn Solver>,
    /// Made when a model was refuted for the first time.
    bare: Option<BitBlast>,
    second: Option<Box<dyn Solver>>,
    truth: Truth,
    statistics: Statistics,
}

impl Check {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Check {
        Check {
            below,
            bare: None,
            second: None,
            truth: Truth::default(),
            statistics: Statistics { name: "check", ..Statistics::default() },
        }
    }

    /// Asks a second solver about each "none": if it finds a model after all, the answer is refuted. Where the second one
    /// does not know, the answer of the first stands.
    #[must_use]
    pub fn with_second(self, second: Box<dyn Solver>) -> Check {
        Check { second: Some(second), ..self }
    }
}

impl Solver for Check {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let mut answer = self.below.check(terms, query, limits);
        if let Answer::Model(model) = &answer
            && !self.truth.all_hold(terms, query.conditions, model)
        {
            self.statistics.answered += 1;
            let bare = Query { known: None, ..query };
            answer = self.bare.get_or_insert_with(BitBlast::new).check(terms, bare, limits);
            if let Answer::Model(model) = &answer
                && !self.truth.all_hold(terms, query.conditions, model)
            {
                return Answer::Unknown(Reason::Refuted(
                    "under the model a condition does not hold".to_owned(),
                ));
            }
        }
        if let Answer::None(_) = &answer
            && let Some(second) = &mut self.second
            && let Answer::Model(model) = second.check(terms, query, limits)
            && self.truth.all_hold(terms, query.conditions, &model)
        {
            self.statistics.answered += 1;
            return Answer::Unknown(Reason::Refuted(format!("the second solver has a model: {model:?}")));
        }
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
