//! The SAT solver CaDiCaL, and the Tseitin encoding of gates into its clauses.

mod clauses;
mod encode;
mod solver;

pub use clauses::{ClauseSink, Cnf, DimacsError};
pub use encode::Encoder;
pub use solver::{SatOutcome, SatSolver};
