//! Any file, as a program for one of several processors, run with any configuration: it ends within its budgets of
//! instructions and memory, and does the same when it is run again.
#![no_main]

#[path = "machine/case.rs"]
mod case;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = case::run(data);
});
