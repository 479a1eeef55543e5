//! The main loop over all programs: parallel workers, one line for each target, and the wrong claims.

use super::compare::Wrong;
use super::examine::{Bench, Outcome, Report};
use super::{generate, keep, list};
use crate::command::given_or_built;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Options of the adversary.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only these targets.
    pub targets: Vec<String>,
    /// The number of programs for each target, at the optimisation levels in turn.
    pub count: u64,
    /// The first seed.
    pub seed: u64,
    /// Only these optimisation levels.
    pub levels: Vec<String>,
    /// Whether each program is explored a second time, with a proof by abstraction.
    pub proofs: bool,
    /// The folder for failing programs, reduced.
    pub keep: Option<PathBuf>,
    /// The number of failing programs of each kind that are reduced for each target.
    pub reduced: usize,
    /// The command under test; built if it is not given.
    pub everypath: Option<PathBuf>,
    /// The time limit in seconds.
    pub seconds: Option<u64>,
}

/// The number of functions of which some must have given a claim.
const FEW: u64 = 20;

/// Figures of a target.
#[derive(Default)]
struct Tally {
    programs: u64,
    skipped: BTreeMap<String, u64>,
    directions: u64,
    paths: u64,
    inputs: u64,
    confirmed: u64,
    complete: u64,
    functions: u64,
    function_directions: u64,
    function_claims: u64,
    seconds: [f64; 3],
    wrong: BTreeMap<&'static str, u64>,
    first: BTreeMap<&'static str, String>,
}

struct Job {
    bench: usize,
    level: String,
    seed: u64,
}

/// Runs the adversary and prints the table; returns whether no claim was wrong.
///
/// # Errors
/// If the targets cannot be read, or an executor or the command cannot be run.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let everypath = given_or_built(options.everypath.as_deref(), root)?;
    let workplace = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut benches = Vec::new();
    for target in list::targets(root, &options.targets)? {
        let bench = Bench::new(root, target, &everypath, workplace.path())?;
        benches.push(Bench { proofs: options.proofs, ..bench });
    }
    let jobs = jobs(&benches, options);
    let tallies: Vec<Mutex<Tally>> = benches.iter().map(|_| Mutex::default()).collect();
    let kept: Mutex<HashMap<(usize, &'static str), usize>> = Mutex::default();
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    let limit = options.seconds.map(Duration::from_secs);
    let work = |worker: usize| -> Result<(), String> {
        let folder = workplace.path().join(worker.to_string());
        while limit.is_none_or(|limit| start.elapsed() < limit) {
            let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let bench = &benches[job.bench];
            std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            let program = generate::program(&bench.target.description, &bench.header, job.seed);
            let outcome = bench.examine(&program, &job.level, &folder);
            let name = format!("{} {} {}", bench.target.description.name, job.level, job.seed);
            let outcome = outcome.map_err(|error| format!("{name}: {error}"))?;
            let wrong = lock(&tallies[job.bench]).count(&outcome, job);
            // The first is usually the cause: a divergence leaves directions open and paths unexplored.
            for (position, wrong) in wrong.into_iter().enumerate() {
                println!("{name}: {}: {}", wrong.kind, wrong.what);
                let Some(place) = options.keep.as_ref().filter(|_| position == 0) else { continue };
                let number = {
                    let mut kept = lock(&kept);
                    let number = kept.entry((job.bench, wrong.kind)).or_default();
                    *number += 1;
                    *number
                };
                if number <= options.reduced {
                    keep::keep(bench, &program, &job.level, job.seed, &wrong, place)
                        .map_err(|error| format!("{name}: {error}"))?;
                }
            }
            let _ = std::fs::remove_dir_all(&folder);
        }
        Ok(())
    };
    in_parallel(work)?;
    Ok(print(&benches, &tallies, start.elapsed()))
}

/// Runs workers, by their numbers: more than there are processors, because each waits for files and other programs.
///
/// # Errors
/// The first of theirs.
pub(super) fn in_parallel(work: impl Fn(usize) -> Result<(), String> + Sync) -> Result<(), String> {
    let work = &work;
    let results: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let count = 3 * std::thread::available_parallelism().map_or(1, usize::from) / 2;
        let workers: Vec<_> = (0..count).map(|worker| scope.spawn(move || work(worker))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|_| Err("a worker panicked".to_owned())))
            .collect()
    });
    results.into_iter().collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Programs for the targets in turn, so that a time limit affects all targets alike.
fn jobs(benches: &[Bench], options: &Options) -> Vec<Job> {
    let mut jobs = Vec::new();
    for number in 0..options.count {
        for (bench, Bench { target, .. }) in benches.iter().enumerate() {
            let levels = &target.description.levels;
            let levels: Vec<&String> = levels
                .iter()
                .filter(|level| options.levels.is_empty() || options.levels.contains(level))
                .collect();
            if let Some(level) = levels.get(number as usize % levels.len().max(1)) {
                jobs.push(Job { bench, level: (*level).clone(), seed: options.seed + number });
            }
        }
    }
    jobs
}

impl Tally {
    fn count(&mut self, outcome: &Outcome, job: &Job) -> Vec<Wrong> {
        let report = match outcome {
            Outcome::Skipped(why) => {
                *self.skipped.entry(why.chars().take(300).collect()).or_default() += 1;
                return Vec::new();
            }
            Outcome::Compared(report) => report,
        };
        let Report { comparison, paths, inputs, confirmed, complete, seconds, .. } = report;
        self.programs += 1;
        self.directions += comparison.directions;
        self.paths += paths;
        self.inputs += inputs;
        self.confirmed += confirmed;
        self.complete += u64::from(*complete);
        self.functions += u64::from(report.called.is_some());
        self.function_directions += report.function_directions;
        self.function_claims += report.function_claims;
        for (sum, part) in self.seconds.iter_mut().zip(seconds) {
            *sum += part;
        }
        for wrong in &comparison.wrong {
            *self.wrong.entry(wrong.kind).or_default() += 1;
            self.first
                .entry(wrong.kind)
                .or_insert_with(|| format!("level `{}`, seed {}", job.level, job.seed));
        }
        comparison.wrong.clone()
    }
}

fn print(benches: &[Bench], tallies: &[Mutex<Tally>], elapsed: Duration) -> bool {
    println!(
        "{:<9} {:<9} {:>8} {:>8} {:>10} {:>10} {:>6} {:>8} {:>9}  wrong claims",
        "target", "executor", "programs", "skipped", "inputs", "directions", "paths", "complete", "seconds"
    );
    let mut good = true;
    for (bench, tally) in benches.iter().zip(tallies) {
        let (tally, description) = (lock(tally), &bench.target.description);
        let kinds: Vec<String> = tally.wrong.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let programs = tally.programs.max(1) as f64;
        println!(
            "{:<9} {:<9} {:>8} {:>8} {:>10} {:>10} {:>6.1} {:>8} {:>9.1}  {}",
            description.name,
            format!("{:?}", description.executor).to_lowercase(),
            tally.programs,
            tally.skipped.values().sum::<u64>(),
            tally.inputs,
            tally.directions,
            tally.paths as f64 / programs,
            tally.complete,
            tally.seconds.iter().sum::<f64>(),
            if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") }
        );
        let [compile, execute, explore] = tally.seconds.map(|seconds| seconds / programs);
        println!(
            "          seconds per program: {compile:.2} compile, {execute:.2} every input, {explore:.2} explore"
        );
        if tally.functions > 0 {
            println!(
                "          {} functions by themselves, with {} directions that runs take, and {} claims that runs could refute",
                tally.functions, tally.function_directions, tally.function_claims
            );
            // Nothing could be wrong then.
            good &= tally.function_claims > 0 || tally.functions < FEW;
        }
        if tally.confirmed > 0 {
            println!("          our own machine; {} inputs confirmed by a simulator", tally.confirmed);
        }
        for (why, count) in tally.skipped.iter().take(3) {
            println!("          skipped {count}: {}", why.lines().take(3).collect::<Vec<_>>().join(" / "));
        }
        for (kind, first) in &tally.first {
            println!("          {kind}: first with {first}");
        }
        good &= tally.wrong.is_empty() && tally.programs > 0;
    }
    println!("{:.0} s", elapsed.as_secs_f64());
    good
}
