//! `everypath export`: tests as scripts for other tools, or as a replay harness.

use crate::arguments::{ExportFormat, ExportOptions, File, GlobalOptions, RunResults, Setting};
use crate::failure::Failure;
use crate::{document, subject};
use everypath::Binary;
use everypath_record::{Suite, SuiteError, TestCase};
use everypath_report::{HarnessFormat, ScriptFormat};
use std::fs;
use std::io::Write;
use std::path::Path;

/// Writes a script for each test, or a harness for all.
pub(super) fn run(
    options: &ExportOptions,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let ExportOptions { results: RunResults { file, tests, setting }, tool, output } = options;
    let binary = subject::load(file, setting, global)?;
    let suite = Suite::read(tests).map_err(|error: SuiteError| Failure::Input(error.to_string()))?;
    let exports = &binary.architecture().description().exports;
    let first = || exports.iter().find_map(|export| ExportFormat::by_name(&export.format));
    let Some(format) = tool.or_else(first) else {
        let name = binary.architecture().name();
        return Err(Failure::Input(format!("nothing is known of tools that run tests for {name}")));
    };
    let default = tests.join(format.name());
    let folder = output.as_deref().unwrap_or(&default);
    let destination = Destination { binary: &binary, file, setting, folder };
    let Written { files, told } = match format {
        ExportFormat::Script(format) => destination.write_scripts(format, &suite)?,
        ExportFormat::Harness(format) => {
            // Expected outputs are those of the program that the tests were made for.
            subject::check_same_setup(&binary, &suite.summary)?;
            destination.write_harness(format, &suite)?
        }
    };
    if global.json {
        let folder = folder.display().to_string();
        let written = document::WrittenFiles { kind: format.name(), folder, files };
        return document::write(out, "everypath.export", &written);
    }
    writeln!(out, "{told}")?;
    Ok(())
}

/// The program and the folder that its tests are written to.
struct Destination<'d> {
    binary: &'d Binary,
    file: &'d File,
    setting: &'d Setting,
    folder: &'d Path,
}

/// The files that were written, and what the user is told.
struct Written {
    files: Vec<String>,
    told: String,
}

impl Destination<'_> {
    fn write_scripts(&self, format: &ScriptFormat, suite: &Suite) -> Result<Written, Failure> {
        self.create()?;
        let (guest, configuration) = (self.binary.guest(), self.binary.configuration());
        let (program, mut files) = (self.program(), Vec::new());
        for test in &suite.tests {
            let rerun = everypath_explore::rerun(guest, configuration, test, &program, format.name)
                .map_err(|error| subject::refused(self.file, self.setting, &error))?;
            let script = format!("{}.{}", test.name, format.extension);
            files.push(self.write(&script, (format.script)(&rerun).as_bytes())?);
            if let Some((extension, check)) = format.check {
                files.push(self.write(&format!("{}.{extension}", test.name), check(&rerun).as_bytes())?);
            }
        }
        let told = format!("{} scripts for {} in {}", suite.tests.len(), format.name, self.folder.display());
        Ok(Written { files, told })
    }

    fn write_harness(&self, format: &HarnessFormat, suite: &Suite) -> Result<Written, Failure> {
        let refused = |why: &str| Failure::Input(format!("{}: {why}", self.file.path.display()));
        // No harness raises interrupts.
        let takes_interrupts = |test: &&TestCase| !test.interrupts.is_empty();
        let left_out: Vec<&str> =
            suite.tests.iter().filter(takes_interrupts).map(|test| test.name.as_str()).collect();
        let tests: Vec<TestCase> =
            suite.tests.iter().filter(|test| !takes_interrupts(test)).cloned().collect();
        if tests.is_empty() && !left_out.is_empty() {
            return Err(refused(
                "every test takes interrupts, which a harness cannot raise; `everypath replay` runs them",
            ));
        }
        let described = self.binary.harness_suite(&tests, &self.program(), format.name);
        let described = described.map_err(|error| subject::failure(self.file, self.setting, &error))?;
        let contents = (format.files)(&described).map_err(|why| refused(&why))?;
        self.create()?;
        let files = contents.iter().map(|file| self.write(&file.path, &file.contents));
        let files: Vec<String> = files.collect::<Result<_, Failure>>()?;
        let (count, folder) = (tests.len(), self.folder.display());
        let mut told =
            format!("{count} tests for {} in {folder}; to run them there: {}", format.name, format.command);
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            told += &format!(
                "\nleft out, because they take interrupts, which a harness cannot raise: {names}; `everypath replay` runs them"
            );
        }
        Ok(Written { files, told })
    }

    /// The path of the program from the folder.
    fn program(&self) -> String {
        subject::relative(self.folder, &self.file.path).display().to_string()
    }

    fn create(&self) -> Result<(), Failure> {
        fs::create_dir_all(self.folder).map_err(|error| problem(self.folder, &error))
    }

    /// Writes a file, and returns its path.
    fn write(&self, name: &str, contents: &[u8]) -> Result<String, Failure> {
        let file = self.folder.join(name);
        fs::write(&file, contents).map_err(|error| problem(&file, &error))?;
        Ok(file.display().to_string())
    }
}

fn problem(file: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("{}: cannot be written: {error}", file.display()))
}
