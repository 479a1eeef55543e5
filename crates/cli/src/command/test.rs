//! `everypath test`: generates tests from the executable alone.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::subject::Subject;
use everypath_explore::{Certified, Exploration, Explorer, Plan};
use everypath_lift::Library;
use everypath_record::{ExitCode, FORMAT, OutputFile, OutputFolder, Suite, SuiteError, Summary, Verdict};
use everypath_solve::{Log, Solver, SolverProgram, SolverStack};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The arguments of the command.
pub(crate) struct TestArgs<'q> {
    pub(crate) file: &'q File,
    pub(crate) setting: &'q Setting,
    pub(crate) output: Option<&'q Path>,
    pub(crate) plan: Plan,
    pub(crate) second_solver: &'q Option<SolverProgram>,
    pub(crate) log_queries: Option<&'q Path>,
}

/// Maximum number of lines printed of each list; the summary has them all.
const SHOWN: usize = 20;

pub(crate) fn run(
    question: &TestArgs<'_>,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let subject = Subject::load(question.file, question.setting, library)?;
    let Subject { guest, configuration, .. } = &subject;
    let folder = question.output.map_or_else(|| default_folder(&question.file.path), Path::to_owned);
    // Before the work, so that a folder that cannot be written to is reported at once.
    let mut folder = OutputFolder::open(&folder).map_err(unwritten)?;
    for warning in guest.image().warnings() {
        eprintln!("warning: {}: {warning}", question.file.path.display());
    }
    let solver = solver(question)?;
    let explorer = Explorer::new(guest, configuration, question.plan.clone(), solver)
        .map_err(|error| Subject::refused(question.file, &error))?;
    let mut progress = Progress::start();
    let mut found = explorer.run(&mut progress);
    progress.finish();
    if let Some(setup) = found.setup.take() {
        return Err(Failure::Input(format!("{}: {setup}", question.file.path.display())));
    }
    let certificates = certificates(question, &mut found);
    let suite = suite(question, &subject, found)?;
    suite.write_with(&mut folder, certificates).map_err(unwritten)?;
    if json {
        serde_json::to_writer_pretty(&mut *out, &suite.summary)?;
        writeln!(out)?;
    } else {
        print(&suite.summary, folder.path(), out)?;
    }
    Ok(suite.summary.exit_code())
}

/// The solver stack, with a log of its queries if one is wanted.
fn solver(question: &TestArgs<'_>) -> Result<Box<dyn Solver>, Failure> {
    let stack = SolverStack { second: question.second_solver.clone(), ..SolverStack::default() }.build();
    let Some(path) = question.log_queries else { return Ok(stack) };
    let file = std::fs::File::create(path).map_err(|error| cannot_write(path, &error))?;
    Ok(Box::new(Log::new(stack, Box::new(std::io::BufWriter::new(file)))))
}

/// The certificates that verdicts refer to, each with the answer of the second solver.
fn certificates(question: &TestArgs<'_>, found: &mut Exploration) -> Vec<OutputFile> {
    let mut files = Vec::new();
    for Certified { name, certificate } in &mut found.certificates {
        if let Some(program) = question.second_solver {
            certificate.ask(program, &question.plan.limits());
        }
        let contents = certificate.to_string().into_bytes();
        files.push(OutputFile { path: format!("certificates/{name}"), contents });
    }
    files
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

fn suite(question: &TestArgs<'_>, subject: &Subject, found: Exploration) -> Result<Suite, Failure> {
    let path = &question.file.path;
    let summary = Summary {
        format: FORMAT,
        program: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        program_hash: subject.program_hash.clone(),
        configuration_hash: subject.configuration_hash.clone(),
        architecture: subject.guest.architecture().name().to_owned(),
        plan: serde_json::to_value(&question.plan)?,
        reached: found.reached,
        complete: found.complete,
        incomplete_because: found.incomplete_because,
        paths: found.paths,
        instructions: found.instructions as u64,
        questions: found.counts,
        directions: found.directions,
        exact: found.jumps.iter().all(|jump| jump.saturated) && !found.ledger.is_world_assumed(),
        jumps: found.jumps,
        tests: found.tests.iter().map(|test| test.name.clone()).collect(),
        findings: found.findings,
        assumptions: found.ledger.assumptions(),
        undeclared: found.undeclared,
        divergences: found.divergences,
    };
    Ok(Suite { summary, tests: found.tests })
}

fn print(summary: &Summary, folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let (covered, infeasible, open) = summary.tally();
    writeln!(out, "branch directions: {covered} covered, {infeasible} infeasible, {open} open")?;
    let open_jumps: Vec<_> = summary.jumps.iter().filter(|jump| !jump.saturated).collect();
    if summary.exact {
        writeln!(out, "coverage exact: no computed jump has another target than those that are known")?;
    } else if open_jumps.is_empty() {
        writeln!(out, "coverage not exact: it depends on assumptions about the world around the program")?;
    } else {
        writeln!(out, "coverage not exact: {} computed jumps may have other targets", open_jumps.len())?;
    }
    for jump in open_jumps.iter().take(SHOWN) {
        writeln!(out, "  {} {} unsaturated: {}", jump.kind, jump.branch, jump.because)?;
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
        let (address, what, test) = (finding.address, &finding.what, &finding.test);
        writeln!(out, "finding at {address}: {what} (test {test}, {})", finding.oracle)?;
    }
    for divergence in &summary.divergences {
        writeln!(out, "fault of everypath: {divergence}")?;
    }
    if !summary.divergences.is_empty() {
        writeln!(
            out,
            "please report this: a test that was found does not do the same when it is run from the start"
        )?;
    }
    if summary.complete {
        writeln!(
            out,
            "exploration complete: every path that input can take was run, {} in all",
            summary.paths
        )?;
    } else if summary.reached {
        writeln!(out, "criterion reached after {} paths; not every path was run", summary.paths)?;
    } else {
        writeln!(out, "exploration not complete after {} paths:", summary.paths)?;
        for reason in summary.incomplete_because.iter().take(SHOWN) {
            writeln!(out, "  {reason}")?;
        }
    }
    if !summary.undeclared.is_empty() {
        writeln!(
            out,
            "peripheral registers that decisions depend on and the configuration does not declare:"
        )?;
        for register in &summary.undeclared {
            writeln!(out)?;
            register.to_string().lines().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        writeln!(out)?;
    }
    for unused in summary.assumptions.iter().filter(|assumption| assumption.kind == "unused") {
        writeln!(out, "note: {}", unused.what)?;
    }
    writeln!(out, "{} tests in {}", summary.tests.len(), folder.display())?;
    Ok(())
}
