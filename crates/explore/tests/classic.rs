//! The classic guests, compiled by real compilers.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Criterion, Explorer, Plan, Quiet};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use everypath_record::Verdict;
use everypath_solve::Stack;
use everypath_testkit::guests::{Target, build, targets};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(guest: &str, target: &Target, level: &str) {
    let folder = tempfile::tempdir().unwrap();
    let source = root().join(format!("tests/guests/classic/{guest}.c"));
    let built = build(&source, target, level, folder.path()).unwrap();
    let image = Image::read(std::fs::read(&built.file).unwrap(), &ReadOptions::default()).unwrap();
    let architecture = Library::built_in().load(&target.name).unwrap();
    let program = Guest::new(architecture, image).unwrap();
    let configuration = Configuration::parse(&built.configuration).unwrap();
    let plan = Plan {
        criterion: Criterion::Path,
        paths: 20_000,
        seconds: Some(60),
        path_instructions: 100_000,
        ..Plan::default()
    };
    let start = std::time::Instant::now();
    let solver = Stack::default().build();
    let found = Explorer::new(&program, &configuration, plan, solver).unwrap().run(&mut Quiet);
    let count = |wanted: fn(&Verdict) -> bool| found.directions.iter().filter(|d| wanted(&d.verdict)).count();
    println!(
        "{} {guest} {level}: {:?} paths {} complete {} directions {} covered {} infeasible {} {:?}",
        target.name,
        start.elapsed(),
        found.paths,
        found.complete,
        found.directions.len(),
        count(|v| matches!(v, Verdict::Covered { .. })),
        count(|v| matches!(v, Verdict::Infeasible { .. })),
        found.counts
    );
    if !found.complete || !found.divergences.is_empty() || !found.findings.is_empty() {
        println!("   {:?} {:?} {:?}", found.incomplete_because, found.divergences, found.findings);
    }
    let line: Vec<String> =
        found.solver.iter().map(|s| format!("{} {}/{}", s.name, s.answered, s.asked)).collect();
    println!("   {}", line.join(", "));
}

#[test]
fn classic() {
    let wanted_target = std::env::var("TARGET").unwrap_or("powerpc".into());
    let wanted =
        std::env::var("GUEST").unwrap_or("triangle,bsearch,cell,list,header,mergesort,msquare3,calc".into());
    for target in targets(&root()).unwrap().iter().filter(|t| wanted_target.contains(&t.name)) {
        for level in &target.levels {
            for guest in wanted.split(',') {
                run(guest, target, level);
            }
        }
    }
}
