//! Whole firmware images of a public suite: which of its goals the generated tests reach, without a configuration.

mod goals;

use everypath_image::{Image, ReadOptions};
use everypath_record::TestCase;
use goals::{ImageEntry, goals_of};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is measured.
pub struct FirmwareOptions {
    /// The folder of the suite.
    pub suite: PathBuf,
    /// Only images with this in their name.
    pub image: Option<String>,
    /// Time limit of each exploration in seconds.
    pub seconds: u64,
    /// The command under test.
    pub everypath: PathBuf,
}

/// A run with its trace, as the command prints it.
#[derive(Deserialize)]
struct TracedRun {
    trace: Vec<String>,
}

/// Explores each image, runs its tests, and prints the goals that they reach; returns whether all could be measured.
///
/// # Errors
/// If the suite cannot be read.
pub fn firmware(options: &FirmwareOptions) -> Result<bool, String> {
    let entries = goals::read(&options.suite)?;
    let wanted = |entry: &&ImageEntry| options.image.as_ref().is_none_or(|part| entry.name.contains(part));
    let (mut good, mut reached, mut all) = (true, 0, 0);
    println!("{:28} {:>9} {:>6}  goals", "image", "CPU s", "tests");
    for entry in entries.iter().filter(wanted) {
        match measure(options, entry) {
            Ok(row) => {
                let goals = row.goals.iter().map(|(name, is_reached)| {
                    format!("{name} {}", if *is_reached { "reached" } else { "not reached" })
                });
                let goals = goals.collect::<Vec<_>>().join(", ");
                println!("{:28} {:>9.1} {:>6}  {goals}", entry.name, row.cpu, row.tests);
                reached += row.goals.iter().filter(|(_, is_reached)| *is_reached).count();
                all += row.goals.len();
            }
            Err(error) => {
                println!("{:28} {error}", entry.name);
                good = false;
            }
        }
    }
    println!("{reached} of {all} goals");
    Ok(good)
}

/// The figures of one image.
struct Row {
    cpu: f64,
    tests: usize,
    goals: Vec<(String, bool)>,
}

fn measure(options: &FirmwareOptions, entry: &ImageEntry) -> Result<Row, String> {
    let bytes = std::fs::read(&entry.file).map_err(|error| format!("{}: {error}", entry.file.display()))?;
    let image = Image::read(bytes, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let goals = goals_of(entry, &image)?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = folder.path().join("out");
    let before = cpu_of_children()?;
    let explored = Command::new(&options.everypath)
        .arg("test")
        .arg(&entry.file)
        .args(["--seconds", &options.seconds.to_string(), "-o"])
        .arg(&out)
        .output()
        .map_err(|error| format!("{}: {error}", options.everypath.display()))?;
    let cpu = cpu_of_children()? - before;
    let mut tests: Vec<PathBuf> = std::fs::read_dir(out.join("tests"))
        .map_err(|_| String::from_utf8_lossy(&explored.stderr).trim().to_owned())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    tests.sort();
    let mut found: Vec<(String, bool)> = goals.iter().map(|(name, _)| (name.clone(), false)).collect();
    for test in &tests {
        let trace = trace(options, &entry.file, test)?;
        for ((_, is_reached), (_, goal)) in found.iter_mut().zip(&goals) {
            *is_reached |= goal.is_reached(&trace);
        }
    }
    Ok(Row { cpu, tests: tests.len(), goals: found })
}

/// The addresses that a run of a test executes.
fn trace(options: &FirmwareOptions, file: &Path, test: &Path) -> Result<Vec<u64>, String> {
    let text = std::fs::read_to_string(test).map_err(|error| error.to_string())?;
    let test: TestCase = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let inputs = test.cells.iter().filter(|cell| !cell.values.is_empty()).flat_map(|cell| {
        let values: Vec<String> = cell.values.iter().map(u64::to_string).collect();
        ["--input".to_owned(), format!("{}={}", cell.name, values.join(","))]
    });
    let run = Command::new(&options.everypath)
        .arg("run")
        .arg(file)
        .args(["--trace", "--json", "--budget", &test.instructions.to_string()])
        .args(inputs)
        .output()
        .map_err(|error| error.to_string())?;
    let traced: TracedRun = serde_json::from_slice(&run.stdout)
        .map_err(|_| format!("test {}: {}", test.name, String::from_utf8_lossy(&run.stderr).trim()))?;
    let number = |text: &String| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    Ok(traced.trace.iter().filter_map(number).collect())
}

/// The CPU time of the child processes that have ended, in seconds.
fn cpu_of_children() -> Result<f64, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
