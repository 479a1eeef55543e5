//! LRAT proofs of unsatisfiability: produced by the SAT solver, parsed and checked by code that shares nothing with it.

mod binary;
mod certificate;
mod check;
mod produce;
mod step;
mod text;
mod trim;

pub use certificate::{Accepted, Certificate, Opinion, Refused, Uncertified, certify, check_certificate};
pub use check::{Flaw, Refusal, check};
pub use produce::{Produced, produce};
pub use step::{Proof, ProofError, ProofStep};
