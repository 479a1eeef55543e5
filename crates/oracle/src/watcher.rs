//! What an oracle is.

use crate::look::{Look, Way};
use crate::{calls, division_by_zero, never_written, no_instruction, read_only, stack, trap, unmapped};
use everypath_ir::{Location, Width};
use everypath_machine::State;
use everypath_term::Term;

/// What an oracle states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Something is wrong on this run.
    Wrong {
        /// The instruction.
        address: u64,
        /// What is wrong.
        what: String,
        /// Whether control flow has left what the program was written to do: what is wrong from there on follows from it.
        astray: bool,
    },
    /// Something would be wrong under a condition on the input.
    Suspect {
        /// The step of the block before whose assumptions the condition is asked for.
        step: usize,
        /// The instruction.
        address: u64,
        /// The condition, of one bit.
        condition: Term,
        /// Whether it is to be asked for all that memory may hold where nothing was written, and shows in that the run
        /// takes another path than with zeros there.
        any_memory: bool,
        /// What would be wrong.
        what: String,
    },
}

/// An oracle on one path. It is forked with the path.
pub trait Watcher {
    /// A copy for another path with the same beginning.
    fn fork(&self) -> Box<dyn Watcher>;

    /// Looks at a block that was run.
    fn look(&mut self, look: &mut Look<'_>, statements: &mut Vec<Statement>);

    /// Told that the path goes on by an exit of the block it has looked at last. What an oracle remembers of how blocks are
    /// left changes here and not when it looks: a copy for another exit of the same block is made in between.
    fn leave(&mut self, way: &Way, state: &mut State) {
        let _ = (way, state);
    }
}

/// What oracles know of the guest beforehand.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The first and the last value that the stack pointer may have, if that is said.
    pub stack: Option<(u64, u64)>,
    /// First and last addresses of the program's data.
    pub data: Vec<(u64, u64)>,
    /// Where runs stop.
    pub stops: Vec<u64>,
    /// The place and width of the stack pointer, if the architecture has one.
    pub stack_pointer: Option<(Location, Width)>,
    /// The stack pointer at the start.
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
    /// What it states, in one line.
    pub about: &'static str,
    /// Makes one for a path that has just begun.
    pub make: fn(&Setup) -> Box<dyn Watcher>,
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
