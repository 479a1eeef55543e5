//! The layer that decides queries by binary constraint satisfaction.

use everypath_term::{Model, Term, Terms};

use super::memory::Memory;
use super::search::Found;
use crate::layer::attempt::Attempt;
use crate::{Answer, Query, QueryLimits};

/// Shorter queries are cheap for every backend.
pub(super) const LONG: usize = 8;
/// The maximum number of bytes in a network.
pub(super) const BYTES: usize = 512;

/// Decides queries whose conditions depend on one or two bytes each, such as chains of values of which each depends on
/// the previous one. Only the values that a condition allows matter, not the operators in it.
#[derive(Default)]
pub struct Relate {
    memory: Memory,
}

impl Attempt for Relate {
    const NAME: &'static str = "relate";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>, _limits: &QueryLimits) -> Option<Answer> {
        if query.conditions.len() < LONG {
            return None;
        }
        let bounds = self.memory.bounds(terms, query.conditions);
        if bounds.len() < LONG || !self.memory.pays(&bounds) {
            return None;
        }
        let none = || Answer::Unsat(bounds.iter().map(|bound| bound.condition).collect::<Vec<Term>>());
        let mut network = self.memory.network(&bounds);
        if network.len() > BYTES {
            return None;
        }
        if !network.propagate(self.memory.relations()) {
            return Some(none());
        }
        if bounds.len() < query.conditions.len() {
            return None;
        }
        let zero = Model::new();
        match network.search(self.memory.relations(), query.known.unwrap_or(&zero)) {
            Found::Model(model) => Some(Answer::Sat(model)),
            Found::Nothing => Some(none()),
            Found::GaveUp => None,
        }
    }
}
