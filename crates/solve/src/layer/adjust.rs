//! Changes one byte of the model that is known for a path: what was read last is often still free.
//!
//! All other bytes stay as they are, so that what remains of the conditions are small questions about one byte.

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::enumerate::try_all;
use super::report;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// How many bytes are tried, each by itself, from the one that was read last.
const TRIED: usize = 2;

/// Tries to make the known model fit by changing one byte of it.
pub struct Adjust {
    below: Box<dyn Solver>,
    evaluation: Evaluation,
    statistics: Statistics,
}

impl Adjust {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Adjust {
        let statistics = Statistics { name: "adjust", ..Statistics::default() };
        Adjust { below, evaluation: Evaluation::new(Model::new()), statistics }
    }

    fn adjusted(&mut self, terms: &Terms, query: Query<'_>) -> Option<Model> {
        let known = query.known?;
        self.evaluation.set_model(known.clone());
        let mut failing =
            query.conditions.iter().filter(|condition| !self.evaluation.holds(terms, **condition));
        let question = *failing.next()?;
        if failing.next().is_some() {
            return None;
        }
        let mut inputs: Vec<Input> = terms.inputs(question).iter().collect();
        inputs.sort_unstable();
        inputs
            .into_iter()
            .rev()
            .take(TRIED)
            .find_map(|input| self.change(terms, query, known, question, input))
    }

    /// Looks for a value of one byte that makes the question true and keeps all else so.
    fn change(
        &mut self,
        terms: &Terms,
        query: Query<'_>,
        known: &Model,
        question: Term,
        input: Input,
    ) -> Option<Model> {
        let mut touched: Vec<Term> = query
            .conditions
            .iter()
            .copied()
            .filter(|condition| terms.inputs(*condition).contains(input))
            .collect();
        // The question comes last: it is tried first, and mostly decides.
        touched.retain(|condition| *condition != question);
        touched.push(question);
        try_all(&mut self.evaluation, terms, &touched, input, known.clone()).ok()
    }
}

impl Solver for Adjust {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        if let Some(model) = self.adjusted(terms, query) {
            self.statistics.answered += 1;
            return Answer::Model(model);
        }
        self.below.check(terms, query, limits)
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
