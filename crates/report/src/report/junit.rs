//! JUnit XML: the tests as cases of one suite, for build servers.
//!
//! The schema that most readers agree on is that of Jenkins' xUnit plugin (`junit-10.xsd`). A test fails if it shows a finding;
//! all that it shows are one `failure`, because some readers take only the first. A test whose run ends in a fault that no oracle
//! reports fails, too. A divergence, which is a fault of Everypath and
//! left no test behind, is a case with an `error`; a finding whose test is not in the suite is a failed case of its own. There are no times: a test is a recorded input, and the report runs nothing.

use std::fmt;

use everypath_record::{Finding, OutputFile, Summary, TestCase};

use super::ReportData;
use super::xml::XmlWriter;

/// The document.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let (summary, tests) = (&data.suite.summary, &data.suite.tests);
    let shown = |finding: &&Finding| tests.iter().any(|test| test.name == finding.test);
    let without_test: Vec<&Finding> = summary.findings.iter().filter(|finding| !shown(finding)).collect();
    let fails = |test: &&TestCase| findings_of(summary, test).next().is_some() || is_fault(test);
    let failures = tests.iter().filter(fails).count();
    let failures = failures + without_test.len();
    let errors = summary.divergences.len();
    // Readers take the text before the last dot for a package, and the text behind it for a class.
    let class = format!("everypath.{}", summary.program.replace(['.', '/', '\\'], "_"));
    let attributes: [(&str, &dyn fmt::Display); 5] = [
        ("name", &summary.program),
        ("tests", &(tests.len() + without_test.len() + errors)),
        ("failures", &failures),
        ("errors", &errors),
        ("skipped", &0),
    ];
    let mut xml = XmlWriter::new();
    xml.element("testsuites", &[], |xml| {
        xml.element("testsuite", &attributes, |xml| {
            for test in tests {
                write_test(xml, summary, &class, test);
            }
            for finding in without_test {
                let name = format!("finding at {}", finding.address);
                xml.element("testcase", &[("name", &name), ("classname", &class)], |xml| {
                    let attributes: [(&str, &dyn fmt::Display); 2] =
                        [("type", &finding.oracle), ("message", &finding.message)];
                    xml.text("failure", &attributes, &line(summary, finding));
                });
            }
            for (number, divergence) in summary.divergences.iter().enumerate() {
                let name = format!("divergence {}", number + 1);
                xml.element("testcase", &[("name", &name), ("classname", &class)], |xml| {
                    xml.empty("error", &[("type", &"divergence"), ("message", divergence)]);
                });
            }
        });
    });
    vec![OutputFile { path: "junit.xml".to_owned(), contents: xml.into_bytes() }]
}

fn write_test(xml: &mut XmlWriter, summary: &Summary, class: &str, test: &TestCase) {
    let findings: Vec<&Finding> = findings_of(summary, test).collect();
    xml.element("testcase", &[("name", &test.name), ("classname", &class)], |xml| {
        if let [first, others @ ..] = findings.as_slice() {
            let more = match others.len() {
                0 => String::new(),
                count => format!(" (and {count} more)"),
            };
            let lines: Vec<String> = findings.iter().map(|finding| line(summary, finding)).collect();
            let message = format!("{}{more}", first.message);
            xml.text("failure", &[("type", &first.oracle), ("message", &message)], &lines.join("\n"));
        } else if is_fault(test) {
            xml.text(
                "failure",
                &[("type", &"fault"), ("message", &test.end)],
                "the run ends in a fault that no oracle reports",
            );
        }
        let output = format!("{} instructions; {}", test.instructions, test.end);
        xml.text("system-out", &[], &output);
    });
}

/// Parts of the ends of runs that are no fault of the program: it stopped, or Everypath could not or need not follow it further.
const NO_FAULTS: [&str; 6] = [
    "it reached a stop",
    "exited",
    "it is back in an earlier state",
    "it was postponed",
    "has no model",
    "of the operating system, which is not there",
];

/// Whether the run of a test ends in a fault of the program.
fn is_fault(test: &TestCase) -> bool {
    !test.cut_off && !NO_FAULTS.iter().any(|end| test.end.contains(end))
}

fn findings_of<'r>(summary: &'r Summary, test: &'r TestCase) -> impl Iterator<Item = &'r Finding> {
    summary.findings.iter().filter(|finding| finding.test == test.name)
}

fn line(summary: &Summary, finding: &Finding) -> String {
    let Finding { oracle, address, message, .. } = finding;
    let location = summary.location(*address);
    match (&location.function, &location.source) {
        (None, None) => format!("{oracle}: {message} at {address}"),
        _ => format!("{oracle}: {message} at {address} ({location})"),
    }
}
