//! Local repair of the known model by changing one byte: the byte read last is often still unconstrained.
//!
//! All other bytes keep their values, so only the conditions on that byte have to be evaluated.

use everypath_term::{Evaluation, Input, Model, Sweep, Term, Terms};

use super::attempt::Attempt;
use super::polish::preferred;
use crate::{Answer, Query, QueryLimits};

/// The number of bytes tried, one at a time, from the one read last.
const TRIED: usize = 2;
/// The work for each byte, as [`Evaluation::steps`] counts it. Conditions that read an array at an index that depends on the byte, from which the index of
/// the next read comes, take thousands of times as much as others; the other layers do not evaluate 256 values.
const STEPS: u64 = 1 << 22;

/// Tries to satisfy the query by changing one byte of the known model.
#[derive(Default)]
pub struct Adjust {
    evaluation: Evaluation,
}

impl Attempt for Adjust {
    const NAME: &'static str = "adjust";

    fn attempt(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Option<Answer> {
        self.adjusted(terms, query, limits).map(Answer::Sat)
    }
}

impl Adjust {
    fn adjusted(&mut self, terms: &Terms, query: Query<'_>, limits: &QueryLimits) -> Option<Model> {
        let known = query.known?;
        self.evaluation.set_model(known.clone());
        let mut failing =
            query.conditions.iter().filter(|condition| !self.evaluation.holds(terms, **condition));
        let violated = *failing.next()?;
        if failing.next().is_some() {
            return None;
        }
        let mut inputs: Vec<Input> = terms.inputs(violated).iter().collect();
        inputs.sort_unstable();
        inputs
            .into_iter()
            .rev()
            .take(TRIED)
            .find_map(|input| self.change(terms, query, violated, input, limits))
    }

    /// Searches for a value of one byte that satisfies the violated condition and preserves the others.
    fn change(
        &mut self,
        terms: &Terms,
        query: Query<'_>,
        violated: Term,
        input: Input,
        limits: &QueryLimits,
    ) -> Option<Model> {
        let mut known = query.known.cloned().unwrap_or_default();
        let mut touched: Vec<Term> = query
            .conditions
            .iter()
            .copied()
            .filter(|condition| terms.inputs(*condition).contains(input))
            .collect();
        // The violated condition comes last: it is evaluated first and mostly decides.
        touched.retain(|condition| *condition != violated);
        touched.push(violated);
        let mut left: Vec<u8> = preferred().collect();
        let mut sweep = Sweep::new(&mut self.evaluation, known.clone(), input);
        let end = sweep.steps().saturating_add(STEPS);
        for &condition in touched.iter().rev() {
            if left.is_empty() || sweep.steps() > end || limits.is_stopped() {
                return None;
            }
            sweep.retain(terms, condition, &mut left);
        }
        known.set(input, *left.first()?);
        Some(known)
    }
}
