//! A proof in the LRAT form: clauses that follow, each with the clauses it follows from.

use std::fmt;

/// One step of a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A clause that follows.
    Add {
        /// Its number, greater than all before; those of the clauses to begin with are 1, 2 and so on.
        id: u64,
        /// The clause.
        literals: Vec<i32>,
        /// The numbers of the clauses from which unit propagation derives it, in this order.
        hints: Vec<u64>,
    },
    /// Clauses that are not used any more.
    Delete {
        /// Their numbers.
        ids: Vec<u64>,
    },
}

/// The steps of a proof.
///
/// The text form has one step a line:
///
/// ```
/// use everypath_solve::proof::{Proof, Step};
/// let proof: Proof = "4 2 0 1 3 0\n4 d 1 3 0\n5 0 4 2 0\n".parse().unwrap();
/// assert_eq!(proof.steps[0], Step::Add { id: 4, literals: vec![2], hints: vec![1, 3] });
/// assert_eq!(proof.to_string(), "4 2 0 1 3 0\n4 d 1 3 0\n5 0 4 2 0\n");
/// assert_eq!(Proof::from_binary(&proof.to_binary()), Ok(proof));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Proof {
    /// The steps in their order.
    pub steps: Vec<Step>,
}

/// Why something is not a proof in the LRAT form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofError {
    /// The line, or in the binary form the offset of the byte, at which reading ended.
    pub at: usize,
    /// What is wrong there.
    pub why: &'static str,
}

impl fmt::Display for ProofError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at {}: {}", self.at, self.why)
    }
}

impl std::error::Error for ProofError {}

/// What a hint that is not a positive number says.
pub(super) const NOT_PLAIN: &str =
    "a hint is not a positive number: only steps by unit propagation are accepted";
