//! `everypath report`: the results of a run for people and for other tools.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::subject;
use everypath_lift::Library;
use everypath_record::{ExecutedCode, OutputFile, Suite};
use everypath_report::{ReportData, ReportFormat};
use std::collections::BTreeSet;
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
    let binary = subject::load(file, setting, library)?;
    let suite = Suite::read(tests).map_err(|error| Failure::Input(error.to_string()))?;
    subject::check_same_setup(&binary, &suite.summary)?;
    let beside = file.path.parent().unwrap_or(Path::new(""));
    let executed = executed(&binary, file, &suite)?;
    let directions = suite.summary.directions.iter().map(|judged| judged.direction.branch.0);
    let run = executed.iter().flat_map(|code| code.instructions.iter().map(|(address, _)| address.0));
    let addresses: BTreeSet<u64> = directions.chain(run).collect();
    let listing = binary
        .listing(&addresses, sources.unwrap_or(beside))
        .map_err(|error| crate::input::failure(&error))?;
    let data = ReportData { suite: &suite, listing: &listing, executed: &executed };
    let default = tests.join("report");
    let folder = output.unwrap_or(&default);
    for OutputFile { path, contents } in (format.files)(&data) {
        let path = folder.join(path);
        let problem =
            |error: std::io::Error| Failure::Input(format!("{}: cannot be written: {error}", path.display()));
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(problem)?;
        fs::write(&path, contents).map_err(problem)?;
    }
    writeln!(out, "{}", folder.join(format.file).display())?;
    Ok(())
}

/// What each test executes, found by running it again.
fn executed(binary: &everypath::Binary, file: &File, suite: &Suite) -> Result<Vec<ExecutedCode>, Failure> {
    let run = |test| {
        everypath_explore::executed_code(binary.guest(), binary.configuration(), test)
            .map_err(|error| subject::refused(file, &error))
    };
    suite.tests.iter().map(run).collect()
}
