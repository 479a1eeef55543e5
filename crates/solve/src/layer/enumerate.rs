//! Exhaustive enumeration: decides queries over a single input byte by the truth tables of their conditions.

use everypath_term::{ByteSet, Input, Terms, TruthTables};

use super::attempt::Attempt;
use super::polish::preferred;
use crate::{Answer, Query, QueryLimits};

/// Enumerates the values of the only byte that a query depends on.
#[derive(Default)]
pub struct Enumerate {
    tables: TruthTables,
}

impl Attempt for Enumerate {
    const NAME: &'static str = "enumerate";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Option<Answer> {
        let input = only_input(terms, query)?;
        // The remaining values. A condition that excludes none of them is not part of the core.
        let mut left = ByteSet::ALL;
        let mut core = Vec::new();
        for &condition in query.conditions.iter().rev() {
            if limits.is_stopped() {
                return None;
            }
            let both = left.meet(&self.tables.of(terms, condition)?);
            if both != left {
                core.push(condition);
            }
            left = both;
            if left.is_empty() {
                core.reverse();
                return Some(Answer::Unsat(core));
            }
        }
        let mut model = query.known.cloned().unwrap_or_default();
        model.set(input, preferred().find(|value| left.contains(*value))?);
        Some(Answer::Sat(model))
    }
}

/// The only byte that the conditions depend on.
fn only_input(terms: &Terms, query: Query<'_>) -> Option<Input> {
    let mut only = None;
    for &condition in query.conditions {
        let mut inputs = terms.inputs(condition).iter();
        let first = inputs.next()?;
        if inputs.next().is_some() || only.is_some_and(|only| only != first) {
            return None;
        }
        only = Some(first);
    }
    only
}
