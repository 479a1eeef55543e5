//! The LRAT proof format: derived clauses, each with hints naming the clauses that it follows from.

use std::fmt;

/// One step of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// A derived clause.
    Add {
        /// Its number, greater than all earlier ones; the original clauses are numbered from 1.
        id: u64,
        /// The clause.
        literals: Vec<i32>,
        /// The numbers of the clauses from which unit propagation derives it, in this order.
        hints: Vec<u64>,
    },
    /// Deletion of clauses that are no longer used.
    Delete {
        /// Their numbers.
        ids: Vec<u64>,
    },
}

/// The steps of a proof.
///
/// The text format has one step per line:
///
/// ```
/// use everypath_solve::proof::{Proof, ProofStep};
/// let proof: Proof = "4 2 0 1 3 0\n4 d 1 3 0\n5 0 4 2 0\n".parse().unwrap();
/// assert_eq!(proof.steps[0], ProofStep::Add { id: 4, literals: vec![2], hints: vec![1, 3] });
/// assert_eq!(proof.to_string(), "4 2 0 1 3 0\n4 d 1 3 0\n5 0 4 2 0\n");
/// assert_eq!(Proof::from_binary(&proof.to_binary()), Ok(proof));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Proof {
    /// The steps in their order.
    pub steps: Vec<ProofStep>,
}

/// The reason why an input is not an LRAT proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofError {
    /// The line, or in the binary format the byte offset, at which parsing failed.
    pub at: usize,
    /// The error.
    pub why: &'static str,
}

impl fmt::Display for ProofError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at {}: {}", self.at, self.why)
    }
}

impl std::error::Error for ProofError {}

/// The error for a hint that is not a positive number.
pub(super) const NOT_PLAIN: &str =
    "a hint is not a positive number: only steps by unit propagation are accepted";
