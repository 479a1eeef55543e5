//! `everypath test`: generates tests from the executable alone.

use crate::arguments::{GlobalOptions, TestOptions};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::source::SourceReader;
use crate::ui::Dashboard;
use crate::{colour, document, failure, input, subject};
use everypath::{Bounds, Criterion, ExitCode, OutputFolder, Plan};
use everypath_record::{SourcePosition, Summary};
use everypath_report::TerminalSummary;
use everypath_solve::SolverStack;
use std::io::Write;
use std::path::Path;

/// The least bound of the process's memory: specifications and tables take some 50 MB.
const LEAST_MEMORY: u64 = 64 << 20;

pub(super) fn run(
    options: &TestOptions,
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let TestOptions { file, setting, .. } = options;
    check(options)?;
    let binary = subject::load(file, setting, global)?;
    let traces = subject::read_traces(&binary, &options.trace)?;
    let folder = options.output.clone().unwrap_or_else(|| subject::folder_beside(file, "tests"));
    // Before the work, so that a folder that cannot be written to is reported at once.
    let mut folder = OutputFolder::open(&folder).map_err(|error| Failure::Input(error.to_string()))?;
    for warning in binary.image().warnings() {
        failure::warn(global.color, &format!("{}: {warning}", file.path.display()));
    }
    let solver = SolverStack { second: options.second_solver.clone(), ..SolverStack::default() };
    let plan = plan(options, binary.configuration().budget);
    let mut exploration = binary.explore().plan(plan.clone()).solver(solver);
    if let Some(path) = &options.log_queries {
        let file = std::fs::File::create(path).map_err(|error| cannot_write(path, &error))?;
        exploration = exploration.log_queries(std::io::BufWriter::new(file));
    }
    let outcome = if options.ui {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut dashboard = Dashboard::open(&binary, name, &plan)?;
        let outcome = exploration.run_with(&mut dashboard);
        dashboard.finish();
        outcome
    } else {
        let mut progress = Progress::start(&binary, options.seconds);
        let outcome = exploration.run_with(&mut progress);
        progress.finish();
        outcome
    };
    let mut outcome = outcome.map_err(|error| subject::failure(file, setting, &error))?;
    if !traces.is_empty() {
        outcome.credit(&traces).map_err(|error| input::failure(&error))?;
    }
    outcome.write_to(&mut folder).map_err(|error| input::failure(&error))?;
    print_summary("everypath.test", outcome.summary(), (folder.path(), &file.path), global, out)
}

/// Prints the summary of the results in a folder, as text or as a document of this format. Source files are looked up beside a
/// file, too.
pub(super) fn print_summary(
    format: &'static str,
    summary: &Summary,
    (folder, beside): (&Path, &Path),
    global: &GlobalOptions,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let folder = folder.display().to_string();
    if global.json {
        document::write(out, format, &document::Summarised { folder, summary })?;
    } else {
        let source = SourceReader::beside(beside);
        let source = |position: &SourcePosition| source.line(position);
        let text = TerminalSummary { summary, folder: &folder, source: &source };
        colour::print(global.color, out, |out| text.write(out))?;
    }
    Ok(summary.exit_code())
}

/// Refuses flags that have no effect together.
fn check(options: &TestOptions) -> Result<(), Failure> {
    let wants_all = options.keep_all || options.criterion == Criterion::Path;
    let problem = if options.merge && wants_all {
        "`--merge` makes one path of many, and `--criterion path` and `--keep-all` want each of them: leave one out"
    } else if options.prove.is_some() && (options.criterion != Criterion::Branch || options.keep_all) {
        "`--prove` judges branch directions by an abstraction of paths: it needs `--criterion branch`, and no `--keep-all`"
    } else if options.hangs && (options.merge || wants_all) {
        "`--hangs` gives up paths that repeat themselves, and needs single paths: leave out `--merge`, `--criterion path` and `--keep-all`"
    } else if options.paths == Some(0) {
        "`--paths 0` allows no path: give at least 1"
    } else if options.memory.is_some_and(|memory| memory < LEAST_MEMORY) {
        "`--memory` is less than the program itself needs: give at least 64M"
    } else {
        return Ok(());
    };
    Err(Failure::Input(problem.to_owned()))
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
        hangs: options.hangs,
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
pub(super) fn default_memory() -> Option<u64> {
    const MOST: u64 = 4 << 30;
    let machine = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = machine.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kilobytes * 1024 / 2).min(MOST))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("{} cannot be written: {error}", path.display()))
}
