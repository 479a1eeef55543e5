//! Truth tables of conditions on a single input byte, memoised with those of their subterms.

use crate::sweep::{Sweep, SweptTerms};
use crate::{ByteSet, Evaluation, Term, Terms};

/// The number of words of memoised values at which all are dropped; a bound on memory, not on correctness.
const KEPT: usize = 1 << 21;

/// The values of the only input byte of conditions under which they hold.
///
/// A term of one input byte has the same values under every model. The conditions of a path grow from each other, so that a table
/// mostly takes a few rows of values more than those before it.
#[derive(Default)]
pub struct TruthTables {
    evaluation: Evaluation,
    swept: SweptTerms,
    collections: u32,
}

impl TruthTables {
    /// The values under which a condition holds; `None` if it depends on several bytes, or on none.
    pub fn of(&mut self, terms: &Terms, condition: Term) -> Option<ByteSet> {
        let mut inputs = terms.inputs(condition).iter();
        let (Some(input), None) = (inputs.next(), inputs.next()) else { return None };
        let mut swept = std::mem::take(&mut self.swept);
        if self.collections != terms.collections() || swept.words() > KEPT {
            // After a collection, term numbers may denote other terms.
            self.collections = terms.collections();
            swept = SweptTerms::default();
        }
        let mut sweep = Sweep::resume(&mut self.evaluation, input, swept);
        let set = sweep.all_values(terms, condition);
        self.swept = sweep.into_swept();
        Some(set)
    }
}
