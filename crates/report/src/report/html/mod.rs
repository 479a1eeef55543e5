//! The HTML report: one file that opens from disk without a network, with its data as JSON and its pages made in the browser.
//!
//! The page has four chunks of data (`overview`, `places`, `code`, `runs`), each an element `<script type="application/json">`
//! that the browser parses when a view needs it. Strings, addresses and tests are written once and referred to by index.

mod causes;
mod chunk;
mod code;
mod columns;
mod justifications;
mod noscript;
mod overview;
mod places;
mod runs;
mod strings;

use std::io::{self, BufWriter, Write};

use everypath_record::OutputFile;

use super::ReportData;
use chunk::{escaped, write_chunk};
use code::Code;
use overview::Overview;
use places::Places;
use runs::Runs;
use strings::Strings;

/// The scripts of the page, in the order in which they build on each other.
const SCRIPTS: &[&str] = &[
    include_str!("page/dom.js"),
    include_str!("page/data.js"),
    include_str!("page/table.js"),
    include_str!("page/chart.js"),
    include_str!("page/layout.js"),
    include_str!("page/graph.js"),
    include_str!("page/parts.js"),
    include_str!("page/view_overview.js"),
    include_str!("page/view_function.js"),
    include_str!("page/view_direction.js"),
    include_str!("page/view_justification.js"),
    include_str!("page/view_test.js"),
    include_str!("page/view_ledger.js"),
    include_str!("page/search.js"),
    include_str!("page/main.js"),
];
const STYLES: &[&str] = &[include_str!("page/style.css"), include_str!("page/print.css")];

/// Nothing but what is in the file may be loaded or run.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page.
pub(super) fn files(data: &ReportData<'_>) -> Vec<OutputFile> {
    let mut contents = Vec::new();
    write(data, &mut contents).expect("memory can be written to");
    vec![OutputFile { path: "report.html".to_owned(), contents }]
}

fn write(data: &ReportData<'_>, out: &mut dyn Write) -> io::Result<()> {
    // JSON is written in small pieces.
    let mut out = BufWriter::new(out);
    write_page(data, &mut out)?;
    out.flush()
}

fn write_page(data: &ReportData<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut strings = Strings::default();
    let places = Places::new(data);
    let code = Code::new(data, &places, &mut strings);
    let runs = Runs::new(data, &places, &code, &mut strings);
    let overview = Overview::new(data, &places, &code, &mut strings);
    let place_columns = places.columns(data, &code, &mut strings);

    let title = escaped(&data.suite.summary.program);
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<title>{title} - Everypath</title>\n<style>")?;
    STYLES.iter().try_for_each(|style| out.write_all(style.as_bytes()))?;
    writeln!(
        out,
        "</style>\n<noscript><style>#bar, #main {{ display: none }}</style></noscript>\n</head>\n<body>"
    )?;
    out.write_all(include_bytes!("page/body.html"))?;
    noscript::write(data, out)?;
    write_chunk("overview", &overview, out)?;
    write_chunk("places", &place_columns, out)?;
    write_chunk("code", code.columns(), out)?;
    write_chunk("runs", &runs, out)?;
    // The last one, because all others add to it.
    write_chunk("strings", strings.all(), out)?;
    writeln!(out, "<script>\n\"use strict\";\n(() => {{")?;
    SCRIPTS.iter().try_for_each(|script| out.write_all(script.as_bytes()))?;
    writeln!(out, "}})();\n</script>\n</body>\n</html>")
}
