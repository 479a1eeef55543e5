//! Confirmation by a simulator of the uCsim family: the traces of our machine are compared with its breakpoints.
//!
//! The simulator prints a page for each stop, so it is not single-stepped: it stops at starts of blocks, and the
//! sequence of stops must be the one of our machine. Only programs that read each cell once can be run like this.

use super::build::Built;
use super::emulator::wait;
use super::generate::Program;
use super::input::Contents;
use super::truth::NoTruth;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The maximum number of stops for one program; later inputs are not confirmed.
const MOST_STOPS: usize = 3000;

/// Whether the simulator can run a program: it sets each cell once, before `main`.
pub(super) fn can_run(program: &Program) -> bool {
    let once = |contents: &Contents| matches!(contents, Contents::Input { reads: 1, .. });
    program.domain.cells.iter().all(|cell| once(&cell.contents))
}

/// Runs inputs on the simulator and compares the sequence of block starts. `traces` has for each input the starts of
/// blocks on its path after `main`. Returns the number of confirmed inputs.
///
/// # Errors
/// If the simulator fails, or takes another path than our machine.
pub(super) fn confirm(
    command: &[String],
    program: &Program,
    built: &Built,
    traces: &[Vec<u64>],
) -> Result<u64, NoTruth> {
    let main = *built.symbols.get("main").ok_or_else(|| "the program has no `main`".to_owned())?;
    let starts: BTreeSet<u64> = traces.iter().flatten().copied().filter(|address| *address != main).collect();
    let mut script = format!("file \"{}\"\nbreak {main:#x}\n", built.file.display());
    for start in &starts {
        let _ = writeln!(script, "break {start:#x}");
    }
    let (mut stops, mut confirmed) = (0, 0);
    for (trace, input) in traces.iter().zip(0_u64..) {
        if stops + trace.len() > MOST_STOPS {
            break;
        }
        stops += trace.len() + 1;
        confirmed += 1;
        script += "reset\nrun 0\n";
        let values = program.domain.values(input);
        for ((_, values), address) in values.iter().zip(&built.cells) {
            let _ = writeln!(script, "set memory xram {address:#x} {}", values[0]);
        }
        for _ in trace {
            script += "run\n";
        }
    }
    script += "quit\n";
    let stopped = simulate(command, &script, built)?;
    let expected = traces.iter().take(confirmed).flat_map(|trace| std::iter::once(&main).chain(trace));
    let expected: Vec<u64> = expected.copied().collect();
    if let Some(position) =
        (0..expected.len()).find(|position| stopped.get(*position) != Some(&expected[*position]))
    {
        let (ours, theirs) = (expected[position], stopped.get(position));
        return Err(NoTruth::Differs(format!(
            "our machine is at {ours:#x}, the simulator at {theirs:x?} ({position} stops)"
        )));
    }
    Ok(confirmed as u64)
}

/// Runs a script; returns the addresses of the stops.
fn simulate(command: &[String], script: &str, built: &Built) -> Result<Vec<u64>, NoTruth> {
    let (file, output) = (built.folder.join("script"), built.folder.join("stops"));
    std::fs::write(&file, script).map_err(|error| error.to_string())?;
    let out = std::fs::File::create(&output).map_err(|error| error.to_string())?;
    let [command, arguments @ ..] = command else {
        return Err(NoTruth::Broken("the target has no simulator".to_owned()));
    };
    let mut process = Command::new(command)
        .args(arguments)
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{command}: {error}"))?;
    wait(&mut process, Duration::from_secs(60))?;
    let text = std::fs::read(&output).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&text);
    let stop = |line: &str| {
        let digits = line.strip_prefix("Stop at 0x")?.split(':').next()?;
        u64::from_str_radix(digits, 16).ok()
    };
    Ok(text.lines().filter_map(stop).collect())
}
