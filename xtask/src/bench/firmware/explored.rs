//! One exploration of a firmware image without a configuration, and the runs of its tests.

use everypath_environment::{Configuration, Guest};
use everypath_explore::trace;
use everypath_image::{Image, ReadOptions};
use everypath_lift::Library;
use everypath_record::Suite;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use std::path::Path;
use std::process::Command;

/// The test suite of an image, with what it cost.
pub(super) struct Explored {
    guest: Guest,
    pub(super) suite: Suite,
    /// CPU seconds of the exploration.
    pub(super) cpu: f64,
}

impl Explored {
    /// Explores an image with a time limit.
    pub(super) fn new(everypath: &Path, file: &Path, seconds: u64) -> Result<Explored, String> {
        let guest = guest(file)?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let before = cpu_of_children()?;
        let explored = Command::new(everypath)
            .arg("test")
            .arg(file)
            .args(["--seconds", &seconds.to_string(), "-o"])
            .arg(folder.path())
            .output()
            .map_err(|error| format!("{}: {error}", everypath.display()))?;
        let cpu = cpu_of_children()? - before;
        let suite = Suite::read(folder.path())
            .map_err(|error| format!("{error}; {}", String::from_utf8_lossy(&explored.stderr).trim()))?;
        Ok(Explored { guest, suite, cpu })
    }

    /// The image.
    pub(super) fn image(&self) -> &Image {
        self.guest.image()
    }

    /// Runs each test, and gives the addresses of its instructions in order.
    pub(super) fn for_each_trace(&self, mut visit: impl FnMut(&[u64])) -> Result<(), String> {
        for test in &self.suite.tests {
            let trace =
                trace(&self.guest, &Configuration::default(), test).map_err(|error| error.to_string())?;
            let trace: Vec<u64> = trace.iter().map(|address| address.0).collect();
            visit(&trace);
        }
        Ok(())
    }
}

fn guest(file: &Path) -> Result<Guest, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let image = Image::read(bytes, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let library = Library::built_in();
    let name = library.detect(&image).ok_or("the architecture is unknown")?;
    let architecture = library.load(name).map_err(|error| error.to_string())?;
    Guest::new(architecture, image).map_err(|error| error.to_string())
}

/// The CPU time of the child processes that have ended, in seconds.
fn cpu_of_children() -> Result<f64, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
