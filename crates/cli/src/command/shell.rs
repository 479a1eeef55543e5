//! `everypath completions` and `everypath manual`: what shells and `man` need, generated from the arguments.

use crate::arguments::Arguments;
use crate::document;
use crate::failure::Failure;
use clap::CommandFactory;
use std::io::Write;
use std::path::Path;

/// Prints the completions of a shell. The generator panics where it cannot write, as into a pipe that was closed.
pub(super) fn completions(shell: clap_complete::Shell, out: &mut dyn Write) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "everypath", &mut text);
    out.write_all(&text)?;
    Ok(())
}

/// Writes a manual page for each command into a folder.
pub(super) fn manual(folder: &Path, json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let problem =
        |error: std::io::Error| Failure::Input(format!("{}: cannot be written: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(problem)?;
    clap_mangen::generate_to(Arguments::command(), folder).map_err(problem)?;
    if json {
        let entries = std::fs::read_dir(folder).map_err(problem)?;
        let mut files: Vec<String> =
            entries.filter_map(|entry| Some(entry.ok()?.path().display().to_string())).collect();
        files.sort_unstable();
        let written = document::WrittenFiles { kind: "manual", folder: folder.display().to_string(), files };
        return document::write(out, "everypath.manual", &written);
    }
    writeln!(out, "{}: try `man {}`", folder.display(), folder.join("everypath.1").display())?;
    Ok(())
}
