//! Containment: the static results over-approximate concrete runs. Every instruction and edge of a run is in the graph,
//! and the value sets contain every register and memory value before each block. Runs every guest on every
//! architecture, with random input and with the inputs that an exploration found.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

mod check;
mod said;
mod sums;
mod symbolic;

use check::{Check, one_run};
use everypath_analyze::Trust;
use everypath_environment::Configuration;
use everypath_lift::{Architecture, Library};
use everypath_record::TestCase;
use everypath_testkit::guests::{GuestTarget, Subject, build, targets};
use said::Said;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use sums::Sums;

/// Number of runs of each guest on random input.
const RUNS: u64 = 3;

/// A guest that needs a header of its own.
const LEFT_OUT: &str = "sha";

/// The configuration with the input values of a test.
fn given(configuration: &Configuration, test: &TestCase) -> Configuration {
    let mut configuration = configuration.clone();
    for cell in &mut configuration.volatiles {
        let given = test.cells.iter().find(|given| given.name == cell.name);
        cell.values = given.map(|given| given.values.clone()).unwrap_or_default();
    }
    configuration
}

/// The configuration with random input.
fn random(configuration: &Configuration, seed: u64) -> Configuration {
    let mut configuration = Configuration { seed, ..configuration.clone() };
    for cell in &mut configuration.volatiles {
        cell.random = true;
    }
    configuration
}

/// Checks runs of one guest against its static results.
fn check_guest(
    source: &Path,
    target: &GuestTarget,
    level: &str,
    architecture: &Arc<Architecture>,
    sums: &mut Sums,
) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let built = build(source, target, level, folder.path())?;
    let subject = Subject::with_architecture(&built, architecture.clone(), "")?;
    sums.programs += 1;
    for trust in [Trust::Nothing, Trust::Convention] {
        let said = Said::of(&subject, trust)?;
        let name = source.file_stem().unwrap_or_default().display();
        println!("{} {level} {name}, trusting {trust:?}: {}", target.name, said.told());
        let mut check = Check::new(&said);
        for seed in 1..=RUNS {
            one_run(&mut check, &subject.guest, &random(&subject.configuration, seed))
                .map_err(|why| format!("trusting {trust:?}, run {seed}: {why}"))?;
        }
        sums.runs += RUNS;
        if trust == Trust::Nothing {
            let found = symbolic::explore(&subject)?;
            sums.edges += symbolic::edges(&said, &found)?;
            for test in &found.tests {
                one_run(&mut check, &subject.guest, &given(&subject.configuration, test))
                    .map_err(|why| format!("test {}: {why}", test.name))?;
            }
            sums.tests += found.tests.len() as u64;
        }
        sums.add(&check);
    }
    Ok(())
}

/// Checks all guests of a target at all levels. Returns the violations.
fn check_target(root: &Path, target: &GuestTarget) -> Result<Vec<String>, String> {
    let architecture = Library::built_in().load(&target.name).map_err(|error| error.to_string())?;
    let (mut sums, mut faults) = (Sums::default(), Vec::new());
    let guests: Vec<PathBuf> = target.guests(root)?;
    for level in target.levels.iter().chain(&target.contained) {
        for source in guests.iter().filter(|source| source.file_stem().is_some_and(|stem| stem != LEFT_OUT)) {
            if let Err(why) = check_guest(source, target, level, &architecture, &mut sums) {
                faults.push(format!("{} {level} {}: {why}", target.name, source.display()));
            }
        }
    }
    println!("{}: {sums}", target.name);
    if sums.is_missing_something() {
        faults.push(format!("{}: nothing was compared", target.name));
    }
    Ok(faults)
}

#[test]
fn what_runs_do_is_contained_in_what_is_said_without_running() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut targets = targets(&root).expect("the list of targets");
    targets.retain(GuestTarget::is_installed);
    let (next, faults) = (Mutex::new(targets.iter()), Mutex::new(Vec::new()));
    let take = || next.lock().expect("nobody fails while it is locked").next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(target) = take() {
                    let found = check_target(&root, target).unwrap_or_else(|why| vec![why]);
                    faults.lock().expect("nobody fails while it is locked").extend(found);
                }
            });
        }
    });
    let faults = faults.into_inner().expect("nobody fails while it is locked");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// An architecture without a target would never be checked.
#[test]
fn every_architecture_has_a_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let targets = targets(&root).expect("the list of targets");
    for (name, ..) in Library::built_in().list() {
        assert!(targets.iter().any(|target| target.name == name), "{name} has no guests");
    }
}
