//! Tests of a Linux program as plain files: for each, its standard input, the texts it is given, and what is expected, and a script
//! that runs them on the real system.

use crate::binary::Binary;
use crate::error::Error;
use everypath_environment::{
    Argument, EnvironmentVariable, GuestError, InitialInput, LinuxSettings, STANDARD_INPUT,
    STANDARD_INPUT_LENGTH, argument_name, variable_name,
};
use everypath_machine::{Concrete, ConcreteDomain, End, FaultReason, Machine, NoWatch};
use everypath_record::{OutputFile, TestCase};
use std::fmt::Write;
use std::fs;

/// The folder of the tests as plain files, in that of the results.
const FOLDER: &str = "native";

/// The exit status that a shell reports of a process that a signal ends, less the number of the signal.
const SIGNALLED: u64 = 128;

/// The files of the tests of a Linux program; none for any other program.
pub(crate) fn native_tests(binary: &Binary, tests: &[TestCase]) -> Result<Vec<OutputFile>, Error> {
    if !binary.guest.is_linux_process(&binary.configuration) {
        return Ok(Vec::new());
    }
    let settings = binary.configuration.linux.clone().unwrap_or_default();
    let refused = |error: GuestError| Error::Configuration {
        program: binary.label.clone(),
        message: error.to_string(),
    };
    let inputs = binary.guest.process_inputs(&binary.configuration).map_err(refused)?;
    let mut files = vec![file("run.sh", script(&settings).into_bytes())];
    // Where the exploration has cut a path off, the rest of the run is not known.
    for test in tests.iter().filter(|test| !test.cut_off) {
        let (status, output) = expected(binary, test).map_err(refused)?;
        let name = &test.name;
        files.push(file(&format!("{name}/stdin"), input(&settings, test)));
        for input in &inputs {
            files.push(file(&format!("{name}/{}", input.name), text(input, test)));
        }
        files
            .extend(status.map(|status| file(&format!("{name}/status"), format!("{status}\n").into_bytes())));
        files.push(file(&format!("{name}/stdout"), output));
    }
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

/// The status with which a test ends, as a shell reports it, and what it writes to the standard output.
fn expected(binary: &Binary, test: &TestCase) -> Result<(Option<u64>, Vec<u8>), GuestError> {
    let (guest, configuration) = (&*binary.guest, &binary.configuration);
    let mut state = guest.state(configuration)?;
    for part in &test.memory {
        if let Some(memory) = state.memory(guest.code_space()) {
            memory.load(part.address.0, &part.bytes);
        }
    }
    let mut world = guest.world(configuration)?;
    world.script(test.cells.iter().map(|cell| (cell.name.as_str(), cell.values.as_slice())));
    let mut limits = guest.limits(configuration)?;
    limits.instructions = test.instructions.saturating_add(1);
    let mut machine: Machine<&everypath_environment::Guest, Concrete> = Machine::new(guest);
    let mut domain = ConcreteDomain { state: &mut state, outside: world };
    let (end, _) = machine.run(&mut domain, guest.entry(configuration)?, &limits, &mut NoWatch);
    let written = domain.outside.output.into_iter().filter(|(descriptor, _)| *descriptor == 1);
    Ok((status(&end), written.flat_map(|(_, bytes)| bytes).collect()))
}

/// The exit status that a shell reports of a process that ends so; `None` if that differs between systems.
fn status(end: &End) -> Option<u64> {
    match end {
        End::Exited { status, .. } => Some(*status),
        End::Faulted { reason: FaultReason::Signal(signal), .. } => Some(SIGNALLED + u64::from(*signal)),
        _ => None,
    }
}

/// The script that runs the tests.
fn script(settings: &LinuxSettings) -> String {
    // A shell removes newlines from the end of what it substitutes; a last character keeps them.
    let mut texts = String::new();
    let mut with_text = |name: String, start: &str| {
        let shell = format!("input_{}", texts.lines().count());
        let _ = writeln!(texts, "    {shell}=$(cat \"$test/{name}\"; echo .); {shell}=${{{shell}%.}}");
        format!("{}\"${shell}\"", quoted(start))
    };
    let mut command = String::from("env -i");
    for variable in &settings.environment {
        let word = match variable {
            EnvironmentVariable::Text(text) => quoted(text),
            EnvironmentVariable::Input(input) => {
                with_text(variable_name(&input.name), &format!("{}=", input.name))
            }
        };
        let _ = write!(command, " {word}");
    }
    command.push_str(" \"$program\"");
    for (number, argument) in (1..).zip(&settings.arguments) {
        let word = match argument {
            Argument::Text(text) => quoted(text),
            Argument::Input(_) => with_text(argument_name(number), ""),
        };
        let _ = write!(command, " {word}");
    }
    format!(
        r#"#!/bin/sh
# Runs the tests on this machine, in a sandbox of bubblewrap: the program sees a read-only system without a network.
case "$#,$2" in
1, | 2,--without-sandbox) ;;
*) echo "usage: sh run.sh PROGRAM [--without-sandbox]" >&2; exit 2 ;;
esac
program=$(realpath "$1")
folder=$(dirname "$(realpath "$0")")
sandbox=
if [ $# = 1 ]; then
    command -v bwrap >/dev/null || {{
        echo "bubblewrap (bwrap) is not installed; without a sandbox: sh run.sh PROGRAM --without-sandbox" >&2; exit 2
    }}
    sandbox="bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --tmpfs /proc --tmpfs /sys"
fi
output=$(mktemp)
failed=0
for test in "$folder"/*/; do
    name=$(basename "$test")
{texts}    $sandbox {command} <"$test/stdin" >"$output" 2>/dev/null
    status=$?
    if [ -f "$test/status" ] && [ "$status" != "$(cat "$test/status")" ]; then
        echo "$name: status $status, and not $(cat "$test/status")"
        failed=$((failed + 1))
    elif ! cmp -s "$output" "$test/stdout"; then
        echo "$name: it writes something else"
        failed=$((failed + 1))
    fi
done
rm -f "$output"
echo "$failed tests failed"
[ "$failed" = 0 ]
"#
    )
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
