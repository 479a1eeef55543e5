//! Certificates for verdicts: that no input takes a direction where a path reached its branch.

use everypath_record::Direction;
use everypath_solve::proof::{Certificate, Uncertified, certify};

use crate::explorer::Explorer;

/// A certificate, and the name under which the verdict speaks of it.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The name of its file.
    pub name: String,
    /// What is to be checked again.
    pub certificate: Certificate,
}

impl Explorer<'_> {
    /// Adds the certificates for a direction that no input takes; what is to be said about them.
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
