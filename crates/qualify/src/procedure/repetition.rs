//! Repetition: a replay runs as recorded, and a second run writes the same files.

use super::ProgramCheck;
use crate::qualification::CheckResult;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// `everypath replay` confirms every test.
pub(super) fn replay(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let explored = check.explore(&[], "tests", result)?;
    let run = check.replay(&explored.folder, result);
    result.observed = format!("{} tests, exit code {:?}", explored.suite.tests.len(), run.code);
    if run.code != Some(0) {
        result.faults.push(format!("`everypath replay` does not confirm the tests: {}", run.output.trim()));
    }
    if explored.suite.tests.is_empty() {
        result.faults.push("there are no tests, so that nothing was checked".to_owned());
    }
    Ok(())
}

/// Two runs with the same seed write the same files, byte for byte.
pub(super) fn repeat(check: &ProgramCheck<'_>, result: &mut CheckResult) -> Result<(), String> {
    let flags = ["--seed", "7", "--certificates"];
    let mut contents = Vec::new();
    for name in ["first", "second"] {
        let explored = check.explore(&flags, name, result)?;
        let mut files = BTreeMap::new();
        collect(&check.workplace.path(&explored.folder), "", &mut files)?;
        contents.push(files);
    }
    let (first, second) = (&contents[0], &contents[1]);
    result.observed = format!("{} files, compared byte for byte", first.len());
    let names = first.keys().chain(second.keys().filter(|name| !first.contains_key(*name)));
    for name in names.filter(|name| first.get(*name) != second.get(*name)) {
        result.faults.push(format!("{name} differs"));
    }
    if first.is_empty() {
        result.faults.push("no file was written, so that nothing was compared".to_owned());
    }
    Ok(())
}

/// The files of a folder and their contents, by their paths relative to it.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read(&path).map_err(problem)?);
        }
    }
    Ok(())
}
