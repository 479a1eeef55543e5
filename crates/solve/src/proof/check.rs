//! An LRAT proof checker (Cruz-Filipe et al. 2017), restricted to steps by unit propagation (RUP).
//!
//! It is small enough to be read as a whole: whoever trusts this file and the clauses need not trust the solver. It
//! shares no code with the solver. Each step must follow by unit propagation along exactly its hints; time is linear in
//! the size of the proof, memory in the number of live clauses.

use std::collections::HashMap;
use std::fmt;

use super::{Proof, ProofStep};
use crate::sat::Cnf;

/// The reason why a proof is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The step, counted from one; if the proof ends too early, one past its last step.
    pub step: usize,
    /// The error.
    pub why: Flaw,
}

/// An error in a proof step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The number of a new clause is not greater than all earlier ones.
    Number(u64),
    /// A literal is zero, or its variable does not occur in the CNF.
    Literal(i32),
    /// A clause with a literal and its complement.
    Tautology,
    /// A hint or deletion names a clause that does not exist.
    NoSuchClause(u64),
    /// After the preceding hints, this clause is neither unit nor falsified.
    Useless(u64),
    /// There are hints after the falsified one.
    Beyond,
    /// Propagation along the hints does not reach a conflict.
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

/// Checks that the proof refutes the clauses.
///
/// # Errors
/// The first invalid step. Steps after the empty clause are ignored.
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
    /// The greatest clause number so far.
    last: u64,
    variables: i32,
    /// For each literal the round in which it was last true, so that nothing has to be cleared between rounds.
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

    /// Checks one step; returns true if it adds the empty clause.
    fn step(&mut self, step: &ProofStep) -> Result<bool, Flaw> {
        match step {
            ProofStep::Add { id, literals, hints } => {
                if *id <= self.last {
                    return Err(Flaw::Number(*id));
                }
                self.follows(literals, hints)?;
                self.last = *id;
                self.clauses.insert(*id, literals.as_slice().into());
                Ok(literals.is_empty())
            }
            ProofStep::Delete { ids } => {
                for id in ids {
                    self.clauses.remove(id).ok_or(Flaw::NoSuchClause(*id))?;
                }
                Ok(false)
            }
        }
    }

    /// Assumes the negation of the clause, and propagates along the hints to a conflict.
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
