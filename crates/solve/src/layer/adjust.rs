//! Local repair of the known model by changing one byte: the byte read last is often still unconstrained.
//!
//! All other bytes keep their values, so only the conditions on that byte have to be evaluated.

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::attempt::Attempt;
use super::enumerate::try_all;
use crate::{Answer, Query};

/// The number of bytes tried, one at a time, from the one read last.
const TRIED: usize = 2;

/// Tries to satisfy the query by changing one byte of the known model.
#[derive(Default)]
pub struct Adjust {
    evaluation: Evaluation,
}

impl Attempt for Adjust {
    const NAME: &'static str = "adjust";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>) -> Option<Answer> {
        self.adjusted(terms, query).map(Answer::Sat)
    }
}

impl Adjust {
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

    /// Searches for a value of one byte that satisfies the violated condition and preserves the others.
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
        // The violated condition comes last: it is evaluated first and mostly decides.
        touched.retain(|condition| *condition != question);
        touched.push(question);
        try_all(&mut self.evaluation, terms, &touched, input, known.clone()).ok()
    }
}
