//! `everypath report`: the results of a run for people and for other tools.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::results::Results;
use everypath_lift::Library;
use everypath_record::OutputFile;
use everypath_report::ReportFormat;
use std::fs;
use std::io::Write;
use std::path::Path;

/// The arguments of the command.
pub(crate) struct ReportArgs<'q> {
    pub(crate) file: &'q File,
    pub(crate) tests: &'q Path,
    pub(crate) setting: &'q Setting,
    pub(crate) format: &'static ReportFormat,
    pub(crate) output: Option<&'q Path>,
    pub(crate) sources: Option<&'q Path>,
}

/// Writes a report.
pub(crate) fn run(question: &ReportArgs<'_>, library: &Library, out: &mut dyn Write) -> Result<(), Failure> {
    let ReportArgs { file, tests, setting, format, output, sources } = question;
    let results = Results::read((file, setting), tests, *sources, library)?;
    let default = tests.join("report");
    let folder = output.unwrap_or(&default);
    for OutputFile { path, contents } in (format.files)(&results.data()) {
        let path = folder.join(path);
        let problem =
            |error: std::io::Error| Failure::Input(format!("{}: cannot be written: {error}", path.display()));
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(problem)?;
        fs::write(&path, contents).map_err(problem)?;
    }
    writeln!(out, "{}", folder.join(format.file).display())?;
    Ok(())
}
