//! Changes one byte of the model that is known for a path: what was read last is often still free.
//!
//! All other bytes stay as they are, so that what remains of the conditions are small questions about one byte.

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::attempt::Attempt;
use super::enumerate::try_all;
use crate::{Answer, Query};

/// How many bytes are tried, each by itself, from the one that was read last.
const TRIED: usize = 2;

/// Tries to make the known model fit by changing one byte of it.
#[derive(Default)]
pub struct Adjust {
    evaluation: Evaluation,
}

impl Attempt for Adjust {
    const NAME: &'static str = "adjust";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>) -> Option<Answer> {
        self.adjusted(terms, query).map(Answer::Model)
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
