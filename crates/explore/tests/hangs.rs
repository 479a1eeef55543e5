//! Guests of `tests/guests/hangs`: each never ends with some input, and that is proved; its twin ends with every input, and is not
//! accused.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_explore::{Bounds, Exploration, Explorer, NoObserver, Plan, replay};
use everypath_solve::SolverStack;
use everypath_testkit::guests::{GuestTarget, Subject, targets};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// By how many instructions the replay of a test is prolonged: twice, and the second time nothing new is to happen.
const LONGER: u64 = 3_000;
/// The number of targets of each guest.
const TARGETS: usize = 2;
/// The optimisation level: a compiler that optimises may remove a loop, or assume that it ends.
const LEVEL: &str = "-O0";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn explore(source: &Path, target: &GuestTarget) -> (Subject, Exploration) {
    let subject = Subject::compile(source, target, LEVEL, "").unwrap_or_else(|error| panic!("{error}"));
    let bounds =
        Bounds { paths: 600, path_instructions: 2_500, query_conflicts: Some(20_000), ..Bounds::default() };
    // Without other oracles, whose queries on paths of nested table accesses take most of the time.
    let plan = Plan { hangs: true, bounds, oracles: Vec::new(), ..Plan::default() };
    let explorer =
        Explorer::new(&subject.guest, &subject.configuration, plan, SolverStack::default().build());
    let found = explorer.expect("a plan that fits").run(&mut NoObserver);
    (subject, found)
}

/// The mistake in the result for a guest, or for its twin, which ends; `None` if there is none.
fn check(source: &Path, target: &GuestTarget, ends: bool) -> Option<String> {
    let mut target = target.clone();
    target.flags.extend(ends.then(|| "-DTWIN".to_owned()));
    let (Subject { guest, configuration }, found) = explore(source, &target);
    let twin = if ends { "the twin of " } else { "" };
    let what = format!("{twin}{} for {}", source.file_stem()?.display(), target.name);
    let hangs: Vec<_> = found.findings.iter().filter(|finding| finding.oracle == "hang").collect();
    if !found.divergences.is_empty() {
        return Some(format!("{what}: {:?}", found.divergences));
    }
    println!("{what}: {} paths, {} instructions", found.effort.paths, found.effort.executed);
    if hangs.is_empty() != ends {
        return Some(format!("{what}: {hangs:?} after {} paths", found.effort.paths));
    }
    for finding in hangs {
        println!("{what}: {}", finding.message);
        let mut test = found.tests.iter().find(|test| test.name == finding.test).expect("a test").clone();
        let replayed = replay(&guest, &configuration, &test).expect("a run");
        if replayed.path != test.path_hash {
            return Some(format!("{what}: the test takes another path"));
        }
        // However long it runs, it does not leave the loop: it comes to no new instruction.
        test.instructions += LONGER;
        let longer = replay(&guest, &configuration, &test).expect("a run");
        test.instructions += LONGER;
        let longest = replay(&guest, &configuration, &test).expect("a run");
        if longest.instructions <= longer.instructions || longest.directions != longer.directions {
            return Some(format!("{what}: its loop is left: {}", finding.message));
        }
    }
    None
}

#[test]
fn endless_programs_are_proved_endless_and_their_twins_are_not_accused() {
    let mut targets = targets(&root()).unwrap_or_else(|error| panic!("{error}"));
    targets.retain(|target| target.int == 32 && target.is_everywhere() && target.is_installed());
    let folder = root().join("tests/guests/hangs");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() >= 30, "at least thirty guests");
    let mut jobs = Vec::new();
    for (number, file) in files.iter().enumerate() {
        // Each guest for some targets in turn: all of them would take many minutes.
        for target in targets.iter().cycle().skip(number * TARGETS).take(TARGETS) {
            jobs.extend([false, true].map(|ends| (file, target, ends)));
        }
    }
    let (next, wrong) = (Mutex::new(jobs.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((file, target, ends)) = { next.lock().expect("no panic").next() } {
                    let problem = check(file, target, *ends);
                    wrong.lock().expect("no panic").extend(problem);
                }
            });
        }
    });
    let wrong: Vec<String> = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), jobs.len(), wrong.join("\n"));
}

/// The state for which a hang is shown is found again in a function under test, whose memory has assumed contents.
#[test]
fn a_function_that_never_ends_is_found() {
    let call = "[call]\nfunction = \"apart\"\n[[input]]\nname = \"in\"\n";
    for target in targets(&root()).unwrap_or_else(|error| panic!("{error}")) {
        if target.int != 32 || !target.is_everywhere() || !target.is_installed() {
            continue;
        }
        for level in ["-O0", "-O1"] {
            let source = root().join("tests/guests/functions/apart.c");
            let subject = Subject::compile(&source, &target, level, call);
            let Subject { guest, configuration } = subject.unwrap_or_else(|error| panic!("{error}"));
            let bounds = Bounds { paths: 100, path_instructions: 5_000, ..Bounds::default() };
            let plan = Plan { hangs: true, bounds, ..Plan::default() };
            let explorer = Explorer::new(&guest, &configuration, plan, SolverStack::default().build());
            let found = explorer.expect("a plan that fits").run(&mut NoObserver);
            let what = format!("{} {level}", target.name);
            assert_eq!(found.divergences, Vec::<String>::new(), "{what}");
            assert!(
                found.findings.iter().any(|finding| finding.oracle == "hang"),
                "{what}: {:?}",
                found.findings
            );
        }
    }
}
