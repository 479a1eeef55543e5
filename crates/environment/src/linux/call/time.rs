//! Calls that ask for the time. It begins at a fixed moment and advances a little with each question; what depends on it is
//! known to be an assumption.

use super::context::errno;
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;

/// The first of January 2025, in seconds since 1970.
pub(super) const START: u64 = 1_735_689_600;
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

/// Refuses a clock that there is not.
fn check_clock(call: &mut SystemCall<'_>) -> Result<(), CallFailure> {
    match call.int(0)? {
        // CLOCK_REALTIME to CLOCK_BOOTTIME, CLOCK_TAI
        0..=7 | 11 => Ok(()),
        // Those that wake the system up, which it may lack, and those of other processes or of devices.
        8 | 9 | 0x8000_0000.. => call.unmodelled(),
        _ => Err(CallFailure::Errno(errno::EINVAL)),
    }
}

pub(super) fn clock_gettime(call: &mut SystemCall<'_>) -> CallResult {
    check_clock(call)?;
    let buffer = call.argument(1)?;
    let now = now(call);
    write_pair(call, buffer, now)
}

pub(super) fn clock_getres(call: &mut SystemCall<'_>) -> CallResult {
    check_clock(call)?;
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

pub(super) fn sleep(call: &mut SystemCall<'_>) -> CallResult {
    let time = call.argument(0)?;
    sleep_for(call, time)
}

pub(super) fn clock_sleep(call: &mut SystemCall<'_>) -> CallResult {
    check_clock(call)?;
    // CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_TAI; the others cannot wake a process, or count its own time.
    if !matches!(call.int(0)?, 0 | 1 | 7 | 11) {
        return call.unmodelled();
    }
    let time = call.argument(2)?;
    sleep_for(call, time)
}

/// Time passes, and nothing else happens meanwhile.
fn sleep_for(call: &mut SystemCall<'_>, time: u64) -> CallResult {
    let word = call.linux.word;
    let (seconds, nanoseconds) = (call.fixed_word(time)?, call.fixed_word(time.wrapping_add(word as u64))?);
    let is_negative = seconds >> (8 * word - 1) != 0;
    if is_negative || nanoseconds >= 1_000_000_000 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    call.process.asked += 1;
    call.caller.note("it was assumed that no signal interrupts the process while it sleeps");
    Ok(0)
}
