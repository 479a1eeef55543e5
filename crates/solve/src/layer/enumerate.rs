//! Exhaustive enumeration: decides queries over a single input byte by evaluating all 256 values.

use everypath_term::{Evaluation, Input, Model, Sweep, Term, Terms};

use super::attempt::Attempt;
use super::polish::preferred;
use crate::{Answer, Query};

/// Enumerates the values of the only byte that a query depends on.
#[derive(Default)]
pub struct Enumerate {
    evaluation: Evaluation,
}

impl Attempt for Enumerate {
    const NAME: &'static str = "enumerate";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>) -> Option<Answer> {
        let input = only_input(terms, query)?;
        let model = query.known.cloned().unwrap_or_default();
        Some(match try_all(&mut self.evaluation, terms, query.conditions, input, model) {
            Ok(model) => Answer::Sat(model),
            Err(core) => Answer::Unsat(core),
        })
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

/// A model that differs from the given one in this byte only and satisfies all conditions; otherwise an unsat core.
pub(super) fn try_all(
    evaluation: &mut Evaluation,
    terms: &Terms,
    conditions: &[Term],
    input: Input,
    mut model: Model,
) -> Result<Model, Vec<Term>> {
    // The remaining values. A condition that excludes none of them is not part of the core.
    let mut left: Vec<u8> = preferred().collect();
    let mut core = Vec::new();
    let mut sweep = Sweep::new(evaluation, model.clone(), input);
    for &condition in conditions.iter().rev() {
        let before = left.len();
        sweep.retain(terms, condition, &mut left);
        if left.len() < before {
            core.push(condition);
        }
        if left.is_empty() {
            core.reverse();
            return Err(core);
        }
    }
    model.set(input, left[0]);
    Ok(model)
}
