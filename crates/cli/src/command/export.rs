//! `everypath export`: tests as scripts for other tools, or as a replay harness.

use crate::arguments::{ExportFormat, File, Setting};
use crate::failure::Failure;
use crate::subject;
use everypath::Binary;
use everypath_lift::Library;
use everypath_record::{Suite, SuiteError, TestCase};
use everypath_report::{HarnessFormat, ScriptFormat};
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// The arguments of the command.
pub(crate) struct ExportArgs<'q> {
    pub(crate) file: &'q File,
    pub(crate) tests: &'q Path,
    pub(crate) setting: &'q Setting,
    pub(crate) format: Option<ExportFormat>,
    pub(crate) output: Option<&'q Path>,
}

/// Writes a script for each test, or a harness for all.
pub(crate) fn run(question: &ExportArgs<'_>, library: &Library, out: &mut dyn Write) -> Result<(), Failure> {
    let ExportArgs { file, tests, setting, format, output } = question;
    let binary = subject::load(file, setting, library)?;
    let suite = Suite::read(tests).map_err(|error: SuiteError| Failure::Input(error.to_string()))?;
    let exports = &binary.architecture().description().exports;
    let first = || exports.iter().find_map(|export| ExportFormat::by_name(&export.format));
    let Some(format) = format.or_else(first) else {
        let name = binary.architecture().name();
        return Err(Failure::Input(format!("nothing is known of tools that run tests for {name}")));
    };
    let default = tests.join(format.name());
    let folder = Destination { binary: &binary, file, folder: output.unwrap_or(&default) };
    match format {
        ExportFormat::Script(format) => folder.write_scripts(format, &suite, out),
        ExportFormat::Harness(format) => {
            // Expected outputs are those of the program that the tests were made for.
            subject::check_same_setup(&binary, &suite.summary)?;
            folder.write_harness(format, &suite, out)
        }
    }
}

/// The program and the folder that its tests are written to.
struct Destination<'d> {
    binary: &'d Binary,
    file: &'d File,
    folder: &'d Path,
}

impl Destination<'_> {
    fn write_scripts(
        &self,
        format: &ScriptFormat,
        suite: &Suite,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        self.create()?;
        let (guest, configuration) = (self.binary.guest(), self.binary.configuration());
        let program = self.program();
        for test in &suite.tests {
            let rerun = everypath_explore::rerun(guest, configuration, test, &program, format.name)
                .map_err(|error| subject::refused(self.file, &error))?;
            let script = format!("{}.{}", test.name, format.extension);
            self.write(&script, (format.script)(&rerun).as_bytes())?;
            if let Some((extension, check)) = format.check {
                self.write(&format!("{}.{extension}", test.name), check(&rerun).as_bytes())?;
            }
        }
        writeln!(out, "{} scripts for {} in {}", suite.tests.len(), format.name, self.folder.display())?;
        Ok(())
    }

    fn write_harness(
        &self,
        format: &HarnessFormat,
        suite: &Suite,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
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
        let described = described.map_err(|error| crate::input::failure(&error))?;
        let files = (format.files)(&described).map_err(|why| refused(&why))?;
        self.create()?;
        for file in &files {
            self.write(&file.path, &file.contents)?;
        }
        let (count, folder) = (tests.len(), self.folder.display());
        writeln!(
            out,
            "{count} tests for {} in {folder}; to run them there: {}",
            format.name, format.command
        )?;
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            writeln!(
                out,
                "left out, because they take interrupts, which a harness cannot raise: {names}; `everypath replay` runs them"
            )?;
        }
        Ok(())
    }

    /// The path of the program from the folder.
    fn program(&self) -> String {
        relative(self.folder, &self.file.path).display().to_string()
    }

    fn create(&self) -> Result<(), Failure> {
        fs::create_dir_all(self.folder).map_err(|error| problem(self.folder, &error))
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<(), Failure> {
        let file = self.folder.join(name);
        fs::write(&file, contents).map_err(|error| problem(&file, &error))
    }
}

fn problem(file: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("{}: cannot be written: {error}", file.display()))
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
