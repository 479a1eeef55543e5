//! Sections of chapter 6: the justifications of the configuration with who and why, those that lapsed, and entries to complete.

use everypath_record::{Direction, Judged, Justification};

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;

const JUSTIFIED: &[(&str, u8)] =
    &[("direction", 22), ("justification", 32), ("by, date", 14), ("code", 10), ("signature", 10)];
const LAPSED: &[(&str, u8)] = &[("entry", 22), ("justification", 33), ("why it lapsed", 33)];

/// Maximum number of entries that are drafted.
const DRAFTS: usize = 100;

/// Writes the sections.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    write_justified(index, document);
    write_lapsed(index, document);
    write_drafts(index, document);
}

fn write_justified(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    if index.justified.is_empty() {
        return;
    }
    document.section("Justified directions");
    let all = match index.summary().is_justified() {
        true => " Every open direction of this run is justified.",
        false => "",
    };
    document.state(
        "OPN",
        format!(
            "The configuration justifies these directions. They are open: the tool has neither a test nor a proof for them, and a justification changes no verdict and no claim of this document. Each was written for the code of the function with this digest, and lapses when that code changes; code that the function calls is not part of it.{all}"
        ),
    );
    let rows = index.justified.iter().map(|(direction, justification)| row(index, *direction, justification));
    document.table("JUS", JUSTIFIED, rows);
}

fn row(index: &DossierIndex<'_>, direction: Direction, justification: &Justification) -> Vec<Vec<Prose>> {
    let place = index.direction(direction).and(" ").and(index.place(direction.branch));
    let signatory = justification.signatory().map_or_else(Prose::blank, Prose::from);
    vec![
        vec![place, Prose::code(direction.to_string()), index.short_source(direction.branch)],
        cell(justification.reason.as_str()),
        cell(signatory),
        cell(Prose::code(justification.code.as_str())),
        cell(Prose::blank()),
    ]
}

fn write_lapsed(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let lapsed: Vec<_> = index.summary().lapsed().collect();
    if lapsed.is_empty() {
        return;
    }
    document.section("Lapsed justifications");
    document.state("OPN", "These entries of the configuration count for nothing.");
    let rows = lapsed.into_iter().map(|(justification, lapse)| {
        let reason = crate::justified::accepted_text(justification);
        vec![cell(Prose::code(justification.place())), cell(reason), cell(lapse)]
    });
    document.table("LAP", LAPSED, rows);
}

fn write_drafts(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    let is_open =
        |judged: &&&Judged| judged.verdict.is_undecided() && !index.justified.contains_key(&judged.direction);
    let open: Vec<&&Judged> = index.directions.iter().filter(is_open).collect();
    let drafted = open.iter().filter_map(|judged| index.summary().draft_justification(judged));
    let drafts: Vec<String> = drafted.take(DRAFTS).map(|draft| draft.to_string()).collect();
    if drafts.is_empty() {
        return;
    }
    document.section("Entries for the configuration");
    let rest = match open.len() - drafts.len() {
        0 => String::new(),
        rest => format!(
            " `everypath explain` prints that of each of the other {}, if its function is known.",
            crate::with_separators(rest as u64)
        ),
    };
    document.state(
        "OPN",
        format!(
            "A justification is kept in `everypath.toml`, where later runs find it. These entries have the place and the digest of the code; the reviewer completes those that are accepted.{rest}"
        ),
    );
    document.entries(drafts.join("\n").lines().map(str::to_owned).collect());
}
