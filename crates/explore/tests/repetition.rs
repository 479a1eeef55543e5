//! Guests with timeouts, debounced keys and error counters, which need the inputs of one iteration of a loop many times: every
//! direction is covered.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_explore::{Bounds, Explorer, NoObserver, Plan};
use everypath_record::Verdict;
use everypath_solve::SolverStack;
use everypath_testkit::guests::{GuestTarget, Subject, targets};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The directions that stay open, and replays that differ.
fn check(file: &Path, target: &GuestTarget, level: &str) -> Vec<String> {
    let subject = Subject::compile(file, target, level, "").unwrap_or_else(|error| panic!("{error}"));
    let bounds = Bounds { paths: 3_000, ..Bounds::default() };
    let plan = Plan { bounds, ..Plan::default() };
    let explorer =
        Explorer::new(&subject.guest, &subject.configuration, plan, SolverStack::default().build());
    let found = explorer.expect("a plan that fits").run(&mut NoObserver);
    let what = format!("{} for {} {level}, {} paths", file.display(), target.name, found.effort.paths);
    let open = found.directions.iter().filter(|judged| matches!(judged.verdict, Verdict::Open { .. }));
    let mut wrong: Vec<String> = open.map(|judged| format!("{what}: {} is open", judged.direction)).collect();
    wrong.extend(found.divergences.iter().map(|divergence| format!("{what}: {divergence}")));
    wrong
}

#[test]
fn counters_of_rounds_are_reached() {
    let mut targets = targets(&root()).unwrap_or_else(|error| panic!("{error}"));
    targets.retain(|target| target.int == 32 && target.is_everywhere() && target.is_installed());
    let folder = std::fs::read_dir(root().join("tests/guests/repetition")).expect("a folder");
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() >= 3);
    let mut wrong = Vec::new();
    for file in &files {
        for target in &targets {
            // Optimised, the guests have branches of the compiler that no input takes.
            wrong.extend(check(file, target, "-O0"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
