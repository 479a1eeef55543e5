//! Programs in assembly language, as an assembler's records without symbols: every direction has its verdict, every test
//! replays.
//!
//! Needs `crasm` (Debian package crasm).

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Criterion, Exploration, Explorer, Plan, Quiet, replay};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use everypath_record::Verdict;
use everypath_solve::Stack;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/guests/6800");

/// Assembles a program; gives it with its configuration.
fn assemble(source: &Path) -> (Guest, Configuration) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("guest.s19");
    let run = Command::new("crasm").arg("-o").args([&file, source]).output();
    let run = run.expect("crasm runs (Debian package crasm)");
    // It ends with 0 whatever happens, and writes no file where something is wrong.
    let bytes = std::fs::read(&file).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stdout)));
    let image = Image::read(bytes, &ReadOptions::default()).expect("records");
    let text = std::fs::read_to_string(source.with_extension("toml")).expect("a configuration beside it");
    let configuration = Configuration::parse(&text).expect("a configuration");
    let name = configuration.architecture.as_deref().expect("records do not name their architecture");
    let architecture = Library::built_in().load(name).expect("an architecture");
    (Guest::new(architecture, image).expect("a guest"), configuration)
}

fn programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).expect("the programs");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "asm"));
    files.sort();
    files
}

fn check(guest: &Guest, configuration: &Configuration, criterion: Criterion, what: &str) -> Exploration {
    let plan = Plan { criterion, ..Plan::default() };
    let explorer = Explorer::new(guest, configuration, plan, Stack::default().build());
    let found = explorer.expect("a plan that fits").run(&mut Quiet);
    assert_eq!(found.divergences, Vec::<String>::new(), "{what}");
    assert_eq!(found.findings, Vec::new(), "{what}");
    // A direction that no input takes is never reached, but proved.
    assert!(found.reached || found.complete, "{what}: {:?}", found.incomplete_because);
    for judged in &found.directions {
        let closed = matches!(judged.verdict, Verdict::Covered { .. } | Verdict::Infeasible { .. });
        assert!(closed, "{what}: {} {:?}", judged.direction, judged.verdict);
    }
    for test in &found.tests {
        let replayed = replay(guest, configuration, test).expect("a run");
        assert_eq!(replayed.path, test.path, "{what}: test {} takes another path", test.name);
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
    let programs = programs();
    assert!(programs.len() >= 3, "{programs:?}");
    for file in programs {
        let what = file.display().to_string();
        let (guest, configuration) = assemble(&file);
        let all = check(&guest, &configuration, Criterion::Path, &what);
        assert!(all.complete, "{what}: {:?}", all.incomplete_because);
        let some = check(&guest, &configuration, Criterion::Branch, &what);
        assert_eq!(covered(&some), covered(&all), "{what}");
        assert!(some.tests.len() < all.tests.len(), "{what}: {} tests", some.tests.len());
    }
}

/// The targets of the jump at `jmp 0,x`.
#[test]
fn a_computed_jump_has_a_direction_for_each_of_its_targets() {
    let (guest, configuration) = assemble(&Path::new(FOLDER).join("door.asm"));
    let found = check(&guest, &configuration, Criterion::Branch, "door");
    let jump = found.directions.iter().filter(|judged| judged.direction.branch.0 == 0xe02a);
    // Closed, opening, open, closing; the fifth state is only entered after the jump.
    assert_eq!(jump.count(), 4, "{:?}", found.directions);
}
