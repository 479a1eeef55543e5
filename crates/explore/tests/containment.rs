//! What generated tests do, against what the static side says: their runs are contained in it, whatever input was found.
//!
//! Needs the compilers of `tests/guests/targets.toml`.

#[path = "../../analyze/tests/containment/mod.rs"]
mod containment;

use containment::{Check, one_run};
use everypath_analyze::{Bounds, Graph, Program, Settings, Start, Trust, Values};
use everypath_environment::{Configuration, Guest};
use everypath_explore::{Criterion, Explorer, Plan, Quiet};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use everypath_record::TestCase;
use everypath_solve::Stack;
use everypath_testkit::guests::{Target, build, targets};
use std::path::Path;
use std::sync::Arc;

const GUESTS: [&str; 6] = ["triangle", "list", "msquare3", "tlv", "header", "cell"];

/// What the cells give in a test.
fn given(configuration: &Configuration, test: &TestCase) -> Configuration {
    let mut configuration = configuration.clone();
    for cell in &mut configuration.volatiles {
        let given = test.cells.iter().find(|given| given.name == cell.name);
        cell.values = given.map(|given| given.values.clone()).unwrap_or_default();
    }
    configuration
}

/// Explores a guest, and holds each test against the values; how many tests there were, and how many comparisons.
fn check(name: &str, target: &Target, level: &str) -> Result<[u64; 3], String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = root.join(format!("tests/guests/classic/{name}.c"));
    let built = build(&source, target, level, folder.path())?;
    let configuration = Configuration::parse(&built.configuration).map_err(|error| error.to_string())?;
    let bytes = std::fs::read(&built.file).map_err(|error| error.to_string())?;
    let image = Image::read(bytes, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let architecture = Library::built_in().load(&target.name).map_err(|error| error.to_string())?;
    let guest = Guest::new(architecture.clone(), image).map_err(|error| error.to_string())?;
    let program = Program::new(architecture, guest.image()).ok_or("no code")?;

    let start = guest.entry(&configuration).map_err(|error| error.to_string())?;
    let mut first = guest.state(&configuration).map_err(|error| error.to_string())?;
    let mut graph = Graph::recover(&program, Settings { entries: vec![start], ..Settings::default() });
    let bounds = Bounds {
        volatile: guest.world(&configuration).map_err(|error| error.to_string())?.places(),
        start: Some((start, Arc::new(Start::of(&mut first, program.architecture())))),
        ..Bounds::new(&program, Trust::Nothing)
    };
    let mut values = Values::analyse(&program, &graph, bounds.clone(), None);
    while graph.take_values(&program, &values) {
        values = Values::analyse(&program, &graph, bounds.clone(), None);
    }

    let plan = Plan { criterion: Criterion::Path, paths: 12, path_instructions: 3000, ..Plan::default() };
    let explorer = Explorer::new(&guest, &configuration, plan, Stack::default().build());
    let found = explorer.map_err(|error| error.to_string())?.run(&mut Quiet);
    let mut check = Check::new(&program, &graph, &values);
    for test in &found.tests {
        one_run(&mut check, &guest, &given(&configuration, test))
            .map_err(|why| format!("test {}: {why}", test.name))?;
    }
    Ok([found.tests.len() as u64, check.compared, check.memory])
}

#[test]
fn generated_tests_stay_inside_what_is_said_without_running() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut failures = Vec::new();
    for target in targets(&root).expect("the list of targets") {
        let mut sums = [0; 3];
        for level in &target.levels {
            for name in GUESTS {
                match check(name, &target, level) {
                    Ok(more) => sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more),
                    Err(why) => failures.push(format!("{} {level} {name}: {why}", target.name)),
                }
            }
        }
        let [tests, registers, memory] = sums;
        println!("{}: {tests} tests, {registers} registers and {memory} pieces of memory", target.name);
        if tests == 0 || registers == 0 || memory == 0 {
            failures.push(format!("{}: nothing was compared", target.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
