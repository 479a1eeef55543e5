//! Tests of a Linux program as plain files: for each, its standard input, the texts and files it is given, and what is expected, and
//! a script that runs them on the real system.

mod script;

use crate::binary::Binary;
use crate::error::Error;
use everypath_environment::{
    Guest, GuestError, InitialInput, LinuxSettings, STANDARD_INPUT, STANDARD_INPUT_LENGTH, file_name,
};
use everypath_machine::{Concrete, ConcreteDomain, End, FaultReason, Machine, NoWatch, State};
use everypath_record::{CellValues, OutputFile, TestCase};
use script::script;
use std::collections::BTreeSet;
use std::fs;

/// The folder of the tests as plain files, in that of the results.
const FOLDER: &str = "native";

/// The number of times that an instruction is repeated, on average, in the longest run that a test is expected of.
const REPETITIONS: u64 = 1000;

/// The exit status that a shell reports of a process that a signal ends, less the number of the signal.
const SIGNALLED: u64 = 128;

/// The files of the tests of a Linux program; none for any other program.
pub(crate) fn native_tests(binary: &Binary, tests: &[TestCase]) -> Result<Vec<OutputFile>, Error> {
    if !binary.guest.is_linux_process(&binary.configuration) {
        return Ok(Vec::new());
    }
    let settings = binary.configuration.linux.clone().unwrap_or_default();
    let refused = |error: GuestError| binary.misfit(&error);
    let texts = binary.guest.process_texts(&binary.configuration).map_err(refused)?;
    let (mut files, mut all_written) = (Vec::new(), BTreeSet::new());
    // One machine lifts the code once for all tests.
    let mut machine = Machine::new(&*binary.guest);
    let mut initial = binary.guest.state(&binary.configuration).map_err(refused)?;
    // Where the exploration has cut a path off, the rest of the run is not known.
    for test in tests.iter().filter(|test| !test.cut_off) {
        let state = initial_state(binary, test, initial.fork());
        let placed = binary.guest.process_files(&binary.configuration, &state).map_err(refused)?;
        let ran = expected(binary, test, state, &mut machine).map_err(refused)?;
        let Some(Expected { status, output, written }) = ran else { continue };
        all_written.extend(written);
        let name = &test.name;
        files.push(file(&format!("{name}/stdin"), input(&settings, test)));
        for input in &texts {
            files.push(file(&format!("{name}/{}", input.name), text(input, test)));
        }
        for (path, contents) in placed {
            files.push(file(&format!("{name}/{}", file_name(&path)), contents));
        }
        files
            .extend(status.map(|status| file(&format!("{name}/status"), format!("{status}\n").into_bytes())));
        files.push(file(&format!("{name}/stdout"), output));
    }
    files.push(file("run.sh", script(&settings, &all_written).into_bytes()));
    Ok(files)
}

fn file(path: &str, contents: Vec<u8>) -> OutputFile {
    OutputFile { path: format!("{FOLDER}/{path}"), contents }
}

/// The standard input of a test. Bytes that the program does not read are zero.
fn input(settings: &LinuxSettings, test: &TestCase) -> Vec<u8> {
    if let Some(file) = &settings.stdin_file {
        return fs::read(file).unwrap_or_default();
    }
    let Some(size) = settings.stdin else { return Vec::new() };
    let values = |name: &str| {
        let cell = test.cells.iter().find(|cell| cell.name == name);
        cell.map(|cell| cell.values.clone()).unwrap_or_default()
    };
    let mut bytes: Vec<u8> = values(STANDARD_INPUT).into_iter().map(|value| value as u8).collect();
    let length = values(STANDARD_INPUT_LENGTH).first().copied().unwrap_or(u64::from(size.least));
    bytes.resize(length.clamp(u64::from(size.least), u64::from(size.most)) as usize, 0);
    bytes
}

/// The text that a test gives to the process: the bytes of an input up to the first zero.
fn text(input: &InitialInput, test: &TestCase) -> Vec<u8> {
    let mut bytes = vec![0; input.size as usize];
    for part in &test.memory {
        for (address, byte) in (part.address.0..).zip(&part.bytes) {
            let offset = address.wrapping_sub(input.location.offset);
            if let Some(place) = usize::try_from(offset).ok().and_then(|offset| bytes.get_mut(offset)) {
                *place = *byte;
            }
        }
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    bytes
}

/// The state of the process at the start of a test.
fn initial_state(binary: &Binary, test: &TestCase, mut state: State) -> State {
    for part in &test.memory {
        if let Some(memory) = state.memory(binary.guest.code_space()) {
            memory.load(part.address.0, &part.bytes);
        }
    }
    state
}

/// The visible effects of a test.
struct Expected {
    /// The status with which it ends, as a shell reports it.
    status: Option<u64>,
    /// The bytes that it writes to the standard output.
    output: Vec<u8>,
    /// The paths of the files that it writes.
    written: Vec<String>,
}

/// Runs a test; `None` if it does not end.
fn expected(
    binary: &Binary,
    test: &TestCase,
    mut state: State,
    machine: &mut Machine<&Guest, Concrete>,
) -> Result<Option<Expected>, GuestError> {
    let (guest, configuration) = (&*binary.guest, &binary.configuration);
    let mut world = guest.world(configuration)?;
    world.script(test.cells.iter().map(CellValues::script));
    let mut limits = guest.limits(configuration)?;
    // The run ends as the path does, which counts a repeated instruction once.
    limits.instructions = limits.instructions.max(test.instructions.saturating_mul(REPETITIONS));
    let mut domain = ConcreteDomain { state: &mut state, outside: world };
    let (end, _) = machine.run(&mut domain, guest.entry(configuration)?, &limits, &mut NoWatch);
    if matches!(end, End::Exhausted { .. }) {
        return Ok(None);
    }
    let written = domain.outside.written_paths();
    let output = domain.outside.output.into_iter().filter(|(descriptor, _)| *descriptor == 1);
    let output = output.flat_map(|(_, bytes)| bytes).collect();
    Ok(Some(Expected { status: status(&end), output, written }))
}

/// The exit status that a shell reports of a process that ends so; `None` if that differs between systems.
fn status(end: &End) -> Option<u64> {
    match end {
        End::Exited { status, .. } => Some(*status),
        End::Faulted { reason: FaultReason::Signal(signal), .. } => Some(SIGNALLED + u64::from(*signal)),
        _ => None,
    }
}
