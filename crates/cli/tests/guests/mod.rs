//! Guests of `tests/guests/setups`, compiled in a workplace and tested there.

#![allow(dead_code, reason = "each test binary uses a part")]

use crate::workplace::{Run, Workplace, project};
use std::process::Command;

/// Compiles a guest of `tests/guests/setups` in a workplace.
pub(crate) fn compile(workplace: &Workplace, compiler: &[&str], source: &str) {
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]).arg(project().join("tests/guests/setups").join(source));
    let output = command.current_dir(workplace.path()).output().expect("a compiler");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles firmware for Cortex-M that is linked to flash memory.
pub(crate) fn firmware(workplace: &Workplace, source: &str) {
    firmware_with(workplace, source, &[]);
}

/// The same, with further flags of the compiler.
pub(crate) fn firmware_with(workplace: &Workplace, source: &str, flags: &[&str]) {
    let script = project().join("tests/guests/setups/flash.ld");
    let script = format!("-T{}", script.display());
    let compiler = ["arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-O1", "-ffreestanding", "-nostdlib"];
    compile(workplace, &[&compiler[..], flags, &[&script, "-o", "firmware.elf"]].concat(), source);
}

/// Runs `everypath test`, and reads the summary.
pub(crate) fn test(workplace: &Workplace, arguments: &[&str]) -> (Run, serde_json::Value) {
    let run = workplace.run(&[&["test"], arguments, &["--json", "--seconds", "20"]].concat());
    let mut document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let summary = document["summary"].take();
    (run, summary)
}

/// The texts that entries of a list in a summary have under a key.
pub(crate) fn texts<'s>(summary: &'s serde_json::Value, list: &str, key: &str) -> Vec<&'s str> {
    let list = summary[list].as_array().expect("a list");
    list.iter().filter_map(|entry| entry[key].as_str()).collect()
}

/// The number of directions with a verdict.
pub(crate) fn verdicts(summary: &serde_json::Value, verdict: &str) -> usize {
    texts(summary, "directions", "verdict").into_iter().filter(|is| *is == verdict).count()
}
