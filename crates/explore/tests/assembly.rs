//! Programs in assembly language, as an assembler's records without symbols: every direction gets a verdict, every test
//! replays.
//!
//! Needs `crasm` (Debian package crasm).

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Criterion, Exploration, Explorer, NoObserver, Plan, replay};
use everypath_record::Verdict;
use everypath_solve::SolverStack;
use everypath_testkit::guests::{GuestTarget, Subject, targets};
use std::path::{Path, PathBuf};

const FOLDER: &str = "6800";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The target whose guests are in assembly language.
fn target() -> GuestTarget {
    let targets = targets(&root()).unwrap_or_else(|error| panic!("{error}"));
    let mut targets = targets.into_iter();
    targets.find(|target| target.folders.iter().any(|folder| folder == FOLDER)).expect("a target")
}

fn assemble(source: &Path) -> Subject {
    Subject::compile(source, &target(), "", "").unwrap_or_else(|error| panic!("{error}"))
}

fn check(guest: &Guest, configuration: &Configuration, criterion: Criterion, what: &str) -> Exploration {
    let plan = Plan { criterion, ..Plan::default() };
    let explorer = Explorer::new(guest, configuration, plan, SolverStack::default().build());
    let found = explorer.expect("a plan that fits").run(&mut NoObserver);
    assert_eq!(found.divergences, Vec::<String>::new(), "{what}");
    assert_eq!(found.findings, Vec::new(), "{what}");
    // The criterion is not reached with an infeasible direction, but the exploration is then complete.
    assert!(found.reached || found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
    for judged in &found.directions {
        let closed = matches!(judged.verdict, Verdict::Covered { .. } | Verdict::Infeasible { .. });
        assert!(closed, "{what}: {} {:?}", judged.direction, judged.verdict);
    }
    for test in &found.tests {
        let replayed = replay(guest, configuration, test).expect("a run");
        assert_eq!(replayed.path, test.path_hash, "{what}: test {} takes another path", test.name);
    }
    found
}

fn covered(found: &Exploration) -> Vec<String> {
    let is_covered = |verdict: &Verdict| matches!(verdict, Verdict::Covered { .. });
    let covered = found.directions.iter().filter(|judged| is_covered(&judged.verdict));
    covered.map(|judged| judged.direction.to_string()).collect()
}

#[test]
fn every_direction_of_every_program_has_its_verdict() {
    if !target().is_installed() {
        return;
    }
    let programs = target().guests(&root()).unwrap_or_else(|error| panic!("{error}"));
    assert!(programs.len() >= 3, "{programs:?}");
    for file in programs {
        let what = file.display().to_string();
        let Subject { guest, configuration } = assemble(&file);
        let all = check(&guest, &configuration, Criterion::Path, &what);
        assert!(all.is_complete(), "{what}: {:?}", all.incomplete_reasons);
        let some = check(&guest, &configuration, Criterion::Branch, &what);
        assert_eq!(covered(&some), covered(&all), "{what}");
        assert!(some.tests.len() < all.tests.len(), "{what}: {} tests", some.tests.len());
    }
}

/// The targets of the jump at `jmp 0,x`.
#[test]
fn a_computed_jump_has_a_direction_for_each_of_its_targets() {
    if !target().is_installed() {
        return;
    }
    let source = root().join("tests/guests").join(FOLDER).join("door.asm");
    let Subject { guest, configuration } = assemble(&source);
    let found = check(&guest, &configuration, Criterion::Branch, "door");
    let jump = found.directions.iter().filter(|judged| judged.direction.branch.0 == 0xe02a);
    // Closed, opening, open, closing; the fifth state is only entered after the jump.
    assert_eq!(jump.count(), 4, "{:?}", found.directions);
}
