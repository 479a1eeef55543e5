//! Justifications in words, as all texts for people have them.

use everypath_record::Justification;

/// The reason of a justification, and who gives it: `never happens (A. Reviewer, 2026-01-31)`.
pub(crate) fn accepted_text(justification: &Justification) -> String {
    match justification.signatory() {
        Some(signatory) => format!("{} ({signatory})", justification.reason),
        None => justification.reason.clone(),
    }
}

/// Why a justification lapsed, and its own reason.
pub(crate) fn lapsed_text(justification: &Justification) -> String {
    let lapse = justification.lapse().unwrap_or_default();
    format!("{lapse}; its reason was: {}", accepted_text(justification))
}
