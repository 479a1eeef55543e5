//! `--planted`: mutation testing of the adversary. Each mutant is attacked until it makes a wrong claim that the project
//! itself does not make.

use super::examine::{Bench, Outcome};
use super::run::{self, Options};
use super::{generate, list};
use crate::planted;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Plants each fault and prints the number of programs until it was caught; returns whether all were. With targets,
/// only on those; at most `count` programs of each.
///
/// # Errors
/// If the list is wrong, the copy cannot be made or built, or an executor cannot be run.
pub fn attack_planted(root: &Path, options: &Options, only: Option<&str>) -> Result<bool, String> {
    let faults = planted::list(root, "tests/adversary/planted.toml")?;
    let mutants = planted::Mutants::build(root, &faults)?;
    println!("{:<80} {:>8}  caught by", "fault", "programs");
    let wanted: Vec<_> =
        faults.iter().filter(|fault| only.is_none_or(|only| fault.name.contains(only))).collect();
    if wanted.is_empty() {
        return Err("there is no such fault".to_owned());
    }
    let (next, missed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || -> Result<(), String> {
        while let Some(fault) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            match attack(root, options, &mutants.original(), &mutants.with(fault)?)? {
                Ok((programs, by)) => println!("{:<80} {programs:>8}  {by}", fault.name),
                Err(why) => {
                    println!("{:<80} {:>8}  {why}", fault.name, "-");
                    missed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    };
    run::in_parallel(|_| work())?;
    Ok(missed.into_inner() == 0)
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
