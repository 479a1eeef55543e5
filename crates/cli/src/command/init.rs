//! `everypath init`: drafts an `everypath.toml`.

use crate::arguments::File;
use crate::failure::Failure;
use crate::{input, subject};
use everypath::{Configuration, ConfigurationDraft, DeviceDescription, ExitCode, Library};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The arguments of the command.
pub(crate) struct InitArgs<'q> {
    pub(crate) file: &'q File,
    pub(crate) output: Option<&'q Path>,
    pub(crate) svd: Option<&'q Path>,
    pub(crate) force: bool,
    pub(crate) architectures: &'q [PathBuf],
}

pub(crate) fn run(
    question: &InitArgs<'_>,
    library: &Library,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let InitArgs { file, output, svd, force, .. } = *question;
    let beside = subject::beside(file);
    let output = output.unwrap_or(&beside);
    let is_printed = output == Path::new("-");
    // Before the work, so that a file that must not be replaced is reported at once.
    if !is_printed && !force && output.exists() {
        return Err(exists(output));
    }
    let device = svd.map(DeviceDescription::open).transpose().map_err(|error| input::failure(&error))?;
    let binary = subject::open(file, Configuration::default(), &[], library)?;
    for warning in binary.image().warnings() {
        eprintln!("warning: {}: {warning}", file.path.display());
    }
    let draft = binary.draft_configuration(device.as_ref()).map_err(|error| input::failure(&error))?;
    let command = test_command(question, if is_printed || output == beside { None } else { Some(output) });
    let text = format!(
        "# Drafted by `everypath init`; read by `{command}`.\n# A line that begins with `#` and no space is a setting \
         that is not in use: remove the `#` to use it.\n\n{draft}"
    );
    if is_printed {
        out.write_all(text.as_bytes())?;
    } else {
        write(output, &text, force)?;
        summarise(&draft, output, &command, out)?;
    }
    let Some(missing) = &draft.missing else { return Ok(ExitCode::Good) };
    out.flush()?;
    eprintln!("everypath: {}: {missing}", file.path.display());
    Ok(ExitCode::Open)
}

fn summarise(
    draft: &ConfigurationDraft,
    output: &Path,
    command: &str,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (registers, interrupts) = (draft.registers.len(), draft.interrupts.len());
    writeln!(out, "peripheral registers read: {registers}; interrupts enabled: {interrupts}")?;
    writeln!(out, "configuration in {}; next: {command}", output.display())?;
    Ok(())
}

/// The command that uses the configuration, with the flags that a configuration cannot replace.
fn test_command(question: &InitArgs<'_>, configuration: Option<&Path>) -> String {
    let mut command = format!("everypath test {}", question.file.path.display());
    if let Some(format) = question.file.format {
        command += &format!(" --format {}", format.name);
    }
    if let Some(base) = question.file.base {
        command += &format!(" --base {base:#x}");
    }
    for folder in question.architectures {
        command += &format!(" --architectures {}", folder.display());
    }
    if let Some(configuration) = configuration {
        command += &format!(" --configuration {}", configuration.display());
    }
    // It becomes part of a comment.
    command.replace(|letter: char| letter.is_control(), "?")
}

/// Writes the file; an existing one is only replaced by force.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(force).create_new(!force);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => Failure::Input(format!("{} cannot be written: {error}", path.display())),
    })
}

fn exists(path: &Path) -> Failure {
    Failure::Input(format!(
        "{} exists: add --force to replace it, or -o FILE to write another (`-o -` prints)",
        path.display()
    ))
}
