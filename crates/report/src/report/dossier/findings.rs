//! Chapter 8: findings of oracles, and divergences between the exploration and the replays.

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;

const FINDINGS: &[(&str, u8)] = &[("oracle", 14), ("place", 22), ("violation", 42), ("test", 10)];

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let summary = index.summary();
    document.chapter("Findings and divergences");
    match summary.findings.is_empty() {
        true => document.state("FND", "No oracle reports a fault of the program."),
        false => document.state("FND", "Oracles report these faults of the program. Each was confirmed by a run of its test from the entry."),
    }
    let rows = summary.findings.iter().map(|finding| {
        let mut place = vec![index.place(finding.address), index.short_source(finding.address)];
        place.retain(|line| !line.0.is_empty());
        let oracle = cell(finding.oracle.as_str());
        vec![oracle, place, cell(finding.message.as_str()), cell(index.test(&finding.test))]
    });
    document.table("FIND", FINDINGS, rows);
    match summary.divergences.is_empty() {
        true => document.state("FND", "No divergence: every test does the same from the entry as during the exploration."),
        false => document.state("FND", "Divergences: these replays differ from the exploration, which is a fault of Everypath. Results of this run must not be relied on before the cause is known."),
    }
    document.list("DIV", summary.divergences.iter().map(|text| Prose::from(text.as_str())));
}
