//! Chapter 6: open and unsupported directions by cause, with a place for the reviewer's justification.

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::justifications;
use super::prose::{Prose, shortened};
use crate::number::counted;

const OPEN: &[(&str, u8)] = &[("direction", 22), ("source line", 16), ("verdict", 12), ("justification", 38)];
const CAUSES: &[(&str, u8)] = &[("cause", 52), ("directions", 10), ("what to try", 26)];

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    document.chapter("Open directions");
    if index.causes.is_empty() {
        document.state("OPN", "No direction is open or unsupported.");
        return justifications::write(index, document);
    }
    document.state(
        "OPN",
        "Each of these directions needs a test, a proof, or a justification by the reviewer. A justification is a judgement of the reviewer and no result of the tool.",
    );
    document.section("Causes");
    let rows = index.causes.iter().map(|cause| {
        let count = crate::with_separators(cause.directions.len() as u64);
        vec![cell(cause.reason.as_str()), cell(count), cell(cause.advice.unwrap_or_default())]
    });
    document.table("OPEN", CAUSES, rows);
    let verdicts: std::collections::HashMap<_, _> =
        index.directions.iter().map(|judged| (judged.direction, judged.verdict.name())).collect();
    for (number, cause) in index.causes.iter().enumerate() {
        let identifier = super::document::identifier("OPEN", number);
        document.section(&format!(
            "{identifier}: {} ({})",
            shortened(&cause.reason.replace('`', ""), 70),
            counted(cause.directions.len() as u64, "direction")
        ));
        let rows = cause.directions.iter().map(|direction| {
            let place = index.direction(*direction).and(" ").and(index.place(direction.branch));
            vec![
                vec![place, Prose::code(direction.to_string())],
                cell(index.short_source(direction.branch)),
                cell(Prose::verdict(verdicts[direction])),
                cell(index.justification(*direction).unwrap_or_else(Prose::blank)),
            ]
        });
        document.table("J", OPEN, rows);
    }
    justifications::write(index, document);
    document.signature("Justifications of this chapter");
}
