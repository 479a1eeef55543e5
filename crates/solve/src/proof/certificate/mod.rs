//! Certificates: a "none" as one text file that anybody can check again.
//!
//! What has to be believed to believe an accepted certificate: the reader of the query, the translation into clauses
//! ([`crate::circuit`], checked operator by operator against their meaning, and the laws of arrays), and the checker of
//! proofs. The SAT solver is not among them.

mod check;
mod make;
mod opinion;
mod text;
mod translation;

pub use check::{Accepted, Refused, check_certificate};
pub use make::{Uncertified, certify};
pub use opinion::Opinion;

use super::Proof;
use crate::backend::bitblast::Lemma;
use crate::sat::Cnf;

/// The version of the form of the file. Another one is not read.
const FORMAT: u32 = 1;

/// The version of the translation of queries into clauses: to be raised with every change of what clauses a query
/// becomes, so that an old certificate is refused with the right reason.
const TRANSLATION: u32 = 2;

/// A "none" with all that it takes to check it; its text form is the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The conditions as SMT-LIB 2.
    query: String,
    /// Which of the conditions no input makes true together, in their order.
    core: Vec<usize>,
    /// The solver that made the proof.
    solver: String,
    /// What other solvers said.
    pub opinions: Vec<Opinion>,
    /// The laws of arrays that the proof uses.
    laws: Vec<Lemma>,
    /// For each input byte of the core the variables of its bits, the least significant first; 0 for one that plays no
    /// part.
    inputs: Vec<(u32, [i32; 8])>,
    cnf: Cnf,
    proof: Proof,
}

impl Certificate {
    /// The conditions as SMT-LIB 2.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Which of the conditions no input makes true together, in their order.
    #[must_use]
    pub fn core(&self) -> &[usize] {
        &self.core
    }

    /// The clauses, which no assignment satisfies.
    #[must_use]
    pub fn cnf(&self) -> &Cnf {
        &self.cnf
    }

    /// The proof of that.
    #[must_use]
    pub fn proof(&self) -> &Proof {
        &self.proof
    }
}
