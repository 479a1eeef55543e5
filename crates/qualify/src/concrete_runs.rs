//! Runs of a program on the concrete machine with given inputs, one or all, and the transitions between instructions in them.
//!
//! The machine is Everypath's own. What it shows is that the exploration agrees with it on every input; that it agrees with
//! the processor is the subject of the instruction vectors, and of the independent executors of the project's own checks.

use crate::program::KitProgram;
use everypath::ir::Place;
use everypath::{Binary, Guest, TestCase};
use everypath_environment::{GuestError, World};
use everypath_machine::{Concrete, ConcreteDomain, End, Machine, RunLimits, State, Watch};
use std::collections::BTreeSet;

/// The maximum number of instructions in a run.
const BUDGET: u64 = 100_000;

/// The transitions from an instruction to the next one.
pub(crate) type Transitions = BTreeSet<(u64, u64)>;

struct Recorder<'t> {
    transitions: &'t mut Transitions,
    previous: Option<u64>,
}

impl Watch for Recorder<'_> {
    const INSTRUCTIONS: bool = true;

    fn instruction(&mut self, address: u64) {
        if let Some(previous) = self.previous.replace(address) {
            self.transitions.insert((previous, address));
        }
    }
}

/// Opens a program of the kit.
pub(crate) fn open(program: &KitProgram) -> Result<Binary, String> {
    let configuration = everypath::Configuration::parse(&program.configuration)?;
    let mut options = Binary::options().configuration(configuration).raw(program.base);
    if let Some(entry) = program.entry {
        options = options.entry(entry);
    }
    options.read(program.image.clone()).map_err(|error| error.to_string())
}

/// A program that is run again and again, each time from its initial state.
pub(crate) struct ConcreteRuns<'b> {
    machine: Machine<&'b Guest, Concrete>,
    entry: Place,
    limits: RunLimits,
    /// The initial state, which runs fork.
    state: State,
    /// The environment, without values of cells.
    world: World,
}

impl<'b> ConcreteRuns<'b> {
    /// # Errors
    /// If the configuration does not fit the program.
    pub(crate) fn new(binary: &'b Binary) -> Result<Self, String> {
        let (guest, configuration) = (binary.guest(), binary.configuration());
        let problem = |error: GuestError| error.to_string();
        let mut limits = guest.limits(configuration).map_err(problem)?;
        limits.instructions = BUDGET;
        Ok(Self {
            machine: Machine::new(guest),
            entry: guest.entry(configuration).map_err(problem)?,
            limits,
            state: guest.state(configuration).map_err(problem)?,
            world: guest.world(configuration).map_err(problem)?,
        })
    }

    /// Runs the program with values of its cells, and adds the transitions of the run.
    fn run(&mut self, values: &[(&str, &[u64])], transitions: &mut Transitions) -> Result<(), String> {
        let mut world = self.world.clone();
        world.script(values.iter().copied());
        let mut state = self.state.fork();
        let mut domain = ConcreteDomain { state: &mut state, outside: world };
        let mut recorder = Recorder { transitions, previous: None };
        let (end, _) = self.machine.run(&mut domain, self.entry, &self.limits, &mut recorder);
        match end {
            End::Exited { address, .. } => recorder.instruction(address),
            // The faulting instruction was executed in part, or is none and was reached.
            End::Faulted { address, .. } if recorder.previous != Some(address) => {
                recorder.instruction(address);
            }
            End::Faulted { .. } => {}
            other => return Err(format!("a run does not end: {}", self.machine.source().explain(&other))),
        }
        Ok(())
    }

    /// The transitions of a test.
    pub(crate) fn of_test(&mut self, test: &TestCase) -> Result<Transitions, String> {
        let values: Vec<(&str, &[u64])> =
            test.cells.iter().map(|cell| (cell.name.as_str(), cell.values.as_slice())).collect();
        let mut transitions = Transitions::new();
        self.run(&values, &mut transitions)?;
        Ok(transitions)
    }

    /// The transitions of all inputs, every combination of values of cells of one byte, and their number.
    pub(crate) fn of_all_inputs(&mut self, cells: &[String]) -> Result<(Transitions, u64), String> {
        let mut transitions = Transitions::new();
        let count = 1_u64 << (8 * cells.len());
        for input in 0..count {
            let bytes: Vec<[u64; 1]> = (0..cells.len()).map(|cell| [input >> (8 * cell) & 0xff]).collect();
            let values = cells.iter().zip(&bytes).map(|(cell, byte)| (cell.as_str(), byte.as_slice()));
            self.run(&values.collect::<Vec<_>>(), &mut transitions)?;
        }
        Ok((transitions, count))
    }
}
