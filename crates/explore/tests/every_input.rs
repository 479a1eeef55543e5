//! Verdicts checked against concrete runs: each program of `tests/defects` is run on all values of an input cell.
//!
//! Regression tests: these programs once got a wrong verdict. A folder has guests, each with its configuration and
//! source.

use everypath_environment::{Configuration, Guest};
use everypath_explore::{Criterion, Exploration, Explorer, NoObserver, Plan, Replayed, replay};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use everypath_record::{Address, CellValues, Direction, FORMAT, TestCase, Verdict};
use everypath_solve::SolverStack;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Maximum number of instructions of a concrete run, for programs that poll for input they never get.
const BUDGET: u64 = 20_000;

struct Program {
    name: String,
    guest: Guest,
    configuration: Configuration,
}

fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/defects");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths
    };
    let mut programs = Vec::new();
    for folder in entries(&root).iter().filter(|path| path.is_dir()) {
        for file in entries(folder) {
            let is_guest = file.extension().is_some_and(|ending| ending == "elf" || ending == "ihx");
            if !is_guest {
                continue;
            }
            let text = std::fs::read_to_string(file.with_extension("toml")).expect("a configuration");
            let configuration = Configuration::parse(&text).unwrap_or_else(|why| panic!("{file:?}: {why}"));
            let architecture = configuration.architecture.clone().expect("an architecture");
            let image = Image::read(std::fs::read(&file).expect("a guest"), &ReadOptions::default());
            let guest = Guest::new(
                Library::built_in().load(&architecture).expect("an architecture"),
                image.expect("an image"),
            );
            let name = file.strip_prefix(&root).expect("a name").display().to_string();
            programs.push(Program { name, guest: guest.expect("a guest"), configuration });
        }
    }
    programs
}

/// A run for one value of every cell.
fn run(program: &Program, values: &[u64]) -> Replayed {
    let cells = program.configuration.volatiles.iter().zip(values);
    let test = TestCase {
        format: FORMAT,
        name: "0001".to_owned(),
        cells: cells
            .map(|(cell, value)| CellValues { name: cell.name.clone(), values: vec![*value] })
            .collect(),
        memory: Vec::new(),
        registers: Vec::new(),
        interrupts: Vec::new(),
        end: String::new(),
        instructions: BUDGET,
        cut_off: false,
        path_hash: Address(0),
        new_directions: Vec::new(),
    };
    replay(&program.guest, &program.configuration, &test).expect("a run")
}

/// The ground truth: the directions and paths that some input takes, each with such an input.
#[derive(Default)]
struct Truth {
    directions: BTreeMap<Direction, Vec<u64>>,
    paths: BTreeMap<u64, Vec<u64>>,
}

fn truth(program: &Program) -> Truth {
    let mut truth = Truth::default();
    let cells = program.configuration.volatiles.len();
    let inputs: Vec<Vec<u64>> = match cells {
        1 => (0..256).map(|value| vec![value]).collect(),
        _ => (0..256).flat_map(|a| [0, 1, 17, 128, 255].map(|b| vec![a, b])).collect(),
    };
    for values in inputs {
        let run = run(program, &values);
        for direction in &run.directions {
            truth.directions.entry(*direction).or_insert_with(|| values.clone());
        }
        if run.instructions < BUDGET {
            truth.paths.entry(run.path.0).or_insert(values);
        }
    }
    truth
}

/// The settings with which a program is explored.
const SETTINGS: [(&str, bool); 2] = [("path by path", false), ("merged", true)];

fn explore(program: &Program, criterion: Criterion, merge: bool) -> Exploration {
    let plan = Plan { criterion, merge, ..Plan::default() };
    let explorer =
        Explorer::new(&program.guest, &program.configuration, plan, SolverStack::default().build());
    explorer.expect("a plan that fits").run(&mut NoObserver)
}

/// The claims of an exploration that the ground truth refutes.
fn refuted(found: &Exploration, truth: &Truth, criterion: Criterion) -> Vec<String> {
    let mut wrong: Vec<String> = found.divergences.clone();
    let verdicts: BTreeMap<Direction, &Verdict> =
        found.directions.iter().map(|judged| (judged.direction, &judged.verdict)).collect();
    let exact = found.reached && found.control_flow.is_resolved();
    for (direction, input) in &truth.directions {
        match verdicts.get(direction) {
            Some(Verdict::Infeasible { evidence, .. }) => {
                wrong.push(format!("{direction} is taken by {input:?} and infeasible: {evidence}"));
            }
            Some(Verdict::Covered { .. }) => {}
            _ if found.is_complete() || exact || found.reached => {
                wrong.push(format!(
                    "{direction} is taken by {input:?} and not covered, though all is said to be"
                ));
            }
            _ => {}
        }
    }
    if criterion == Criterion::Path && (found.is_complete() || found.reached) {
        let run: BTreeSet<u64> = found.tests.iter().map(|test| test.path_hash.0).collect();
        for (path, input) in &truth.paths {
            if !run.contains(path) {
                wrong
                    .push(format!("the path of {input:?} is not among the tests, though all are said to be"));
            }
        }
    }
    wrong
}

#[test]
fn no_input_refutes_a_verdict() {
    let mut wrong = Vec::new();
    for program in programs() {
        let truth = truth(&program);
        for (setting, merge) in SETTINGS {
            let criterion = Criterion::Branch;
            let found = explore(&program, criterion, merge);
            let claims = refuted(&found, &truth, criterion);
            wrong.extend(claims.into_iter().map(|claim| format!("{} {setting}: {claim}", program.name)));
        }
        let found = explore(&program, Criterion::Path, false);
        let claims = refuted(&found, &truth, Criterion::Path);
        wrong.extend(claims.into_iter().map(|claim| format!("{} every path: {claim}", program.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
