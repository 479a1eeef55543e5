//! Peak memory of a run in which nearly every value depends on one input byte: a hash over a file.

use super::osmose;
use everypath_explore::{Bounds, Criterion, Explorer, NoObserver, Plan};
use everypath_solve::SolverStack;
use everypath_testkit::guests::targets;
use std::path::Path;
use std::time::Instant;

/// The memory limit, in bytes.
const BAR: u64 = 1 << 30;

/// Measures and prints; returns whether the limit holds.
///
/// # Errors
/// If the guest cannot be compiled or loaded.
pub fn memory(root: &Path, kilobytes: u32) -> Result<bool, String> {
    let found = targets(root)?.into_iter().find(|target| target.map.is_none());
    let mut target = found.ok_or("there is no target with an ELF file")?;
    let header = root.join("tests/guests/hash");
    target.flags.extend(["-O1".to_owned(), "-DIN".to_owned(), format!("-DKB={kilobytes}")]);
    target.flags.extend(["-isystem".to_owned(), header.display().to_string()]);
    let subject = osmose::subject(root, &target, "", "sha")?;
    let plan = Plan {
        criterion: Criterion::Path,
        bounds: Bounds { path_instructions: u64::MAX, ..Bounds::default() },
        ..Plan::default()
    };
    let start = Instant::now();
    let explorer =
        Explorer::new(&subject.guest, &subject.configuration, plan, SolverStack::default().build())
            .map_err(|error| error.to_string())?;
    let found = explorer.run(&mut NoObserver);
    let seconds = start.elapsed().as_secs_f64();
    let peak = peak()?;
    println!(
        "hash of {kilobytes} KB with one input byte, {}: {} instructions in {seconds:.1} s, {} paths, {} tests, peak {} MB (bar {} MB)",
        target.name,
        found.effort.executed,
        found.effort.paths,
        found.tests.len(),
        peak >> 20,
        BAR >> 20
    );
    for why in &found.incomplete_reasons {
        println!("  {why}");
    }
    Ok(peak <= BAR && found.is_complete())
}

/// The peak memory of this process so far.
pub(super) fn peak() -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:")).ok_or("the system does not say it")?;
    let kilobytes = line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok());
    kilobytes.map(|kilobytes| kilobytes << 10).ok_or_else(|| "the system does not say it".to_owned())
}
