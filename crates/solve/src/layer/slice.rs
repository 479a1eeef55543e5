//! Independent-constraint slicing (as in EXE and KLEE): a query falls apart into sets of conditions that share no input, and
//! sets that the known model satisfies already are not asked about.

use everypath_term::{InputSet, Inputs, Model, Term, Terms};

use super::report;
use crate::truth::Truth;
use crate::{Answer, Limits, Query, Solver, Statistics};

/// Asks for each independent set of conditions by itself; one that holds under the known model as a whole keeps its values.
///
/// Which conditions hold is evaluated here. The caller's word would not do: the layers above take conditions apart, so that
/// the question, too, may consist of several that share no input.
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
    fn check(&mut self, terms: &mut Terms, query: Query<'_>, limits: &Limits) -> Answer {
        self.statistics.asked += 1;
        let mut rest = query.conditions.to_vec();
        let mut model = query.known.cloned().unwrap_or_default();
        loop {
            // Without a model to start from, every condition is open.
            let open = match query.known {
                Some(known) => self.truth.last_failing(terms, &rest, known),
                None => rest.len().checked_sub(1),
            };
            let Some(open) = open else { break };
            let last = rest.remove(open);
            let (part, inputs) = connected(terms, last, &mut rest);
            let below = Query { conditions: &part, known: query.known };
            match self.below.check(terms, below, limits) {
                Answer::Model(found) => take(terms.input_set(inputs), &found, &mut model),
                other => return other,
            }
        }
        Answer::Model(model)
    }

    fn statistics(&self, list: &mut Vec<Statistics>) {
        report(self.statistics, &*self.below, list);
    }
}

/// Takes the conditions that share inputs with the given one, directly or through others, out of the rest. They keep
/// their order, and the given one becomes the last.
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
