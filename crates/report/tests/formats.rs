//! All formats: each is documented and checked, and none fails on a program of which nothing is known.

mod samples;

use std::collections::BTreeSet;
use std::path::Path;

use everypath_report::REPORTS;

#[test]
fn each_format_is_in_the_guide_and_has_a_check() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(root.join("../../docs/guide/report.md")).expect("the guide");
    for format in REPORTS {
        let line = format!("| `{}` | `{}` |", format.name, format.file);
        assert!(guide.contains(&line), "docs/guide/report.md has no line for {}", format.name);
        assert!(root.join(format!("tests/{}.rs", format.name)).is_file(), "{} has no check", format.name);
    }
    let names: BTreeSet<&str> = REPORTS.iter().map(|format| format.name).collect();
    let files: BTreeSet<&str> = REPORTS.iter().map(|format| format.file).collect();
    assert_eq!((names.len(), files.len()), (REPORTS.len(), REPORTS.len()));
}

#[test]
fn a_suite_without_results_can_be_reported() {
    let mut sample = samples::generated(1, 1, 1);
    sample.suite.tests.clear();
    let summary = &mut sample.suite.summary;
    summary.tests.clear();
    summary.directions.clear();
    summary.indirect_exits.clear();
    summary.locations.clear();
    summary.assumptions.clear();
    sample.executed.clear();
    sample.listing = everypath_record::CodeListing::default();
    for format in REPORTS {
        assert!(!sample.files(format.name).is_empty());
    }
}

#[test]
fn a_report_is_the_same_each_time_and_its_files_have_different_names() {
    for format in REPORTS {
        let files = samples::small().files(format.name);
        assert_eq!(files, samples::small().files(format.name), "{}", format.name);
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), files.len(), "{}", format.name);
    }
}
