//! Independent-constraint slicing (EXE, Cadar et al. 2006; KLEE): a query splits into sets of conditions that share no
//! input, and sets that the known model already satisfies are not queried.

use everypath_term::{InputSet, Inputs, Model, Term, Terms};

use super::report;
use crate::truth::Truth;
use crate::{Answer, Query, QueryLimits, Solver, Statistics};

/// Queries each independent set of conditions by itself; a set that holds under the known model keeps its values.
///
/// It evaluates by itself which conditions hold. The position in the query does not tell: the layers above split
/// conditions, so the negated branch may consist of several independent ones.
pub struct Slice {
    below: Box<dyn Solver>,
    truth: Truth,
    statistics: Statistics,
}

impl Slice {
    /// Puts the layer above another solver.
    #[must_use]
    pub fn new(below: Box<dyn Solver>) -> Slice {
        let statistics = Statistics { name: "slice", ..Statistics::default() };
        Slice { below, truth: Truth::default(), statistics }
    }
}

impl Solver for Slice {
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &QueryLimits) -> Answer {
        self.statistics.asked += 1;
        let mut rest = query.conditions.to_vec();
        let mut model = query.known.cloned().unwrap_or_default();
        loop {
            // Without a known model, every condition is open.
            let open = match query.known {
                Some(known) => self.truth.last_failing(terms, &rest, known),
                None => rest.len().checked_sub(1),
            };
            let Some(open) = open else { break };
            let last = rest.remove(open);
            let (part, inputs) = connected(terms, last, &mut rest);
            let below = Query { conditions: &part, known: query.known };
            match self.below.check(terms, below, limits) {
                Answer::Sat(found) => take(terms.input_set(inputs), &found, &mut model),
                other => return other,
            }
        }
        Answer::Sat(model)
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}

/// Removes from the rest the conditions that share inputs with the given one, transitively. They keep their order, and
/// the given one becomes the last.
fn connected(terms: &mut Terms, last: Term, rest: &mut Vec<Term>) -> (Vec<Term>, InputSet) {
    let mut inputs = terms.inputs(last).set();
    let mut chosen = vec![false; rest.len()];
    let mut grown = true;
    while grown {
        grown = false;
        // From the end: conditions near the last one are likelier to be connected.
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

/// Copies the values of these inputs.
fn take(inputs: Inputs<'_>, from: &Model, to: &mut Model) {
    for input in inputs.iter() {
        to.set(input, from.get(input));
    }
}
