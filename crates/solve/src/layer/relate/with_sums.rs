//! Queries of binary relations and linear constraints over bytes.

use everypath_term::{Model, Terms};

use super::memory::Memory;
use super::search::Found;
use super::solver::{BYTES, LONG};
use super::total::Total;
use crate::{Answer, Query};

impl Memory {
    /// The answer to a query of relations and linear constraints only, if a short search finds it.
    pub(in crate::layer) fn with_sums(&mut self, terms: &Terms, query: Query<'_>) -> Option<Answer> {
        if query.conditions.len() < LONG {
            return None;
        }
        let bounds = self.bounds(terms, query.conditions);
        let sums = query.conditions.len() - bounds.len();
        if sums == 0 || bounds.len() < LONG || !self.pays(&bounds) {
            return None;
        }
        let mut network = self.network(&bounds);
        let mut rest = bounds.iter().map(|bound| bound.condition).peekable();
        for &condition in query.conditions {
            // Both lists are in the same order.
            if rest.next_if_eq(&condition).is_none() {
                let total = Total::of(terms, condition, |input| network.number(input))?;
                network.add(total);
            }
        }
        let none = || Some(Answer::Unsat(query.conditions.to_vec()));
        if network.len() > BYTES {
            return None;
        }
        if !network.propagate(self.relations()) {
            return none();
        }
        let zero = Model::new();
        match network.search(self.relations(), query.known.unwrap_or(&zero)) {
            Found::Model(model) => Some(Answer::Sat(model)),
            Found::Nothing => none(),
            Found::GaveUp => None,
        }
    }
}
