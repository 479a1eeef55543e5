//! The classic guests explored path by path, beside angr on the same binaries; with reference figures of other tools.

use super::osmose::subject;
use everypath_explore::{Bounds, Criterion, Explorer, NoObserver, Plan};
use everypath_solve::SolverStack;
use everypath_testkit::guests::{build, targets};
use nix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::process::Command;

/// The architecture whose binaries are compared: the one of the classic guests that angr runs, too.
const TARGET: usize = 1;

/// The guests, with seconds for all paths of BINSEC 0.10 (i386) and KLEE 3.2 (from source), measured elsewhere.
const GUESTS: [(&str, &str, &str); 11] = [
    ("triangle", "0.26", "0.30"),
    ("cell", "0.12", "0.07"),
    ("list", "0.21", "0.21"),
    ("mergesort", "0.90", "0.90"),
    ("msquare3", "0.81", "1.14"),
    ("bsearch", "2.2", "4.5"),
    ("header", "0.75", "0.38"),
    ("calc", "0.55", "0.19"),
    ("tlv", "cut", "4.1"),
    ("msquare4", "open", "open"),
    ("hysteresis", "66 (goal)", ">93"),
];

/// Explores each guest with both and prints a table; returns whether all took at most a twentieth of angr's CPU time.
///
/// # Errors
/// If a guest cannot be built, or angr does not run.
pub fn angr(root: &Path, python: &Path, guest: Option<&str>, seconds: u64) -> Result<bool, String> {
    let target = targets(root)?.into_iter().nth(TARGET).ok_or("there is no such target")?;
    let level = target.levels.first().cloned().unwrap_or_default();
    let stack = target.configuration.split("0x").nth(1).and_then(|rest| rest.split(' ').next());
    let stack = format!("0x{}", stack.ok_or("the target's configuration has no stack pointer")?);
    let (name_of, cut) = (&target.name, "CPU seconds, all paths");
    println!("{name_of} {level}, {cut}; angr after its imports and loading");
    println!(
        "{:11} {:>9} {:>7} {:>9} {:>7} {:>7}  BINSEC    KLEE (reference figures)",
        "guest", "ours", "paths", "angr", "paths", "ratio"
    );
    let mut good = true;
    for (name, binsec, klee) in GUESTS {
        if guest.is_some_and(|guest| guest != name) {
            continue;
        }
        let ours = {
            let subject = subject(root, &target, &level, name)?;
            let plan = Plan {
                criterion: Criterion::Path,
                bounds: Bounds { seconds: Some(seconds), ..Bounds::default() },
                ..Plan::default()
            };
            let before = cpu_seconds()?;
            let explorer =
                Explorer::new(&subject.guest, &subject.configuration, plan, SolverStack::default().build());
            let found = explorer.map_err(|error| error.to_string())?.run(&mut NoObserver);
            (cpu_seconds()? - before, found.effort.paths, found.is_complete())
        };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let source = root.join("tests/guests/classic").join(format!("{name}.c"));
        let built = build(&source, &target, &level, folder.path())?;
        let theirs = run_angr(root, python, &built.file, seconds, &stack)?;
        let ratio = theirs.0 / ours.0.max(0.001);
        println!(
            "{name:11} {:>9} {:>7} {:>9} {:>7} {ratio:>7.0}  {binsec:9} {klee}",
            time(ours.0, ours.2),
            ours.1,
            time(theirs.0, theirs.2),
            theirs.1,
        );
        // A guest that neither completes is not compared.
        good &= ratio >= 20.0 || !(ours.2 || theirs.2);
    }
    Ok(good)
}

/// A time; with `>` if the exploration did not complete.
fn time(seconds: f64, complete: bool) -> String {
    if complete { format!("{seconds:.3}") } else { format!(">{seconds:.1}") }
}

fn run_angr(
    root: &Path,
    python: &Path,
    file: &Path,
    seconds: u64,
    stack: &str,
) -> Result<(f64, u64, bool), String> {
    let script = root.join("tests/peers/angr_paths.py");
    let mut command = Command::new(python);
    command.arg(script).arg(file).arg(seconds.to_string()).arg(stack).args(["in_i32:4", "in_u8:1"]);
    let run = command.output().map_err(|error| format!("{}: {error}", python.display()))?;
    let text = String::from_utf8_lossy(&run.stdout);
    let words: Vec<&str> = text.split_whitespace().collect();
    let [paths, complete, time] = words[..] else {
        return Err(format!("angr does not run: {}", String::from_utf8_lossy(&run.stderr)));
    };
    let number = |word: &str| word.parse().map_err(|_| format!("angr printed {word}"));
    let paths = paths.parse().map_err(|_| format!("angr printed {paths}"))?;
    Ok((number(time)?, paths, complete == "complete"))
}

/// The CPU time of this process.
pub(crate) fn cpu_seconds() -> Result<f64, String> {
    let now = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_err(|error| error.to_string())?;
    Ok(now.tv_sec() as f64 + now.tv_nsec() as f64 * 1e-9)
}
