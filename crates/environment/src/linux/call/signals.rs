//! Calls about signals. A process sends signals only to itself: one that has no handler ends it.

use super::context::errno;
use super::identity::PROCESS;
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use everypath_machine::Fault;

/// The number of signals.
const SIGNALS: u64 = 64;
/// Signals that are ignored if the program does not say otherwise: SIGCHLD, SIGCONT, SIGURG, SIGWINCH.
const IGNORED: [u64; 4] = [17, 18, 23, 28];
/// Signals by which the processor's faults end the process unless they have a handler: SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV.
const OF_FAULTS: [u64; 5] = [4, 5, 7, 8, 11];
/// Signals that stop the process.
const STOPPING: [u64; 4] = [19, 20, 21, 22];

pub(super) fn action(call: &mut SystemCall<'_>) -> CallResult {
    let (signal, new, old) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    // SIGKILL and SIGSTOP have no handler.
    if signal == 0 || signal > SIGNALS || new != 0 && matches!(signal, 9 | 19) {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    let size = call.linux.interface.action_size as usize;
    let given = if new == 0 { None } else { Some(call.fixed_bytes(new, size)?) };
    if old != 0 {
        let before = call.process.actions.get(&signal).cloned().unwrap_or_else(|| vec![0; size]);
        call.write_bytes(old, &before)?;
    }
    if let Some(given) = given {
        let handler = call.linux.endian.number(&given[..call.linux.word]);
        if OF_FAULTS.contains(&signal) && handler > 1 {
            call.caller.note_loss(
                "faults of the program were assumed to end the process, although it has set a handler for their signal",
            );
        }
        call.process.actions.insert(signal, given);
    }
    call.caller.note("it was assumed that no other process sends a signal");
    Ok(0)
}

pub(super) fn mask(call: &mut SystemCall<'_>) -> CallResult {
    let (how, new, old, size) = (call.int(0)?, call.argument(1)?, call.argument(2)?, call.argument(3)?);
    if size != 8 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    let before = call.process.blocked;
    if new != 0 {
        let set = call.fixed_number(new, 8)?;
        call.process.blocked = match how {
            0 => before | set,
            1 => before & !set,
            2 => set,
            _ => return Err(CallFailure::Errno(errno::EINVAL)),
        };
        deliver(call)?;
    }
    if old != 0 {
        let bytes = call.linux.endian.bytes(before, 8);
        call.write_bytes(old, &bytes)?;
    }
    Ok(0)
}

pub(super) fn stack(call: &mut SystemCall<'_>) -> CallResult {
    // Without handlers that run, another stack is never used.
    if call.argument(1)? == 0 { Ok(0) } else { call.unmodelled() }
}

pub(super) fn tgkill(call: &mut SystemCall<'_>) -> CallResult {
    let (process, thread, signal) = (call.passed(0)? as u32, call.passed(1)? as u32, call.argument(2)?);
    let is_own = u64::from(process) == PROCESS && u64::from(thread) == PROCESS;
    if is_own { send(call, signal) } else { call.unmodelled() }
}

pub(super) fn kill(call: &mut SystemCall<'_>) -> CallResult {
    let (process, signal) = (call.passed(0)? as u32, call.argument(1)?);
    if u64::from(process) == PROCESS { send(call, signal) } else { call.unmodelled() }
}

/// Delivers the signals that are not blocked any more, the lowest first.
fn deliver(call: &mut SystemCall<'_>) -> Result<(), CallFailure> {
    loop {
        let ready = call.process.pending & !call.process.blocked;
        if ready == 0 {
            return Ok(());
        }
        let signal = u64::from(ready.trailing_zeros());
        call.process.pending &= !(1 << signal);
        send(call, signal + 1)?;
    }
}

fn send(call: &mut SystemCall<'_>, signal: u64) -> CallResult {
    if signal > SIGNALS {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    let word = call.linux.word;
    let handler = call.process.actions.get(&signal);
    let handler = handler.map_or(0, |action| call.linux.endian.number(&action[..word]));
    let is_blocked = signal > 0 && call.process.blocked >> (signal - 1) & 1 == 1;
    match (signal, handler) {
        (0, _) => Ok(0),
        (9, _) => Err(CallFailure::Fault(Fault::Signal(9))),
        _ if STOPPING.contains(&signal) => call.unmodelled(),
        _ if is_blocked => {
            call.process.pending |= 1 << (signal - 1);
            Ok(0)
        }
        (_, 1) => Ok(0),
        (_, 0) if IGNORED.contains(&signal) => Ok(0),
        (_, 0) => Err(CallFailure::Fault(Fault::Signal(signal as u32))),
        _ => call.unmodelled(),
    }
}
