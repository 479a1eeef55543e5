//! The outcomes of a run: results, not errors.

use crate::access::Denied;
use everypath_ir::{Place, SpaceId};
use std::fmt;

/// The reason why an instruction cannot complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A denied memory access.
    Access {
        /// The space.
        space: SpaceId,
        /// The address and the reason.
        denied: Denied,
    },
    /// A user operation without a model.
    Unmodelled {
        /// Its number in the layout.
        operation: u32,
    },
    /// The instruction stops the run: an exit, a halt. The number is defined by the environment.
    Stop(u64),
    /// A trap, such as a breakpoint or an undefined instruction, with its number if it has one.
    Trap(Option<u64>),
    /// A system call without a model, with its number if it is known.
    SystemCall(Option<u64>),
    /// A signal ends the process.
    Signal(u32),
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The run reached a stop address, or the guest exited.
    Exited {
        /// The address.
        address: u64,
        /// The exit status.
        status: u64,
    },
    /// The processor cannot continue: a denied access, or no valid instruction.
    Faulted {
        /// The instruction.
        address: u64,
        /// The cause.
        reason: FaultReason,
    },
    /// The run reached an operation without a model.
    Unmodelled {
        /// The instruction.
        address: u64,
        /// The operation.
        missing: Missing,
    },
    /// The run reached a resource limit.
    Exhausted {
        /// The continuation point; at the page limit, the instruction that did not complete.
        place: Place,
        /// The limit.
        bound: Bound,
    },
    /// An earlier state of the path includes its state, so that it can show nothing new.
    Repeats {
        /// Where it would continue.
        place: Place,
    },
    /// The path was postponed: others come first.
    Postponed {
        /// Where it continues.
        place: Place,
    },
}

/// A resource limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Executed instructions: [`crate::RunLimits::instructions`].
    Instructions,
    /// Touched pages: [`crate::Memory::limit_pages`].
    Memory,
    /// Decisions on input along a path of an exploration.
    Decisions,
    /// Instructions after the control flow went astray, along a path of an exploration.
    Astray,
    /// Instructions behind which a path of an exploration shows nothing new.
    Shown,
}

/// An operation without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// The user operation with this number in the layout.
    Operation(u32),
    /// A system call, with its number if it is known.
    SystemCall(Option<u64>),
}

/// The reason why the processor cannot continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultReason {
    /// A denied data access.
    Access {
        /// The space.
        space: SpaceId,
        /// The address and the reason.
        denied: Denied,
    },
    /// The bytes do not decode to an instruction; the text says why.
    NoInstruction(String),
    /// A trap, with its number if it has one.
    Trap(Option<u64>),
    /// A signal ends the process.
    Signal(u32),
    /// An observer stops the run; the text says why.
    Forbidden(String),
}

impl fmt::Display for FaultReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access { denied, .. } => write!(formatter, "{} at {:#x}", denied.fault, denied.address),
            Self::NoInstruction(why) | Self::Forbidden(why) => formatter.write_str(why),
            Self::Trap(None) => formatter.write_str("a trap"),
            Self::Trap(Some(number)) => write!(formatter, "trap {number:#x}"),
            Self::Signal(6) => formatter.write_str("the process aborts (signal 6, SIGABRT)"),
            Self::Signal(number) => write!(formatter, "the process ends by signal {number}"),
        }
    }
}
