//! `everypath test`: generates tests from the executable alone.

use crate::arguments::TestOptions;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::source::SourceReader;
use crate::{input, subject};
use everypath::{Bounds, ExitCode, Library, OutputFolder, Plan, SuiteError};
use everypath_record::SourcePosition;
use everypath_report::TerminalSummary;
use everypath_solve::SolverStack;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) fn run(
    options: &TestOptions,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let binary = subject::load(&options.file, &options.setting, library)?;
    let folder = options.output.clone().unwrap_or_else(|| default_folder(&options.file.path));
    // Before the work, so that a folder that cannot be written to is reported at once.
    let mut folder = OutputFolder::open(&folder).map_err(unwritten)?;
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
    let outcome = outcome.map_err(|error| input::failure(&error))?;
    outcome.write_to(&mut folder).map_err(|error| input::failure(&error))?;
    let summary = outcome.summary();
    if json {
        serde_json::to_writer_pretty(&mut *out, summary)?;
        writeln!(out)?;
    } else {
        let source = SourceReader::beside(&options.file.path);
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

#[allow(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn unwritten(error: SuiteError) -> Failure {
    Failure::Input(error.to_string())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("{} cannot be written: {error}", path.display()))
}

fn default_folder(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".tests");
    file.with_file_name(name)
}
