//! Commands for a simulator of the uCsim family. After each step it prints its address.

use super::numbers_behind;
use everypath_record::{Rerun, Stored};
use std::fmt::Write;

/// The script.
pub(super) fn script(rerun: &Rerun) -> String {
    let mut text = String::new();
    // Writing to a string does not fail. The simulator's language has no comments.
    let _ = writeln!(text, "file \"{}\"", rerun.program);
    for line in &rerun.start {
        let _ = writeln!(text, "{line}");
    }
    for stored in &rerun.memory {
        store(&mut text, stored);
    }
    for (name, value) in &rerun.registers {
        let _ = writeln!(text, "set {name} {value:#x}");
    }
    let _ = writeln!(text, "pc {}", rerun.entry);
    let mut readings = rerun.readings.iter().peekable();
    for number in 0..rerun.instructions.len() {
        while let Some(reading) = readings.next_if(|reading| reading.after <= number) {
            store(&mut text, &reading.found);
        }
        text.push_str("step\n");
    }
    text.push_str("quit\n");
    text
}

/// A shell script that runs the simulator and compares; the simulator's own commands have no condition and no exit
/// code.
pub(super) fn check(rerun: &Rerun) -> String {
    let test = &rerun.test;
    let mut text = format!(
        "#!/bin/sh\n\
         # Test {test} on a simulator of the uCsim family; ends with 1 if the run is not as recorded:\n\
         #   sh {test}.sh s51 -t C52 -b -q\n\
         cd \"$(dirname \"$0\")\" || exit 2\n\
         \"$@\" -C {test}.ucsim </dev/null | awk '\n\
         # The address that the run stands at after so many steps.\n\
         function plain(address) {{ sub(/^0x0*/, \"\", address); return tolower(address) }}\n\
         /^Stop at 0x/ {{ address = $3; sub(/:.*/, \"\", address); at[++steps] = plain(address) }}\n\
         function expect(after, address) {{\n\
           if (after > 0 && at[after] != plain(address)) {{\n\
             print \"not as recorded: after \" after \" steps at 0x\" at[after] \", not at \" address; bad = 1\n\
           }}\n\
         }}\n\
         END {{\n\
           if (!steps) {{ print \"the simulator ran nothing: does it find the program?\"; exit 1 }}\n"
    );
    for expected in &rerun.expected {
        let _ = writeln!(text, "  expect({}, \"{}\")", expected.after, expected.at);
    }
    text.push_str("  exit bad\n}'\n");
    text
}

fn store(text: &mut String, Stored { memory, address, bytes }: &Stored) {
    let _ = write!(text, "set memory {memory} {address}");
    for byte in bytes {
        let _ = write!(text, " {byte:#04x}");
    }
    text.push('\n');
}

/// The addresses in lines such as `Stop at 0x000006: (109) stepped 24 ticks`, after the one in the command `pc`, which
/// is repeated.
pub(super) fn addresses(printed: &str) -> Vec<u64> {
    let mut addresses = numbers_behind(printed, "pc 0x");
    addresses.extend(numbers_behind(printed, "Stop at 0x"));
    addresses
}
