//! One architecture: everything is set up, all forms are gone through in passes, and what comes out is counted.

use super::compare::Difference;
use super::description::Description;
use super::executable::{DATA, DATA_SIZE, executable};
use super::executor::{Executor, open};
use super::harvest::{Instance, KEPT, harvest};
use super::known::explain;
use super::ours::{self, Ours};
use super::probe::{Probe, probe};
use super::random::Random;
use super::registers::Registers;
use super::report::{Example, Reason, Report};
use super::run::Options;
use super::session::{Session, Surroundings, Verdict};
use super::work::{Homes, Work, count, works};
use everypath_ir::Context;
use everypath_lift::{Architecture, Library};
use everypath_sleigh as sleigh;
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long an architecture may take with `--cut`.
const CUT: Duration = Duration::from_secs(20);
/// How many cases of one instruction are run in a row.
const STATES: usize = 4;
/// How many failures of an executor in a row are taken as the instructions' doing, not its own.
const FAILURES: usize = 20;

/// Compares one architecture; returns what was counted, and the details as text.
///
/// # Errors
/// If the description is wrong, or the executor cannot be run.
pub(super) fn compare_architecture(
    name: &str,
    description: &Description,
    options: &Options,
) -> Result<(Report, String), String> {
    let start = Instant::now();
    let architecture =
        Library::built_in().load(&description.architecture).map_err(|error| error.to_string())?;
    let context = start_context(&architecture, &description.context)?;
    let registers = Registers::new(&architecture, description)?;
    let mut random = Random::new(options.seed);
    let found = harvest(&architecture, context, &description.program, &mut random)?;
    let file = executable(&architecture, &description.executor)?;
    let guest = ours::guest(architecture.clone(), &file)?;
    let (_folder, path) = program_file(&file)?;
    let data = data(&architecture, &mut random);
    let renew = || open(&description.executor, &path, &registers);
    let ours = Ours::new(&guest, &registers, &data)?;
    let alignment = u64::from(architecture.specification().alignment().max(1));
    let (mut works, homes) = works(found);
    if homes.free() > DATA {
        return Err(format!("{} forms are too many", works.len()));
    }
    let free = homes.free();
    let session = Session::new(
        ours,
        renew()?,
        Surroundings { registers: &registers, data: &data, alignment, free },
        random,
    )?;
    let report = Report { name: name.to_owned(), ..Report::default() };
    let mut comparison =
        Comparison { session, report, description, renew: &renew, homes: &homes, reached: 0, failures: 0 };
    let over = |report: &Report| report.compared >= options.count || (options.cut && start.elapsed() > CUT);
    'passes: for pass in 0_usize.. {
        let mut useful = false;
        comparison.begin(pass);
        for work in &mut works {
            // Where no instance of a form can be compared, looking at all of them once is enough.
            if work.compared == 0 && pass >= work.found.instances.len() {
                continue;
            }
            let index = pass % work.found.instances.len();
            let instance = work.found.instances[index].clone();
            if instance.context != context && !registers.follows_context(instance.context) {
                work.skip(Reason::new("only in a context that another instruction began", ""));
                continue;
            }
            let known =
                work.probes[index].get_or_insert_with(|| probe(&architecture, &registers, &instance)).clone();
            match known {
                Err(reason) => work.skip(reason),
                Ok(probe) => {
                    useful = true;
                    for state in 0..STATES {
                        if over(&comparison.report) {
                            break 'passes;
                        }
                        comparison.case(work, index, &instance, &probe, state + 1 == STATES)?;
                    }
                }
            }
        }
        if !useful {
            break;
        }
    }
    let mut report = comparison.report;
    count(works, &mut report);
    report.seconds = start.elapsed().as_secs_f64();
    let details = report.details(&description.known, &registers);
    Ok((report, details))
}

/// A comparison under way.
struct Comparison<'c> {
    session: Session<'c>,
    report: Report,
    description: &'c Description,
    /// Starts the executor anew.
    renew: &'c dyn Fn() -> Result<Box<dyn Executor>, String>,
    /// All instructions, by where they are at home.
    homes: &'c Homes,
    /// Below this address all instructions are where they are at home.
    reached: u64,
    /// How often in a row the executor has failed.
    failures: usize,
}

impl Comparison<'_> {
    /// Has the instructions of a pass written, in the first passes, in which they are new.
    fn begin(&mut self, pass: usize) {
        if pass < KEPT {
            let here = self.homes.of_pass(pass);
            self.session.place(self.homes.within(here.clone()));
            self.reached = here.end;
        }
    }

    /// Runs one case and counts it.
    fn case(
        &mut self,
        work: &mut Work,
        index: usize,
        instance: &Instance,
        probe: &Probe,
        thorough: bool,
    ) -> Result<(), String> {
        match self.session.case(instance, probe, thorough, &mut work.hints[index]) {
            Ok(Verdict::Skipped(reason)) => work.skip(reason),
            Ok(Verdict::Compared(case, differences)) => {
                self.failures = 0;
                work.compared += 1;
                work.equal += u64::from(differences.is_empty());
                self.report.compared += 1;
                // An emulator that was stopped in a delay slot may still branch afterwards.
                if probe.steps > 1 && differences.iter().any(Difference::is_signal) {
                    self.restart()?;
                }
                match explain(&self.description.known, &work.form, &differences) {
                    _ if differences.is_empty() => {}
                    Some(entries) => self.report.explain(&entries),
                    None => {
                        let (text, bytes) = (probe.text.clone(), instance.bytes[..probe.length].to_vec());
                        let first = Example { text, bytes, case, differences, count: 0 };
                        self.report.unexplained.entry(work.form.clone()).or_insert(first).count += 1;
                    }
                }
            }
            Err(error) => {
                self.failures += 1;
                if self.failures > FAILURES {
                    return Err(error);
                }
                work.skip(Reason::new("the executor failed", error));
                self.restart()?;
            }
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<(), String> {
        self.report.restarts += 1;
        self.session.restart((self.renew)()?);
        self.session.place(self.homes.within(0..self.reached));
        Ok(())
    }
}

/// A program for the executor, which goes away with its folder.
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
    let mut context = sleigh::Context(architecture.default_context().0);
    for (field, value) in fields {
        let set = architecture.specification().set_context_field(&mut context, field, u128::from(*value));
        set.map_err(|error| error.to_string())?;
    }
    Ok(Context(context.0))
}

/// What lies in the data: numbers of the size of an address; small ones, addresses in the data, and any.
fn data(architecture: &Architecture, random: &mut Random) -> Vec<u8> {
    let specification = architecture.specification();
    let size = specification.space(specification.default_space()).address_size.clamp(1, 8) as usize;
    let word = |_| {
        let value = match random.below(4) {
            0 => random.below(256),
            1 => DATA + random.below(DATA_SIZE) / 16 * 16,
            _ => random.next(),
        };
        if specification.is_big_endian() {
            value.to_be_bytes()[8 - size..].to_vec()
        } else {
            value.to_le_bytes()[..size].to_vec()
        }
    };
    (0..DATA_SIZE as usize / size).flat_map(word).collect()
}
