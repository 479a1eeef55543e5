//! `--planted`: mutation testing of the adversary (DeMillo, Lipton and Sayward 1978). Each fault of
//! `tests/adversary/planted.toml` is put into a copy of the project, built there, and attacked until the mutant makes a
//! wrong claim that the project itself does not make.

use super::examine::{Bench, Outcome};
use super::run::Options;
use super::{generate, list};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    name: String,
    file: PathBuf,
    old: String,
    new: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<Fault>,
}

/// Plants each fault and prints the number of programs until it was caught; returns whether all were. With targets,
/// only on those; at most `count` programs of each.
///
/// # Errors
/// If the list is wrong, the copy cannot be made or built, or an executor cannot be run.
pub fn planted(root: &Path, options: &Options, only: Option<&str>) -> Result<bool, String> {
    let file = root.join("tests/adversary/planted.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let copy = root.join("target/planted/project");
    let original = build(root, &copy, "original")?;
    println!("{:<80} {:>8}  caught by", "fault", "programs");
    let mut good = true;
    let mut wanted =
        list.fault.iter().filter(|fault| only.is_none_or(|only| fault.name.contains(only))).peekable();
    if wanted.peek().is_none() {
        return Err("there is no such fault".to_owned());
    }
    for fault in wanted {
        let place = copy.join(&fault.file);
        let text =
            std::fs::read_to_string(&place).map_err(|error| format!("{}: {error}", place.display()))?;
        if text.matches(&fault.old).count() != 1 {
            println!("{:<80} {:>8}  the text to replace is not there once", fault.name, "-");
            good = false;
            continue;
        }
        write(&place, &text.replace(&fault.old, &fault.new))?;
        let built = build(root, &copy, "mutant");
        write(&place, &text)?;
        let caught = match built {
            Ok(mutant) => attack(root, options, &original, &mutant)?,
            Err(problem) => Err(problem),
        };
        match caught {
            Ok((programs, by)) => println!("{:<80} {programs:>8}  {by}", fault.name),
            Err(why) => {
                println!("{:<80} {:>8}  {why}", fault.name, "-");
                good = false;
            }
        }
    }
    Ok(good)
}

/// Generates programs until one shows a wrong claim of the mutant that the original does not make; returns their number
/// and the claim.
fn attack(
    root: &Path,
    options: &Options,
    original: &Path,
    mutant: &Path,
) -> Result<Result<(u64, String), String>, String> {
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut benches = Vec::new();
    for target in list::targets(root, &options.targets)? {
        benches.push(Bench::new(root, target, mutant, work.path())?);
    }
    let (mut programs, folder) = (0, work.path().join("program"));
    for number in 0..options.count {
        for bench in &mut benches {
            let description = &bench.target.description;
            let program = generate::program(description, &bench.header, options.seed + number);
            let level = description.levels[number as usize % description.levels.len()].clone();
            std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            programs += 1;
            mutant.clone_into(&mut bench.everypath);
            let Outcome::Compared(report) = bench.examine(&program, &level, &folder)? else { continue };
            if report.comparison.wrong.is_empty() {
                continue;
            }
            original.clone_into(&mut bench.everypath);
            let Outcome::Compared(before) = bench.examine(&program, &level, &folder)? else { continue };
            let is_new = |kind: &str| !before.comparison.wrong.iter().any(|wrong| wrong.kind == kind);
            if let Some(wrong) = report.comparison.wrong.iter().find(|wrong| is_new(wrong.kind)) {
                return Ok(Ok((
                    programs,
                    format!("{} on {}{level}", wrong.kind, bench.target.description.name),
                )));
            }
        }
    }
    Ok(Err(format!("not caught by {programs} programs")))
}

/// Copies the project's changed files and builds the command; returns a copy of it with this name.
pub(crate) fn build(root: &Path, copy: &Path, name: &str) -> Result<PathBuf, String> {
    if name == "original" {
        std::fs::create_dir_all(copy).map_err(|error| error.to_string())?;
        // Changed files get the current time; otherwise cargo considers a file edited before its last build unchanged.
        // Not by a pipe, which would hide that there is no repository here.
        // Files that the project no longer has are removed: an old module beside its new folder does not compile.
        let script = "set -e; export LC_ALL=C; git ls-files -z | sort -z > \"$1.list\"; \
                      rsync --links --perms --checksum --from0 --files-from=\"$1.list\" ./ \"$1\"; \
                      cd \"$1\"; find . -type f -printf '%P\\0' | sort -z | comm -z -13 \"$1.list\" - | xargs -0 -r rm";
        let mut shell = Command::new("sh");
        shell.current_dir(root).args(["-c", script, "sh"]).arg(copy);
        let output = shell.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    let mut cargo = Command::new("cargo");
    cargo.current_dir(copy).args(["build", "--quiet", "--package", "everypath-cli", "--target-dir"]);
    let target = root.join("target/planted/target");
    let output = cargo.arg(&target).output().map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!(
            "the copy cannot be built: {}",
            said.lines().take(3).collect::<Vec<_>>().join(" / ")
        ));
    }
    let (from, to) = (target.join("debug/everypath"), root.join("target/planted").join(name));
    let _ = std::fs::remove_file(&to);
    std::fs::copy(&from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
    Ok(to)
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}
