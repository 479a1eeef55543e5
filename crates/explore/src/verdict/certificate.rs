//! Unsatisfiability certificates for infeasible verdicts, one for each unsat core of a direction.

use everypath_record::Direction;
use everypath_solve::QueryLimits;
use everypath_solve::proof::{Certificate, Uncertified, certify};
use everypath_term::{Term, Terms};

/// A certificate, and the name by which the verdict refers to it.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The name of its file.
    pub name: String,
    /// The certificate, to be checked independently.
    pub certificate: Certificate,
}

/// Adds the certificates of an infeasible direction, one for each unsat core, and their names. Returns the text about those that
/// could not be made.
pub(crate) fn certify_direction<'c>(
    direction: Direction,
    cores: impl IntoIterator<Item = &'c Vec<Term>>,
    terms: &Terms,
    limits: &QueryLimits,
    names: &mut Vec<String>,
    certificates: &mut Vec<Certified>,
) -> String {
    let mut without = Vec::new();
    for (number, core) in cores.into_iter().enumerate() {
        let name = format!("{}-{}.{}.certificate", direction.branch, direction.target, number + 1);
        match certify(terms, core, limits.clone()) {
            Ok(certificate) => {
                names.push(name.clone());
                certificates.push(Certified { name, certificate });
            }
            Err(Uncertified::Unknown(reason)) => without.push(reason.to_string()),
            Err(Uncertified::Query(why)) => without.push(why),
            Err(other) => without.push(format!("{other:?}")),
        }
    }
    let mut text = String::new();
    for why in without {
        text.push_str(&format!("; one has no certificate: {why}"));
    }
    text
}
