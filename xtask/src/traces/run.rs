//! Runs the programs of the list and compares each.

use super::claims::{Claims, INCOMPLETE};
use super::compare::compare;
use super::executed::{self, Places};
use super::graph::Graph;
use super::list::{Bar, Command, List, Machine};
use super::print::{COLUMNS, Row};
use super::{build, values};
use crate::planted;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of the comparison.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only these programs, by their names in tests/traces/list.toml.
    pub programs: Vec<String>,
    /// Only the programs marked for every change, and few single steps.
    pub cut: bool,
    /// Whether values are compared as well.
    pub values: bool,
    /// Whether every difference is printed.
    pub remarks: bool,
    /// The number of single steps of each command line.
    pub steps: Option<u64>,
    /// The `everypath` under test; it is built if none is given.
    pub everypath: Option<PathBuf>,
}

/// The default numbers of single steps of each command line.
const STEPS: u64 = 1_500_000;
const STEPS_OF_A_CUT: u64 = 60_000;

/// Compares the programs of the list, and returns whether all thresholds hold.
///
/// # Errors
/// If a tool or a program is missing, or cannot be read.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let list = List::read(root)?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let everypath = match &options.everypath {
        Some(file) => file.clone(),
        None => build::everypath(root)?,
    };
    let plugin = build::plugin(root, folder.path())?;
    let session = Session { root, folder: folder.path(), plugin, everypath, options };
    let names = list.program.iter().map(|program| &program.name);
    let names: Vec<&String> = names.chain(list.cross.iter().map(|cross| &cross.name)).collect();
    if let Some(unknown) = options.programs.iter().find(|name| !names.contains(name)) {
        return Err(format!("tests/traces/list.toml has no program `{unknown}`"));
    }
    let is_asked = |name: &String, bar: &Bar| {
        let cut = bar.cut || !options.cut;
        if options.programs.is_empty() { cut } else { options.programs.contains(name) }
    };
    println!("{COLUMNS}");
    let (mut holds, mut compared) = (true, 0);
    for program in list.program.iter().filter(|program| is_asked(&program.name, &program.bar)) {
        let file = build::installed(program)?;
        let machine = list.machine(&list.architecture)?;
        let row = session.row(&program.name, machine, &file, &program.commands, &program.bar)?;
        (holds, compared) = session.add(&row, holds, compared);
    }
    for cross in list.cross.iter().filter(|cross| is_asked(&cross.name, &cross.bar)) {
        let machine = list.machine(&cross.architecture)?;
        let count = if options.cut { 1 } else { cross.flags.len() };
        for flags in cross.flags.iter().take(count) {
            let file = build::cross(root, folder.path(), cross, flags)?;
            let commands = [Command { arguments: vec!["3".to_owned()], input: String::new() }];
            let name = format!("{} {}", cross.name, flags.join(" "));
            let row = session.row(&name, machine, &file, &commands, &cross.bar)?;
            (holds, compared) = session.add(&row, holds, compared);
        }
    }
    if options.values {
        println!("{compared} register values compared without trust in the calling convention");
    }
    Ok(holds)
}

/// Plants each fault of the list in a copy of the workspace, and returns whether every one is detected.
///
/// # Errors
/// If a fault cannot be planted, or a tool is missing.
pub fn run_with_faults(root: &Path, options: &Options) -> Result<bool, String> {
    let faults = planted::list(root, "tests/traces/faults.toml")?;
    let mutants = planted::Mutants::build(root, &faults)?;
    let steps = options.steps.or(Some(STEPS_OF_A_CUT));
    let options = |programs: Vec<String>, everypath: Option<PathBuf>| Options {
        programs,
        values: true,
        everypath,
        steps,
        ..options.clone()
    };
    let mut all: Vec<String> = faults.iter().flat_map(|fault| fault.programs.clone()).collect();
    all.sort_unstable();
    all.dedup();
    if !run(root, &options(all, Some(mutants.original())))? {
        return Err("bars are missed without any fault, so that faults prove nothing".to_owned());
    }
    let mut missed = 0;
    for fault in &faults {
        let everypath = mutants.with(fault)?;
        let mut caught = false;
        // The first program that misses a bar decides: a faulty analysis may run forever on the next one.
        for program in &fault.programs {
            caught = match run(root, &options(vec![program.clone()], Some(everypath.clone()))) {
                Ok(holds) => !holds,
                // An analysis that fails an assertion has detected the fault, too, and so has one that does not come to its end, as it did
                // without the fault.
                Err(error) if error == INCOMPLETE || error.starts_with(&everypath.display().to_string()) => {
                    true
                }
                Err(error) => return Err(error),
            };
            if caught {
                break;
            }
        }
        missed += usize::from(!caught);
        println!("{}: {}", if caught { "caught" } else { "MISSED" }, fault.name);
    }
    println!("{} of {} faults caught", faults.len() - missed, faults.len());
    Ok(missed == 0)
}

struct Session<'s> {
    root: &'s Path,
    folder: &'s Path,
    plugin: PathBuf,
    everypath: PathBuf,
    options: &'s Options,
}

impl Session<'_> {
    fn add(&self, row: &Row, holds: bool, compared: u64) -> (bool, u64) {
        row.print(self.options.remarks);
        let more = row.values.as_ref().map_or(0, |[nothing, _]| nothing.compared);
        (holds && row.holds(), compared + more)
    }

    fn row(
        &self,
        name: &str,
        machine: &Machine,
        file: &Path,
        commands: &[Command],
        bar: &Bar,
    ) -> Result<Row, String> {
        let scratch = self.folder.join("scratch");
        let _ = std::fs::remove_dir_all(&scratch);
        std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
        let places = Places { root: self.root, scratch: &scratch };
        let start = Instant::now();
        let executed = executed::record(machine, &self.plugin, file, commands, places)?;
        let ran = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let graph = Graph::recover(&self.everypath, file)?;
        if graph.architecture != machine.architecture {
            return Err(format!("{name}: the graph is of the architecture {}", graph.architecture));
        }
        let recovered = start.elapsed().as_secs_f64();
        let figures = compare(&executed, &graph, machine.delay_slots);
        let start = Instant::now();
        let mut values = None;
        if self.options.values && bar.values {
            let first = executed::first_code(file)?;
            let (bias, size) = executed::loaded(&scratch, first)?;
            let all = [false, true].map(|convention| Claims::analyse(&self.everypath, file, convention));
            let [nothing, convention] = all;
            let (nothing, convention) = (nothing?, convention?);
            let mut found = [values::Figures::default(), values::Figures::default()];
            let [one, two] = &mut found;
            let steps = self.options.steps.unwrap_or(if self.options.cut { STEPS_OF_A_CUT } else { STEPS });
            for line in commands {
                let code = (first, size);
                let graph = &graph;
                let run = values::Run { machine, file, line, places, graph, bias, code, steps };
                run.compare(&mut [(&nothing, &mut *one), (&convention, &mut *two)])?;
            }
            values = Some(found);
        }
        let seconds = [ran, recovered, start.elapsed().as_secs_f64()];
        let name = name.to_owned();
        Ok(Row { name, total: executed.total, graph: figures, values, seconds, bar: bar.held() })
    }
}
