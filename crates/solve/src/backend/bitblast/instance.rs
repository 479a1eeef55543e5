//! One SAT solver with what it has been given.

use rustc_hash::FxHashSet;

use super::Lemma;
use crate::circuit::{Circuit, Literal};
use crate::limits::Budget;
use crate::sat::{ClauseSink, Encoder, Outcome, Solver};

/// A SAT solver, the gates it knows, and the conditions it takes for granted.
#[derive(Debug, Default)]
pub(super) struct Instance {
    pub(super) solver: Solver,
    pub(super) encoder: Encoder,
    /// The conditions that were added as clauses; they hold in every question that this solver gets.
    pub(super) committed: FxHashSet<Literal>,
    /// The conditions of the last question.
    pub(super) previous: FxHashSet<Literal>,
    pub(super) lemmas: FxHashSet<Lemma>,
}

impl Instance {
    /// Adds a clause over the circuit.
    pub(super) fn clause(&mut self, circuit: &Circuit, literals: &[Literal]) {
        let clause: Vec<i32> = literals
            .iter()
            .map(|&literal| self.encoder.literal(circuit, &mut self.solver, literal))
            .collect();
        self.solver.clause(&clause);
    }

    /// Takes a condition for granted from now on.
    pub(super) fn commit(&mut self, circuit: &Circuit, condition: Literal) {
        if self.committed.insert(condition) {
            self.clause(circuit, &[condition]);
        }
    }

    pub(super) fn solve(&mut self, circuit: &Circuit, conditions: &[Literal], budget: &Budget) -> Outcome {
        let assumptions: Vec<i32> = conditions
            .iter()
            .map(|&condition| self.encoder.literal(circuit, &mut self.solver, condition))
            .collect();
        self.solver.solve(&assumptions, budget.conflicts, budget.deadline)
    }

    /// The value of a literal in the assignment found last; what the solver does not know is free, and zero.
    pub(super) fn value(&mut self, literal: Literal) -> bool {
        match self.encoder.known(literal.positive()) {
            Some(variable) => self.solver.value(variable) != literal.is_complement(),
            None => literal.is_complement(),
        }
    }

    /// Whether the last question, to which the answer was none, needed this condition for it.
    pub(super) fn failed(&mut self, condition: Literal) -> bool {
        let assumption = self.encoder.known(condition);
        assumption.is_some_and(|assumption| self.solver.failed(assumption))
    }
}
