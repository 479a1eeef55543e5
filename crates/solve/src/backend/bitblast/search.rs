//! The refinement loop of one query: solve, evaluate the model, add the array lemmas that it violates, repeat.

use std::collections::BTreeSet;

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::instance::Instance;
use super::{Translator, violated};
use crate::UnknownReason;
use crate::circuit::Literal;
use crate::limits::Budget;

/// A condition of a query with its literal in the circuit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    pub(super) term: Term,
    pub(super) literal: Literal,
}

/// The context of one query.
pub(super) struct Search<'a> {
    pub(super) terms: &'a Terms,
    pub(super) translator: &'a mut Translator,
    pub(super) evaluation: &'a mut Evaluation,
    pub(super) budget: &'a mut Budget,
}

impl Search<'_> {
    /// Searches for a model of these conditions; all but `open` are committed in the solver.
    pub(super) fn run(
        &mut self,
        instance: &mut Instance,
        conditions: &[Condition],
        open: &[Literal],
    ) -> Result<Option<Model>, UnknownReason> {
        let assumptions = instance.encode(&self.translator.circuit, open);
        loop {
            // Array lemmas may have introduced more inputs.
            let inputs = self.inputs(conditions);
            if !instance.solve(&assumptions, self.budget)? {
                return Ok(None);
            }
            let model = self.model(instance, &inputs);
            if self.translator.reads().is_empty() {
                return Ok(Some(model));
            }
            self.evaluation.set_model(model.clone());
            if conditions.iter().all(|condition| self.evaluation.holds(self.terms, condition.term)) {
                return Ok(Some(model));
            }
            self.refine(instance)?;
        }
    }

    fn inputs(&self, conditions: &[Condition]) -> Vec<(Input, [Literal; 8])> {
        let inputs: BTreeSet<Input> =
            conditions.iter().flat_map(|condition| self.terms.inputs(condition.term).iter()).collect();
        inputs.into_iter().filter_map(|input| Some((input, self.translator.input(input)?))).collect()
    }

    /// The input bytes of the last satisfying assignment.
    fn model(&self, instance: &mut Instance, inputs: &[(Input, [Literal; 8])]) -> Model {
        let mut byte = |bits: &[Literal; 8]| {
            bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(instance.value(bit)))
        };
        inputs.iter().map(|(input, bits)| (*input, byte(bits))).collect()
    }

    /// Adds the array lemmas violated by the last assignment, whose inputs are the model of the evaluation.
    fn refine(&mut self, instance: &mut Instance) -> Result<(), UnknownReason> {
        let value = |bit: Literal| instance.knows(bit).then(|| instance.value(bit));
        let mut violated = violated(self.terms, self.translator, self.evaluation, value);
        violated.retain(|lemma| !instance.lemmas.contains(lemma));
        assert!(
            !violated.is_empty(),
            "an assignment that follows all laws of arrays makes the conditions true"
        );
        // The next assignment will have nearly the same inputs, under which reads have these values.
        for read in self.translator.reads() {
            instance.guess(&read.bits, self.evaluation.word(self.terms, read.term).unwrap_or(0));
        }
        for lemma in violated {
            let clause = self.translator.lemma(self.terms, lemma, self.budget)?;
            instance.clause(&self.translator.circuit, &clause);
            instance.lemmas.insert(lemma);
        }
        Ok(())
    }
}
