//! What runs do, against what the static side says: every instruction and edge of a run is in the graph, and every register
//! and piece of memory holds at every block what its static value says, relative to the entry of the function.

mod containment;

use containment::{Check, one_run};
use everypath_analyze::{Bounds, Graph, Program, Settings, Start, Trust, Unsaid, Values};
use everypath_environment::{Configuration, Guest};
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use everypath_testkit::guests::{Target, build, targets};
use std::path::Path;
use std::sync::Arc;

/// How many runs of each guest, with different input.
const RUNS: u64 = 3;

fn guest_of(
    target: &Target,
    built: &everypath_testkit::guests::Built,
) -> Result<(Guest, Configuration), String> {
    let mut configuration = Configuration::parse(&built.configuration).map_err(|error| error.to_string())?;
    for cell in &mut configuration.volatiles {
        cell.random = true;
    }
    let bytes = std::fs::read(&built.file).map_err(|error| error.to_string())?;
    let image = Image::read(bytes, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let architecture = Library::built_in().load(&target.name).map_err(|error| error.to_string())?;
    let guest = Guest::new(architecture, image).map_err(|error| error.to_string())?;
    Ok((guest, configuration))
}

fn check_guest(source: &Path, target: &Target, level: &str, trust: Trust) -> Result<[u64; 3], String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let built = build(source, target, level, folder.path())?;
    let (guest, mut configuration) = guest_of(target, &built)?;
    let architecture = Library::built_in().load(&target.name).map_err(|error| error.to_string())?;
    let program = Program::new(architecture, guest.image()).ok_or("no code")?;
    let start = guest.entry(&configuration).map_err(|error| error.to_string())?;
    let settings = Settings { entries: vec![start], ..Settings::default() };
    let mut graph = Graph::recover(&program, settings);
    let mut bounds = Bounds::new(&program, trust);
    bounds.volatile = guest.world(&configuration).map_err(|error| error.to_string())?.places();
    let mut first = guest.state(&configuration).map_err(|error| error.to_string())?;
    bounds.start = Some((start, Arc::new(Start::of(&mut first, program.architecture()))));
    let mut values = Values::analyse(&program, &graph, bounds.clone(), None);
    for _ in 0..16 {
        if !graph.take_values(&program, &values) {
            break;
        }
        values = Values::analyse(&program, &graph, bounds.clone(), None);
    }
    let saturated = graph.dynamics().filter(|dynamic| dynamic.state.is_saturated()).count();
    println!(
        "{} {level} {}: {saturated} of {} computed exits saturated, {} of {} exits dead{}",
        target.name,
        source.file_stem().unwrap_or_default().display(),
        graph.dynamics().count(),
        values.dead_exits().len(),
        graph.edges().count(),
        values.unsaid().map_or(String::new(), |why| match why {
            Unsaid::Unbounded(block, _) =>
                format!(", not from the start: {why:?} at {:#x}", graph.block(block).place.address),
            _ => format!(", not from the start: {why:?}"),
        })
    );
    let mut check = Check::new(&program, &graph, &values);
    for seed in 1..=RUNS {
        configuration.seed = seed;
        one_run(&mut check, &guest, &configuration)?;
    }
    Ok([check.compared, check.telling, check.memory])
}

fn check_all(trust: Trust) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut failures = Vec::new();
    for target in targets(&root).expect("the list of targets") {
        let mut sums = [0; 3];
        for level in &target.levels {
            let mut guests: Vec<_> = std::fs::read_dir(root.join("tests/guests/classic"))
                .expect("the guests")
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
                // This one asks for a header of its own.
                .filter(|path| path.file_stem().is_some_and(|stem| stem != "sha"))
                .collect();
            guests.sort();
            for source in guests {
                match check_guest(&source, &target, level, trust) {
                    Ok(more) => {
                        for (sum, more) in sums.iter_mut().zip(more) {
                            *sum += more;
                        }
                    }
                    Err(why) => failures.push(format!("{} {level} {}: {why}", target.name, source.display())),
                }
            }
        }
        let [compared, telling, memory] = sums;
        println!(
            "{}: {telling} of {compared} comparisons of registers say something, and {memory} of memory",
            target.name
        );
        if compared == 0 || memory == 0 {
            failures.push(format!("{}: nothing was compared", target.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_runs_do_is_contained_in_what_is_said_without_assumptions() {
    check_all(Trust::Nothing);
}

#[test]
fn what_runs_do_is_contained_in_what_is_said_of_programs_that_keep_to_conventions() {
    check_all(Trust::Convention);
}
