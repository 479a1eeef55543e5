//! The justifications of the configuration, with directions by index.

use std::collections::HashMap;

use everypath_record::{Direction, Judged, Summary};
use serde::Serialize;

use super::columns::Index;

/// A justification.
#[derive(Serialize)]
pub(super) struct JustificationRow<'r> {
    /// The direction, by index; none if it lapsed.
    direction: Index,
    /// The direction as the configuration names it.
    place: String,
    reason: &'r str,
    /// Who, and when.
    signatory: Option<String>,
    code: &'r str,
    /// Why it lapsed, in words.
    lapse: Option<&'r str>,
}

/// The rows of justifications of directions in the order of their indexes.
pub(super) fn justification_rows<'r>(
    summary: &'r Summary,
    directions: &[&Judged],
) -> Vec<JustificationRow<'r>> {
    let indexed = directions.iter().enumerate().map(|(index, judged)| (judged.direction, index));
    let indexes: HashMap<Direction, usize> = indexed.collect();
    let rows = summary.justifications.iter().map(|one| JustificationRow {
        direction: Index(one.direction().and_then(|direction| indexes.get(&direction).copied())),
        place: one.place(),
        reason: &one.reason,
        signatory: one.signatory(),
        code: &one.code,
        lapse: one.lapse(),
    });
    rows.collect()
}
