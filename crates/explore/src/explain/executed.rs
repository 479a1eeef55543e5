//! The code that a test executes, the inputs that it reads, and those that decide its branches, for reports.

use everypath_environment::{Configuration, Guest, GuestError};
use everypath_record::{Address, ExecutedCode, InputRead, TestCase};
use std::collections::BTreeMap;

use crate::explain::decisions::input_decisions;
use crate::path::test_input::TestInput;
use crate::record::rerun::single_step;

/// Maximum number of recorded reads of a test: a polling loop reads as often as it runs.
const READS: usize = 10_000;

/// Single-steps a test from the entry, and counts the instructions that it executes.
///
/// # Errors
/// If the configuration or the test does not fit the guest.
pub fn executed_code(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
) -> Result<ExecutedCode, GuestError> {
    let state = TestInput::of(test).initial_state(guest, configuration)?;
    let (mut counts, mut reads) = (BTreeMap::<u64, u64>::new(), Vec::new());
    let (mut seen, mut executed) = (0, 0);
    single_step(guest, configuration, test, state, |place, _, world| {
        // An instruction with a loop inside is run in parts.
        if place.part == 0 {
            *counts.entry(place.address).or_default() += 1;
            executed += 1;
        }
        for reading in &world.readings[seen..] {
            if reads.len() < READS {
                let (input, value) = (reading.cell.to_string(), reading.value.to_word());
                reads.push(InputRead { after: executed - 1, at: Address(place.address), input, value });
            }
        }
        seen = world.readings.len();
    })?;
    let decisions = input_decisions(guest, configuration, test)?;
    let instructions = counts.into_iter().map(|(address, count)| (Address(address), count)).collect();
    Ok(ExecutedCode { test: test.name.clone(), instructions, reads, all_reads: seen as u64, decisions })
}
