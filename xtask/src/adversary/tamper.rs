//! Tampering with certificates and recorded tests: a changed one must be rejected.

use super::build::Built;
use super::claim::explore;
use super::compare::Comparison;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The maximum number of certificates and tests of one program that are changed.
const MOST: usize = 2;

/// Checks certificates and tests of a program.
///
/// # Errors
/// If the command cannot be run, or a file cannot be read or written.
pub(super) fn check(everypath: &Path, built: &Built, comparison: &mut Comparison) -> Result<(), String> {
    let claim = explore(everypath, built, "branch", &["--certificates"])?;
    if claim.summary.is_none() {
        return Ok(());
    }
    certificates(everypath, &claim.folder.join("certificates"), comparison)?;
    if let Some((kind, what)) = differs(everypath, &built.file, &claim.folder)? {
        comparison.add(kind, what);
        return Ok(());
    }
    for test in claim.tests.iter().take(MOST) {
        let file = claim.folder.join("tests").join(format!("{}.json", test.name));
        let original = read(&file)?;
        for (field, tampered) in tampered(&original)? {
            write(&file, &tampered)?;
            let what = format!("another `{field}` in {}", test.name);
            match replay(everypath, &built.file, &claim.folder)? {
                // It is rejected, or does not run as recorded.
                Some(1 | 3) => {}
                Some(0) => {
                    comparison.add("tampered-test-accepted", format!("`replay` does not notice {what}"));
                }
                code => comparison.add("tamper-crash", format!("`replay` ends with {code:?} for {what}")),
            }
        }
        write(&file, &original)?;
    }
    Ok(())
}

/// Replays the tests in a folder; returns a message if `replay` does not confirm that they run as recorded.
///
/// # Errors
/// If the command cannot be run.
pub(super) fn differs(
    everypath: &Path,
    file: &Path,
    tests: &Path,
) -> Result<Option<(&'static str, String)>, String> {
    let code = replay(everypath, file, tests)?;
    let what = "`replay` of untouched tests does not say \"as recorded\"";
    Ok((code != Some(0)).then(|| ("replay-differs", what.to_owned())))
}

/// The exit code of `replay`.
fn replay(everypath: &Path, file: &Path, tests: &Path) -> Result<Option<i32>, String> {
    run(Command::new(everypath).arg("replay").arg(file).arg(tests))
}

/// A test with one field changed at a time. Cell values are changed in number, because other values may behave the
/// same.
fn tampered(text: &str) -> Result<Vec<(&'static str, String)>, String> {
    let test: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut list = Vec::new();
    let mut change = |field: &'static str, with: &dyn Fn(&mut Value)| {
        let mut other = test.clone();
        if let Some(value) = other.get_mut(field) {
            with(value);
        }
        if other != test {
            list.push((field, other.to_string()));
        }
    };
    change("format", &|value| *value = (value.as_u64().unwrap_or(0) + 1).into());
    change("end", &|value| *value = "it went home".into());
    change("instructions", &|value| *value = (value.as_u64().unwrap_or(0) + 1).into());
    change("path_hash", &|value| *value = "0x1234".into());
    change("new_directions", &|value| {
        let direction = serde_json::json!({ "branch": "0x3", "target": "0x5" });
        if let Some(directions) = value.as_array_mut() {
            directions.push(direction);
        }
    });
    change("cells", &|value| {
        let first = value.as_array_mut().and_then(|cells| cells.first_mut());
        if let Some(values) = first.and_then(|cell| cell.get_mut("values")).and_then(Value::as_array_mut) {
            values.push(0.into());
        }
    });
    Ok(list)
}

fn certificates(everypath: &Path, folder: &Path, comparison: &mut Comparison) -> Result<(), String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let accepted = |file: &Path| run(Command::new(everypath).arg("check-certificate").arg(file));
    for file in files.iter().take(MOST) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if accepted(file)? != Some(0) {
            comparison.add("certificate-refused", format!("`check-certificate` refuses {name}"));
            continue;
        }
        let text = read(file)?;
        for (what, mutated) in mutated(&text) {
            let copy = folder.join("mutated");
            write(&copy, &mutated)?;
            if accepted(&copy)? == Some(0) {
                comparison.add(
                    "mutated-certificate-accepted",
                    format!("`check-certificate` accepts {name} with {what}"),
                );
            }
            let _ = std::fs::remove_file(&copy);
        }
    }
    Ok(())
}

/// A certificate with one part changed at a time, so that it no longer proves anything.
fn mutated(text: &str) -> Vec<(&'static str, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let section = |name: &str| lines.iter().position(|line| *line == name);
    let mut list = Vec::new();
    let mut without = |what: &'static str, line: usize, by: Option<String>| {
        let mut other: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        match by {
            Some(by) => other[line] = by,
            None => {
                other.remove(line);
            }
        }
        let other = other.join("\n") + "\n";
        if other != text {
            list.push((what, other));
        }
    };
    // A condition outside the unsatisfiable core is not needed: without it the certificate is still valid.
    let core = lines.iter().find_map(|line| line.strip_prefix("core ")?.split(' ').next()?.parse().ok());
    let mut assertions = (0..lines.len()).filter(|line| lines[*line].starts_with("(assert"));
    if let Some(line) = assertions.nth(core.unwrap_or(0)) {
        without("a condition of the core replaced by `true`", line, Some("(assert true)".to_owned()));
    }
    if let Some(line) = section("[clauses]").map(|line| line + 2).filter(|line| *line < lines.len()) {
        without("a clause less", line, None);
    }
    if section("[proof]").is_some_and(|line| line + 1 < lines.len()) {
        without("the last step of the proof missing", lines.len() - 1, None);
    }
    list
}

/// The exit code of a command; none after a signal.
fn run(command: &mut Command) -> Result<Option<i32>, String> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().map(|status| status.code()).map_err(|error| error.to_string())
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}
