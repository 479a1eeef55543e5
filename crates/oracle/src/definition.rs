//! The interface of oracles, and the list of all of them.

use crate::observation::{BlockObservation, TakenExit};
use crate::{calls, division_by_zero, never_written, no_instruction, read_only, stack, trap, unmapped};
use everypath_ir::{Location, Width};
use everypath_machine::State;
use everypath_term::Term;

/// A statement of an oracle about an executed block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleReport {
    /// A violation on this run.
    Violation {
        /// The instruction.
        address: u64,
        /// The violation, in words.
        what: String,
        /// Whether control flow goes astray by it, so that later violations are its consequences.
        astray: bool,
    },
    /// A violation that would occur under a condition on input.
    Suspect {
        /// The step of the block before whose concretisation the condition is queried.
        step: usize,
        /// The instruction.
        address: u64,
        /// The condition, of one bit.
        condition: Term,
        /// The value that depends on uninitialised memory, if that is what is suspected. The query is then whether other
        /// contents of that memory change it, and the violation shows in that the run takes another path, or leaves other
        /// memory, than with zeros there.
        unwritten: Option<Term>,
        /// The violation, in words.
        what: String,
    },
}

/// An oracle on one path. It is forked with the path.
pub trait Oracle {
    /// A copy for another path with the same beginning.
    fn fork(&self) -> Box<dyn Oracle>;

    /// Observes an executed block.
    fn observe(&mut self, observation: &mut BlockObservation<'_>, statements: &mut Vec<OracleReport>);

    /// Called when the path leaves the block that was observed last. State that depends on the exit changes here and
    /// not during the observation: the oracle is forked in between for another exit of the same block.
    fn leave(&mut self, exit: &TakenExit, state: &mut State) {
        let _ = (exit, state);
    }

    /// Called before an interrupt is taken; its handler may return to this address.
    fn interrupt(&mut self, address: u64, state: &mut State) {
        let _ = (address, state);
    }

    /// Every term that it keeps from one observation to the next. Terms that nobody names are garbage-collected, and their
    /// numbers are given to others.
    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }

    /// Its state as numbers: paths on which all oracles have the same may be merged. `None` if it cannot be told, so that
    /// paths that it watches are never merged.
    fn fingerprint(&self) -> Option<Vec<u64>> {
        None
    }
}

/// The facts about a guest that oracles get before a run.
#[derive(Clone, Debug, Default)]
pub struct OracleSetup {
    /// The first and the last value that the stack pointer may have, if the configuration says so.
    pub stack: Option<(u64, u64)>,
    /// First and last addresses of the program's data.
    pub data: Vec<(u64, u64)>,
    /// First and last addresses to which interrupt handlers return.
    pub handler_returns: Option<(u64, u64)>,
    /// Addresses at which runs stop.
    pub stops: Vec<u64>,
    /// The location and width of the stack pointer, if the architecture has one.
    pub stack_pointer: Option<(Location, Width)>,
    /// The initial stack pointer.
    pub stack_at_start: Option<u64>,
    /// The direction in which the stack grows.
    pub stack_growth: Growth,
    /// Whether calls push the return address, rather than leaving it in a register.
    pub return_address_on_stack: bool,
    /// The user operations that end a run with a trap, by their numbers in the layout.
    pub traps: Vec<u32>,
}

/// The direction in which a stack grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// Towards lower addresses.
    #[default]
    Down,
    /// Towards higher addresses.
    Up,
}

/// An oracle.
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// The violations that it reports, in one line.
    pub about: &'static str,
    /// Creates one at the start of a path.
    pub make: fn(&OracleSetup) -> Box<dyn Oracle>,
}

/// All oracles.
pub const ALL: &[Definition] = &[
    division_by_zero::DEFINITION,
    calls::DEFINITION,
    unmapped::DEFINITION,
    read_only::DEFINITION,
    no_instruction::DEFINITION,
    stack::DEFINITION,
    trap::DEFINITION,
    never_written::DEFINITION,
];
