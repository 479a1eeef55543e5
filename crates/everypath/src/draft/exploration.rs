//! A short exploration that shows which devices a program uses, and the replays of its tests.

use super::observed_register::ReadProfile;
use crate::binary::Binary;
use crate::error::Error;
use crate::outcome::Outcome;
use everypath_environment::{Configuration, VolatileCell};
use everypath_explore::{EnabledInterrupt, Observer, Plan, ProgressReport, device_accesses};
use everypath_record::{TestCase, Undeclared};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The time that an exploration goes on after its first test.
const TIME: Duration = Duration::from_secs(1);
/// The time limit in seconds for all of it: recovering the control-flow graph and running the first path take their time.
const LONGEST: u64 = 30;
/// The maximum number of explorations, each with the registers declared that decisions of those before depend on.
const ROUNDS: usize = 8;
/// The maximum number of instructions of all replays: tests of a long program share their beginnings.
const REPLAYED: u64 = 20_000_000;

/// The registers and interrupts that short explorations have shown a program to use.
#[derive(Default)]
pub(super) struct Shown {
    /// Registers that must be declared, because decisions depend on them and nothing else makes them input.
    pub(super) undeclared: Vec<Undeclared>,
    pub(super) reads: ReadProfile,
    /// The interrupts that tests enable, by number.
    pub(super) interrupts: BTreeMap<u64, EnabledInterrupt>,
    /// The number of tests of the last exploration, and of those that were replayed.
    pub(super) tests: (usize, usize),
    /// Why the program cannot be run as it is.
    pub(super) missing: Option<String>,
}

/// Explores a program, and replays its tests.
pub(super) fn explore(binary: &Binary) -> Result<Shown, Error> {
    let mut shown = Shown::default();
    let mut configuration = binary.configuration.clone();
    // Where all peripherals are input until one is declared, declaring one would hide the others.
    let all_are_input = binary.guest.peripheral_inputs(&configuration).next().is_some();
    let mut outcome = None;
    for _ in 0..ROUNDS {
        let explored = match explore_once(binary, &configuration) {
            Ok(explored) => explored,
            Err(Error::Exploration { message, .. }) => {
                shown.missing = Some(message).filter(|_| outcome.is_none());
                break;
            }
            Err(error) => return Err(error),
        };
        let mut new = explored.summary().undeclared_registers.clone();
        new.retain(|register| !all_are_input && !shown.undeclared.contains(register));
        outcome = Some((configuration.clone(), explored));
        if new.is_empty() {
            break;
        }
        configuration.volatiles.extend(new.iter().map(cell));
        shown.undeclared.extend(new);
    }
    if let Some((configuration, outcome)) = outcome {
        shown.replay(binary, &configuration, &outcome)?;
    }
    Ok(shown)
}

/// One exploration, without oracles: faults do not matter here.
fn explore_once(binary: &Binary, configuration: &Configuration) -> Result<Outcome, Error> {
    let plan = Plan { oracles: Vec::new(), ..Plan::default() };
    let configured = binary.explore().configure(|own| own.clone_from(configuration));
    configured.plan(plan).seconds(LONGEST).run_with(&mut StopSoon::default())
}

/// Stops an exploration a while after its first test.
#[derive(Default)]
struct StopSoon {
    stop: Arc<AtomicBool>,
    is_timed: bool,
}

impl Observer for StopSoon {
    fn on_progress(&mut self, _: &dyn Fn() -> ProgressReport) -> bool {
        true
    }

    fn test(&mut self, _: &TestCase) {
        if !std::mem::replace(&mut self.is_timed, true) {
            let stop = self.stop.clone();
            thread::spawn(move || {
                thread::sleep(TIME);
                stop.store(true, Ordering::Relaxed);
            });
        }
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }
}

fn cell(register: &Undeclared) -> VolatileCell {
    VolatileCell {
        name: register.name.clone(),
        space: register.space.clone(),
        address: Some(register.address.0),
        size: Some(register.size),
        values: Vec::new(),
        random: false,
    }
}

impl Shown {
    /// Replays the tests of an exploration, and records their device accesses.
    fn replay(
        &mut self,
        binary: &Binary,
        configuration: &Configuration,
        outcome: &Outcome,
    ) -> Result<(), Error> {
        self.tests.0 = outcome.tests().len();
        let mut left = REPLAYED;
        for test in outcome.tests() {
            let Some(rest) = left.checked_sub(test.instructions) else { break };
            left = rest;
            let accesses = device_accesses(&binary.guest, configuration, test);
            let accesses = accesses.map_err(|error| binary.misfit(&error))?;
            self.reads.add(&accesses.reads);
            for enabled in accesses.enabled {
                self.interrupts.entry(enabled.number).or_insert(enabled);
            }
            self.tests.1 += 1;
        }
        Ok(())
    }
}
