//! One incremental SAT solver instance: its encoded gates, committed conditions and array lemmas.

use rustc_hash::FxHashSet;

use super::Lemma;
use super::search::Condition;
use crate::UnknownReason;
use crate::circuit::{Circuit, Literal};
use crate::limits::Budget;
use crate::sat::{ClauseSink, Encoder, SatOutcome, SatSolver};

/// A SAT solver with the gates encoded into it and the conditions committed as unit clauses.
#[derive(Debug, Default)]
pub(super) struct Instance {
    solver: SatSolver,
    encoder: Encoder,
    /// Conditions added as unit clauses; every later query to this instance must contain them.
    pub(super) committed: FxHashSet<Literal>,
    /// The conditions of the last query.
    pub(super) previous: FxHashSet<Literal>,
    /// The number of conditions, over all queries, that the previous query did not have. Bounds stale conditions in the
    /// solver.
    pub(super) met: usize,
    pub(super) lemmas: FxHashSet<Lemma>,
}

impl Instance {
    /// Returns true if the gate of this literal is encoded in the solver.
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

    /// Commits the conditions that this query shares with the last one as unit clauses. Returns the others, to be
    /// passed as assumptions.
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

    /// The solver's literals for these; encodes the gates that it lacks.
    pub(super) fn encode(&mut self, circuit: &Circuit, literals: &[Literal]) -> Vec<i32> {
        literals.iter().map(|&literal| self.encoder.literal(circuit, &mut self.solver, literal)).collect()
    }

    /// Sets the preferred decision phase of these bits.
    pub(super) fn guess(&mut self, bits: &[Literal; 8], value: u64) {
        for (index, &bit) in bits.iter().enumerate() {
            if let Some(variable) = self.encoder.known(bit) {
                self.solver.prefer(if value >> index & 1 == 1 { variable } else { -variable });
            }
        }
    }

    /// Solves under these assumptions and the committed conditions. Deducts the conflicts from the budget.
    pub(super) fn solve(&mut self, assumptions: &[i32], budget: &mut Budget) -> Result<bool, UnknownReason> {
        let before = self.solver.conflicts();
        let outcome = self.solver.solve(assumptions, budget.conflicts, &budget.until);
        budget.take_conflicts(self.solver.conflicts() - before);
        match outcome {
            SatOutcome::Satisfiable => Ok(true),
            SatOutcome::Unsatisfiable => Ok(false),
            SatOutcome::Conflicts => Err(UnknownReason::Conflicts),
            SatOutcome::Time => Err(budget.overrun()),
        }
    }

    /// The value of a literal in the last satisfying assignment; a gate that is not encoded is unconstrained and reads
    /// as zero.
    pub(super) fn value(&mut self, literal: Literal) -> bool {
        match self.encoder.known(literal.positive()) {
            Some(variable) => self.solver.value(variable) != literal.is_complement(),
            None => literal.is_complement(),
        }
    }

    /// Returns true if the final conflict of the last query, which was unsatisfiable, involves this assumption.
    pub(super) fn failed(&mut self, condition: Literal) -> bool {
        let assumption = self.encoder.known(condition);
        assumption.is_some_and(|assumption| self.solver.failed(assumption))
    }
}
