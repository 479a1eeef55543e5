//! Ground truth from QEMU's user mode: a plugin of ours runs all inputs in one process (`tests/adversary/trace.c`).

use super::build::Built;
use super::generate::Program;
use super::input::Contents;
use super::list::Target;
use super::truth::{Ending, NoTruth, Run, Truth};
use everypath_lift::Architecture;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// As in the plugin.
const INPUTS: usize = 1 << 16;
const EDGES: usize = 1 << 14;
const HEADER: usize = 32;
const RUN: usize = 24;
const FAULTED: u32 = 2;
const DIVIDED_BY_ZERO: u32 = 16;
/// The maximum number of blocks, or instructions of a small processor, in a run.
const LIMIT: u64 = 200_000;
/// The maximum number of inputs that fault: each costs a process.
const MOST_FAULTS: usize = 70;

/// Compiles the plugin, or the program around a simulator library, into a folder.
///
/// # Errors
/// If the C compiler is missing or fails.
pub(super) fn compile(root: &Path, target: &Target, folder: &Path) -> Result<PathBuf, String> {
    let (name, flags): (&str, &[&str]) = match &target.description.source {
        Some(source) => (source, &[]),
        None => ("trace.c", &["-shared", "-fPIC"]),
    };
    let (source, file) =
        (root.join("tests/adversary").join(name), folder.join(name).with_extension("executor"));
    if file.is_file() {
        return Ok(file);
    }
    let mut command = Command::new("cc");
    command.arg("-O2").args(flags).arg("-o").arg(&file).arg(&source);
    command.args(target.description.libraries.iter().map(|library| format!("-l{library}")));
    let output = command.output().map_err(|error| format!("cc: {error}"))?;
    if output.status.success() { Ok(file) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Runs all inputs.
///
/// # Errors
/// If the program is not suited, or the emulator fails.
pub(super) fn run(
    target: &Target,
    architecture: &Architecture,
    plugin: &Path,
    program: &Program,
    built: &Built,
) -> Result<Truth, NoTruth> {
    let plan = built.folder.join("plan");
    let results = built.folder.join("results");
    std::fs::write(&plan, text(target, architecture, program, built)?).map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&results);
    let size = program.domain.size() as usize;
    for _ in 0..MOST_FAULTS {
        let code = once(target, plugin, &plan, &results, &built.file)?;
        let bytes = std::fs::read(&results).map_err(|error| format!("{}: {error}", results.display()))?;
        let number = |position: usize| word(&bytes, position);
        if number(16) != 0 {
            let why = ["", "too many edges", "a run takes too long", "too many reads", "no start"];
            return Err(NoTruth::Unsuited(why.get(number(16) as usize).unwrap_or(&"").to_string()));
        }
        if number(0) as usize == size && number(8) == 0 {
            return Ok(read(&bytes, size));
        }
        // A signal ended it within a run; the next process continues.
        if number(8) == 0 {
            return Err(NoTruth::Broken(format!(
                "{} ended with {code:?}",
                target.description.command.join(" ")
            )));
        }
    }
    Err(NoTruth::Unsuited("too many inputs fault".to_owned()))
}

fn text(
    target: &Target,
    architecture: &Architecture,
    program: &Program,
    built: &Built,
) -> Result<String, String> {
    let code = |name: &str| {
        let address = built.symbols.get(name).ok_or_else(|| format!("the program has no `{name}`"))?;
        Ok::<u64, String>(architecture.code_address(*address).0)
    };
    let mut plan = String::new();
    let (entry, stop, inputs) = (code("main")?, code("done")?, program.domain.size());
    let _ = write!(
        plan,
        "entry {entry:x}\nstop {stop:x}\ninputs {inputs:x}\nbase {:x}\n",
        target.description.base
    );
    let _ = write!(plan, "limit {:x}\nstack {:x}\n", LIMIT, target.description.stack);
    for (address, offset, size) in &built.loaded {
        let _ = writeln!(plan, "load {address:x} {offset:x} {size:x}");
    }
    for (address, size) in &built.writable {
        let _ = writeln!(plan, "data {address:x} {size:x}");
    }
    for (cell, address) in program.domain.cells.iter().zip(&built.cells) {
        match &cell.contents {
            Contents::Input { mask, reads } => {
                let _ = writeln!(plan, "cell {address:x} {mask:x} {reads:x}");
            }
            Contents::Script(values) => {
                let values: Vec<String> = values.iter().map(|value| format!("{value:x}")).collect();
                let _ = writeln!(plan, "script {address:x} {}", values.join(" "));
            }
        }
    }
    if program.faulty {
        plan += "stepped\n";
        if let Some(probe) = built.symbols.get("probe") {
            let _ = writeln!(plan, "probe {probe:x} 4");
        }
    }
    Ok(plan)
}

fn once(
    target: &Target,
    plugin: &Path,
    plan: &Path,
    results: &Path,
    file: &Path,
) -> Result<Option<i32>, String> {
    let mut command = match target.description.command.as_slice() {
        [command, arguments @ ..] => {
            let option = format!("{},plan={},out={}", plugin.display(), plan.display(), results.display());
            let mut process = Command::new(command);
            process.args(arguments).args([
                "-B",
                &format!("{:#x}", target.description.base),
                "-plugin",
                &option,
            ]);
            process
        }
        [] => {
            let mut process = Command::new(plugin);
            process.arg(plan).arg(results);
            process
        }
    };
    let mut process = command
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    wait(&mut process, Duration::from_secs(60))
}

/// Waits for a process up to a time limit; then kills it.
pub(super) fn wait(process: &mut std::process::Child, limit: Duration) -> Result<Option<i32>, String> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = process.try_wait().map_err(|error| error.to_string())? {
            return Ok(status.code());
        }
        if start.elapsed() > limit {
            let _ = process.kill();
            let _ = process.wait();
            return Err("it did not end".to_owned());
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn word(bytes: &[u8], position: usize) -> u64 {
    bytes
        .get(position..position + 8)
        .map_or(0, |part| u64::from_le_bytes(part.try_into().unwrap_or_default()))
}

fn read(bytes: &[u8], size: usize) -> Truth {
    let mut truth = Truth::default();
    for input in 0..size {
        let place = HEADER + input * RUN;
        let (path, fault, state) =
            (word(bytes, place), word(bytes, place + 8), word(bytes, place + 16) as u32);
        let ending = if state & FAULTED != 0 { Ending::Faulted(fault) } else { Ending::Stopped };
        // Two runs that fault at different instructions of one block take different paths.
        let path = if state & FAULTED != 0 { path ^ fault.rotate_left(32) ^ 1 } else { path };
        truth.runs.push(Run { path, ending, divides_by_zero: state & DIVIDED_BY_ZERO != 0 });
    }
    for edge in 0..EDGES {
        let place = HEADER + INPUTS * RUN + edge * 24;
        let (from, to, rest) = (word(bytes, place), word(bytes, place + 8), word(bytes, place + 16));
        if rest >> 32 != 0 {
            truth.edges.insert((from, to), rest & 0xffff_ffff);
        }
    }
    truth
}
