//! The folder in which cases are carried out, and the runs of the command in it.

use crate::kit::KitError;
use crate::program::KitProgram;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the files that cases work on, inside that of the results.
const WORK: &str = "work";
/// The file of the results, which shows that the folder is ours.
pub(crate) const RESULTS: &str = "qualification.json";

/// The command under qualification, and the folder that it works in.
#[derive(Clone, Debug)]
pub struct Workplace {
    command: PathBuf,
    folder: PathBuf,
}

/// A run of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// The command line, relative to the folder.
    pub line: String,
    /// The exit code; none after a signal, or if the command could not be started.
    pub code: Option<i32>,
    /// The standard output and the standard error output.
    pub output: String,
}

impl Workplace {
    /// Prepares a folder for a command. The files of an earlier qualification in it are removed.
    ///
    /// # Errors
    /// If the folder cannot be written to, or has files that are not those of an earlier qualification.
    pub fn new(command: &Path, folder: &Path) -> Result<Workplace, KitError> {
        let problem = |problem: String| KitError::File { file: folder.display().to_string(), problem };
        fs::create_dir_all(folder).map_err(|error| problem(error.to_string()))?;
        let folder = folder.canonicalize().map_err(|error| problem(error.to_string()))?;
        let is_empty = fs::read_dir(&folder).map_err(|error| problem(error.to_string()))?.next().is_none();
        let work = folder.join(WORK);
        if !is_empty && !folder.join(RESULTS).is_file() && work.exists() {
            return Err(problem(format!(
                "it has a folder `{WORK}`, and no {RESULTS} of an earlier qualification; choose another folder with --output"
            )));
        }
        if work.exists() {
            fs::remove_dir_all(&work).map_err(|error| problem(error.to_string()))?;
        }
        fs::create_dir_all(&work).map_err(|error| problem(error.to_string()))?;
        Ok(Workplace { command: command.to_owned(), folder })
    }

    /// The command under qualification.
    #[must_use]
    pub fn command(&self) -> &Path {
        &self.command
    }

    /// The folder of the results.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A path in the folder.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// The folder of a program for a case, relative to that of the results.
    pub(crate) fn place(case: &str, program: &KitProgram) -> String {
        format!("{WORK}/{case}/{}", program.label())
    }

    /// Writes the image and the configuration of a program into the folder of a case, which is returned.
    pub(crate) fn write_program(&self, case: &str, program: &KitProgram) -> Result<String, String> {
        let place = Self::place(case, program);
        self.write(&format!("{place}/image.bin"), &program.image)?;
        self.write(&format!("{place}/everypath.toml"), program.configuration.trim_start().as_bytes())?;
        Ok(place)
    }

    /// Writes a file; its folder is created.
    pub(crate) fn write(&self, relative: &str, contents: &[u8]) -> Result<(), String> {
        let path = self.path(relative);
        let problem = |error: std::io::Error| format!("{relative}: {error}");
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(problem)?;
        }
        fs::write(&path, contents).map_err(problem)
    }

    /// Reads a text file.
    pub(crate) fn read(&self, relative: &str) -> Result<String, String> {
        fs::read_to_string(self.path(relative)).map_err(|error| format!("{relative}: {error}"))
    }

    /// The flags by which the command loads the image of a program.
    pub(crate) fn image_flags(program: &KitProgram) -> Vec<String> {
        let mut flags = vec!["--format", "raw", "--base"].into_iter().map(str::to_owned).collect::<Vec<_>>();
        flags.push(format!("{:#x}", program.base));
        if let Some(entry) = program.entry {
            flags.extend(["--entry".to_owned(), format!("{entry:#x}")]);
        }
        flags
    }

    /// Runs the command in the folder.
    pub(crate) fn run(&self, arguments: &[String]) -> CommandRun {
        let line = format!("everypath {}", arguments.join(" "));
        let output = Command::new(&self.command)
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output();
        match output {
            Ok(output) => {
                let text = [output.stdout, output.stderr].concat();
                let output_text = String::from_utf8_lossy(&text).into_owned();
                CommandRun { line, code: output.status.code(), output: output_text }
            }
            Err(error) => CommandRun { line, code: None, output: format!("it cannot be started: {error}") },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(WORK)).unwrap();
        fs::write(folder.path().join(WORK).join("thesis.tex"), "").unwrap();
        let error = Workplace::new("everypath".as_ref(), folder.path()).unwrap_err();
        assert!(error.to_string().contains("choose another folder"), "{error}");
        fs::write(folder.path().join(RESULTS), "").unwrap();
        assert!(Workplace::new("everypath".as_ref(), folder.path()).is_ok());
    }

    #[test]
    fn a_command_that_cannot_be_started_has_no_exit_code() {
        let folder = tempfile::tempdir().unwrap();
        let workplace = Workplace::new("there/is/none".as_ref(), folder.path()).unwrap();
        let run = workplace.run(&["architectures".to_owned()]);
        assert_eq!((run.code, run.line.as_str()), (None, "everypath architectures"));
    }
}
