//! Events of a concolic run: branches, jumps and accesses that depend on input.

use everypath_ir::SpaceId;
use everypath_term::Term;

/// An event that depends on input. The order of the events is that of the path condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A conditional exit of the block was taken or not taken.
    Decided {
        /// The condition, of one bit.
        condition: Term,
        /// True if the condition held.
        taken: bool,
    },
    /// An indirect jump to a symbolic address.
    Jumped {
        /// The symbolic target.
        target: Term,
        /// Its concrete value.
        value: u64,
    },
    /// Memory was accessed at a symbolic address.
    Accessed {
        /// The step of the access.
        step: u32,
        /// The space.
        space: SpaceId,
        /// The address.
        address: Term,
        /// Its concrete value.
        value: u64,
        /// The size in bytes.
        size: usize,
        /// True for a store.
        write: bool,
        /// True if the address stayed symbolic, because the term covers all bytes that it can read; otherwise it was
        /// concretised.
        window: bool,
    },
    /// Memory was accessed at an address that depends on input and that the path condition fixes. Only where input pointers
    /// point to objects.
    Located {
        /// The space.
        space: SpaceId,
        /// The address.
        address: Term,
        /// Its concrete value.
        value: u64,
    },
    /// An instruction byte is symbolic and was concretised: another value is another instruction.
    Executed {
        /// The byte.
        byte: Term,
        /// Its concrete value.
        value: u8,
    },
    /// A byte of a register that determines the decoding context behind an indirect jump is symbolic and was concretised:
    /// another value is another instruction set.
    Switched {
        /// The byte.
        byte: Term,
        /// Its concrete value.
        value: u8,
    },
    /// An uninitialised byte was read.
    Unwritten {
        /// The byte.
        byte: Term,
        /// Its concrete value on this path.
        value: u8,
    },
    /// A byte that is assumed was read once more, and its term is that of an earlier read: the path has had as many reads of it
    /// as have terms of their own. Whether both reads have the same value is no longer known.
    Reused {
        /// The term.
        byte: Term,
    },
    /// The guard of a step within the block was concretised.
    Guarded {
        /// The guarded step.
        step: u32,
        /// The condition, of one bit.
        condition: Term,
        /// True if the condition held.
        taken: bool,
    },
    /// A value on which a system call depends was concretised; other values are alternatives.
    Chosen {
        /// The value.
        argument: Term,
        /// Its concrete value.
        value: u64,
    },
    /// A system call gave an answer that is assumed, as these words say.
    Answered {
        /// The assumption.
        assumption: &'static str,
        /// Whether what does not hold to it is not explored.
        loses_paths: bool,
    },
    /// The argument of a user operation, or a value written to a device, was concretised, because its model is concrete.
    Fixed {
        /// The argument or value.
        argument: Term,
    },
}

impl Event {
    /// A read of a byte that is assumed to be zero on this path. With its own term, if the path has not had too many of them.
    pub fn assumed_zero(byte: Term, has_own_term: bool) -> Event {
        if has_own_term { Event::Unwritten { byte, value: 0 } } else { Event::Reused { byte } }
    }
}
