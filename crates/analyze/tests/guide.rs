//! Checks that the guide explains every reason that the graph gives.

use everypath_analyze::{ResolutionEvidence, UnresolvedReason};

#[test]
fn the_guide_explains_every_reason() {
    let guide = include_str!("../../../docs/guide/graph-json.md");
    let reasons = ResolutionEvidence::ALL.iter().map(ToString::to_string);
    for reason in reasons.chain(UnresolvedReason::ALL.iter().map(ToString::to_string)) {
        assert!(
            guide.contains(&format!("| {reason} |")),
            "`{reason}` has no row in docs/guide/graph-json.md"
        );
    }
}
