//! One SAT solver with what it has been given.

use everypath_term::Input;
use rustc_hash::{FxHashMap, FxHashSet};

use super::search::Condition;
use super::{Lemma, Preference};
use crate::Reason;
use crate::circuit::{Circuit, Literal};
use crate::limits::Budget;
use crate::sat::{ClauseSink, Encoder, Outcome, Solver};

/// After so many conflicts a question is not easy, and preferences are given up.
const EASY: u32 = 1000;

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
    /// The value that was said to be preferred, for each bit of an input of which one was.
    preferred: FxHashMap<Literal, bool>,
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

    /// Which values the bits of input bytes get where nothing else decides.
    pub(super) fn prefer(&mut self, inputs: &[(Input, [Literal; 8])], preference: Preference) {
        for (_, bits) in inputs {
            for (index, &bit) in bits.iter().enumerate() {
                let one = preference.byte() >> index & 1 == 1;
                if let Some(variable) = self.encoder.known(bit)
                    && self.preferred.insert(bit, one) != Some(one)
                {
                    self.solver.prefer(if one { variable } else { -variable });
                }
            }
        }
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
        let limit = budget.conflicts.unwrap_or(u32::MAX);
        if !self.preferred.is_empty() && limit > EASY {
            match self.attempt(assumptions, Some(EASY), budget) {
                Err(Reason::Conflicts) => {}
                decided => return decided,
            }
            // What a person would like does not lead there: search without it.
            for (bit, _) in self.preferred.drain() {
                if let Some(variable) = self.encoder.known(bit) {
                    self.solver.prefer_nothing(variable);
                }
            }
        }
        self.attempt(assumptions, budget.conflicts, budget)
    }

    fn attempt(
        &mut self,
        assumptions: &[i32],
        conflicts: Option<u32>,
        budget: &mut Budget,
    ) -> Result<bool, Reason> {
        let before = self.solver.conflicts();
        let outcome = self.solver.solve(assumptions, conflicts, budget.deadline);
        budget.take_conflicts(self.solver.conflicts() - before);
        match outcome {
            Outcome::Satisfiable => Ok(true),
            Outcome::Unsatisfiable => Ok(false),
            Outcome::Conflicts => Err(Reason::Conflicts),
            Outcome::Time => Err(Reason::Time),
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
