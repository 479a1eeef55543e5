//! JUnit documents: failed tests and errors, and that `junitparser` counts the same.

mod external;
mod samples;

use everypath_record::{Address, Finding};
use everypath_testkit::programs::installed;
use external::Folder;

/// Two tests, of which the second shows two findings, and a divergence.
fn faulty() -> samples::Sample {
    let mut sample = samples::small();
    let second = Finding {
        oracle: "stack".to_owned(),
        address: Address(0x10),
        message: "the return address was overwritten".to_owned(),
        test: "0002".to_owned(),
    };
    sample.suite.summary.findings.push(second);
    sample.suite.summary.divergences.push("test 0003 does not replay: it ended with \"<&>\"".to_owned());
    sample
}

#[test]
fn findings_fail_their_test_and_divergences_are_errors() {
    let document = faulty().text("junit");
    let suite = r#"<testsuite name="firmware.elf" tests="3" failures="1" errors="1" skipped="0">"#;
    assert!(document.contains(suite), "{document}");
    let (first, rest) = document.split_once("name=\"0002\"").expect("a second test");
    assert!(!first.contains("<failure"), "{document}");
    let message = "division by zero: the divisor is `level` (and 1 more)";
    assert!(rest.contains(&format!(r#"<failure type="division" message="{message}">"#)), "{document}");
    assert!(rest.contains("at 0x100a (function_0+0xa module_0.c:2)&#10;stack: "), "{document}");
    assert!(rest.contains("at 0x10</failure>"), "{document}");
    assert!(rest.contains(r#"<error type="divergence" message="test 0003 does not replay: it ended with &quot;&lt;&amp;&gt;&quot;"/>"#));
}

#[test]
fn junitparser_counts_the_same() {
    if !installed(&["junitparser"]) {
        return;
    }
    let mut sample = faulty();
    let folder = Folder::with_sources(&mut sample);
    folder.write(&sample.files("junit"));
    // It writes what it has read, with counts of its own.
    folder.run("junitparser", &["merge", "junit.xml", "merged.xml"]);
    let merged = folder.read("merged.xml");
    let suite = merged.split("<testsuite ").nth(1).and_then(|rest| rest.split('>').next()).expect("a suite");
    for attribute in ["tests=\"3\"", "failures=\"1\"", "errors=\"1\"", "skipped=\"0\""] {
        assert!(suite.contains(attribute), "{attribute}: {suite}");
    }
    assert_eq!(merged.matches("<testcase ").count(), 3, "{merged}");
}

#[test]
fn a_finding_without_its_test_fails_all_the_same() {
    let mut sample = samples::small();
    sample.suite.summary.findings[0].test = "0099".to_owned();
    let document = sample.text("junit");
    assert!(document.contains(r#"tests="3" failures="1""#), "{document}");
    assert!(document.contains(r#"name="finding at 0x100a""#), "{document}");
}

#[test]
fn a_run_that_ends_in_a_fault_without_a_finding_fails() {
    let mut sample = samples::small();
    sample.suite.summary.findings.clear();
    assert!(sample.text("junit").contains(r#"tests="2" failures="0""#));
    sample.suite.tests[0].end = "no memory is mapped there at ram[0x10]".to_owned();
    let document = sample.text("junit");
    assert!(document.contains(r#"tests="2" failures="1""#), "{document}");
    assert!(
        document.contains(r#"<failure type="fault" message="no memory is mapped there at ram[0x10]">"#),
        "{document}"
    );
    // A bound that ends the run says nothing about the program.
    sample.suite.tests[0].cut_off = true;
    assert!(sample.text("junit").contains(r#"failures="0""#));
}
