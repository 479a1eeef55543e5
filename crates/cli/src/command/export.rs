//! `everypath export`: tests as scripts for other tools, or as a replay harness.

use crate::arguments::{ExportFormat, ExportOptions, File, GlobalOptions, RunResults, Setting};
use crate::failure::Failure;
use crate::results::read_suite;
use crate::{document, subject};
use everypath::Binary;
use everypath_record::{Suite, TestCase};
use everypath_report::{HarnessFormat, PredicatesFalse, ScriptFormat};
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
    let suite = read_suite(tests)?;
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

/// The tests that are exported, and the names of those that are not.
struct Exported<'s> {
    tests: Vec<TestCase>,
    left_out: Vec<&'s str>,
    tool: &'static str,
}

/// Maximum number of names of tests that a message lists.
const NAMES: usize = 20;

impl Exported<'_> {
    /// A line that says how many tests were left out, and why; empty if none was.
    fn left_out_note(&self) -> String {
        let Exported { tests, left_out, tool } = self;
        if left_out.is_empty() {
            return String::new();
        }
        let (count, all) = (left_out.len(), tests.len() + left_out.len());
        let names = left_out[..count.min(NAMES)].join(", ");
        let rest = if count > NAMES { format!(" and {} more", count - NAMES) } else { String::new() };
        format!(
            "\n{count} of {all} tests left out, because they take interrupts, which `--tool {tool}` cannot raise: \
             {names}{rest}; `everypath replay` runs them"
        )
    }
}

impl Destination<'_> {
    fn write_scripts(&self, format: &ScriptFormat, suite: &Suite) -> Result<Written, Failure> {
        let exported = self.without_interrupts(suite, format.name)?;
        let (guest, configuration) = (self.binary.guest(), self.binary.configuration());
        let (program, mut contents) = (self.program(), Vec::new());
        for test in &exported.tests {
            let rerun = everypath_explore::rerun(guest, configuration, test, &program, format.name)
                .map_err(|error| subject::refused(self.file, self.setting, &error))?;
            contents.push((format!("{}.{}", test.name, format.extension), (format.script)(&rerun)));
            if let Some((extension, check)) = format.check {
                contents.push((format!("{}.{extension}", test.name), check(&rerun)));
            }
        }
        // Nothing is written if one test does not fit.
        self.create()?;
        let files = contents.iter().map(|(name, text)| self.write(name, text.as_bytes()));
        let files: Vec<String> = files.collect::<Result<_, Failure>>()?;
        let (count, folder) = (exported.tests.len(), self.folder.display());
        let told = format!("{count} scripts for {} in {folder}{}", format.name, exported.left_out_note());
        Ok(Written { files, told })
    }

    fn write_harness(&self, format: &HarnessFormat, suite: &Suite) -> Result<Written, Failure> {
        let refused = |why: &str| self.refused(why);
        let exported = self.without_interrupts(suite, format.name)?;
        let described = self.binary.harness_suite(&exported.tests, &self.program(), format.name);
        let described = described.map_err(|error| subject::failure(self.file, self.setting, &error))?;
        let skipped = |test: &TestCase| {
            if !format.follows_path {
                return Ok(PredicatesFalse::new());
            }
            let found = self.binary.false_predicates(test);
            found.map_err(|error| subject::failure(self.file, self.setting, &error))
        };
        let skipped: Vec<PredicatesFalse> = exported.tests.iter().map(skipped).collect::<Result<_, _>>()?;
        let contents = (format.files)(&described, &skipped).map_err(|why| refused(&why))?;
        self.create()?;
        let files = contents.iter().map(|file| self.write(&file.path, &file.contents));
        let files: Vec<String> = files.collect::<Result<_, Failure>>()?;
        let (count, folder) = (exported.tests.len(), self.folder.display());
        let told = format!(
            "{count} tests for {} in {folder}; to run them there: {}{}",
            format.name,
            format.command,
            exported.left_out_note()
        );
        Ok(Written { files, told })
    }

    /// The tests that take no interrupts, which none of the tools can raise.
    fn without_interrupts<'s>(&self, suite: &'s Suite, tool: &'static str) -> Result<Exported<'s>, Failure> {
        let (left_out, tests): (Vec<&TestCase>, Vec<&TestCase>) =
            suite.tests.iter().partition(|test| !test.interrupts.is_empty());
        if tests.is_empty() && !left_out.is_empty() {
            return Err(self.refused(&format!(
                "every test takes interrupts, which `--tool {tool}` cannot raise; `everypath replay` runs them"
            )));
        }
        let left_out = left_out.iter().map(|test| test.name.as_str()).collect();
        Ok(Exported { tests: tests.into_iter().cloned().collect(), left_out, tool })
    }

    fn refused(&self, why: &str) -> Failure {
        Failure::Input(format!("{}: {why}", self.file.path.display()))
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
