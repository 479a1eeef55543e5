//! Calls that ask for the time. It begins at a fixed moment and advances a little with each question; what depends on it is
//! known to be an assumption.

use super::{CallResult, SystemCall};

/// The first of January 2025, in seconds since 1970.
const START: u64 = 1_735_689_600;
/// How much later each question is asked, in nanoseconds.
const STEP: u64 = 1_000_000;

/// The time, in seconds and nanoseconds.
fn now(call: &mut SystemCall<'_>) -> (u64, u64) {
    let since = call.process.asked.wrapping_mul(STEP);
    call.process.asked += 1;
    (START.wrapping_add(since / 1_000_000_000), since % 1_000_000_000)
}

fn write_pair(call: &mut SystemCall<'_>, address: u64, (first, second): (u64, u64)) -> CallResult {
    let (word, endian) = (call.linux.word, call.linux.endian);
    let bytes = [endian.bytes(first, word), endian.bytes(second, word)].concat();
    call.write_assumed(address, &bytes)?;
    Ok(0)
}

pub(super) fn clock_gettime(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = call.argument(1)?;
    let now = now(call);
    write_pair(call, buffer, now)
}

pub(super) fn clock_getres(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = call.argument(1)?;
    if buffer == 0 { Ok(0) } else { write_pair(call, buffer, (0, 1)) }
}

pub(super) fn gettimeofday(call: &mut SystemCall<'_>) -> CallResult {
    let (buffer, zone) = (call.argument(0)?, call.argument(1)?);
    if zone != 0 {
        return call.unmodelled();
    }
    let (seconds, nanoseconds) = now(call);
    if buffer == 0 { Ok(0) } else { write_pair(call, buffer, (seconds, nanoseconds / 1000)) }
}

pub(super) fn time(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = call.argument(0)?;
    let (seconds, _) = now(call);
    if buffer != 0 {
        let bytes = call.linux.endian.bytes(seconds, call.linux.word);
        call.write_assumed(buffer, &bytes)?;
    }
    call.assumes_result = true;
    Ok(seconds)
}

/// Time passes, and nothing else happens meanwhile.
pub(super) fn sleep(call: &mut SystemCall<'_>) -> CallResult {
    call.process.asked += 1;
    call.caller.note("it was assumed that no signal interrupts the process while it sleeps");
    Ok(0)
}
