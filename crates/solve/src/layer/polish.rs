//! Model minimisation for readability: prefers zero, then printable characters, then small numbers, where the query
//! allows it.

use everypath_term::{Evaluation, Input, Model, Term, Terms};

use super::report;
use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// The maximum number of bytes changed: in a query over many bytes they depend on each other anyway.
const BYTES: usize = 8;

/// All values of a byte in order of preference.
pub(in crate::layer) fn preferred() -> impl Iterator<Item = u8> {
    std::iter::once(0).chain(b' '..=b'~').chain(1..b' ').chain(0x7f..=0xff)
}

/// The preference rank of a value: lower is better.
fn rank(value: u8) -> u8 {
    match value {
        0 => 0,
        b'0' => 1,
        b' '..=b'~' => 2,
        1..b' ' => 3,
        _ => 4,
    }
}

/// The values tried in place of one with a higher rank.
const CANDIDATES: [u8; 3] = [0, b'0', b'a'];

/// Tries preferred values for the bytes of a model, one after the other, by evaluation.
pub struct Polish {
    below: Box<dyn Solver>,
    evaluation: Evaluation,
    statistics: Statistics,
}

impl Polish {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Polish {
        let statistics = Statistics { name: "polish", ..Statistics::default() };
        Polish { below, evaluation: Evaluation::new(Model::new()), statistics }
    }

    /// A model of the same conditions with preferred values where they suffice.
    ///
    /// Along a path only the bytes of the last condition are changed, and the others keep their known values if that
    /// satisfies the query: they were minimised when their condition was the last.
    fn polished(&mut self, terms: &Terms, query: Query<'_>, mut model: Model) -> Model {
        let mut looked_at = query.conditions;
        if let (Some(known), [.., _]) = (query.known, query.conditions) {
            looked_at = &query.conditions[query.conditions.len() - 1..];
            let mut near = known.clone();
            for input in terms.inputs(looked_at[0]).iter() {
                near.set(input, model.get(input));
            }
            if self.satisfies(terms, query.conditions, &near) {
                model = near;
            }
        }
        for input in improvable(terms, looked_at, &model) {
            let value = model.get(input);
            for candidate in CANDIDATES.into_iter().filter(|&candidate| rank(candidate) < rank(value)) {
                // The evaluation drops its reference while the model is changed, so that no bytes are copied.
                self.evaluation.set_model(Model::new());
                model.set(input, candidate);
                self.evaluation.set_model(model.clone());
                let holds = |&condition: &Term| {
                    !terms.inputs(condition).contains(input) || self.evaluation.holds(terms, condition)
                };
                if query.conditions.iter().rev().all(holds) {
                    break;
                }
                self.evaluation.set_model(Model::new());
                model.set(input, value);
            }
        }
        model
    }

    fn satisfies(&mut self, terms: &Terms, conditions: &[Term], model: &Model) -> bool {
        self.evaluation.set_model(model.clone());
        conditions.iter().rev().all(|&condition| self.evaluation.holds(terms, condition))
    }
}

/// The bytes whose values have a better alternative.
fn improvable(terms: &Terms, conditions: &[Term], model: &Model) -> Vec<Input> {
    let mut inputs = Vec::with_capacity(BYTES);
    for input in conditions.iter().rev().flat_map(|&condition| terms.inputs(condition).iter()) {
        if inputs.len() == BYTES {
            break;
        }
        if rank(model.get(input)) > rank(b'0') && !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    inputs
}

impl Solver for Polish {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        match self.below.check(terms, query, limits) {
            Answer::Sat(model) => Answer::Sat(self.polished(terms, query, model)),
            answer => answer,
        }
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}
