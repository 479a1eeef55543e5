//! A failing program as a folder: source, guest, configuration, the observed truth, and a README that says what is wrong.

use super::compare::Wrong;
use super::examine::Bench;
use super::generate::Program;
use super::reduce::reduce;
use std::path::Path;

/// Reduces a program and writes it to `folder/<kind>-<target><level>-<seed>`.
///
/// # Errors
/// If an executor or the command cannot be run, or a file cannot be written.
pub(super) fn keep(
    bench: &Bench,
    program: &Program,
    level: &str,
    seed: u64,
    wrong: &Wrong,
    folder: &Path,
) -> Result<(), String> {
    let target = &bench.target.description.name;
    let place = folder.join(wrong.kind).join(format!("{target}{level}-{seed}"));
    let problem = |error: std::io::Error| format!("{}: {error}", place.display());
    std::fs::create_dir_all(&place).map_err(problem)?;
    let work = tempfile::tempdir().map_err(problem)?;
    let smallest = reduce(bench, program, level, wrong.kind, work.path())?;
    let outcome = bench.examine(&smallest, level, &place)?;
    let said = match outcome {
        super::examine::Outcome::Compared(report) => report.comparison.wrong,
        super::examine::Outcome::Skipped(_) => Vec::new(),
    };
    let what = said.iter().find(|found| found.kind == wrong.kind).unwrap_or(wrong);
    let file = &bench.target.compiler.file;
    let criterion = if what.what.starts_with("branch") { "branch" } else { "path" };
    let text = format!(
        "{}: {}\n\nTarget {target}, level `{level}`, seed {seed}.\n\n    everypath test {file} --criterion {criterion}\n",
        what.kind, what.what
    );
    std::fs::write(place.join("README"), text).map_err(problem)?;
    for name in ["results", "plan"] {
        let _ = std::fs::remove_file(place.join(name));
    }
    Ok(())
}
