//! Chapter 7: the assumption ledger, those entries first that may have lost paths, each with a place for initials.

use everypath_record::Assumption;

use super::document::{DossierDocument, cell};
use super::index::DossierIndex;
use super::prose::Prose;
use crate::with_separators;

const ASSUMPTIONS: &[(&str, u8)] = &[
    ("assumption", 40),
    ("place", 18),
    ("times", 8),
    ("may have lost paths", 10),
    ("reviewer's initials", 12),
];

/// Writes the chapter.
pub(super) fn write(index: &DossierIndex<'_>, document: &mut DossierDocument) {
    document.chapter("Assumptions");
    let mut assumptions: Vec<&Assumption> = index.summary().assumptions.iter().collect();
    if assumptions.is_empty() {
        return document
            .state("ASM", "The ledger is empty: the run made no assumption, concretisation or bound.");
    }
    // The order does not depend on that of the run, so that the same assumptions have the same identifiers.
    assumptions.sort_by_key(|one| (!one.loses_paths, one.address, &one.kind, &one.message));
    document.state(
        "ASM",
        "Each verdict holds under these assumptions. No verdict is infeasible for want of a path, and nothing is called complete or exact, where one of them may have lost a path. By initialling one, the reviewer confirms that it is true of the target, or that what it may have cost is acceptable.",
    );
    let rows = assumptions.into_iter().map(|assumption| {
        let Assumption { kind, address, message, count, loses_paths } = assumption;
        let mut place =
            vec![index.place(*address), Prose::code(address.to_string()), index.short_source(*address)];
        place.dedup();
        place.retain(|line| !line.0.is_empty());
        vec![
            cell(format!("{kind}: {message}")),
            place,
            cell(with_separators(*count)),
            cell(if *loses_paths { "yes" } else { "no" }),
            cell(Prose::blank()),
        ]
    });
    document.table("A", ASSUMPTIONS, rows);
    if !index.summary().undeclared_registers.is_empty() {
        document.state("ASM", "The program's decisions depend on these peripheral registers, which the configuration does not declare.");
        let registers = index.summary().undeclared_registers.iter().map(|register| {
            let space = register.space.as_ref().map(|space| format!(" in `{space}`")).unwrap_or_default();
            Prose::from(format!(
                "`{}` at `{}`{space}, size in bytes: {}",
                register.name, register.address, register.size
            ))
        });
        document.list("REG", registers);
    }
    document.signature("Assumptions of this chapter");
}
