//! Questions one after the other, most of which share conditions with the one before.

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::instance::Instance;
use super::{Translator, violated};
use crate::circuit::Literal;
use crate::limits::Budget;
use crate::sat::Outcome;
use crate::{Answer, Limits, Reason};

/// A solver for questions about the terms of one pool.
#[derive(Debug)]
pub struct Session {
    translator: Translator,
    instance: Instance,
    evaluation: Evaluation,
    /// Experiment.
    pub commit: bool,
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

impl Session {
    /// A session that has seen no terms.
    #[must_use]
    pub fn new() -> Session {
        Session {
            translator: Translator::new(),
            instance: Instance::default(),
            evaluation: Evaluation::new(Model::new()),
            commit: true,
        }
    }

    /// The conflicts of the search so far, a measure of work that does not depend on the machine.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.instance.solver.conflicts()
    }

    /// Whether some input makes all these conditions, terms of one bit, true.
    pub fn check(&mut self, terms: &Terms, assertions: &[Term], limits: Limits) -> Answer {
        let budget = Budget::new(limits);
        match self.decide(terms, assertions, &budget) {
            Ok(answer) => answer,
            Err(reason) => {
                if reason == Reason::Memory {
                    // What filled the memory must not stay in the way of the next question.
                    self.translator = Translator::new();
                    self.instance = Instance::default();
                }
                Answer::Unknown(reason)
            }
        }
    }

    fn decide(&mut self, terms: &Terms, assertions: &[Term], budget: &Budget) -> Result<Answer, Reason> {
        if self.translator.follow(terms) {
            self.instance.lemmas.clear();
        }
        let mut conditions = Vec::with_capacity(assertions.len());
        for (place, &assertion) in assertions.iter().enumerate() {
            let condition = self.translator.bits(terms, assertion, budget)?[0];
            match condition.as_constant() {
                Some(true) => {}
                Some(false) => return Ok(Answer::None(vec![assertions[place]])),
                None => conditions.push((place, condition)),
            }
        }
        let set: rustc_hash::FxHashSet<Literal> =
            conditions.iter().map(|&(_, condition)| condition).collect();
        if !self.instance.committed.is_subset(&set) {
            self.instance = Instance::default();
        }
        let circuit = &self.translator.circuit;
        if self.commit {
            for &(_, condition) in &conditions {
                if self.instance.previous.contains(&condition) {
                    self.instance.commit(circuit, condition);
                }
            }
            self.instance.previous = set;
        }
        let open: Vec<Literal> = conditions
            .iter()
            .map(|&(_, condition)| condition)
            .filter(|condition| !self.instance.committed.contains(condition))
            .collect();
        loop {
            match self.instance.solve(&self.translator.circuit, &open, budget) {
                Outcome::Unsatisfiable => {
                    let instance = &mut self.instance;
                    let needed = |&&(_, condition): &&(usize, Literal)| {
                        instance.committed.contains(&condition) || instance.failed(condition)
                    };
                    let core =
                        conditions.iter().filter(needed).map(|&(place, _)| assertions[place]).collect();
                    return Ok(Answer::None(core));
                }
                Outcome::Conflicts => return Err(Reason::Conflicts),
                Outcome::Time => return Err(Reason::Time),
                Outcome::Satisfiable => {
                    let model = self.model(terms, assertions);
                    if self.translator.reads().is_empty()
                        || !self.refine(terms, assertions, &model, budget)?
                    {
                        return Ok(Answer::Model(model));
                    }
                }
            }
        }
    }

    /// The inputs of the assignment found last.
    fn model(&mut self, terms: &Terms, assertions: &[Term]) -> Model {
        let inputs: std::collections::BTreeSet<Input> =
            assertions.iter().flat_map(|&assertion| terms.inputs(assertion).iter()).collect();
        let value = |input: Input| {
            let bits = self.translator.input(input)?;
            Some(bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(self.instance.value(bit))))
        };
        let mut value = value;
        inputs.into_iter().filter_map(|input| Some((input, value(input)?))).collect()
    }

    /// If the assignment found last does not follow the laws of arrays where that matters, adds the laws it violates.
    fn refine(
        &mut self,
        terms: &Terms,
        assertions: &[Term],
        model: &Model,
        budget: &Budget,
    ) -> Result<bool, Reason> {
        self.evaluation.set_model(model.clone());
        if assertions.iter().all(|&assertion| self.evaluation.holds(terms, assertion)) {
            return Ok(false);
        }
        let instance = &mut self.instance;
        let value = |bit: Literal| instance.encoder.known(bit).is_some().then(|| instance.value(bit));
        let mut violated = violated(terms, &self.translator, &mut self.evaluation, value);
        violated.retain(|lemma| !self.instance.lemmas.contains(lemma));
        assert!(
            !violated.is_empty(),
            "an assignment that follows all laws of arrays makes the conditions true"
        );
        for lemma in violated {
            let clause = self.translator.lemma(terms, lemma, budget)?;
            self.instance.clause(&self.translator.circuit, &clause);
            self.instance.lemmas.insert(lemma);
        }
        Ok(true)
    }
}
