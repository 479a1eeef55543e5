//! All architectures one after the other, and the table.

use super::compare::Difference;
use super::description::{Description, ExecutorChoice};
use super::executable::{CODE, DATA, DATA_SIZE, PAGE, executable};
use super::executor::Executor;
use super::gdb::Emulator;
use super::harvest::{Found, Instance, KEPT, WINDOW, harvest};
use super::known::explain;
use super::ours::{self, Ours};
use super::probe::{Probe, probe};
use super::random::Random;
use super::registers::Registers;
use super::report::{Example, Reason, Report};
use super::session::{Session, Verdict};
use everypath_ir::Context;
use everypath_lift::{Architecture, Library};
use everypath_sleigh as sleigh;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long an architecture may take with `--cut`.
const CUT: Duration = Duration::from_secs(20);
/// How many cases of one instruction are run in a row.
const STATES: usize = 4;
/// How many failures of an executor in a row are taken as the instructions' doing, not its own.
const FAILURES: usize = 20;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only these architectures, by the names of their files; all if empty.
    pub architectures: Vec<String>,
    /// At most twenty seconds for each.
    pub cut: bool,
    /// How many cases are compared.
    pub count: u64,
    /// What all random choices depend on.
    pub seed: u64,
}

/// Compares and prints the table; whether no difference is unexplained.
///
/// # Errors
/// If a description is wrong, or an executor cannot be run.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let folder = root.join("tests/conform");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let wanted = options.architectures.is_empty() || options.architectures.contains(&name);
        if wanted && path.extension().is_some_and(|extension| extension == "toml") {
            files.push((name, path));
        }
    }
    files.sort();
    if let Some(missing) =
        options.architectures.iter().find(|wanted| !files.iter().any(|(name, _)| name == *wanted))
    {
        return Err(format!("there is no tests/conform/{missing}.toml"));
    }
    let mut lines = Vec::new();
    let mut good = true;
    for (name, file) in files {
        let description = Description::read(&file)?;
        let (report, details) =
            architecture(&name, &description, options).map_err(|error| format!("{name}: {error}"))?;
        println!("{name}\n{details}");
        good &= report.unexplained.is_empty() && report.compared > 0;
        lines.push(report.line());
    }
    println!("{}\n{}", Report::HEAD, lines.join("\n"));
    Ok(good)
}

/// A program for the executor, which goes away with it.
fn program_file(bytes: &[u8]) -> Result<(tempfile::TempDir, PathBuf), String> {
    let problem = |error: std::io::Error| format!("the executor's program: {error}");
    let folder = tempfile::tempdir().map_err(problem)?;
    let path = folder.path().join("program");
    let mut file =
        std::fs::File::options().write(true).create_new(true).mode(0o755).open(&path).map_err(problem)?;
    file.write_all(bytes).map_err(problem)?;
    Ok((folder, path))
}

fn open(choice: &ExecutorChoice, file: &Path, registers: &Registers) -> Result<Box<dyn Executor>, String> {
    match &choice.command {
        Some(command) => Ok(Box::new(Emulator::start(command, &choice.arguments, file, registers)?)),
        None => native(file),
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn native(file: &Path) -> Result<Box<dyn Executor>, String> {
    Ok(Box::new(super::native::Traced::start(file)?))
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn native(_: &Path) -> Result<Box<dyn Executor>, String> {
    Err("this host's processor cannot be traced".to_owned())
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
    let size = specification.space(specification.default_space()).address_size as usize;
    let word = |_| {
        let value = match random.below(4) {
            0 => random.below(256),
            1 => DATA + random.below(DATA_SIZE) / 16 * 16,
            _ => random.next(),
        };
        if specification.is_big_endian() {
            value.to_be_bytes()[8 - size.min(8)..].to_vec()
        } else {
            value.to_le_bytes()[..size.min(8)].to_vec()
        }
    };
    (0..DATA_SIZE as usize / size).flat_map(word).collect()
}

/// A form at work.
struct Work {
    form: String,
    found: Found,
    /// What is known of each instance, once it was looked at.
    probes: Vec<Option<Result<Probe, Reason>>>,
    hints: Vec<Option<usize>>,
    compared: u64,
    reason: Option<Reason>,
}

/// Where the instructions of one pass, one of each form, lie: on pages of their own.
fn start_of(pass: usize) -> u64 {
    CODE + (DATA - CODE) / KEPT as u64 / PAGE * PAGE * pass as u64
}

/// Gives each instruction its home, and returns all of them by their homes.
fn settle(works: &mut [Work]) -> Vec<Instance> {
    let mut homes = Vec::new();
    for pass in 0..KEPT {
        let instances = works.iter_mut().filter_map(|work| work.found.instances.get_mut(pass));
        for (number, instance) in instances.enumerate() {
            instance.home = start_of(pass) + (number * WINDOW) as u64;
            homes.push(instance.clone());
        }
    }
    homes
}

fn architecture(
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
    let mut executor = open(&description.executor, &path, &registers)?;
    let base = executor.registers()?;
    let ours = Ours::new(&guest, &registers, &data)?;
    let pending = vec![(DATA, data.clone())];
    let (registers, data) = (&registers, &data);
    let alignment = u64::from(architecture.specification().alignment().max(1));
    let mut session =
        Session { ours, executor, registers, base, data, pending, placed: HashMap::new(), random, alignment };
    let mut report = Report { name: name.to_owned(), ..Report::default() };
    let mut works: Vec<Work> = found
        .into_iter()
        .map(|(form, found)| Work {
            probes: vec![None; found.instances.len()],
            hints: vec![None; found.instances.len()],
            form,
            found,
            compared: 0,
            reason: None,
        })
        .collect();
    let homes = settle(&mut works);
    let mut reached = 0;
    let mut failures = 0;
    let over = |report: &Report| report.compared >= options.count || (options.cut && start.elapsed() > CUT);
    'passes: for pass in 0_usize.. {
        let mut useful = false;
        if pass < KEPT {
            let place = |instance: &&Instance| (start_of(pass)..start_of(pass + 1)).contains(&instance.home);
            session.place(homes.iter().filter(place));
            reached = start_of(pass + 1);
        }
        for work in &mut works {
            // Where no instance of a form can be compared, looking at all of them once is enough.
            if work.compared == 0 && pass >= work.found.instances.len() {
                continue;
            }
            let index = pass % work.found.instances.len();
            let instance = &work.found.instances[index];
            if instance.context != context && !registers.follows_context(instance.context) {
                work.reason.get_or_insert_with(|| {
                    Reason::new("only in a context that another instruction began", "")
                });
                continue;
            }
            let known = work.probes[index].get_or_insert_with(|| probe(&architecture, registers, instance));
            let probe = match known {
                Ok(probe) => probe,
                Err(reason) => {
                    work.reason.get_or_insert_with(|| reason.clone());
                    continue;
                }
            };
            useful = true;
            for state in 0..STATES {
                if over(&report) {
                    break 'passes;
                }
                let hint = &mut work.hints[index];
                let mut renew = false;
                match session.case(instance, probe, state + 1 == STATES, hint) {
                    Ok(Verdict::Skipped(reason)) => {
                        work.reason.get_or_insert(reason);
                    }
                    Ok(Verdict::Compared(case, differences)) => {
                        failures = 0;
                        if probe.steps > 1 && differences.iter().any(Difference::is_signal) {
                            // An emulator that was stopped in a delay slot may still branch afterwards.
                            renew = true;
                        }
                        work.compared += 1;
                        report.compared += 1;
                        let explained = explain(&description.known, &work.form, &differences);
                        match explained {
                            _ if differences.is_empty() => {}
                            Some(entries) => {
                                report.explained_cases += 1;
                                for entry in entries {
                                    *report.explained.entry(entry).or_default() += 1;
                                }
                            }
                            None => {
                                let bytes = instance.bytes[..probe.length].to_vec();
                                let text = probe.text.clone();
                                let first = Example { text, bytes, case, differences, count: 0 };
                                report.unexplained.entry(work.form.clone()).or_insert(first).count += 1;
                            }
                        }
                    }
                    Err(error) => {
                        failures += 1;
                        if failures > FAILURES {
                            return Err(error);
                        }
                        work.reason.get_or_insert_with(|| Reason::new("the executor failed", error));
                        renew = true;
                    }
                }
                if renew {
                    session.executor = open(&description.executor, &path, registers)?;
                    session.pending = vec![(DATA, data.clone())];
                    session.placed.clear();
                    session.place(homes.iter().filter(|instance| instance.home < reached));
                }
            }
        }
        if !useful {
            break;
        }
    }
    for work in works {
        report.forms.0 += 1;
        report.forms.1 += work.found.count;
        if work.compared > 0 {
            report.covered.0 += 1;
            report.covered.1 += work.found.count;
        } else {
            let reason = work.reason.unwrap_or_else(|| Reason::new("no time was left", ""));
            let entry = report.skipped.entry(reason.why).or_default().entry(reason.about).or_default();
            entry.0 += 1;
            entry.1 += work.found.count;
        }
    }
    report.seconds = start.elapsed().as_secs_f64();
    let details = report.details(&description.known, registers);
    Ok((report, details))
}
