//! Keeps a failing program as a folder: source, guest, configuration, ground truth, and a README that states the wrong
//! claim.

use super::compare::Wrong;
use super::examine::{Bench, Outcome};
use super::generate::Program;
use super::kept::Kept;
use super::reduce::reduce;
use super::tree::{Node, Role, items};
use std::path::Path;

/// Reduces a program and writes it to `folder/<kind>/<target><level>-<seed>`.
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
    let work = tempfile::tempdir().map_err(problem)?;
    let smallest = without_blank_lines(&reduce(bench, program, level, wrong, work.path())?);
    let outcome = bench.examine_with(&smallest, level, work.path(), wrong.reproduced_by())?;
    let said = match &outcome {
        Outcome::Compared(report) => report.comparison.wrong.clone(),
        Outcome::Skipped(_) => Vec::new(),
    };
    let what = said.iter().find(|found| found.kind == wrong.kind).unwrap_or(wrong);
    let called = match &outcome {
        Outcome::Compared(report) if wrong.reproduced_by() == ["function"] => report.called.as_ref(),
        _ => None,
    };
    let options = match called {
        Some(_) => "--configuration function.toml".to_owned(),
        None => format!("--criterion {}", wrong.reproduced_by()[0]),
    };
    let file = &bench.target.compiler.file;
    let text = format!(
        "{}\n{}\n\n    everypath test {file} {options}\n\nTarget {target}, level `{level}`, seed {seed}.\n",
        what.kind, what.what
    );
    std::fs::create_dir_all(&place).map_err(problem)?;
    std::fs::write(place.join("README"), text).map_err(problem)?;
    let source = if bench.target.description.assembly.is_some() { "program.asm" } else { "program.c" };
    let map = bench.target.compiler.map.as_deref();
    for name in [file.as_str(), "everypath.toml"].into_iter().chain(map) {
        std::fs::copy(work.path().join(name), place.join(name)).map_err(problem)?;
    }
    if let Some(called) = called {
        std::fs::write(place.join("function.toml"), &called.configuration).map_err(problem)?;
    }
    // The common header is beside the kept programs.
    let include = "#include \"../../guest.h\"\n";
    let text = smallest.tree.render().replace(&full_lines(&bench.header), include);
    std::fs::write(place.join(source), text).map_err(problem)?;
    if let Outcome::Compared(report) = outcome {
        let smallest = smallest.trimmed();
        Kept::new(bench, &smallest, &report).write(&place)?;
    }
    Ok(())
}

fn without_blank_lines(program: &Program) -> Program {
    let tree = Node { role: Role::Statement, items: items![full_lines(&program.tree.render())] };
    Program { tree, ..program.clone() }
}

/// A text without its blank lines.
fn full_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.join("\n") + "\n"
}
