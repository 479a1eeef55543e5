//! Guests with seeded faults: each bad one has a finding whose test replays, and no good one has any.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_explore::{Bounds, Criterion, Exploration, Explorer, NoObserver, Plan, replay};
use everypath_solve::SolverStack;
use everypath_testkit::guests::{GuestTarget, Subject, targets};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The configured stack: a page below the initial stack pointer.
fn stack_of(target: &GuestTarget) -> String {
    let line =
        target.configuration.lines().find(|line| line.starts_with("registers")).expect("a stack pointer");
    let digits = line.split("0x").nth(1).expect("an address").trim_end_matches([' ', '}']);
    let top = u64::from_str_radix(digits, 16).expect("an address");
    format!("[stack]\nstart = {:#x}\nsize = 0x1000\n", top - 0x1000)
}

/// Explores a guest. Faults may be on paths that cover nothing new, so most are found by the criterion of paths.
fn explore(source: &Path, target: &GuestTarget, criterion: Criterion) -> (Subject, Exploration) {
    let subject = Subject::compile(source, target, "-O0", &stack_of(target));
    let subject = subject.unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan {
        criterion,
        bounds: Bounds {
            paths: 300,
            path_instructions: 30_000,
            path_decisions: 300,
            targets: 8,
            ..Bounds::default()
        },
        ..Plan::default()
    };
    let explorer =
        Explorer::new(&subject.guest, &subject.configuration, plan, SolverStack::default().build());
    let found = explorer.expect("a plan that fits").run(&mut NoObserver);
    (subject, found)
}

/// The guests are for processors of 32 bits, whose compilers know these levels.
fn targets_of_32_bits() -> Vec<GuestTarget> {
    let mut targets = targets(&root()).unwrap_or_else(|error| panic!("{error}"));
    targets.retain(|target| target.int == 32 && target.is_everywhere() && target.is_installed());
    targets
}

fn check(oracle: &str) {
    let mut kinds = [0, 0];
    let targets = targets_of_32_bits();
    let folder = root().join("tests/guests/bugs").join(oracle);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let bad = name.starts_with("bad_");
        kinds[usize::from(bad)] += 1;
        for target in &targets {
            let (Subject { guest, configuration }, found) = explore(file, target, Criterion::Path);
            let what = format!("{oracle}/{name} for {}", target.name);
            if !found.divergences.is_empty() {
                wrong.push(format!("{what}: {:?}", found.divergences));
            }
            let stated: Vec<_> =
                found.findings.iter().map(|finding| (&finding.oracle, &finding.message)).collect();
            let right = match bad {
                true => found.findings.iter().any(|finding| finding.oracle == oracle),
                false => stated.is_empty(),
            };
            if !right {
                wrong.push(format!("{what}: {stated:?} {:?}", found.incomplete_reasons));
            }
            for finding in &found.findings {
                let test = found.tests.iter().find(|test| test.name == finding.test).expect("a test");
                let replayed = replay(&guest, &configuration, test).expect("a run");
                if replayed.path != test.path_hash {
                    wrong.push(format!("{what}: the test of {finding:?} takes another path"));
                }
            }
        }
    }
    assert!(kinds[0] >= 4 && kinds[1] >= 4, "{oracle}: at least four of each kind");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The criterion of branches leaves other addresses of an access, and postponed paths, pending when it is reached.
#[test]
fn a_fault_behind_what_is_pending_is_found_though_the_criterion_is_reached() {
    for guest in ["bad_elsewhere.c", "bad_late.c"] {
        let file = root().join("tests/guests/bugs/division-by-zero").join(guest);
        for target in &targets_of_32_bits() {
            let (_, found) = explore(&file, target, Criterion::Branch);
            assert!(
                found.findings.iter().any(|finding| finding.oracle == "division-by-zero"),
                "{guest} for {}: {:?}",
                target.name,
                found.findings
            );
        }
    }
}

macro_rules! oracles {
    ($($test:ident: $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn every_oracle_has_guests() {
            for oracle in everypath_oracle::ALL {
                assert!([$($name),*].contains(&oracle.name), "{} has none", oracle.name);
            }
        }
    };
}

oracles! {
    division_by_zero: "division-by-zero";
    calls: "calls";
    unmapped: "unmapped";
    read_only: "read-only";
    no_instruction: "no-instruction";
    stack: "stack";
    trap: "trap";
    never_written: "never-written";
}
