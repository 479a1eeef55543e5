//! Likely affine relations by sampling (as in Daikon, Ernst et al. 2001): the merged words of which an address is an affine
//! function under all models at hand.
//!
//! The structure of the address does not tell: simplification turns a word of two values into the bit that chooses between
//! them, and arithmetic on that into something else.

use std::collections::BTreeSet;

use everypath_ir::Width;
use everypath_term::{Evaluation, Model, Term, Terms};

/// Maximum number of models that are compared.
const MODELS: usize = 32;

/// The values of a term under each model, as signed numbers.
struct Sampled(Vec<i128>);

impl Sampled {
    fn of(terms: &Terms, evaluations: &mut [Evaluation], term: Term) -> Option<Sampled> {
        let width = terms.width(term);
        let signed = |word: u64| (word << (64 - width.bits())) as i64 >> (64 - width.bits());
        let values =
            evaluations.iter_mut().map(|under| under.word(terms, term).map(|word| signed(word).into()));
        values.collect::<Option<Vec<i128>>>().map(Sampled)
    }

    fn distinct(&self) -> usize {
        self.0.iter().collect::<BTreeSet<_>>().len()
    }

    /// Whether these are an affine function of the others, which are not all the same.
    fn is_affine_in(&self, others: &Sampled) -> bool {
        let pairs = || self.0.iter().zip(&others.0);
        let Some((from, at)) = pairs().next() else { return false };
        let Some((to, other)) = pairs().find(|(_, other)| *other != at) else { return false };
        let (rise, run) = (to - from, other - at);
        rise != 0
            && rise % run == 0
            && pairs().all(|(value, other)| value - from == (other - at) * (rise / run))
    }
}

/// The terms of which an address is an affine function under these models: those with the most values.
pub(super) fn sources<'m>(
    terms: &Terms,
    address: Term,
    candidates: impl Iterator<Item = Term>,
    models: impl Iterator<Item = &'m Model>,
) -> Vec<Term> {
    if terms.width(address) > Width::W64 {
        return Vec::new();
    }
    let mut evaluations: Vec<Evaluation> =
        models.take(MODELS).map(|model| Evaluation::new(model.clone())).collect();
    let Some(sampled) = Sampled::of(terms, &mut evaluations, address) else { return Vec::new() };
    if sampled.distinct() < 2 {
        return Vec::new();
    }
    let mut best = (0, Vec::new());
    for term in candidates {
        if terms.width(term) > Width::W64 || !terms.inputs(term).intersects(terms.inputs(address)) {
            continue;
        }
        let Some(values) = Sampled::of(terms, &mut evaluations, term) else { continue };
        let distinct = values.distinct();
        if distinct < best.0 || !sampled.is_affine_in(&values) {
            continue;
        }
        if distinct > best.0 {
            best = (distinct, Vec::new());
        }
        best.1.push(term);
    }
    best.1
}

#[cfg(test)]
mod tests {
    use everypath_ir::Op;
    use everypath_term::Input;

    use super::*;

    /// An index of two values, shifted and added to a base, is found although no subterm is the index.
    #[test]
    fn an_index_is_found() {
        let mut terms = Terms::new();
        let (byte, other) = (terms.input(Input(0)), terms.input(Input(1)));
        let five = terms.constant_u64(5, Width::W8);
        let [chosen, unrelated] = [byte, other].map(|byte| terms.eq(byte, five));
        let [zero, one] = [0, 1].map(|value| terms.constant_u64(value, Width::W32));
        let index = terms.select(chosen, one, zero);
        let wrong = terms.select(unrelated, one, zero);
        let [four, base] = [4, 0x1000].map(|value| terms.constant_u64(value, Width::W32));
        let scaled = terms.apply(Op::Shl, Width::W32, &[index, four]);
        let address = terms.apply(Op::Add, Width::W32, &[scaled, base]);
        let models: Vec<Model> =
            [[5, 0], [0, 5], [5, 5], [0, 0]].iter().map(|bytes| Model::from_bytes(bytes)).collect();
        let found = sources(&terms, address, [wrong, index].into_iter(), models.iter());
        assert_eq!(found, [index]);
        let found = sources(&terms, address, [wrong].into_iter(), models.iter());
        assert_eq!(found, []);
    }
}
