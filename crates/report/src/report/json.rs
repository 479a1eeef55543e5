//! JSON: the whole suite in one document, which `docs/schema/report.schema.json` describes.

use everypath_record::{OutputFile, Summary, TestCase};
use serde::Serialize;

use super::ReportData;

/// The version of the document. It changes when a reader of the old one would misunderstand the new one.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'r> {
    format: &'static str,
    version: u32,
    summary: &'r Summary,
    tests: &'r [TestCase],
}

/// The document.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let document = Document {
        format: "everypath-report",
        version: VERSION,
        summary: &data.suite.summary,
        tests: &data.suite.tests,
    };
    let mut contents =
        serde_json::to_vec_pretty(&document).expect("text, numbers and keys of text can be written as JSON");
    contents.push(b'\n');
    vec![OutputFile { path: "report.json".to_owned(), contents }]
}
