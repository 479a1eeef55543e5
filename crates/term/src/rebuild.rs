//! Substitution of input bytes, and re-simplification.

use rustc_hash::FxHashMap;

use crate::{Array, ArrayView, Input, Part, Term, Terms, View};

impl Terms {
    /// Simplifies terms that were built without simplification, by [`Terms::apply_plain`] or a parser.
    pub fn simplify(&mut self, roots: &[Term]) -> Vec<Term> {
        self.substitute(roots, |_| None)
    }

    /// Substitutes terms of eight bits for some input bytes, and simplifies.
    ///
    /// # Panics
    /// If a replacement does not have eight bits.
    pub fn substitute(&mut self, roots: &[Term], replacement: impl Fn(Input) -> Option<Term>) -> Vec<Term> {
        let mut terms: FxHashMap<Term, Term> = FxHashMap::default();
        let mut arrays: FxHashMap<Array, Array> = FxHashMap::default();
        for part in self.parts(roots) {
            match part {
                Part::Term(term) => {
                    let new = match self.view(term) {
                        View::Constant(_) => term,
                        View::Input(input) => {
                            let new = replacement(input).unwrap_or(term);
                            assert_eq!(self.width(new), self.width(term), "a byte takes the place of a byte");
                            new
                        }
                        View::Apply { op, mut arguments } => {
                            arguments.for_each(|argument| *argument = terms[argument]);
                            self.apply(op, self.width(term), &arguments)
                        }
                        View::Read { array, index } => self.read(arrays[&array], terms[&index]),
                    };
                    terms.insert(term, new);
                }
                Part::Array(array) => {
                    let new = match self.array_view(array) {
                        ArrayView::Table(_) => array,
                        ArrayView::Store { array, index, value } => {
                            self.store(arrays[&array], terms[&index], terms[&value])
                        }
                    };
                    arrays.insert(array, new);
                }
            }
        }
        roots.iter().map(|root| terms[root]).collect()
    }
}
