//! How a run ends: results, not errors.

use crate::access::Denied;
use everypath_ir::{Place, SpaceId};
use std::fmt;

/// Why an instruction cannot be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An access that memory denies.
    Access {
        /// The space.
        space: SpaceId,
        /// Where and why.
        denied: Denied,
    },
    /// A user operation that has no model.
    Unmodelled {
        /// Its number in the layout.
        operation: u32,
    },
    /// The instruction asks to stop: an exit, a halt. The number is the environment's.
    Stop(u64),
    /// A trap: a breakpoint, an undefined instruction; with its number, if it has one.
    Trap(Option<u64>),
    /// A call of the operating system that nothing answers; with its number, if that is known.
    SystemCall(Option<u64>),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It reached an address at which it was to stop, or the guest ended itself.
    Exited {
        /// The address.
        address: u64,
        /// What it ended with.
        status: u64,
    },
    /// The processor cannot go on: an access that is denied, or what is no instruction.
    Faulted {
        /// The instruction.
        address: u64,
        /// What happened.
        reason: FaultReason,
    },
    /// It met something that has no model.
    Unmodelled {
        /// The instruction.
        address: u64,
        /// What has no model.
        missing: Missing,
    },
    /// What the run may use is used up.
    Exhausted {
        /// Where it would go on; if memory was used up, the instruction that was not completed.
        place: Place,
        /// What is used up.
        bound: Bound,
    },
    /// No input takes this path.
    Infeasible,
}

/// What a run may use only so much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Instructions that are run: [`crate::Limits::instructions`].
    Instructions,
    /// Memory that is touched: [`crate::Memory::limit_pages`].
    Memory,
}

/// What has no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// The user operation of this number in the layout.
    Operation(u32),
    /// A call of the operating system, with its number, if that is known.
    SystemCall(Option<u64>),
}

/// What makes a processor unable to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultReason {
    /// A data access that is denied.
    Access {
        /// The space.
        space: SpaceId,
        /// Where and why.
        denied: Denied,
    },
    /// There is no instruction there; the text says why.
    NoInstruction(String),
    /// A trap, with its number, if it has one.
    Trap(Option<u64>),
    /// Who watches the run does not let it go on; the text says why.
    Forbidden(String),
}

impl fmt::Display for FaultReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access { denied, .. } => write!(formatter, "{} at {:#x}", denied.fault, denied.address),
            Self::NoInstruction(why) | Self::Forbidden(why) => formatter.write_str(why),
            Self::Trap(None) => formatter.write_str("a trap"),
            Self::Trap(Some(number)) => write!(formatter, "trap {number:#x}"),
        }
    }
}
