//! Validates answers before they leave the stack: a model by evaluation, an unsat by a second, independent solver.
//!
//! It is the outermost layer of every stack, so that it validates final answers and not those of a layer in between.

use everypath_term::Terms;

use super::report;
use crate::backend::BitBlast;
use crate::truth::Truth;
use crate::{Answer, Query, QueryLimits, Solver, Statistics, UnknownReason};

/// Evaluates every model against the whole query; with a second solver, confirms every unsat.
///
/// A model that does not satisfy the query is a bug in a layer below. A bare backend then decides the query, without
/// the known model, and its answer is validated too. The statistics count such bugs as `answered`.
pub struct Check {
    below: Box<dyn Solver>,
    /// Created when the first model is refuted.
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

    /// Passes each unsat query to a second solver: if that one finds a model, the answer is refuted. If the second
    /// solver does not decide, the first answer is kept.
    #[must_use]
    pub fn with_second(self, second: Box<dyn Solver>) -> Check {
        Check { second: Some(second), ..self }
    }
}

impl Solver for Check {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        let mut answer = self.below.check(terms, query, limits);
        if let Answer::Sat(model) = &answer
            && !self.truth.all_hold(terms, query.conditions, model)
        {
            self.statistics.answered += 1;
            let bare = Query { known: None, ..query };
            answer = self.bare.get_or_insert_with(BitBlast::new).check(terms, bare, limits);
            if let Answer::Sat(model) = &answer
                && !self.truth.all_hold(terms, query.conditions, model)
            {
                return Answer::Unknown(UnknownReason::Refuted(
                    "under the model a condition does not hold".to_owned(),
                ));
            }
        }
        if let Answer::Unsat(_) = &answer
            && let Some(second) = &mut self.second
            && let Answer::Sat(model) = second.check(terms, query, limits)
            && self.truth.all_hold(terms, query.conditions, &model)
        {
            self.statistics.answered += 1;
            return Answer::Unknown(UnknownReason::Refuted(format!(
                "the second solver has a model: {model:?}"
            )));
        }
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
