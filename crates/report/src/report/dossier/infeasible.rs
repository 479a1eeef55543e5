//! Chapter 5: infeasible directions, each with its evidence and a command that checks or reproduces it.

use everypath_record::{Judged, Verdict};

use super::commands::Commands;
use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;

const INFEASIBLE: &[(&str, u8)] = &[("direction", 22), ("evidence", 36), ("command", 30)];

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, commands: &Commands, document: &mut DossierDocument) {
    document.chapter("Infeasible directions");
    let infeasible: Vec<(&Judged, &str, &[String])> = index
        .directions
        .iter()
        .filter_map(|judged| match &judged.verdict {
            Verdict::Infeasible { evidence, certificates } => {
                Some((*judged, evidence.as_str(), certificates.as_slice()))
            }
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
    let rows = infeasible.into_iter().map(|(judged, evidence, certificates)| {
        let branch = judged.direction.branch;
        let place = index.direction(judged.direction).and(" ").and(index.place(branch));
        let edge = Prose::code(judged.direction.to_string());
        let command = match certificates {
            [] => Prose::from("repeat the run: ").and(Prose::reference(commands.repeat_identifier())),
            [one] => Prose::code(commands.check_certificate(one)),
            several => {
                // The certificates of a direction differ by a number before the ending.
                let all = several[0].rsplit_once('.').and_then(|(name, _)| name.rsplit_once('.'));
                Prose::code(commands.check_certificates(all.map_or(several[0].as_str(), |(name, _)| name)))
            }
        };
        vec![vec![place, edge, index.short_source(branch)], cell(evidence), cell(command)]
    });
    document.table("INF", INFEASIBLE, rows);
}
