//! Checks answers before anybody relies on them: a model by evaluation, a "none" by a second, independent solver.
//!
//! It is the outermost layer of every stack, so that it sees what leaves the stack and not what some layer in between saw.

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::report;
use crate::backend::BitBlast;
use crate::{Answer, Limits, Query, Reason, Solver, Statistics};

/// Up to so many bytes in which a model differs from the known one, only the conditions that depend on them are evaluated
/// again.
const FEW: usize = 8;

/// Evaluates every model against the whole query; with a second solver, asks it about every "none".
///
/// A model that does not satisfy the query is a fault of a layer below. The query is then asked of a bare backend, without a
/// known model, and that answer is checked, too. The statistics count such faults as `answered`.
pub struct Check {
    below: Box<dyn Solver>,
    /// Made when a model was refuted for the first time.
    bare: Option<BitBlast>,
    second: Option<Box<dyn Solver>>,
    /// Under the known model of the last query; the queries along a path share it.
    known: Evaluation,
    /// Under the model that is checked.
    found: Evaluation,
    statistics: Statistics,
}

impl Check {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Check {
        Check {
            below,
            bare: None,
            second: None,
            known: Evaluation::default(),
            found: Evaluation::default(),
            statistics: Statistics { name: "check", ..Statistics::default() },
        }
    }

    /// Asks a second solver about each "none": if it finds a model after all, the answer is refuted. Where the second one
    /// does not know, the answer of the first stands.
    #[must_use]
    pub fn with_second(self, second: Box<dyn Solver>) -> Check {
        Check { second: Some(second), ..self }
    }

    /// Whether a model satisfies the query.
    ///
    /// A condition that depends on no byte in which the model differs from the known one has the same value under both, and
    /// under the known one it was evaluated for the query before.
    fn holds(&mut self, terms: &Terms, query: Query<'_>, model: &Model) -> bool {
        self.found.set_model(model.clone());
        let Some((known, changed)) = query.known.and_then(|known| Some((known, differing(known, model)?)))
        else {
            return query.conditions.iter().rev().all(|&condition| self.found.holds(terms, condition));
        };
        if self.known.model() != known {
            self.known.set_model(known.clone());
        }
        query.conditions.iter().rev().all(|&condition| match depends_on(terms, condition, &changed) {
            true => self.found.holds(terms, condition),
            false => self.known.holds(terms, condition),
        })
    }
}

/// The bytes in which two models differ, if they are few.
fn differing(a: &Model, b: &Model) -> Option<Vec<Input>> {
    let mut changed = Vec::with_capacity(FEW);
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let input = match (left.peek().copied(), right.peek().copied()) {
            (None, None) => return Some(changed),
            (Some(one), Some(other)) if one == other => {
                left.next();
                right.next();
                continue;
            }
            (Some((one, _)), Some((other, _))) => one.min(other),
            (Some((one, _)), None) | (None, Some((one, _))) => one,
        };
        left.next_if(|(one, _)| *one == input);
        right.next_if(|(other, _)| *other == input);
        if changed.len() == FEW {
            return None;
        }
        changed.push(input);
    }
}

fn depends_on(terms: &Terms, condition: Term, inputs: &[Input]) -> bool {
    let own = terms.inputs(condition);
    inputs.iter().any(|&input| own.contains(input))
}

impl Solver for Check {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let mut answer = self.below.check(terms, query, limits);
        if let Answer::Model(model) = &answer
            && !self.holds(terms, query, model)
        {
            self.statistics.answered += 1;
            let bare = Query { known: None, ..query };
            answer = self.bare.get_or_insert_with(BitBlast::new).check(terms, bare, limits);
            if let Answer::Model(model) = &answer
                && !self.holds(terms, query, model)
            {
                return Answer::Unknown(Reason::Refuted(
                    "under the model a condition does not hold".to_owned(),
                ));
            }
        }
        if let Answer::None(_) = &answer
            && let Some(second) = &mut self.second
            && let Answer::Model(model) = second.check(terms, query, limits)
            && self.holds(terms, query, &model)
        {
            self.statistics.answered += 1;
            return Answer::Unknown(Reason::Refuted(format!("the second solver has a model: {model:?}")));
        }
        answer
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
