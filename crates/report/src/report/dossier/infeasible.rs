//! Chapter 5: infeasible directions, each with its evidence and a command that checks or reproduces it.

use everypath_record::{Judged, Verdict};

use super::commands::Commands;
use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;

const INFEASIBLE: &[(&str, u8)] = &[("direction", 22), ("evidence", 36), ("command", 30)];
/// What precedes the names of certificates in the evidence of a verdict.
const CERTIFICATES: &str = "; certificates: ";

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, commands: &Commands, document: &mut DossierDocument) {
    document.chapter("Infeasible directions");
    let infeasible: Vec<(&Judged, &str)> = index
        .directions
        .iter()
        .filter_map(|judged| match &judged.verdict {
            Verdict::Infeasible { evidence } => Some((*judged, evidence.as_str())),
            _ => None,
        })
        .collect();
    if infeasible.is_empty() {
        return document.state("EVID", "No direction is claimed to be infeasible.");
    }
    document.state(
        "EVID",
        "A certificate proves that the conditions of one solver query cannot be true together; its check does not trust the solver. That these queries are all there are, and how often a condition was constant, comes from running the program: repeating the run reproduces it.",
    );
    let rows = infeasible.into_iter().map(|(judged, evidence)| {
        let branch = judged.direction.branch;
        let place = index.direction(judged.direction).and(" ").and(index.place(branch));
        let edge = Prose::code(judged.direction.to_string());
        let command = match certificates(evidence).as_slice() {
            [] => Prose::from("repeat the run: ").and(Prose::reference(commands.repeat_identifier())),
            [one] => Prose::code(commands.check_certificate(one)),
            several => {
                // The certificates of a direction differ by a number before the ending.
                let all = several[0].rsplit_once('.').and_then(|(name, _)| name.rsplit_once('.'));
                Prose::code(commands.check_certificates(all.map_or(several[0], |(name, _)| name)))
            }
        };
        vec![vec![place, edge, index.short_source(branch)], cell(evidence), cell(command)]
    });
    document.table("INF", INFEASIBLE, rows);
}

/// The names of the certificates that an evidence names.
fn certificates(evidence: &str) -> Vec<&str> {
    let Some((_, names)) = evidence.split_once(CERTIFICATES) else { return Vec::new() };
    let names = names.split(';').next().unwrap_or_default();
    names.split(", ").map(str::trim).filter(|name| name.ends_with(".certificate")).collect()
}
