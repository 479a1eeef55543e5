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
    let results = Results { everypath, program: &built.file, folder: &claim.folder };
    for test in claim.tests.iter().take(MOST) {
        results.tamper(&format!("tests/{}.json", test.name), tampered_test, comparison)?;
    }
    results.tamper("summary.json", tampered_summary, comparison)
}

/// The results of an exploration.
struct Results<'r> {
    everypath: &'r Path,
    program: &'r Path,
    folder: &'r Path,
}

impl Results<'_> {
    /// Changes a file in each of several respects; `replay` must notice it, with the digests of the files and, for what the runs
    /// show, without.
    fn tamper(
        &self,
        path: &str,
        tampered: fn(&Value) -> Vec<Tampered>,
        comparison: &mut Comparison,
    ) -> Result<(), String> {
        let (file, manifest) = (self.folder.join(path), self.folder.join("files.json"));
        let (original, digests) = (read(&file)?, read(&manifest)?);
        let value: Value = serde_json::from_str(&original).map_err(|error| error.to_string())?;
        for Tampered { what, value, is_shown } in tampered(&value) {
            write(&file, &value.to_string())?;
            for has_digests in [true, false].into_iter().filter(|has_digests| *has_digests || is_shown) {
                if !has_digests {
                    std::fs::remove_file(&manifest).map_err(|error| error.to_string())?;
                }
                match replay(self.everypath, self.program, self.folder)? {
                    // It is rejected, or does not run as recorded.
                    Some(1 | 3) => {}
                    Some(0) => comparison
                        .add("tampered-test-accepted", format!("`replay` does not notice {what} in {path}")),
                    code => comparison
                        .add("tamper-crash", format!("`replay` ends with {code:?} for {what} in {path}")),
                }
            }
            write(&manifest, &digests)?;
        }
        write(&file, &original)
    }
}

/// A changed file.
struct Tampered {
    what: &'static str,
    value: Value,
    /// Whether the runs of the tests show that it was changed.
    is_shown: bool,
}

/// A change: what it is, whether the runs of the tests show it, and how it is made.
type Change<'c> = (&'static str, bool, &'c dyn Fn(&mut Value));

/// Collects the changes of a file that make a difference.
fn changes(original: &Value, list: &[Change<'_>]) -> Vec<Tampered> {
    let changed = list.iter().filter_map(|(what, is_shown, with)| {
        let mut value = original.clone();
        with(&mut value);
        (value != *original).then_some(Tampered { what, value, is_shown: *is_shown })
    });
    changed.collect()
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
fn tampered_test(test: &Value) -> Vec<Tampered> {
    let next = |value: &mut Value| *value = (value.as_u64().unwrap_or(0) + 1).into();
    changes(
        test,
        &[
            ("another format", true, &|test| next(&mut test["format"])),
            ("another end", true, &|test| test["end"] = "it went home".into()),
            ("another number of instructions", true, &|test| next(&mut test["instructions"])),
            ("another path", true, &|test| test["path_hash"] = "0x1234".into()),
            ("a direction more", true, &|test| push(&mut test["new_directions"], absent())),
            ("a direction less", false, &|test| pop(&mut test["new_directions"])),
            ("a value more", true, &|test| {
                if let Some(values) = test.pointer_mut("/cells/0/values") {
                    push(values, 0.into());
                }
            }),
        ],
    )
}

/// A summary with one statement changed at a time.
fn tampered_summary(summary: &Value) -> Vec<Tampered> {
    let flip = |value: &mut Value| *value = (!value.as_bool().unwrap_or(false)).into();
    let is_covered = |judged: &Value| judged["verdict"] == "covered";
    let covered = |summary: &Value| summary["directions"].as_array()?.iter().position(is_covered);
    changes(
        summary,
        &[
            ("another claim of completeness", false, &|summary| flip(&mut summary["complete"])),
            ("another claim of exactness", false, &|summary| flip(&mut summary["directions_exact"])),
            ("another number of paths", false, &|summary| summary["paths"] = 1_000_000_007_u64.into()),
            ("an assumption less", false, &|summary| pop(&mut summary["assumptions"])),
            ("a covered direction less", true, &|summary| {
                if let Some(position) = covered(summary)
                    && let Some(directions) = summary["directions"].as_array_mut()
                {
                    directions.remove(position);
                }
            }),
            ("a finding more", true, &|summary| {
                let test = summary["tests"].get(0).cloned().unwrap_or_default();
                let finding = serde_json::json!(
                    { "oracle": "trap", "address": "0x3", "message": "it fell", "test": test }
                );
                push(&mut summary["findings"], finding);
            }),
        ],
    )
}

/// A direction that no program has.
fn absent() -> Value {
    serde_json::json!({ "branch": "0x3", "target": "0x5" })
}

fn push(list: &mut Value, value: Value) {
    if let Some(list) = list.as_array_mut() {
        list.push(value);
    }
}

fn pop(list: &mut Value) {
    if let Some(list) = list.as_array_mut() {
        list.pop();
    }
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
