//! `everypath test`: generates tests from the executable alone.

use crate::arguments::{File, TestOptions};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::source::SourceReader;
use crate::{input, subject};
use everypath::{Bounds, ExitCode, Library, Outcome, OutputFolder, Plan};
use everypath_record::SourcePosition;
use everypath_report::TerminalSummary;
use everypath_solve::SolverStack;
use std::io::Write;
use std::path::Path;

pub(crate) fn run(
    options: &TestOptions,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let binary = subject::load(&options.file, &options.setting, library)?;
    let traces = subject::read_traces(&binary, &options.trace)?;
    let folder = options.output.clone().unwrap_or_else(|| subject::folder_beside(&options.file, "tests"));
    // Before the work, so that a folder that cannot be written to is reported at once.
    let mut folder = OutputFolder::open(&folder).map_err(|error| Failure::Input(error.to_string()))?;
    for warning in binary.image().warnings() {
        eprintln!("warning: {}: {warning}", options.file.path.display());
    }
    let solver = SolverStack { second: options.second_solver.clone(), ..SolverStack::default() };
    let mut exploration = binary.explore().plan(plan(options, binary.configuration().budget)).solver(solver);
    if let Some(path) = &options.log_queries {
        let file = std::fs::File::create(path).map_err(|error| cannot_write(path, &error))?;
        exploration = exploration.log_queries(std::io::BufWriter::new(file));
    }
    let mut progress = Progress::start(&binary, options.seconds);
    let outcome = exploration.run_with(&mut progress);
    progress.finish();
    let mut outcome = outcome.map_err(|error| input::failure(&error))?;
    if !traces.is_empty() {
        outcome.credit(&traces).map_err(|error| input::failure(&error))?;
    }
    finish(&outcome, &options.file, &mut folder, json, out)
}

/// Writes the suite, and prints the summary.
pub(super) fn finish(
    outcome: &Outcome,
    file: &File,
    folder: &mut OutputFolder,
    json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    outcome.write_to(folder).map_err(|error| input::failure(&error))?;
    let summary = outcome.summary();
    if json {
        serde_json::to_writer_pretty(&mut *out, summary)?;
        writeln!(out)?;
    } else {
        let source = SourceReader::beside(&file.path);
        let source = |position: &SourcePosition| source.line(position);
        let folder = folder.path().display().to_string();
        TerminalSummary { summary, folder: &folder, source: &source }.write(out)?;
    }
    Ok(summary.exit_code())
}

/// The plan of the exploration; what the command line does not give is the default. `budget` is the number of instructions
/// that the command line or the configuration allows a run.
fn plan(options: &TestOptions, budget: Option<u64>) -> Plan {
    let default = Plan::default();
    let is_wanted = |oracle: &String| !options.without.contains(oracle);
    Plan {
        criterion: options.criterion,
        strategy: options.strategy.clone(),
        seed: options.seed,
        keep_all: options.keep_all,
        certificates: options.certificates,
        merge: options.merge,
        prove: options.prove,
        oracles: default.oracles.into_iter().filter(is_wanted).collect(),
        bounds: Bounds {
            paths: options.paths.unwrap_or(default.bounds.paths),
            seconds: options.seconds,
            memory: options.memory.or_else(default_memory),
            path_instructions: budget.unwrap_or(default.bounds.path_instructions),
            ..Bounds::default()
        },
        ..default
    }
}

/// Half of the machine's memory, at most 4 GB, where the system reports it.
fn default_memory() -> Option<u64> {
    const MOST: u64 = 4 << 30;
    let machine = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = machine.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kilobytes * 1024 / 2).min(MOST))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("{} cannot be written: {error}", path.display()))
}
