//! What a run on input does that is worth a question: it decides, goes or accesses by what input says.

use everypath_ir::SpaceId;
use everypath_term::Term;

/// Which step of the block at hand an event belongs to; [`ReadyBlock::step_of`](crate::ReadyBlock::step_of) finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepKey(pub(crate) usize);

impl StepKey {
    /// The key of a part of a step.
    pub(crate) fn of<T>(part: &T) -> StepKey {
        StepKey(std::ptr::from_ref(part) as usize)
    }
}

/// Something that depends on input. The conditions that make the run go on as it does are in the order of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A way out of the block was or was not taken by this condition.
    Decided {
        /// Of one bit.
        condition: Term,
        /// Whether it held.
        taken: bool,
    },
    /// Execution goes on at an address that input computes.
    Jumped {
        /// The address.
        target: Term,
        /// What it is now.
        value: u64,
    },
    /// Memory was accessed at an address that input computes, and taken to be the one it is now.
    Accessed {
        /// The access.
        step: StepKey,
        /// The space.
        space: SpaceId,
        /// The address.
        address: Term,
        /// What it is now.
        value: u64,
        /// How many bytes.
        size: usize,
        /// Whether memory was written.
        write: bool,
        /// Whether the address was left open, because all that it can read is in the term.
        window: bool,
    },
    /// A byte of an instruction depends on input, and was taken to be what it is now: the instruction is another one if it
    /// is not.
    Executed {
        /// The byte.
        byte: Term,
        /// What it is now.
        value: u8,
    },
    /// A byte was read that nothing has written; on this path it is what it is now.
    Unwritten {
        /// The byte.
        byte: Term,
        /// What it is now.
        value: u8,
    },
    /// A guard inside the block was taken to be what it is now.
    Guarded {
        /// What it guards.
        step: StepKey,
        /// Of one bit.
        condition: Term,
        /// Whether it held.
        taken: bool,
    },
    /// A value was taken to be the one it is now, because a user operation's model knows no terms.
    Fixed {
        /// The operation's number in the layout.
        operation: u32,
        /// The argument.
        argument: Term,
    },
}
