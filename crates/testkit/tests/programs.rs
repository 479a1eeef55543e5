//! The external programs of the checks: names the missing ones at the end of each run.

use everypath_testkit::guests::targets;
use everypath_testkit::programs::{NO_SKIP, required};
use std::path::Path;

/// `.config/nextest.toml` shows what this prints.
#[test]
fn programs_of_skipped_checks_are_named() {
    let programs = required();
    let missing: Vec<_> = programs.iter().filter(|program| !program.is_installed()).collect();
    for program in &missing {
        println!("skipped: checks that need {program}");
    }
    match missing.len() {
        0 => println!("nothing is skipped: all {} programs of the checks are installed", programs.len()),
        count => println!("{count} programs are missing; `cargo xtask skipped` lists the checks"),
    }
    let may_skip = std::env::var_os(NO_SKIP).is_none();
    assert!(missing.is_empty() || may_skip, "{NO_SKIP} is set, and programs are missing");
}

#[test]
fn compilers_of_guests_have_the_packages_that_their_targets_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let programs = required();
    for target in targets(&root).expect("targets") {
        let program = programs.iter().find(|program| program.name == target.compiler);
        let program = program.unwrap_or_else(|| panic!("tests/programs.toml has no {}", target.compiler));
        assert!(program.packages.contains(&target.package), "{}: {program}", target.name);
    }
}

#[test]
fn the_gate_installs_every_package() {
    let gate = include_str!("../../../.ci/run");
    let words: Vec<&str> =
        gate.split(|letter: char| letter.is_whitespace() || "()".contains(letter)).collect();
    for program in required() {
        // The compilers bring their own binutils and gcc.
        let is_brought = |package: &str| package == "gcc" || package.starts_with("binutils-");
        let packages = program.packages.iter().filter(|package| !is_brought(package));
        for package in packages.chain(&program.python_package) {
            assert!(words.contains(&package.as_str()), ".ci/run does not install {package}");
        }
    }
}
