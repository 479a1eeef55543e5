//! Commands for the GNU debugger. Each instruction is a step of its own, and its address is printed before it.

use super::numbers_behind;
use everypath_record::{Rerun, Stored};
use std::fmt::Write;

/// The command that prints an address, for which `COUNTER` stands.
const PRINT: &str = "printf \"at 0x%lx\\n\", COUNTER\n";
/// Defines a command that steps and prints each address before, and one that compares an address with the expected one.
const STEPS: &str = "\
define everypath_steps
  set $everypath_left = $arg0
  while $everypath_left > 0
    PRINT    stepi
    set $everypath_left = $everypath_left - 1
  end
end
define everypath_expect
  if COUNTER != $arg0
    printf \"not as recorded: 0x%lx\\n\", COUNTER
    quit 1
  end
end
";
/// The address of the next instruction.
const COUNTER: &str = "(unsigned long) $pc";

/// The script.
pub(super) fn script(rerun: &Rerun) -> String {
    let mut text = String::new();
    let Rerun { test, program, .. } = rerun;
    // Writing to a string does not fail.
    let _ =
        writeln!(text, "# Test {test} of {program}, for a debugger that is connected to where it is loaded:");
    let _ = writeln!(text, "#   gdb-multiarch -batch -ex 'target remote :1234' -x {test}.gdb");
    text.push_str("set pagination off\nset confirm off\nset language c\n");
    for line in &rerun.start {
        let _ = writeln!(text, "{line}");
    }
    let counter = rerun.program_counter.as_deref().unwrap_or(COUNTER);
    text.push_str(&STEPS.replace("PRINT", PRINT).replace("COUNTER", counter));
    for (name, value) in &rerun.registers {
        let _ = writeln!(text, "set ${name} = {value:#x}");
    }
    for stored in &rerun.memory {
        store(&mut text, stored);
    }
    let _ = writeln!(text, "set $pc = {}", rerun.entry);
    let mut done = 0;
    let step_to = |text: &mut String, done: &mut usize, after: usize| {
        if after > *done {
            let _ = writeln!(text, "everypath_steps {}", after - *done);
            *done = after;
        }
    };
    let mut expected = rerun.expected.iter().peekable();
    for reading in &rerun.readings {
        while let Some(expected) = expected.next_if(|expected| expected.after <= reading.after) {
            step_to(&mut text, &mut done, expected.after);
            let _ = writeln!(text, "everypath_expect {}", expected.at);
        }
        step_to(&mut text, &mut done, reading.after);
        let _ = writeln!(text, "# It reads {}.", reading.cell);
        let _ = writeln!(text, "everypath_expect {}", reading.at);
        store(&mut text, &reading.found);
    }
    for expected in expected {
        step_to(&mut text, &mut done, expected.after);
        let _ = writeln!(text, "everypath_expect {}", expected.at);
    }
    step_to(&mut text, &mut done, rerun.instructions.len());
    text.push_str(&PRINT.replace("COUNTER", counter));
    text.push_str("kill\n");
    text
}

/// Stores bytes in the debugger's flat address space; a memory's name there is its base address.
fn store(text: &mut String, Stored { memory, address, bytes }: &Stored) {
    let start = memory.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    for (distance, byte) in (0_u64..).zip(bytes) {
        let place = start.unwrap_or(0) + address.0 + distance;
        let _ = writeln!(text, "set {{unsigned char}} {place:#x} = {byte:#04x}");
    }
}

/// The addresses in lines such as `at 0x10000110`.
pub(super) fn addresses(printed: &str) -> Vec<u64> {
    numbers_behind(printed, "at 0x")
}
