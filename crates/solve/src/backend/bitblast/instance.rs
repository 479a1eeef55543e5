//! One SAT solver with what it has been given.

use rustc_hash::FxHashSet;

use super::Lemma;
use super::search::Condition;
use crate::Reason;
use crate::circuit::{Circuit, Literal};
use crate::limits::Budget;
use crate::sat::{ClauseSink, Encoder, Outcome, Solver};

/// A SAT solver, the gates it knows, and the conditions it takes for granted.
#[derive(Debug, Default)]
pub(super) struct Instance {
    solver: Solver,
    encoder: Encoder,
    /// The conditions that were added as clauses; they hold in every question that this solver gets.
    pub(super) committed: FxHashSet<Literal>,
    /// The conditions of the last question.
    pub(super) previous: FxHashSet<Literal>,
    /// How many conditions there were, in all questions, that were not in the one before.
    pub(super) met: usize,
    pub(super) lemmas: FxHashSet<Lemma>,
}

impl Instance {
    /// Whether the solver knows the gate of this literal.
    pub(super) fn knows(&self, literal: Literal) -> bool {
        self.encoder.known(literal).is_some()
    }

    /// Adds a clause over the circuit.
    pub(super) fn clause(&mut self, circuit: &Circuit, literals: &[Literal]) {
        let clause: Vec<i32> = literals
            .iter()
            .map(|&literal| self.encoder.literal(circuit, &mut self.solver, literal))
            .collect();
        self.solver.clause(&clause);
    }

    /// Makes the solver ready for a question: what this one has in common with the last is taken for granted from now
    /// on. Gives the conditions that have to be assumed.
    pub(super) fn prepare(&mut self, circuit: &Circuit, conditions: &[Condition]) -> Vec<Literal> {
        let mut open = Vec::new();
        for &Condition { literal, .. } in conditions {
            if self.committed.contains(&literal) {
                continue;
            }
            if self.previous.contains(&literal) {
                self.committed.insert(literal);
                self.clause(circuit, &[literal]);
            } else {
                self.met += 1;
                open.push(literal);
            }
        }
        self.previous = conditions.iter().map(|condition| condition.literal).collect();
        open
    }

    /// The solver's literals for these; gives it the gates that it lacks.
    pub(super) fn encode(&mut self, circuit: &Circuit, literals: &[Literal]) -> Vec<i32> {
        literals.iter().map(|&literal| self.encoder.literal(circuit, &mut self.solver, literal)).collect()
    }

    /// Says which value these bits probably have.
    pub(super) fn guess(&mut self, bits: &[Literal; 8], value: u64) {
        for (index, &bit) in bits.iter().enumerate() {
            if let Some(variable) = self.encoder.known(bit) {
                self.solver.prefer(if value >> index & 1 == 1 { variable } else { -variable });
            }
        }
    }

    /// Asks the question with these assumptions beside what is taken for granted. The conflicts it takes are taken off
    /// the budget.
    pub(super) fn solve(&mut self, assumptions: &[i32], budget: &mut Budget) -> Result<bool, Reason> {
        let before = self.solver.conflicts();
        let outcome = self.solver.solve(assumptions, budget.conflicts, &budget.until);
        budget.take_conflicts(self.solver.conflicts() - before);
        match outcome {
            Outcome::Satisfiable => Ok(true),
            Outcome::Unsatisfiable => Ok(false),
            Outcome::Conflicts => Err(Reason::Conflicts),
            Outcome::Time => Err(budget.overrun()),
        }
    }

    /// The value of a literal in the assignment found last; what the solver does not know is free, and zero.
    pub(super) fn value(&mut self, literal: Literal) -> bool {
        match self.encoder.known(literal.positive()) {
            Some(variable) => self.solver.value(variable) != literal.is_complement(),
            None => literal.is_complement(),
        }
    }

    /// Whether the last question, to which the answer was none, needed this assumption for it.
    pub(super) fn failed(&mut self, condition: Literal) -> bool {
        let assumption = self.encoder.known(condition);
        assumption.is_some_and(|assumption| self.solver.failed(assumption))
    }
}
