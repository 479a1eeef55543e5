//! Builds the targets, runs two at a time, and prints their findings.

use super::log::{Outcome, read};
use super::target;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// The number of targets that run concurrently.
const SIDE_BY_SIDE: usize = 2;
/// Maximum number of bytes of a finding, and of lines of its log, that are printed.
const PRINTED_BYTES: usize = 4_096;
const PRINTED_LINES: usize = 4;

/// Options of the fuzzing.
#[derive(Clone, Debug)]
pub struct Options {
    /// The duration of each target, in seconds.
    pub seconds: u64,
    /// The target to run; all by default.
    pub target: Option<String>,
}

struct Row {
    target: String,
    outcome: Outcome,
    elapsed: u64,
    succeeded: bool,
    log: PathBuf,
}

/// Runs the targets; returns whether all of them ended without a finding.
///
/// # Errors
/// If a target cannot be built or started.
pub fn run(root: &Path, options: &Options) -> Result<bool, String> {
    let targets = target::names(root, options.target.as_deref())?;
    build(root, options.target.as_deref())?;
    let waiting = Mutex::new(targets.iter());
    let rows = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE.min(targets.len()) {
            scope.spawn(|| {
                loop {
                    let Some(target) = waiting.lock().expect("no thread panics").next() else { break };
                    let row = fuzz(root, target, options.seconds);
                    rows.lock().expect("no thread panics").push(row);
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("no thread panics").into_iter().collect::<Result<Vec<_>, _>>()?;
    rows.sort_by_key(|row| targets.iter().position(|target| *target == row.target));
    print(&rows);
    Ok(rows.iter().all(|row| row.succeeded && row.outcome.findings.is_empty()))
}

/// `cargo fuzz` without a sanitizer: the code is safe Rust, and the stable toolchain has none.
fn cargo_fuzz(root: &Path, command: &str) -> Command {
    let mut process = Command::new("cargo");
    process.current_dir(root).args(["fuzz", command, "--sanitizer", "none"]).stdin(Stdio::null());
    process
}

fn build(root: &Path, target: Option<&str>) -> Result<(), String> {
    match cargo_fuzz(root, "build").args(target).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("the targets cannot be built; is cargo-fuzz installed?".to_owned()),
        Err(error) => Err(format!("cargo cannot be run: {error}")),
    }
}

fn fuzz(root: &Path, target: &str, seconds: u64) -> Result<Row, String> {
    let failure = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    // New inputs go to the first folder; the seeds in the checkout are only read.
    let scratch = root.join("fuzz/target/corpus").join(target);
    let seeds = root.join("fuzz/corpus").join(target);
    fs::create_dir_all(&scratch).map_err(failure(&scratch))?;
    let log = root.join("fuzz/target").join(format!("{target}.log"));
    let file = File::create(&log).map_err(failure(&log))?;
    let mut process = cargo_fuzz(root, "run");
    process.arg(target).arg(&scratch);
    if seeds.is_dir() {
        process.arg(&seeds);
    }
    process.arg("--").arg(format!("-max_total_time={seconds}"));
    process.args(["-rss_limit_mb=2048", "-timeout=10", "-print_final_stats=1"]);
    let start = Instant::now();
    let second = file.try_clone().map_err(failure(&log))?;
    let status = process.stdout(file).stderr(second).status();
    let status = status.map_err(|error| format!("cargo cannot be run: {error}"))?;
    let text = fs::read(&log).map_err(failure(&log))?;
    Ok(Row {
        target: target.to_owned(),
        outcome: read(&String::from_utf8_lossy(&text)),
        elapsed: start.elapsed().as_secs(),
        succeeded: status.success(),
        log,
    })
}

fn print(rows: &[Row]) {
    println!("{:<16} {:>12} {:>8} {:>9}", "target", "executions", "seconds", "findings");
    for Row { target, outcome, elapsed, .. } in rows {
        let executions = outcome.executions.map_or_else(|| "?".to_owned(), |number| number.to_string());
        let seconds = outcome.seconds.unwrap_or(*elapsed);
        println!("{target:<16} {executions:>12} {seconds:>8} {:>9}", outcome.findings.len());
    }
    for Row { target, outcome, succeeded, log, .. } in rows {
        for finding in &outcome.findings {
            println!("{target}: {} (log: {})", finding.display(), log.display());
            print_finding(finding, log);
        }
        if !succeeded && outcome.findings.is_empty() {
            println!("{target}: ended with an error; see {}", log.display());
        }
    }
}

/// Prints a finding's bytes and what the target said of it: the machine that found it may not be at hand later.
fn print_finding(finding: &Path, log: &Path) {
    if let Ok(bytes) = fs::read(finding) {
        let digits: String = bytes.iter().take(PRINTED_BYTES).map(|byte| format!("{byte:02x}")).collect();
        println!("  {} bytes: {digits}", bytes.len());
    }
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let panic = text.lines().skip_while(|line| !line.contains("panicked at")).take(PRINTED_LINES);
    panic.for_each(|line| println!("  {line}"));
}
