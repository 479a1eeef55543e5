//! The translation of a query into the CNF of a certificate, used by the generator and again by the checker.

use everypath_term::{Input, Term, Terms};

use crate::UnknownReason;
use crate::backend::bitblast::{Lemma, Translator};
use crate::circuit::Literal;
use crate::limits::Budget;
use crate::sat::{ClauseSink, Cnf, Encoder};

/// The CNF of conditions, with the circuit behind it.
#[derive(Debug)]
pub(super) struct Translation {
    translator: Translator,
    encoder: Encoder,
    pub(super) cnf: Cnf,
}

impl Translation {
    /// Translates conditions and array lemmas about their reads into clauses.
    pub(super) fn new(
        terms: &Terms,
        conditions: &[Term],
        laws: &[Lemma],
        budget: &Budget,
    ) -> Result<Translation, UnknownReason> {
        let mut translation =
            Translation { translator: Translator::without_facts(), encoder: Encoder::new(), cnf: Cnf::new() };
        translation.translator.follow(terms);
        for &condition in conditions {
            let literal = translation.translator.bits(terms, condition, budget)?[0];
            translation.clause(&[literal]);
        }
        for &law in laws {
            translation.law(terms, law, budget)?;
        }
        Ok(translation)
    }

    /// Adds an array lemma.
    ///
    /// A lemma about a read that does not exist adds no clause.
    pub(super) fn law(&mut self, terms: &Terms, law: Lemma, budget: &Budget) -> Result<(), UnknownReason> {
        if law.read < self.translator.reads().len() {
            let clause = self.translator.lemma(terms, law, budget)?;
            self.clause(&clause);
        }
        Ok(())
    }

    fn clause(&mut self, literals: &[Literal]) {
        let mut clause: Vec<i32> = literals
            .iter()
            .map(|&literal| self.encoder.literal(&self.translator.circuit, &mut self.cnf, literal))
            .collect();
        clause.sort_unstable();
        clause.dedup();
        self.cnf.clause(&clause);
    }

    pub(super) fn translator(&self) -> &Translator {
        &self.translator
    }

    /// The variable of a bit, negative for a complement; 0 if the CNF does not contain it.
    pub(super) fn variable(&self, literal: Literal) -> i32 {
        self.encoder.known(literal).unwrap_or(0)
    }

    /// The variables of the bits of each input byte that the conditions depend on.
    pub(super) fn inputs(&self, terms: &Terms, conditions: &[Term]) -> Vec<(u32, [i32; 8])> {
        let mut inputs: Vec<Input> =
            conditions.iter().flat_map(|&condition| terms.inputs(condition).iter()).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let known = inputs.into_iter().filter_map(|input| Some((input.0, self.translator.input(input)?)));
        known.map(|(input, bits)| (input, bits.map(|bit| self.variable(bit)))).collect()
    }
}
