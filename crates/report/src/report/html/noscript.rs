//! The summary for browsers without JavaScript.

use std::io::{self, Write};

use super::chunk::escaped;
use super::code::verdict_index;
use crate::number::with_separators;
use crate::report::ReportData;

const VERDICTS: [&str; 4] = ["covered", "infeasible", "open", "unsupported"];

/// Writes what was tested, the number of directions of each verdict, and the findings.
pub(super) fn write(data: &ReportData<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = &data.suite.summary;
    writeln!(out, "<noscript>\n<main>\n<h1>{}</h1>", escaped(&summary.program))?;
    writeln!(
        out,
        "<p>The pages of this report are made by a script in this file. Without JavaScript, this is its summary.</p>"
    )?;
    writeln!(out, "<table>\n<caption>What was tested</caption>")?;
    let rows = [
        ("Program", &summary.program),
        ("SHA-256", &summary.program_hash),
        ("Configuration, SHA-256", &summary.configuration_hash),
        ("Architecture", &summary.architecture),
    ];
    for (name, value) in rows {
        writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{}</td></tr>", escaped(value))?;
    }
    writeln!(out, "</table>\n<table class=\"compact\">\n<caption>Branch directions</caption>")?;
    for (index, name) in VERDICTS.into_iter().enumerate() {
        let of_verdict = summary.directions.iter().filter(|judged| verdict_index(&judged.verdict) == index);
        writeln!(
            out,
            "<tr><th scope=\"row\">{name}</th><td class=\"number\">{}</td></tr>",
            with_separators(of_verdict.count() as u64)
        )?;
    }
    let justified = summary.justified().len() as u64;
    if justified > 0 {
        writeln!(
            out,
            "<tr><th scope=\"row\">of these justified, by a reviewer and not by a proof</th><td class=\"number\">{}</td></tr>",
            with_separators(justified)
        )?;
    }
    if let Some(unreached) = &summary.unreached {
        writeln!(
            out,
            "<tr><th scope=\"row\">functions that no entry reaches, which have no directions here</th><td class=\"number\">{}</td></tr>",
            with_separators(unreached.functions.len() as u64)
        )?;
    }
    writeln!(out, "</table>\n<table>\n<caption>Findings: {}</caption>", summary.findings.len())?;
    for finding in &summary.findings {
        let location = summary.location(finding.address);
        let (place, message) = (location.to_string(), escaped(&finding.message));
        let (address, place, test) = (finding.address, escaped(&place), escaped(&finding.test));
        writeln!(out, "<tr><td>{address} {place}</td><td>{message}</td><td>test {test}</td></tr>")?;
    }
    writeln!(out, "</table>\n</main>\n</noscript>")
}
