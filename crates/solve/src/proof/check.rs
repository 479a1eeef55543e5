//! The checker of proofs.
//!
//! It is small so that it can be read as a whole: whoever believes this file and the clauses need not believe the
//! solver. It shares no code with it. Each step must follow by unit propagation along exactly its hints; time is
//! linear in the size of the proof, memory in the clauses that live at the same time.

use std::collections::HashMap;
use std::fmt;

use super::{Proof, Step};
use crate::sat::Cnf;

/// Why a proof is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The step, counted from one; if the proof ends too early, one more than it has.
    pub step: usize,
    /// What is wrong with it.
    pub why: Flaw,
}

/// What is wrong with a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The number of a new clause is not greater than all before.
    Number(u64),
    /// A literal is zero, or of a variable that the clauses do not have.
    Literal(i32),
    /// A clause with a literal and its complement.
    Tautology,
    /// A hint or deletion names a clause that is not there.
    NoSuchClause(u64),
    /// Under the hints before it, this one is neither a unit nor contradicted.
    Useless(u64),
    /// There are hints behind the one that is contradicted.
    Beyond,
    /// The hints do not contradict the complement of the clause.
    DoesNotFollow,
    /// The proof ends without the empty clause.
    NoEnd,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "step {}: ", self.step)?;
        match self.why {
            Flaw::Number(id) => write!(formatter, "the number {id} is not greater than all before"),
            Flaw::Literal(literal) => write!(formatter, "{literal} is not a literal of the clauses"),
            Flaw::Tautology => formatter.write_str("the clause has a literal and its complement"),
            Flaw::NoSuchClause(id) => write!(formatter, "there is no clause {id}"),
            Flaw::Useless(id) => write!(formatter, "the hint {id} is neither a unit nor contradicted"),
            Flaw::Beyond => formatter.write_str("there are hints behind the contradiction"),
            Flaw::DoesNotFollow => formatter.write_str("the clause does not follow from its hints"),
            Flaw::NoEnd => formatter.write_str("the proof ends without the empty clause"),
        }
    }
}

impl std::error::Error for Refusal {}

/// Whether the proof shows that no assignment satisfies the clauses.
///
/// # Errors
/// The first step that is wrong. What follows the empty clause is not looked at.
pub fn check(cnf: &Cnf, proof: &Proof) -> Result<(), Refusal> {
    let mut checker = Checker::new(cnf);
    for (index, step) in proof.steps.iter().enumerate() {
        let done = checker.step(step).map_err(|why| Refusal { step: index + 1, why })?;
        if done {
            return Ok(());
        }
    }
    Err(Refusal { step: proof.steps.len() + 1, why: Flaw::NoEnd })
}

struct Checker {
    clauses: HashMap<u64, Box<[i32]>>,
    /// The greatest number of a clause so far.
    last: u64,
    variables: i32,
    /// For each literal the round in which it was last true; so nothing has to be cleared between rounds.
    true_in: Vec<u64>,
    round: u64,
}

impl Checker {
    fn new(cnf: &Cnf) -> Checker {
        let clauses: HashMap<u64, Box<[i32]>> = (1..).zip(cnf.clauses().map(Box::from)).collect();
        Checker {
            last: clauses.len() as u64,
            clauses,
            variables: cnf.variables(),
            true_in: vec![0; 2 * cnf.variables() as usize],
            round: 0,
        }
    }

    /// Checks one step; whether it is the empty clause.
    fn step(&mut self, step: &Step) -> Result<bool, Flaw> {
        match step {
            Step::Add { id, literals, hints } => {
                if *id <= self.last {
                    return Err(Flaw::Number(*id));
                }
                self.follows(literals, hints)?;
                self.last = *id;
                self.clauses.insert(*id, literals.as_slice().into());
                Ok(literals.is_empty())
            }
            Step::Delete { ids } => {
                for id in ids {
                    self.clauses.remove(id).ok_or(Flaw::NoSuchClause(*id))?;
                }
                Ok(false)
            }
        }
    }

    /// Assumes that all literals of the clause are false, and propagates along the hints to a contradiction.
    fn follows(&mut self, literals: &[i32], hints: &[u64]) -> Result<(), Flaw> {
        self.round += 1;
        for &literal in literals {
            if literal == 0 || literal.unsigned_abs() > self.variables.unsigned_abs() {
                return Err(Flaw::Literal(literal));
            }
            if self.is_true(literal) {
                return Err(Flaw::Tautology);
            }
            self.set_true(-literal);
        }
        for (index, &hint) in hints.iter().enumerate() {
            let clause = self.clauses.get(&hint).ok_or(Flaw::NoSuchClause(hint))?;
            let mut open = clause.iter().copied().filter(|&literal| !self.is_true(-literal));
            match (open.next(), open.next()) {
                (None, _) if index + 1 == hints.len() => return Ok(()),
                (None, _) => return Err(Flaw::Beyond),
                (Some(unit), None) if !self.is_true(unit) => self.set_true(unit),
                (Some(_), _) => return Err(Flaw::Useless(hint)),
            }
        }
        Err(Flaw::DoesNotFollow)
    }

    fn index(literal: i32) -> usize {
        (literal.unsigned_abs() as usize - 1) * 2 + usize::from(literal < 0)
    }

    fn is_true(&self, literal: i32) -> bool {
        self.true_in[Self::index(literal)] == self.round
    }

    fn set_true(&mut self, literal: i32) {
        self.true_in[Self::index(literal)] = self.round;
    }
}
