//! Cobertura documents: what they count, and that `pycobertura` counts the same.

mod external;
mod samples;

use everypath_testkit::programs::installed;
use external::Folder;

#[test]
fn a_branch_with_one_feasible_direction_is_covered_by_it() {
    let document = samples::small().text("cobertura");
    // One direction of the first branch is infeasible; those of the second are open and unsupported.
    assert!(document.contains(r#"<line number="1" hits="6" branch="true" condition-coverage="100% (1/1)">"#));
    assert!(document.contains(r#"<line number="2" hits="6" branch="true" condition-coverage="0% (0/2)">"#));
    assert!(document.contains(r#"branches-covered="5" branches-valid="7""#), "{document}");
    assert!(document.contains(r#"<package name="/src" line-rate="1" "#), "{document}");
    assert!(document.contains(r#"<method name="function_1" "#), "{document}");
}

#[test]
fn rates_are_rounded_down() {
    let mut sample = samples::generated(1, 100, 1);
    sample.suite.summary.directions[0].verdict =
        everypath_record::Verdict::Open { reason: "the limit was reached".to_owned() };
    // All instructions of one line: 199 of 200 directions.
    for function in &mut sample.listing.functions {
        for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            if let Some(source) = &mut instruction.source {
                source.line = 1;
            }
        }
    }
    let document = sample.text("cobertura");
    assert!(document.contains(r#"condition-coverage="99% (199/200)""#), "{document}");
    assert!(document.contains(r#"branch-rate="0.995""#), "{document}");
}

#[test]
fn pycobertura_counts_the_same() {
    if !installed(&["pycobertura"]) {
        return;
    }
    for is_stripped in [false, true] {
        let mut sample = samples::small();
        if is_stripped {
            sample.strip();
        }
        let folder = Folder::with_sources(&mut sample);
        folder.write(&sample.files("cobertura"));
        let printed = folder.run("pycobertura", &["show", "--format", "json", "coverage.xml"]);
        let shown: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
        // A line is missed if it is not executed, or has a direction that is not covered.
        let (files, lines, missed) = if is_stripped { (1, 18, 6 + 1) } else { (3, 6, 1) };
        assert_eq!(shown["files"].as_array().map(Vec::len), Some(files), "{printed}");
        assert_eq!(shown["total"]["Stmts"], lines, "{printed}");
        assert_eq!(shown["total"]["Miss"], missed, "{printed}");
        // The sources are found where the document says.
        let html = folder.run("pycobertura", &["show", "--format", "html", "coverage.xml"]);
        assert!(html.contains(if is_stripped { "adds r1,#0x1" } else { "total++;" }), "{html}");
    }
}
