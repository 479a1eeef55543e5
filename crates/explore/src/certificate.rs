//! Unsatisfiability certificates for infeasible verdicts, one for each unsat core of a direction.

use everypath_record::Direction;
use everypath_solve::proof::{Certificate, Uncertified, certify};

use crate::explorer::Explorer;

/// A certificate, and the name by which the verdict refers to it.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The name of its file.
    pub name: String,
    /// The certificate, to be checked independently.
    pub certificate: Certificate,
}

impl Explorer<'_> {
    /// Adds the certificates of an infeasible direction. Returns the text about them in its verdict.
    pub(crate) fn certify(&mut self, direction: Direction, certificates: &mut Vec<Certified>) -> String {
        let limits = self.query_limits();
        let Some(known) = self.coverage.known(direction) else { return String::new() };
        let (mut names, mut without) = (Vec::new(), Vec::new());
        for (number, core) in known.cores.iter().enumerate() {
            let name = format!("{}-{}.{}.certificate", direction.branch, direction.target, number + 1);
            match certify(&self.terms, core, limits.clone()) {
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
        if !names.is_empty() {
            text = format!("; certificates: {}", names.join(", "));
        }
        for why in without {
            text.push_str(&format!("; one has no certificate: {why}"));
        }
        text
    }
}
