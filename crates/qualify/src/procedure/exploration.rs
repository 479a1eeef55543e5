//! Runs of the command on a program of the kit: `everypath test`, and those that read its results.

use super::ProgramCheck;
use crate::qualification::CheckResult;
use crate::workplace::{CommandRun, Workplace};
use everypath::Suite;
use std::path::PathBuf;

/// The results of `everypath test`.
pub(super) struct Explored {
    pub(super) suite: Suite,
    pub(super) code: i32,
    /// The folder of the results, relative to that of the qualification.
    pub(super) folder: String,
}

impl ProgramCheck<'_> {
    /// Runs the command, and records its line.
    pub(super) fn run(&self, arguments: &[String], result: &mut CheckResult) -> CommandRun {
        let run = self.workplace.run(arguments);
        result.commands.push(run.line.clone());
        run
    }

    /// The folder of the program, in which its files are written.
    pub(super) fn place(&self) -> Result<String, String> {
        self.workplace.write_program(&self.case.identifier, self.program)
    }

    /// The arguments of a command on the image of the program.
    pub(super) fn arguments(&self, command: &str, place: &str) -> Vec<String> {
        let mut arguments = vec![command.to_owned(), format!("{place}/image.bin")];
        arguments.extend(Workplace::image_flags(self.program));
        arguments
    }

    /// Explores the program with further flags, into a folder of this name.
    ///
    /// # Errors
    /// If there are no results that can be read.
    pub(super) fn explore(
        &self,
        flags: &[&str],
        name: &str,
        result: &mut CheckResult,
    ) -> Result<Explored, String> {
        let place = self.place()?;
        let folder = format!("{place}/{name}");
        let mut arguments = self.arguments("test", &place);
        arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
        arguments.extend(["--output".to_owned(), folder.clone()]);
        let run = self.run(&arguments, result);
        let code = run.code.ok_or_else(|| format!("`everypath test` did not end: {}", run.output))?;
        let suite = Suite::read(&self.workplace.path(&folder)).map_err(|error| {
            format!("no results, exit code {code}: {error}; the command printed: {}", run.output.trim())
        })?;
        Ok(Explored { suite, code, folder })
    }

    /// Replays the tests in a folder.
    pub(super) fn replay(&self, folder: &str, result: &mut CheckResult) -> CommandRun {
        let place = Workplace::place(&self.case.identifier, self.program);
        let mut arguments = self.arguments("replay", &place);
        arguments.insert(2, folder.to_owned());
        self.run(&arguments, result)
    }

    /// Checks a certificate.
    pub(super) fn check_certificate(&self, file: &str, result: &mut CheckResult) -> CommandRun {
        self.run(&["check-certificate".to_owned(), file.to_owned()], result)
    }

    /// The certificates in a folder of results, relative to that of the qualification, in order.
    ///
    /// # Errors
    /// If there is none: a check of nothing would show nothing.
    pub(super) fn certificates_in(&self, folder: &str) -> Result<Vec<String>, String> {
        let inside = format!("{folder}/certificates");
        let entries = std::fs::read_dir(self.workplace.path(&inside)).into_iter().flatten();
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        let name = |file: &PathBuf| Some(format!("{inside}/{}", file.file_name()?.to_string_lossy()));
        let files: Vec<String> = files.iter().filter_map(name).collect();
        if files.is_empty() { Err("no certificate was written".to_owned()) } else { Ok(files) }
    }
}
