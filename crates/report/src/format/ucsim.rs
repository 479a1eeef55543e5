//! Commands for a simulator of the uCsim family. After each step it prints where it stands.

use super::numbers_behind;
use everypath_record::{Rerun, Stored};
use std::fmt::Write;

/// The script.
pub(super) fn script(rerun: &Rerun) -> String {
    let mut text = String::new();
    // Writing to a string does not fail. There are no comments, for which there is no sign.
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

fn store(text: &mut String, Stored { memory, address, bytes }: &Stored) {
    let _ = write!(text, "set memory {memory} {address}");
    for byte in bytes {
        let _ = write!(text, " {byte:#04x}");
    }
    text.push('\n');
}

/// The addresses in lines such as `Stop at 0x000006: (109) stepped 24 ticks`, behind the one in the command `pc`, which is
/// repeated.
pub(super) fn addresses(printed: &str) -> Vec<u64> {
    let mut addresses = numbers_behind(printed, "pc 0x");
    addresses.extend(numbers_behind(printed, "Stop at 0x"));
    addresses
}
