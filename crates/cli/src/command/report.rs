//! `everypath report`: the results of a run for people and for other tools.

use crate::arguments::{GlobalOptions, ReportOptions};
use crate::document;
use crate::failure::Failure;
use crate::results::Results;
use everypath_record::OutputFile;
use std::fs;
use std::io::Write;

/// Writes a report.
pub(super) fn run(
    options: &ReportOptions,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let ReportOptions { results, kind, output, sources } = options;
    let default = results.tests.join("report");
    let results = Results::read(results, sources.as_deref(), global)?;
    let folder = output.as_deref().unwrap_or(&default);
    let mut files = Vec::new();
    for OutputFile { path, contents } in (kind.files)(&results.data()) {
        let path = folder.join(path);
        let problem =
            |error: std::io::Error| Failure::Input(format!("{}: cannot be written: {error}", path.display()));
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(problem)?;
        fs::write(&path, contents).map_err(problem)?;
        files.push(path.display().to_string());
    }
    if global.json {
        let written = document::WrittenFiles { kind: kind.name, folder: folder.display().to_string(), files };
        return document::write(out, "everypath.report", &written);
    }
    writeln!(out, "{}", folder.join(kind.file).display())?;
    Ok(())
}
