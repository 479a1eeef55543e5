//! Unsatisfiability certificates: query, CNF and LRAT proof in one text file that anybody can check.
//!
//! The trusted base of an accepted certificate is the SMT-LIB parser, the translation into CNF ([`crate::circuit`],
//! tested operator by operator against the reference semantics, and the array lemmas), and the proof checker. The SAT
//! solver is not part of it.

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

/// The version of the file format. Files of other versions are rejected.
const FORMAT: u32 = 1;

/// The version of the translation of queries into CNF. Raise it with every change of the generated clauses, so that an
/// old certificate is refused with the right reason.
const TRANSLATION: u32 = 2;

/// An unsat result with everything needed to check it; its text form is the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The conditions as SMT-LIB 2.
    query: String,
    /// The unsat core, as ascending indices of conditions.
    core: Vec<usize>,
    /// The solver that made the proof.
    solver: String,
    /// The verdicts of other solvers.
    pub opinions: Vec<Opinion>,
    /// The array lemmas that the proof uses.
    laws: Vec<Lemma>,
    /// For each input byte of the core the variables of its bits, least significant first; 0 for a bit that is not
    /// encoded.
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

    /// The unsat core, as ascending indices of conditions.
    #[must_use]
    pub fn core(&self) -> &[usize] {
        &self.core
    }

    /// The CNF, which is unsatisfiable.
    #[must_use]
    pub fn cnf(&self) -> &Cnf {
        &self.cnf
    }

    /// The proof of unsatisfiability.
    #[must_use]
    pub fn proof(&self) -> &Proof {
        &self.proof
    }
}
