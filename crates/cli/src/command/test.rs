//! `everypath test`: generates tests from the executable alone.

use crate::arguments::TestOptions;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, subject};
use everypath::{Bounds, ExitCode, Library, OutputFolder, Plan, SuiteError, Summary, Verdict};
use everypath_solve::SolverStack;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Maximum number of lines printed of each list; the summary has them all.
const SHOWN: usize = 20;

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
    let mut progress = Progress::start();
    let outcome = exploration.run_with(&mut progress);
    progress.finish();
    let outcome = outcome.map_err(|error| input::failure(&error))?;
    outcome.write_to(&mut folder).map_err(|error| input::failure(&error))?;
    let summary = outcome.summary();
    if json {
        serde_json::to_writer_pretty(&mut *out, summary)?;
        writeln!(out)?;
    } else {
        print(summary, folder.path(), out)?;
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

fn print(summary: &Summary, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let (covered, infeasible, open) = summary.tally();
    writeln!(out, "branch directions: {covered} covered, {infeasible} infeasible, {open} open")?;
    let open_jumps: Vec<_> = summary.indirect_exits.iter().filter(|jump| !jump.resolved).collect();
    if summary.directions_exact {
        writeln!(out, "coverage exact: every indirect jump is resolved")?;
    } else if open_jumps.is_empty() {
        writeln!(out, "coverage not exact: it depends on assumptions about the environment")?;
    } else {
        writeln!(
            out,
            "coverage not exact: {} indirect jumps, calls or returns may have other targets",
            open_jumps.len()
        )?;
    }
    for jump in open_jumps.iter().take(SHOWN) {
        writeln!(out, "  {} {} unresolved: {}", jump.kind, jump.branch, jump.reason)?;
    }
    let not_covered = summary.directions.iter().filter_map(|judged| match &judged.verdict {
        Verdict::Covered { .. } => None,
        Verdict::Infeasible { evidence } => Some((judged.direction, "infeasible", evidence)),
        Verdict::Open { reason } => Some((judged.direction, "open", reason)),
        Verdict::Unsupported { reason } => Some((judged.direction, "unsupported", reason)),
    });
    let not_covered: Vec<_> = not_covered.collect();
    for (direction, verdict, why) in not_covered.iter().take(SHOWN) {
        writeln!(out, "  {direction} {verdict}: {why}")?;
    }
    if not_covered.len() > SHOWN {
        writeln!(out, "  ... and {} more in the summary", not_covered.len() - SHOWN)?;
    }
    for finding in &summary.findings {
        let (address, what, test) = (finding.address, &finding.message, &finding.test);
        writeln!(out, "finding at {address}: {what} (test {test}, {})", finding.oracle)?;
    }
    for divergence in &summary.divergences {
        writeln!(out, "fault of everypath: {divergence}")?;
    }
    if !summary.divergences.is_empty() {
        writeln!(
            out,
            "please report this: a test does not behave as it did in the exploration when it is run from the entry"
        )?;
    }
    if summary.complete && summary.plan["merge"] == true {
        writeln!(
            out,
            "exploration complete: every feasible path was explored, merged into {}",
            summary.paths
        )?;
    } else if summary.complete {
        writeln!(out, "exploration complete: all {} feasible paths were run", summary.paths)?;
    } else if summary.criterion_reached {
        writeln!(out, "criterion reached after {} paths; not every path was run", summary.paths)?;
    } else {
        writeln!(out, "exploration not complete after {} paths:", summary.paths)?;
        for reason in summary.incomplete_reasons.iter().take(SHOWN) {
            writeln!(out, "  {reason}")?;
        }
        let more = summary.incomplete_reasons.len().saturating_sub(SHOWN);
        if more > 0 {
            writeln!(out, "  ... and {more} more in the summary")?;
        }
    }
    if !summary.undeclared_registers.is_empty() {
        writeln!(out, "decisions depend on peripheral registers that the configuration does not declare:")?;
        for register in &summary.undeclared_registers {
            writeln!(out)?;
            register.to_string().lines().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        writeln!(out)?;
    }
    for noted in &summary.assumptions {
        // An interrupt that was assumed to be enabled loses no path, but tests take it.
        if noted.kind == "unused" || noted.kind == "interrupt" && !noted.loses_paths {
            writeln!(out, "note: {}", noted.message)?;
        }
    }
    writeln!(out, "{} tests in {}", summary.tests.len(), folder.display())?;
    Ok(())
}
