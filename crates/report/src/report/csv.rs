//! Comma-separated values (RFC 4180): a line for each branch direction.

use everypath_record::{Judged, Justification, OutputFile, Summary, Verdict};

use super::ReportData;

const HEADER: &str = "branch,target,function,offset,file,line,verdict,test,reason,certificates,justification,justified_by,justified_on";

/// The directions with their verdicts.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let summary = &data.suite.summary;
    let justified = summary.justified();
    let rows = summary
        .directions
        .iter()
        .map(|judged| row(summary, judged, justified.get(&judged.direction).copied()));
    let text: String = std::iter::once(HEADER.to_owned()).chain(rows).map(|line| line + "\r\n").collect();
    vec![OutputFile { path: "directions.csv".to_owned(), contents: text.into_bytes() }]
}

fn row(summary: &Summary, judged: &Judged, justification: Option<&Justification>) -> String {
    let direction = judged.direction;
    let location = summary.location(direction.branch);
    let (function, offset) = match &location.function {
        Some(function) => (function.name.as_str(), format!("{:#x}", function.offset)),
        None => ("", String::new()),
    };
    let (file, line) = match &location.source {
        Some(source) => (source.file.as_str(), source.line.to_string()),
        None => ("", String::new()),
    };
    let (verdict, reason) = (judged.verdict.name(), judged.verdict.reason().unwrap_or_default());
    let test = if let Verdict::Covered { test, .. } = &judged.verdict { test } else { "" };
    let (branch, target) = (direction.branch.to_string(), direction.target.to_string());
    let certificates = judged.verdict.certificates().join(" ");
    let justified = justification.map_or("", |one| &one.reason);
    let by = justification.and_then(|one| one.by.as_deref()).unwrap_or_default();
    let on = justification.and_then(|one| one.date.as_deref()).unwrap_or_default();
    let fields = [&branch, &target, function, &offset, file, &line, verdict, test, reason];
    let more = [&certificates, justified, by, on];
    fields.into_iter().chain(more).map(quoted).collect::<Vec<_>>().join(",")
}

/// A field in double quotes, with those inside doubled, where its contents need it. A spreadsheet would take a field that begins
/// with one of `=+-@`, a tab or a carriage return for a formula: such a field begins with an apostrophe.
fn quoted(field: &str) -> String {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let field = &if is_formula { format!("'{field}") } else { field.to_owned() };
    if field.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
