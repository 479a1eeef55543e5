//! The certificate checker.

use std::fmt;

use everypath_term::Term;

use super::translation::Translation;
use super::{Certificate, Opinion, TRANSLATION, text};
use crate::limits::Budget;
use crate::proof::{Refusal, check};
use crate::{QueryLimits, UnknownReason};

/// The content of an accepted certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// The number of conditions of the query.
    pub conditions: usize,
    /// The unsat core, as indices of conditions.
    pub core: Vec<usize>,
    /// The number of clauses.
    pub clauses: usize,
    /// The number of steps of the proof.
    pub steps: usize,
    /// The recorded verdicts of other solvers. They are not verified.
    pub opinions: Vec<Opinion>,
}

/// The reason why a certificate is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The file is not a certificate.
    Form {
        /// The line, counted from one.
        line: usize,
        /// The error.
        why: String,
    },
    /// The certificate was made with another version of the translation into CNF.
    Translation(u32),
    /// The query cannot be parsed.
    Query(String),
    /// The query cannot be bit-blasted.
    Untranslated(UnknownReason),
    /// The core names a condition that does not exist, or one twice.
    Core(usize),
    /// The clauses are not those of the query.
    Clauses,
    /// The map from input bits to variables is not that of the query.
    Inputs,
    /// The proof is wrong.
    Proof(Refusal),
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Form { line, why } => write!(formatter, "line {line}: {why}"),
            Refused::Translation(version) => {
                write!(
                    formatter,
                    "made with version {version} of the translation, this is version {TRANSLATION}"
                )
            }
            Refused::Query(why) => write!(formatter, "the query cannot be read: {why}"),
            Refused::Untranslated(reason) => write!(formatter, "the query cannot be translated: {reason}"),
            Refused::Core(place) => {
                write!(formatter, "the core names condition {place}, which is not there or was named before")
            }
            Refused::Clauses => formatter.write_str("the clauses are not those of the query"),
            Refused::Inputs => {
                formatter.write_str("the variables of the input bits are not those of the query")
            }
            Refused::Proof(refusal) => write!(formatter, "the proof is wrong: {refusal}"),
        }
    }
}

impl std::error::Error for Refused {}

/// Checks the text of a certificate: translates the query again, compares the clauses, and checks the proof.
///
/// # Errors
/// The first error found.
#[allow(
    clippy::needless_pass_by_value,
    reason = "limits are cheap to clone, and callers build them in place"
)]
pub fn check_certificate(text: &str, limits: QueryLimits) -> Result<Accepted, Refused> {
    let Certificate { query, core, opinions, laws, inputs, cnf, proof, .. } = text::read(text)?;
    let (terms, all) = text::read_query(&query).map_err(Refused::Query)?;
    let mut conditions: Vec<Term> = Vec::new();
    for (number, &place) in core.iter().enumerate() {
        let condition = all.get(place).filter(|_| !core[..number].contains(&place));
        conditions.push(*condition.ok_or(Refused::Core(place))?);
    }
    let translation =
        Translation::new(&terms, &conditions, &laws, &Budget::new(&limits)).map_err(Refused::Untranslated)?;
    if translation.cnf != cnf {
        return Err(Refused::Clauses);
    }
    if translation.inputs(&terms, &conditions) != inputs {
        return Err(Refused::Inputs);
    }
    check(&cnf, &proof).map_err(Refused::Proof)?;
    Ok(Accepted { conditions: all.len(), core, clauses: cnf.len(), steps: proof.steps.len(), opinions })
}
