//! Takes a query apart into conditions that share inputs, so that only what has to do with the question is asked.

use everypath_term::{InputSet, Inputs, Model, Term, Terms};

use super::report;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// Asks only for the part of a query that shares inputs with its last condition, if the rest is known to hold; otherwise
/// for each independent part by itself.
pub struct Slice {
    below: Box<dyn Solver>,
    statistics: Statistics,
}

impl Slice {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Slice {
        Slice { below, statistics: Statistics { name: "slice", ..Statistics::default() } }
    }
}

impl Solver for Slice {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let mut rest = query.conditions.to_vec();
        let mut model = query.known.cloned().unwrap_or_default();
        while let Some(last) = rest.pop() {
            let (part, inputs) = connected(terms, last, &mut rest);
            let below = Query { conditions: &part, known: query.known };
            match self.below.check(terms, below, limits) {
                Answer::Model(found) => take(terms.input_set(inputs), &found, &mut model),
                other => return other,
            }
            if query.known.is_some() {
                // The other parts have nothing to do with it, and hold already.
                break;
            }
        }
        Answer::Model(model)
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}

/// Takes the conditions that share inputs with the given one, directly or through others, out of the rest. They keep
/// their order, and the given one stays the last.
fn connected(terms: &mut Terms, last: Term, rest: &mut Vec<Term>) -> (Vec<Term>, InputSet) {
    let mut inputs = terms.inputs(last).set();
    let mut chosen = vec![false; rest.len()];
    let mut grown = true;
    while grown {
        grown = false;
        // From the end: conditions near the question are the likelier ones.
        for (place, &condition) in rest.iter().enumerate().rev() {
            let own = terms.inputs(condition);
            if !chosen[place] && own.intersects(terms.input_set(inputs)) {
                chosen[place] = true;
                let united = terms.union(inputs, own.set());
                grown |= united != inputs;
                inputs = united;
            }
        }
    }
    let mut part = Vec::new();
    let mut place = 0;
    rest.retain(|&condition| {
        let taken = chosen[place];
        place += 1;
        if taken {
            part.push(condition);
        }
        !taken
    });
    part.push(last);
    (part, inputs)
}

/// Takes over the values of these inputs.
fn take(inputs: Inputs<'_>, from: &Model, to: &mut Model) {
    for input in inputs.iter() {
        to.set(input, from.get(input));
    }
}
