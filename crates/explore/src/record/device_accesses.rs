//! The device accesses of a test: which instruction reads which memory-mapped input (MMIO), and which interrupts are enabled.

use everypath_environment::{Configuration, Guest, GuestError, Lines};
use everypath_ir::Location;
use everypath_record::TestCase;
use std::collections::BTreeSet;

use crate::path::test_input::TestInput;
use crate::record::rerun::single_step;

/// A read of a memory-mapped input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceRead {
    /// The number of instructions that are executed before it.
    pub after: u64,
    /// The instruction that reads.
    pub instruction: u64,
    /// The first byte that it reads.
    pub location: Location,
    /// The number of bytes.
    pub size: u64,
    /// Their value; the lower half of one that is wider than 64 bits.
    pub value: u64,
}

/// An interrupt that a run enables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnabledInterrupt {
    /// The instruction that enables it first.
    pub instruction: u64,
    /// Its exception number: the index of its handler in the vector table.
    pub number: u64,
    /// The address of its handler at that time, if it can be read.
    pub handler: Option<u64>,
}

/// The device accesses of a run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceAccesses {
    /// Reads of memory-mapped inputs.
    pub reads: Vec<DeviceRead>,
    /// Interrupts that the run enables.
    pub enabled: Vec<EnabledInterrupt>,
}

/// Single-steps a test from the entry, and records its device accesses.
///
/// # Errors
/// If the configuration or the test does not fit the guest.
pub fn device_accesses(
    guest: &Guest,
    configuration: &Configuration,
    test: &TestCase,
) -> Result<DeviceAccesses, GuestError> {
    let state = TestInput::of(test).initial_state(guest, configuration)?;
    let mut accesses = DeviceAccesses::default();
    let (mut seen, mut after, mut lines, mut known) = (0, 0, Lines::default(), BTreeSet::new());
    single_step(guest, configuration, test, state, |place, state, world| {
        for reading in &world.readings[seen..] {
            let Some((cell, _)) = world.location(&reading.cell) else { continue };
            accesses.reads.push(DeviceRead {
                after,
                instruction: place.address,
                location: Location { offset: cell.offset + reading.offset, ..cell },
                size: reading.value.width().bytes() as u64,
                value: reading.value.to_word(),
            });
        }
        seen = world.readings.len();
        after += u64::from(place.part == 0);
        let Some(controller) = world.controller().cloned() else { return };
        if *world.lines() == lines {
            return;
        }
        lines = world.lines().clone();
        for number in lines.enabled().filter(|number| known.insert(*number)) {
            let handler = controller.handler(guest, state, number);
            accesses.enabled.push(EnabledInterrupt { instruction: place.address, number, handler });
        }
    })?;
    Ok(accesses)
}
