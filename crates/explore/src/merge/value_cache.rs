//! The values of terms of one input byte, by enumeration, for terms that recur.

use std::rc::Rc;

use everypath_term::{ByteSet, Evaluation, Input, Model, Term, Terms, TruthTables};
use rustc_hash::FxHashMap;

/// The values of terms that depend on one input byte.
#[derive(Default)]
pub(super) struct ValueCache {
    /// The bytes under which conditions hold.
    sets: TruthTables,
    /// The values of terms if the byte is one of a set, in ascending order.
    lists: FxHashMap<(Term, ByteSet), Rc<[u64]>>,
    /// The number of collections at which the terms were valid.
    collections: u32,
}

impl ValueCache {
    /// The values of the only input byte of a condition under which it holds; `None` if it has several.
    pub(super) fn set(&mut self, terms: &Terms, condition: Term) -> Option<ByteSet> {
        self.sets.of(terms, condition)
    }

    /// The values of a term of at most 64 bits whose only input byte is one of a set, in ascending order.
    pub(super) fn list(
        &mut self,
        terms: &Terms,
        evaluation: &mut Evaluation,
        term: Term,
        (input, set): (Input, ByteSet),
    ) -> Option<Rc<[u64]>> {
        if self.collections != terms.collections() {
            self.collections = terms.collections();
            self.lists.clear();
        }
        if let Some(known) = self.lists.get(&(term, set)) {
            return Some(known.clone());
        }
        evaluation.set_model(Model::new());
        let under = |value: u8| {
            evaluation.set_byte(input, value);
            evaluation.word(terms, term)
        };
        let mut values = set.iter().map(under).collect::<Option<Vec<u64>>>()?;
        values.sort_unstable();
        values.dedup();
        let values: Rc<[u64]> = values.into();
        self.lists.insert((term, set), values.clone());
        Some(values)
    }
}
