//! The page on commands: the help of each, as the program prints it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const HEAD: &str = "# Commands and flags

What `--help` prints. `everypath manual DIR` writes the same as manual pages, `everypath completions SHELL` for a shell.
";

/// The page.
///
/// # Errors
/// If the command cannot be run.
pub(super) fn page(everypath: &Path) -> Result<String, String> {
    let mut page = HEAD.to_owned();
    let overview = help(everypath, &[])?;
    section(&mut page, "everypath", &overview);
    for name in commands(&overview) {
        let text = help(everypath, &[name])?;
        section(&mut page, &format!("everypath {name}"), &text);
        for stage in commands(&text) {
            section(&mut page, &format!("everypath {name} {stage}"), &help(everypath, &[name, stage])?);
        }
    }
    Ok(page)
}

/// The help of a command, without the options that all have but in the overview.
pub(super) fn help(everypath: &Path, command: &[&str]) -> Result<String, String> {
    let output = Command::new(everypath).args(command).arg("--help").output();
    let output = output.map_err(|error| format!("{}: {error}", everypath.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let own =
        if command.is_empty() { &text } else { text.split("\nArchitectures:\n").next().unwrap_or(&text) };
    let lines: Vec<&str> = own.trim_end().lines().map(str::trim_end).collect();
    Ok(lines.join("\n"))
}

/// The names in the list of commands of a help text.
fn commands(help: &str) -> Vec<&str> {
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let list = list.lines().take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

fn section(page: &mut String, title: &str, text: &str) {
    let _ = write!(page, "\n## {title}\n\n```text\n{text}\n```\n");
}
