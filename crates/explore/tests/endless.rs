//! Guests that read without end, explored with proofs by abstraction, or only with subsumption of paths by their earlier
//! states: what a run with the input of the guest takes is never infeasible, and where the guest says so, every direction is
//! judged, or some are infeasible without the static analysis.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_explore::{Bounds, Exploration, Explorer, NoObserver, Plan, replay};
use everypath_record::{Address, CellValues, FORMAT, TestCase, Verdict};
use everypath_solve::SolverStack;
use everypath_testkit::guests::{GuestTarget, Subject, targets};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The value of a `/* word: value */` comment in the guest's source.
fn said<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let line = text.lines().find_map(|line| line.strip_prefix("/* ")?.strip_prefix(word)?.strip_prefix(": "));
    line.map(|line| line.trim_end_matches(" */"))
}

/// The test with the input that the guest names.
fn named_input(text: &str) -> TestCase {
    let values = said(text, "input").expect("an input").split(' ');
    let values = values.map(|value| value.parse().expect("a number")).collect();
    TestCase {
        format: FORMAT,
        name: "0001".to_owned(),
        cells: vec![CellValues { name: "in_u8".to_owned(), values }],
        memory: Vec::new(),
        registers: Vec::new(),
        interrupts: Vec::new(),
        end: String::new(),
        instructions: 1000,
        cut_off: true,
        path_hash: Address(0),
        new_directions: Vec::new(),
    }
}

/// Explores, with a proof after so much work.
fn explore(subject: &Subject, prove: Option<u64>, only_proofs: bool) -> Exploration {
    let bounds = Bounds {
        paths: if only_proofs { 50 } else { 2_000 },
        path_instructions: 2_000,
        path_decisions: 200,
        query_conflicts: Some(1_000),
        ..Bounds::default()
    };
    let plan = Plan { prove, bounds, graph: !only_proofs, ..Plan::default() };
    let explorer =
        Explorer::new(&subject.guest, &subject.configuration, plan, SolverStack::default().build());
    explorer.expect("a plan that fits").run(&mut NoObserver)
}

fn check(file: &Path, target: &GuestTarget, level: &str, proofs: &[Option<u64>]) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a guest");
    let subject = Subject::compile(file, target, level, "").unwrap_or_else(|error| panic!("{error}"));
    let run = replay(&subject.guest, &subject.configuration, &named_input(&text)).expect("a run");
    assert!(!run.directions.is_empty());
    let mut wrong = Vec::new();
    for prove in proofs.iter().copied() {
        let has_infeasible = said(&text, "infeasible") == Some("some");
        let found = explore(&subject, prove, has_infeasible);
        let what = format!("{} for {} {level}, proof after {prove:?}", file.display(), target.name);
        let judged = found.directions.iter();
        let infeasible: Vec<_> = judged
            .filter(|judged| matches!(judged.verdict, Verdict::Infeasible { .. }))
            .map(|judged| judged.direction)
            .collect();
        for direction in infeasible.iter().filter(|direction| run.directions.contains(direction)) {
            wrong.push(format!("{what}: {direction} is infeasible, and a run takes it"));
        }
        if prove.is_none() {
            let covered = |direction| {
                let mut judged = found.directions.iter().filter(|judged| judged.direction == direction);
                judged.any(|judged| matches!(judged.verdict, Verdict::Covered { .. }))
            };
            let missed = run.directions.iter().filter(|direction| !covered(**direction));
            wrong
                .extend(missed.map(|direction| format!("{what}: a run takes {direction}, and no test does")));
        }
        if said(&text, "closed") == Some("yes") {
            let open =
                found.directions.iter().filter(|judged| matches!(judged.verdict, Verdict::Open { .. }));
            wrong.extend(open.map(|judged| format!("{what}: {} {:?}", judged.direction, judged.verdict)));
        }
        // A search that meets hard queries may hit its bound before the proof is due.
        let must_prove = has_infeasible && prove == Some(0) || said(&text, "closed") == Some("yes");
        if infeasible.is_empty() && must_prove {
            wrong.push(format!("{what}: nothing is infeasible"));
        }
    }
    wrong
}

/// Checks the guests of a folder on all targets of 32 bits that everybody has.
fn check_all(folder: &str, proofs: &[Option<u64>]) {
    let mut targets = targets(&root()).unwrap_or_else(|error| panic!("{error}"));
    targets.retain(|target| target.int == 32 && target.is_everywhere() && target.is_installed());
    let folder = root().join("tests/guests").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() >= 3);
    let mut wrong = Vec::new();
    for file in &files {
        for target in &targets {
            for level in ["-O0", "-Os"] {
                wrong.extend(check(file, target, level, proofs));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With a proof at once, before the search has covered anything, and with one after a while.
#[test]
fn proofs_hold_and_close_programs_without_an_end() {
    check_all("abstraction", &[Some(0), Some(200_000)]);
}

#[test]
fn paths_that_come_back_are_dropped_without_loss() {
    check_all("subsumption", &[None]);
}
