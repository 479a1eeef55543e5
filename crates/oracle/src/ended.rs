//! Runs that end because the processor cannot continue: which oracle reports that.

use everypath_machine::{AccessFault, Denied, End, FaultReason};

/// The name of the oracle for traps: instructions by which a program gives up.
pub const TRAP: &str = "trap";
/// The name of the oracle for jumps to where no instruction is.
pub const RUNS_INTO_NOTHING: &str = "no-instruction";

/// The violation that an abnormal end shows: the oracle's name and the instruction. `last` is the last completed
/// instruction.
pub fn ended(end: &End, last: u64) -> Option<(&'static str, u64)> {
    let End::Faulted { address, reason } = end else { return None };
    let oracle = match reason {
        // The instruction itself could not be fetched: the one that led to it is at fault.
        FaultReason::Access { denied, .. } if denied.address == *address => {
            return Some((RUNS_INTO_NOTHING, last));
        }
        FaultReason::NoInstruction(_) => return Some((RUNS_INTO_NOTHING, last)),
        FaultReason::Access { denied: Denied { fault, .. }, .. } => match fault {
            AccessFault::Unmapped | AccessFault::Outside => "unmapped",
            AccessFault::NotReadable | AccessFault::NotWritable => "read-only",
            AccessFault::Misaligned => TRAP,
            AccessFault::NotExecutable => RUNS_INTO_NOTHING,
            AccessFault::Exhausted => return None,
        },
        FaultReason::Trap(_) | FaultReason::Signal(_) => TRAP,
        // The oracle that ended the run has reported why.
        FaultReason::Forbidden(_) => return None,
    };
    Some((oracle, *address))
}
