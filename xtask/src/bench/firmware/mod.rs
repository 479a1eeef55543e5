//! Whole firmware images of a public suite: which of its goals the generated tests reach, without a configuration.

mod goals;

use crate::command::given_or_built;
use everypath_environment::{Configuration, Guest};
use everypath_explore::trace;
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use everypath_record::Suite;
use goals::{ImageEntry, goals_of};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
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
    /// The command under test; built if it is not given.
    pub everypath: Option<PathBuf>,
}

/// Explores each image, runs its tests, and prints the goals that they reach; returns whether all could be measured.
///
/// # Errors
/// If the suite cannot be read, or the command cannot be built.
pub fn firmware(root: &Path, options: &FirmwareOptions) -> Result<bool, String> {
    let everypath = given_or_built(options.everypath.as_deref(), root)?;
    let entries = goals::read(&options.suite)?;
    let wanted = |entry: &&ImageEntry| options.image.as_ref().is_none_or(|part| entry.name.contains(part));
    let (mut good, mut reached, mut all) = (true, 0, 0);
    println!("{:28} {:>9} {:>6}  goals", "image", "CPU s", "tests");
    for entry in entries.iter().filter(wanted) {
        match measure(&everypath, options.seconds, entry) {
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

fn measure(everypath: &Path, seconds: u64, entry: &ImageEntry) -> Result<Row, String> {
    let bytes = std::fs::read(&entry.file).map_err(|error| format!("{}: {error}", entry.file.display()))?;
    let image = Image::read(bytes, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let goals = goals_of(entry, &image)?;
    let library = Library::built_in();
    let name = library.detect(&image).ok_or("the architecture is unknown")?;
    let architecture = library.load(name).map_err(|error| error.to_string())?;
    let guest = Guest::new(architecture, image).map_err(|error| error.to_string())?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let before = cpu_of_children()?;
    let explored = Command::new(everypath)
        .arg("test")
        .arg(&entry.file)
        .args(["--seconds", &seconds.to_string(), "-o"])
        .arg(folder.path())
        .output()
        .map_err(|error| format!("{}: {error}", everypath.display()))?;
    let cpu = cpu_of_children()? - before;
    let suite = Suite::read(folder.path())
        .map_err(|error| format!("{error}; {}", String::from_utf8_lossy(&explored.stderr).trim()))?;
    let mut found: Vec<(String, bool)> = goals.iter().map(|(name, _)| (name.clone(), false)).collect();
    for test in &suite.tests {
        let trace = trace(&guest, &Configuration::default(), test).map_err(|error| error.to_string())?;
        let trace: Vec<u64> = trace.iter().map(|address| address.0).collect();
        for ((_, is_reached), (_, goal)) in found.iter_mut().zip(&goals) {
            *is_reached |= goal.is_reached(&trace);
        }
    }
    Ok(Row { cpu, tests: suite.tests.len(), goals: found })
}

/// The CPU time of the child processes that have ended, in seconds.
fn cpu_of_children() -> Result<f64, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
