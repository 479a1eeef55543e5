//! The guide explains every reason that the graph gives.

use everypath_analyze::{Doubt, Reason};

#[test]
fn the_guide_explains_every_reason() {
    let guide = include_str!("../../../docs/guide/graph-json.md");
    let reasons = Reason::ALL.iter().map(ToString::to_string);
    for reason in reasons.chain(Doubt::ALL.iter().map(ToString::to_string)) {
        assert!(
            guide.contains(&format!("| {reason} |")),
            "`{reason}` has no row in docs/guide/graph-json.md"
        );
    }
}
