//! `everypath export`: tests as scripts for other tools.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::subject;
use everypath_lift::Library;
use everypath_record::{Suite, SuiteError};
use everypath_report::ScriptFormat;
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// The arguments of the command.
pub(crate) struct ExportArgs<'q> {
    pub(crate) file: &'q File,
    pub(crate) tests: &'q Path,
    pub(crate) setting: &'q Setting,
    pub(crate) format: Option<&'static ScriptFormat>,
    pub(crate) output: Option<&'q Path>,
}

/// Writes a script for each test.
pub(crate) fn run(question: &ExportArgs<'_>, library: &Library, out: &mut dyn Write) -> Result<(), Failure> {
    let ExportArgs { file, tests, setting, format, output } = question;
    let binary = subject::load(file, setting, library)?;
    let (guest, configuration) = (binary.guest(), binary.configuration());
    let suite = Suite::read(tests).map_err(|error: SuiteError| Failure::Input(error.to_string()))?;
    let exports = &guest.architecture().description().exports;
    let first = || exports.iter().find_map(|export| ScriptFormat::by_name(&export.format));
    let Some(format) = format.or_else(first) else {
        let name = guest.architecture().name();
        return Err(Failure::Input(format!("nothing is known of tools that run tests for {name}")));
    };
    let default = tests.join(format.name);
    let folder = output.unwrap_or(&default);
    let problem = |file: &Path, error: std::io::Error| {
        Failure::Input(format!("{}: cannot be written: {error}", file.display()))
    };
    fs::create_dir_all(folder).map_err(|error| problem(folder, error))?;
    let program = relative(folder, &file.path);
    for test in &suite.tests {
        let program = program.display().to_string();
        let rerun = everypath_explore::rerun(guest, configuration, test, &program, format.name)
            .map_err(|error| subject::refused(file, &error))?;
        let script = folder.join(format!("{}.{}", test.name, format.extension));
        fs::write(&script, (format.script)(&rerun)).map_err(|error| problem(&script, error))?;
        if let Some((extension, check)) = format.check {
            let script = folder.join(format!("{}.{extension}", test.name));
            fs::write(&script, check(&rerun)).map_err(|error| problem(&script, error))?;
        }
    }
    writeln!(out, "{} scripts for {} in {}", suite.tests.len(), format.name, folder.display())?;
    Ok(())
}

/// The path of a file from a folder, so that both can be moved together.
fn relative(folder: &Path, file: &Path) -> PathBuf {
    let (Ok(folder), Ok(file)) = (fs::canonicalize(folder), fs::canonicalize(file)) else {
        return file.to_owned();
    };
    let common = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}
