//! Exhaustive enumeration: decides queries over a single input byte by evaluating all 256 values.

use everypath_term::{Evaluation, Input, Model, Sweep, Term, Terms};

use super::attempt::Attempt;
use super::polish::preferred;
use crate::{Answer, Query, QueryLimits};

/// Enumerates the values of the only byte that a query depends on.
#[derive(Default)]
pub struct Enumerate {
    evaluation: Evaluation,
}

impl Attempt for Enumerate {
    const NAME: &'static str = "enumerate";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Option<Answer> {
        let input = only_input(terms, query)?;
        let model = query.known.cloned().unwrap_or_default();
        match try_all(&mut self.evaluation, terms, query.conditions, input, model, &Effort::of(limits)) {
            Tried::Model(model) => Some(Answer::Sat(model)),
            Tried::Nothing(core) => Some(Answer::Unsat(core)),
            Tried::GaveUp => None,
        }
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

/// The result of trying all values of a byte.
pub(super) enum Tried {
    Model(Model),
    /// No value satisfies these conditions.
    Nothing(Vec<Term>),
    /// The effort ended before all conditions were evaluated.
    GaveUp,
}

/// How long all values of a byte are tried.
pub(super) struct Effort<'l> {
    /// The work, as [`Evaluation::steps`] counts it.
    pub(super) steps: u64,
    pub(super) limits: &'l QueryLimits,
}

impl<'l> Effort<'l> {
    /// Until the query is cancelled.
    fn of(limits: &'l QueryLimits) -> Effort<'l> {
        Effort { steps: u64::MAX, limits }
    }
}

/// Tries all values of a byte: a model that differs from the given one in this byte only and satisfies all conditions,
/// or an unsat core.
pub(super) fn try_all(
    evaluation: &mut Evaluation,
    terms: &Terms,
    conditions: &[Term],
    input: Input,
    mut model: Model,
    effort: &Effort<'_>,
) -> Tried {
    // The remaining values. A condition that excludes none of them is not part of the core.
    let mut left: Vec<u8> = preferred().collect();
    let mut core = Vec::new();
    let mut sweep = Sweep::new(evaluation, model.clone(), input);
    let end = sweep.steps().saturating_add(effort.steps);
    for &condition in conditions.iter().rev() {
        if sweep.steps() > end || effort.limits.is_stopped() {
            return Tried::GaveUp;
        }
        let before = left.len();
        sweep.retain(terms, condition, &mut left);
        if left.len() < before {
            core.push(condition);
        }
        if left.is_empty() {
            core.reverse();
            return Tried::Nothing(core);
        }
    }
    model.set(input, left[0]);
    Tried::Model(model)
}
