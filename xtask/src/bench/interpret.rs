//! Interpretation speed of the machine on a compute-heavy program, compared with native and emulated execution.

use super::rates::Rates;
use everypath_environment::{Configuration, Guest};
use everypath_image::{Image, ReadOptions};
use everypath_lift::{Library, MemoryRange};
use everypath_machine::{Concrete, ConcreteDomain, End, Machine, NoWatch};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Starts `main` and ends with its result, without a library.
const START: &str = "int main(void);\nvoid _start(void) { int status = main(); \
    __asm__ volatile (\"syscall\" :: \"a\"(60), \"D\"(status)); __builtin_unreachable(); }\n";
const STACK: u64 = 0x7fff_0000;
const STACK_SIZE: u64 = 0x1_0000;

/// Measures and prints; returns whether every run ended as the native one did.
///
/// # Errors
/// If the guest cannot be compiled or loaded.
pub fn interpret(root: &Path, rounds: u32) -> Result<bool, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = folder.path().join("sha");
    compile(root, folder.path(), &program)?;
    let image = fs::read(&program).map_err(|error| error.to_string())?;
    let image = Image::read(image, &ReadOptions::default()).map_err(|error| error.to_string())?;
    let library = Library::built_in();
    let name = library.detect(&image).ok_or("this host's files are unknown")?;
    let architecture = library.load(name).map_err(|error| error.to_string())?;
    let stack_pointer =
        architecture.description().registers.stack_pointer.clone().ok_or("no stack pointer")?;
    let result = architecture.description().call.as_ref().and_then(|call| call.arguments.first().cloned());
    let guest = Guest::new(architecture, image).map_err(|error| error.to_string())?;
    let stack = MemoryRange::data("stack", STACK, STACK_SIZE);
    let mut configuration = Configuration { memory: vec![stack], ..Configuration::default() };
    configuration.registers.insert(stack_pointer, STACK + STACK_SIZE - 64);
    configuration.budget = Some(u64::MAX);

    let (native, status) = outside(&mut Command::new(&program))?;
    let mut rates = Rates::new();
    let mut same = true;
    let mut instructions = 0;
    for _ in 0..rounds {
        let (count, time, ended) = once(&guest, &configuration, result.as_deref())?;
        instructions = count;
        same &= ended == status;
        rates.add(count, time);
    }
    println!(
        "sha: {instructions} instructions, {rounds} rounds; million instructions a second, best and median:"
    );
    println!("{:<14} {:>10.1} {:>10.1}", "interpreted", rates.best() / 1e6, rates.median() / 1e6);
    let rate = |time: Duration| instructions as f64 / time.as_secs_f64() / 1e6;
    println!("{:<14} {:>10.1}", "native", rate(native));
    match outside(Command::new(format!("qemu-{}", std::env::consts::ARCH)).arg(&program)) {
        Ok((time, _)) => println!("{:<14} {:>10.1}", "qemu-user", rate(time)),
        Err(_) => println!("{:<14} {:>10}", "qemu-user", "not installed"),
    }
    Ok(same)
}

fn compile(root: &Path, folder: &Path, program: &Path) -> Result<(), String> {
    let start = folder.join("start.c");
    fs::write(&start, START).map_err(|error| error.to_string())?;
    let status = Command::new("gcc")
        .args([
            "-O1",
            "-static",
            "-nostdlib",
            "-ffreestanding",
            "-fno-stack-protector",
            "-fcf-protection=none",
            "-o",
        ])
        .args([program, &start, &root.join("tests/guests/classic/sha.c")])
        .status()
        .map_err(|error| format!("gcc cannot be run: {error}"))?;
    if status.success() { Ok(()) } else { Err("the guest does not compile".to_owned()) }
}

/// Runs a program on the host; returns the time and its exit status.
fn outside(command: &mut Command) -> Result<(Duration, u64), String> {
    let start = Instant::now();
    let status = command.stdin(Stdio::null()).status().map_err(|error| error.to_string())?;
    let code = status.code().and_then(|code| u64::try_from(code).ok()).ok_or("it was killed")?;
    Ok((start.elapsed(), code))
}

/// Interprets the guest once; returns the number of instructions, the time, and the exit status.
fn once(
    guest: &Guest,
    configuration: &Configuration,
    result: Option<&str>,
) -> Result<(u64, Duration, u64), String> {
    let entry = guest.entry(configuration).map_err(|error| error.to_string())?;
    let limits = guest.limits(configuration).map_err(|error| error.to_string())?;
    let mut state = guest.state(configuration).map_err(|error| error.to_string())?;
    let world = guest.world(configuration).map_err(|error| error.to_string())?;
    let mut machine: Machine<&Guest, Concrete> = Machine::new(guest);
    let mut domain = ConcreteDomain { state: &mut state, outside: world };
    let start = Instant::now();
    let (end, instructions) = machine.run(&mut domain, entry, &limits, &mut NoWatch);
    let time = start.elapsed();
    // The guest ends with a system call, which has no model yet: the run stops there.
    let End::Unmodelled { .. } = end else { return Err(format!("it ended otherwise: {end:?}")) };
    let register =
        result.and_then(|name| guest.architecture().register(name)).ok_or("no register of the status")?;
    let value = state.read(register.0.space, register.0.offset, 8).map_err(|denied| format!("{denied:?}"))?;
    Ok((instructions, time, value))
}
