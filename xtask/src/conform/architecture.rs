//! Compares one architecture: sets everything up, runs all instruction forms in passes, and counts the results.

use super::compare::Difference;
use super::description::Description;
use super::encodings::encodings;
use super::executable::{DATA, executable};
use super::executor::{Executor, open};
use super::harvest::{Instance, KEPT, harvest};
use super::known::explain;
use super::layout::Layout;
use super::ours::{self, Ours};
use super::probe::{Probe, probe};
use super::registers::Registers;
use super::report::{Example, Reason, Report};
use super::run::Options;
use super::session::{Prepared, Session, Surroundings, Verdict};
use super::work::{Homes, Work, count, works};
use everypath_ir::Context;
use everypath_lift::{Architecture, Library};
use everypath_sleigh as sleigh;
use everypath_testkit::random::Random;
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time limit for an architecture with `--cut`.
const CUT: Duration = Duration::from_secs(30);
/// The number of consecutive cases of one instruction.
const STATES: usize = 4;
/// The number of consecutive failures of an executor that are blamed on the instructions.
const FAILURES: usize = 20;

/// Compares one architecture, whose description is in `folder`; returns the counts, and the details as text.
///
/// # Errors
/// If the description is wrong, or the executor cannot be run.
pub(super) fn compare_architecture(
    name: &str,
    description: &Description,
    folder: &Path,
    options: &Options,
) -> Result<(Report, String), String> {
    let start = Instant::now();
    let architecture =
        Library::built_in().load(&description.architecture).map_err(|error| error.to_string())?;
    let context = start_context(&architecture, &description.context)?;
    let registers = Registers::new(&architecture, description)?;
    let mut random = Random::new(options.seed);
    let found = match &description.program {
        Some(program) => harvest(&architecture, context, program, &description.pairs, &mut random)?,
        None => encodings(&architecture, context, &mut random),
    };
    let mut layout = Layout::new(&architecture, description, &mut random)?;
    layout.leave_out(&registers);
    let file = executable(&architecture, &description.executor)?;
    let guest = ours::guest(architecture.clone(), &file)?;
    let (_folder, path) = program_file(&file)?;
    let renew = || open(&description.executor, folder, &path, &registers, &layout);
    let ours = Ours::new(&guest, &registers, &layout)?;
    let alignment = u64::from(architecture.specification().alignment().max(1));
    let (works, homes) = works(found);
    if layout.homes && homes.free() > DATA {
        return Err(format!("{} forms are too many", works.len()));
    }
    let free = homes.free();
    let session = Session::new(
        ours,
        renew()?,
        Surroundings { registers: &registers, layout: &layout, alignment, free },
        random,
    )?;
    let report = Report { name: name.to_owned(), ..Report::default() };
    let homes = layout.homes.then_some(&homes);
    let waiting = Vec::new();
    let mut comparison = Comparison {
        session,
        report,
        works,
        waiting,
        description,
        renew: &renew,
        homes,
        reached: 0,
        failures: 0,
    };
    let over = |count: u64| count >= options.count || (options.cut && start.elapsed() > CUT);
    'passes: for pass in 0_usize.. {
        let mut useful = false;
        comparison.begin(pass);
        for number in 0..comparison.works.len() {
            let work = &mut comparison.works[number];
            // If no instance of a form can be compared, trying all of them once is enough.
            if work.compared == 0 && pass >= work.found.instances.len() {
                continue;
            }
            let index = pass % work.found.instances.len();
            let instance = work.found.instances[index].clone();
            if instance.context != context && !registers.tells_context() {
                work.skip(Reason::new("only in a context that another instruction began", ""));
                continue;
            }
            let look = || {
                probe(&architecture, &registers, &instance)
                    .map(|probe| probe.keep_inside_lines(&description.executor.inside_lines))
            };
            let known = work.probes[index].get_or_insert_with(look).clone();
            match known {
                Err(reason) => work.skip(reason),
                Ok(probe) => {
                    useful = true;
                    for state in 0..STATES {
                        if over(comparison.report.compared + comparison.waiting.len() as u64) {
                            break 'passes;
                        }
                        comparison.case(number, index, &instance, &probe, state + 1 == STATES)?;
                    }
                }
            }
        }
        if !useful {
            break;
        }
    }
    comparison.run()?;
    let Comparison { works, mut report, .. } = comparison;
    count(works, &mut report);
    report.seconds = start.elapsed().as_secs_f64();
    let details = report.details(&description.known, &registers);
    Ok((report, details))
}

/// State of a comparison.
struct Comparison<'c> {
    session: Session<'c>,
    report: Report,
    works: Vec<Work>,
    /// Cases that are queued for the executor.
    waiting: Vec<Waiting>,
    description: &'c Description,
    /// Restarts the executor.
    renew: &'c dyn Fn() -> Result<Box<dyn Executor>, String>,
    /// All instructions by home address, if they have one.
    homes: Option<&'c Homes>,
    /// All instructions with a home below this address have been written.
    reached: u64,
    /// The number of consecutive failures of the executor.
    failures: usize,
}

/// A case that our machine has run.
struct Waiting {
    /// The index of its form.
    work: usize,
    text: String,
    bytes: Vec<u8>,
    prepared: Prepared,
    /// Whether it has delay slots.
    delayed: bool,
}

impl Comparison<'_> {
    /// Writes the instructions of a pass; only the first passes have new ones.
    fn begin(&mut self, pass: usize) {
        if let Some(homes) = self.homes.filter(|_| pass < KEPT) {
            let here = homes.of_pass(pass);
            self.session.place(homes.within(here.clone()));
            self.reached = here.end;
        }
    }

    /// Runs one case on our machine, and flushes the queue to the executor when it is full.
    fn case(
        &mut self,
        number: usize,
        index: usize,
        instance: &Instance,
        probe: &Probe,
        thorough: bool,
    ) -> Result<(), String> {
        let work = &mut self.works[number];
        match self.session.prepare(instance, probe, thorough, &mut work.hints[index]) {
            Err(reason) => work.skip(reason),
            Ok(prepared) => {
                let (text, bytes) = (probe.text.clone(), instance.bytes[..probe.length].to_vec());
                let delayed = probe.steps > 1;
                self.waiting.push(Waiting { work: number, text, bytes, prepared, delayed });
            }
        }
        if self.waiting.len() >= self.session.batch() { self.run() } else { Ok(()) }
    }

    /// Runs all queued cases on the executor, and counts the results.
    fn run(&mut self) -> Result<(), String> {
        let waiting = std::mem::take(&mut self.waiting);
        let prepared: Vec<&Prepared> = waiting.iter().map(|waiting| &waiting.prepared).collect();
        match self.session.run(&prepared) {
            Ok(verdicts) => {
                for (waiting, verdict) in waiting.into_iter().zip(verdicts) {
                    self.count(waiting, verdict)?;
                }
            }
            Err(error) => {
                self.failures += 1;
                if self.failures > FAILURES {
                    return Err(error);
                }
                for waiting in waiting {
                    self.works[waiting.work].skip(Reason::new("the executor failed", error.clone()));
                }
                self.restart()?;
            }
        }
        Ok(())
    }

    fn count(&mut self, waiting: Waiting, verdict: Verdict) -> Result<(), String> {
        let Waiting { work, text, bytes, prepared, delayed } = waiting;
        let work = &mut self.works[work];
        let differences = match verdict {
            Verdict::Skipped(reason) => {
                work.skip(reason);
                return Ok(());
            }
            Verdict::Compared(differences) => differences,
        };
        self.failures = 0;
        work.compared += 1;
        work.equal += u64::from(differences.is_empty());
        self.report.compared += 1;
        // An emulator that was stopped in a delay slot may still branch afterwards.
        let stopped = delayed && differences.iter().any(Difference::is_signal);
        match explain(&self.description.known, (&work.form, &text), &differences) {
            _ if differences.is_empty() => {}
            Some(entries) => self.report.explain(&entries),
            None => {
                let first = Example { text, bytes, case: prepared.case, differences, count: 0 };
                self.report.unexplained.entry(work.form.clone()).or_insert(first).count += 1;
            }
        }
        if stopped { self.restart() } else { Ok(()) }
    }

    fn restart(&mut self) -> Result<(), String> {
        self.report.restarts += 1;
        self.session.restart((self.renew)()?);
        if let Some(homes) = self.homes {
            self.session.place(homes.within(0..self.reached));
        }
        Ok(())
    }
}

/// Writes a program for the executor to a temporary folder.
pub(super) fn program_file(bytes: &[u8]) -> Result<(tempfile::TempDir, PathBuf), String> {
    let problem = |error: std::io::Error| format!("the executor's program: {error}");
    let folder = tempfile::tempdir().map_err(problem)?;
    let path = folder.path().join("program");
    let mut file =
        std::fs::File::options().write(true).create_new(true).mode(0o755).open(&path).map_err(problem)?;
    file.write_all(bytes).map_err(problem)?;
    Ok((folder, path))
}

fn start_context(architecture: &Architecture, fields: &BTreeMap<String, u64>) -> Result<Context, String> {
    let mut context = sleigh::DecodingContext(architecture.default_context().0);
    for (field, value) in fields {
        let set = architecture.specification().set_context_field(&mut context, field, u128::from(*value));
        set.map_err(|error| error.to_string())?;
    }
    Ok(Context(context.0))
}
