//! Ends of runs that the machine itself does not notice: an idle loop, and execution of uninitialised memory.

use everypath_environment::Guest;
use everypath_ir::{Location, Place};
use everypath_machine::{End, FaultReason, ReadyBlock, State, Step};

/// Whether a block is an idle loop: it has no effect but to jump to itself, by which firmware ends. A process that does never ends.
pub(crate) fn is_idle<V>(
    guest: &Guest,
    is_process: bool,
    (place, to): (Place, Place),
    block: &ReadyBlock<V>,
) -> bool {
    let acts = |step: &Step| match step {
        Step::Put(_) | Step::Load(_) | Step::Store(_) => true,
        Step::User(call) => !guest.is_harmless(call.operation),
        Step::Compute(_) | Step::Get(_) => false,
    };
    !is_process && to == place && block.exits.len() == 1 && !block.steps.iter().any(acts)
}

/// The end of a run that would execute uninitialised memory.
pub(crate) fn unwritten_code(guest: &Guest, state: &State, place: Place) -> Option<End> {
    let code = Location { space: guest.code_space(), offset: place.address };
    let reason = || FaultReason::NoInstruction("the memory to be executed is uninitialised".to_owned());
    // A file's code is no assumption, also where the program could write it.
    state.is_blank(code).then(|| End::Faulted { address: place.address, reason: reason() })
}
