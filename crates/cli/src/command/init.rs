//! `everypath init`: drafts an `everypath.toml`.

use crate::arguments::{File, GlobalOptions, InitOptions};
use crate::failure::Failure;
use crate::{document, failure, input, subject};
use everypath::{Configuration, ConfigurationDraft, DeviceDescription, ExitCode};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

pub(super) fn run(
    options: &InitOptions,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let InitOptions { file, output, svd, force } = options;
    let beside = subject::beside(file);
    let output = output.as_deref().unwrap_or(&beside);
    let is_printed = output == Path::new("-");
    // Before the work, so that a file that must not be replaced is reported at once.
    if !is_printed && !*force && output.exists() {
        return Err(exists(output));
    }
    let device =
        svd.as_deref().map(DeviceDescription::open).transpose().map_err(|error| input::failure(&error))?;
    let binary = subject::open(file, Configuration::default(), ("", &[]), &input::library(global)?)?;
    for warning in binary.image().warnings() {
        failure::warn(global.color, &format!("{}: {warning}", file.path.display()));
    }
    let draft = binary.draft_configuration(device.as_ref()).map_err(|error| input::failure(&error))?;
    let command =
        test_command(file, global, if is_printed || output == beside { None } else { Some(output) });
    let text = format!(
        "# Drafted by `everypath init`; read by `{command}`.\n# A line that begins with `#` and no space is a setting \
         that is not in use: remove the `#` to use it.\n\n{draft}"
    );
    if is_printed {
        out.write_all(text.as_bytes())?;
    } else {
        write(output, &text, *force)?;
        summarise(&draft, output, &command, global.json, out)?;
    }
    let Some(missing) = &draft.missing else { return Ok(ExitCode::Good) };
    out.flush()?;
    failure::warn(global.color, &format!("{}: {missing}", file.path.display()));
    Ok(ExitCode::Open)
}

fn summarise(
    draft: &ConfigurationDraft,
    output: &Path,
    command: &str,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (registers, interrupts) = (draft.registers.len(), draft.interrupts.len());
    if json {
        let configuration = output.display().to_string();
        let content = document::Drafted { configuration, registers, interrupts, next: command };
        return document::write(out, "everypath.init", &content);
    }
    writeln!(out, "peripheral registers read: {registers}; interrupts enabled: {interrupts}")?;
    writeln!(out, "configuration in {}; next: {command}", output.display())?;
    Ok(())
}

/// The command that uses the configuration, with the flags that a configuration cannot replace.
fn test_command(file: &File, global: &GlobalOptions, configuration: Option<&Path>) -> String {
    let mut command = format!("everypath test {}", file.path.display());
    if let Some(format) = file.format {
        command += &format!(" --format {}", format.name);
    }
    if let Some(base) = file.base {
        command += &format!(" --base {base:#x}");
    }
    for folder in &global.architectures {
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
