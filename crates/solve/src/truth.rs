//! Memoised evaluation of conditions. The truth of a condition depends on the values of its own input bytes alone, and
//! the models of neighbouring paths agree on most bytes: nearly every condition of a path prefix was evaluated under
//! the same values before.

use everypath_term::{Evaluation, Model, Term, Terms};
use rustc_hash::FxHashMap;

/// Conditions over more bytes are not memoised: this many values fill the word of a key.
const BYTES: usize = 8;

/// The number of entries at which all are dropped; a bound on memory, not on correctness.
const KEPT: usize = 1 << 17;

/// Evaluates conditions under a model, memoised by the values of their input bytes.
#[derive(Default, Debug)]
pub(crate) struct Truth {
    evaluation: Evaluation,
    /// By condition and the values of its bytes, in the order of its inputs. The key is exact, not a hash.
    kept: FxHashMap<(Term, u64), bool>,
    collections: u32,
}

impl Truth {
    /// Returns true if all conditions hold under a model. The last one is evaluated first: mostly it decides.
    pub(crate) fn all_hold(&mut self, terms: &Terms, conditions: &[Term], model: &Model) -> bool {
        self.last_failing(terms, conditions, model).is_none()
    }

    /// The index of the last condition that does not hold under a model.
    pub(crate) fn last_failing(
        &mut self,
        terms: &Terms,
        conditions: &[Term],
        model: &Model,
    ) -> Option<usize> {
        if self.collections != terms.collections() || self.kept.len() > KEPT {
            // After a collection, term numbers may denote other terms.
            self.collections = terms.collections();
            // Not cleared, which would keep its memory.
            self.kept = FxHashMap::default();
        }
        if self.evaluation.model() != model {
            self.evaluation.set_model(model.clone());
        }
        conditions.iter().rposition(|&condition| !self.holds(terms, condition))
    }

    fn holds(&mut self, terms: &Terms, condition: Term) -> bool {
        let Truth { evaluation, kept, .. } = self;
        let Some(values) = values(terms, condition, evaluation.model()) else {
            return evaluation.holds(terms, condition);
        };
        *kept.entry((condition, values)).or_insert_with(|| evaluation.holds(terms, condition))
    }
}

/// The values of a condition's bytes, in the order of its inputs, if they fit into a word.
fn values(terms: &Terms, condition: Term, model: &Model) -> Option<u64> {
    let mut word = 0;
    for (number, input) in terms.inputs(condition).iter().enumerate() {
        if number == BYTES {
            return None;
        }
        word = word << 8 | u64::from(model.get(input));
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use everypath_ir::{Op, Width};
    use everypath_term::Input;

    use super::*;

    /// Compares with evaluation without memoisation, under models that share some bytes and differ in others.
    #[test]
    fn what_is_kept_is_what_evaluation_says() {
        let mut terms = Terms::new();
        let bytes: Vec<Term> = (0..12).map(|number| terms.input(Input(number))).collect();
        let mut conditions = Vec::new();
        for (number, &byte) in bytes.iter().enumerate() {
            let bound = terms.constant_u64(number as u64 + 1, Width::W8);
            conditions.push(terms.apply(Op::Ult, Width::W1, &[byte, bound]));
        }
        // Around the number of bytes that a key holds, and two conditions over the same bytes.
        for count in [2, 7, 8, 9, 12] {
            let mut sum = bytes[0];
            for &byte in &bytes[1..count] {
                sum = terms.apply(Op::Add, Width::W8, &[sum, byte]);
            }
            let seven = terms.constant_u64(7, Width::W8);
            conditions.push(terms.ne(sum, seven));
        }
        conditions.push(terms.apply(Op::Ult, Width::W1, &[bytes[0], bytes[1]]));
        conditions.push(terms.apply(Op::Ult, Width::W1, &[bytes[1], bytes[0]]));
        let mut truth = Truth::default();
        for seed in 0..2000_u32 {
            let bits = seed.wrapping_mul(2_654_435_761);
            let values: Vec<u8> = (0..12).map(|number| (bits >> number) as u8 & 7).collect();
            let model = Model::from_bytes(&values);
            let mut plain = Evaluation::new(model.clone());
            for end in 1..=conditions.len() {
                let expected =
                    conditions[..end].iter().rposition(|&condition| !plain.holds(&terms, condition));
                assert_eq!(truth.last_failing(&terms, &conditions[..end], &model), expected);
            }
        }
    }

    /// After a collection the number of a term may denote another one.
    #[test]
    fn a_collection_forgets() {
        let mut terms = Terms::new();
        let mut truth = Truth::default();
        let model = Model::from_bytes(&[5]);
        for limit in 1..10 {
            let byte = terms.input(Input(0));
            let bound = terms.constant_u64(limit, Width::W8);
            let less = terms.apply(Op::Ult, Width::W1, &[byte, bound]);
            assert_eq!(truth.all_hold(&terms, &[less], &model), 5 < limit, "{limit}");
            terms.collect(Vec::new(), []);
        }
    }
}
