//! Runs that end because the processor cannot go on: which oracle states that.

use everypath_machine::{AccessFault, Denied, End, FaultReason};

/// The name of what states traps: instructions by which a program gives up.
pub const TRAP: &str = "trap";
/// The name of what states that there is no instruction.
pub const RUNS_INTO_NOTHING: &str = "no-instruction";

/// What an end says is wrong: the oracle's name and the instruction. `last` is the last one that was run to its end.
pub fn ended(end: &End, last: u64) -> Option<(&'static str, u64)> {
    let End::Faulted { address, reason } = end else { return None };
    let oracle = match reason {
        // The instruction itself is not there: what led to it is at fault.
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
        FaultReason::Trap(_) => TRAP,
        // The oracle that ended the run has stated why.
        FaultReason::Forbidden(_) => return None,
    };
    Some((oracle, *address))
}
