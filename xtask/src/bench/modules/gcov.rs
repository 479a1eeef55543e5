//! Native branch coverage of generated inputs, by gcov: the same module and harness, compiled for this machine.

use super::list::ModuleEntry;
use everypath_image::{Image, ReadOptions};
use everypath_record::TestCase;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the module natively on the input of each test; returns the branches of the module's own files that were taken,
/// and all of them. Functions that the harness cannot reach are not counted: the linker drops them.
pub(super) fn replay(
    root: &Path,
    module_folder: &Path,
    module: &ModuleEntry,
    bytes: u32,
    tests: &[TestCase],
) -> Result<(u64, u64), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = folder.path().join("module");
    // The compiler names its notes after the source file: the harness must not have the name of a module's file.
    let harness = folder.path().join("harness.c");
    let text = format!("#include \"{}.c\"\n", root.join("tests/modules").join(&module.name).display());
    std::fs::write(&harness, text).map_err(|error| error.to_string())?;
    let mut compiler = Command::new("gcc");
    compiler
        .current_dir(folder.path())
        .args(["-O0", "--coverage", "-DNATIVE", "-o"])
        .arg(&program)
        .arg(harness);
    // gcov does not say to which function the lines of a forcibly inlined one belong, so none is inlined.
    compiler.args(["-Dalways_inline=unused", "-D__always_inline__=unused"]);
    output(compiler.args(module.arguments(root, module_folder, bytes)))?;
    for test in tests {
        let input = test.cells.iter().flat_map(|cell| &cell.values).map(|value| *value as u8);
        run(&program, &input.collect::<Vec<u8>>())?;
    }
    let entries = std::fs::read_dir(folder.path()).map_err(|error| error.to_string())?;
    let notes = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let notes: Vec<_> =
        notes.filter(|path| path.extension().is_some_and(|ending| ending == "gcno")).collect();
    let mut gcov = Command::new("gcov");
    gcov.current_dir(folder.path()).args(["--json-format", "--branch-probabilities", "--stdout"]).args(notes);
    let file = std::fs::read(&program).map_err(|error| error.to_string())?;
    let image = Image::read(file, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let linked: HashSet<&str> = image.symbols().iter().map(|symbol| symbol.name.as_str()).collect();
    count(&output(&mut gcov)?, module_folder, &linked)
}

/// Runs the program on an input. The harness ends it after two seconds; how it ends does not matter.
fn run(program: &Path, input: &[u8]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that has ended does not read its input.
        let _ = pipe.write_all(input);
    }
    child.wait().map(drop).map_err(|error| error.to_string())
}

/// The output of a tool that must succeed.
fn output(command: &mut Command) -> Result<String, String> {
    let tool = command.get_program().display().to_string();
    let run = command.output().map_err(|error| format!("{tool}: {error}"))?;
    if run.status.success() {
        return Ok(String::from_utf8_lossy(&run.stdout).into_owned());
    }
    Err(format!("{tool}: {}", String::from_utf8_lossy(&run.stderr)))
}

#[derive(Deserialize)]
struct Report {
    files: Vec<ReportFile>,
}

#[derive(Deserialize)]
struct ReportFile {
    file: String,
    lines: Vec<ReportLine>,
}

#[derive(Deserialize)]
struct ReportLine {
    line_number: u64,
    #[serde(default)]
    function_name: String,
    branches: Vec<ReportBranch>,
}

#[derive(Deserialize)]
struct ReportBranch {
    count: u64,
}

/// Branches taken and all branches in gcov's reports, of files in `folder` and functions in `linked`. A header is in the
/// report of every file that includes it; its branches count once.
fn count(reports: &str, folder: &Path, linked: &HashSet<&str>) -> Result<(u64, u64), String> {
    let mut branches: HashMap<(String, u64, String, usize), bool> = HashMap::new();
    for report in serde_json::Deserializer::from_str(reports).into_iter::<Report>() {
        let report = report.map_err(|error| format!("gcov's report: {error}"))?;
        for ReportFile { file, lines } in report.files {
            if !Path::new(&file).starts_with(folder) {
                continue;
            }
            for line in lines.iter().filter(|line| linked.contains(line.function_name.as_str())) {
                for (index, branch) in line.branches.iter().enumerate() {
                    let key = (file.clone(), line.line_number, line.function_name.clone(), index);
                    *branches.entry(key).or_default() |= branch.count > 0;
                }
            }
        }
    }
    let taken = branches.values().filter(|is_taken| **is_taken).count();
    Ok((taken as u64, branches.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_of_own_files_and_linked_functions_count_once() {
        let report = |file: &str, function: &str, counts: [u64; 2]| {
            format!(
                r#"{{"gcc_version": "12", "files": [{{"file": "{file}", "functions": [], "lines": [
                    {{"line_number": 7, "count": 1, "function_name": "{function}", "branches": [
                        {{"count": {}, "throw": false, "fallthrough": true}}, {{"count": {}}}]}}]}}]}}"#,
                counts[0], counts[1]
            )
        };
        let reports = [
            report("/m/a.h", "inline", [1, 0]),
            report("/m/a.h", "inline", [0, 0]),
            report("/m/b.c", "parse", [3, 4]),
            report("/m/b.c", "dropped", [0, 0]),
            report("/harness.c", "parse", [1, 1]),
        ];
        let linked = HashSet::from(["inline", "parse"]);
        assert_eq!(count(&reports.join("\n"), Path::new("/m"), &linked), Ok((3, 4)));
    }
}
