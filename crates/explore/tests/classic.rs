//! The classic guests, compiled by real compilers: every path is found, directions get verdicts, tests replay.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

use everypath_explore::{Criterion, Exploration, Explorer, NoObserver, Plan, replay};
use everypath_record::{Direction, Judged, Verdict};
use everypath_solve::SolverStack;
use everypath_testkit::guests::{GuestTarget, Subject, targets};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn target(name: &str) -> GuestTarget {
    let targets = targets(&root()).unwrap_or_else(|error| panic!("{error}"));
    targets.into_iter().find(|target| target.name == name).unwrap_or_else(|| panic!("no target {name}"))
}

fn subject(name: &str, target: &GuestTarget, level: &str) -> Subject {
    let source = root().join(format!("tests/guests/classic/{name}.c"));
    Subject::compile(&source, target, level, "").unwrap_or_else(|error| panic!("{error}"))
}

fn explore(subject: &Subject, plan: Plan) -> Exploration {
    let explorer =
        Explorer::new(&subject.guest, &subject.configuration, plan, SolverStack::default().build());
    explorer.expect("a plan that fits").run(&mut NoObserver)
}

/// Explores every path of a guest; other tools find the same number of paths.
fn check(target_name: &str, level: &str, name: &str, paths: u64) -> Vec<Judged> {
    let subject = subject(name, &target(target_name), level);
    let plan = Plan { criterion: Criterion::Path, ..Plan::default() };
    let found = explore(&subject, plan.clone());
    let what = format!("{name} for {target_name} {level}");
    assert!(found.is_complete(), "{what}: {:?}", found.incomplete_reasons);
    assert_eq!(found.divergences, Vec::<String>::new(), "{what}");
    assert_eq!(found.findings, Vec::new(), "{what}");
    let open = found.control_flow.indirect_exits.iter().find(|jump| !jump.resolved);
    assert!(open.is_none(), "{what}: {open:?}");
    // An 8-bit compiler compares wide numbers byte by byte, so that one branch of the source is several of the program.
    let splits = target(target_name).map.is_some();
    // An optimising one may do without a branch that the source has.
    let merges = level == "-O2" && found.effort.paths > 1;
    let expected = found.effort.paths == paths || (splits && found.effort.paths > paths) || merges;
    assert!(expected, "{what}: {} paths", found.effort.paths);
    for judged in &found.directions {
        let closed = matches!(judged.verdict, Verdict::Covered { .. } | Verdict::Infeasible { .. });
        assert!(closed, "{what}: {} {:?}", judged.direction, judged.verdict);
    }
    for test in &found.tests {
        let replayed = replay(&subject.guest, &subject.configuration, test).expect("a run");
        assert_eq!(replayed.path, test.path_hash, "{what}: test {} takes another path", test.name);
        assert_eq!(replayed.instructions, test.instructions, "{what}: test {}", test.name);
    }
    let again = explore(&subject, plan);
    assert_eq!(again.tests, found.tests, "{what}: the same plan gives the same tests");
    found.directions
}

fn covered(judged: &[Judged]) -> BTreeSet<Direction> {
    let is_covered = |judged: &&Judged| matches!(judged.verdict, Verdict::Covered { .. });
    judged.iter().filter(is_covered).map(|judged| judged.direction).collect()
}

/// Covers every branch direction that some path takes, and no other one, with fewer tests than paths.
fn branches(target_name: &str, level: &str, name: &str, paths: u64, all: &[Judged]) {
    let found = explore(&subject(name, &target(target_name), level), Plan::default());
    assert!(
        (found.tests.len() as u64) < paths.max(found.effort.paths),
        "{} tests for {paths} paths",
        found.tests.len()
    );
    for judged in &found.directions {
        let closed = matches!(judged.verdict, Verdict::Covered { .. } | Verdict::Infeasible { .. });
        assert!(closed, "{name}: {} {:?}", judged.direction, judged.verdict);
    }
    assert_eq!(covered(&found.directions), covered(all), "{name} for {target_name} {level}");
}

macro_rules! guests {
    ($($test:ident: $target:literal, $level:literal;)*) => {
        $(
            #[test]
            fn $test() {
                if !target($target).is_installed() {
                    return;
                }
                for (name, paths) in [("triangle", 16), ("list", 21), ("msquare3", 61)] {
                    let all = check($target, $level, name, paths);
                    branches($target, $level, name, paths, &all);
                }
            }
        )*
    };
}

guests! {
    eight_bits: "8051", "";
    big_endian: "powerpc", "-O0";
    thumb_plain: "cortex-m", "-O0";
    reduced_plain: "riscv32", "-O0";
    two_spaces: "avr", "-O0";
    two_spaces_optimised: "avr", "-O2";
}

/// Chains of 64 readings, and sixteen numbers that all differ: every solver query must be answered.
#[test]
fn long_ones() {
    for (name, guest, paths) in [("riscv32", "hysteresis", 3295), ("powerpc", "msquare4", 161)] {
        if target(name).is_installed() {
            check(name, "-O0", guest, paths);
        }
    }
}
