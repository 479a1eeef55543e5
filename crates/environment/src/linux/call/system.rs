//! Calls about the process as a whole: its end, its limits, its thread pointer, randomness.

use super::context::errno;
use super::{CallResult, SystemCall};
use crate::linux::caller::{CallFailure, put};
use everypath_machine::Fault;

/// The size of the stack, which is also its limit.
pub(crate) const STACK_SIZE: u64 = 8 << 20;

/// The flag of a request for randomness that does not wait.
const GRND_NONBLOCK: u64 = 1;
/// The largest size of a random key in bytes.
const LONGEST_KEY: u64 = 8;

pub(super) fn exit(call: &mut SystemCall<'_>) -> CallResult {
    // The status decides nothing: it is the end.
    let status = call.passed(0)? & 0xff;
    Err(CallFailure::Fault(Fault::Stop(status)))
}

pub(super) fn nothing(_: &mut SystemCall<'_>) -> CallResult {
    Ok(0)
}

/// A call that an older system does not have, without which C libraries do.
pub(super) fn missing(call: &mut SystemCall<'_>) -> CallResult {
    call.caller
        .note("the system was assumed not to have the calls `rseq` and `statx`, which older ones lack");
    Err(CallFailure::Errno(errno::ENOSYS))
}

pub(super) fn random(call: &mut SystemCall<'_>) -> CallResult {
    let (buffer, count) = (call.argument(0)?, call.argument(1)?);
    if count > 256 {
        return call.unmodelled();
    }
    let is_first = call.process.asked == 0;
    let mut bytes = Vec::new();
    for _ in 0..count {
        call.process.asked = call.process.asked.wrapping_add(1);
        // The finaliser of splitmix64.
        let mixed = call.process.asked.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bytes.push((mixed >> 56) as u8);
    }
    // The C library asks for a key like this before anything else, to notice faults of the heap. Memory equals it by chance only. What
    // the program asks for later may decide anything.
    let is_key = is_first && call.argument(2)? == GRND_NONBLOCK && count <= LONGEST_KEY;
    if is_key {
        call.caller.note("a random key of the C library was assumed to differ from all data of the program");
        call.write_bytes(buffer, &bytes)?;
    } else {
        call.write_assumed(buffer, &bytes)?;
    }
    Ok(count)
}

pub(super) fn information(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = call.argument(0)?;
    let (word, endian) = (call.linux.word, call.linux.endian);
    // Uptime, three loads, then total and free memory.
    let fields = [3600, 0, 0, 0, 1 << 30, 1 << 29];
    let mut bytes: Vec<u8> = fields.into_iter().flat_map(|field| endian.bytes(field, word)).collect();
    // Shared and buffered memory, swap and free swap, the number of processes, high memory, the unit.
    bytes.resize(bytes.len() + 4 * word, 0);
    bytes.extend(endian.bytes(1, 2));
    bytes.resize(bytes.len().next_multiple_of(word) + 2 * word, 0);
    bytes.extend(endian.bytes(1, 4));
    bytes.resize(bytes.len().next_multiple_of(word), 0);
    call.write_assumed(buffer, &bytes)?;
    Ok(0)
}

pub(super) fn limits(call: &mut SystemCall<'_>) -> CallResult {
    let (process, resource) = (call.int(0)?, call.int(1)?);
    let (new, old) = (call.argument(2)?, call.argument(3)?);
    if new != 0 || process != 0 {
        return call.unmodelled();
    }
    write_limit(call, resource, old, 8)
}

pub(super) fn limit(call: &mut SystemCall<'_>) -> CallResult {
    let (resource, old) = (call.int(0)?, call.argument(1)?);
    let word = call.linux.word;
    write_limit(call, resource, old, word)
}

fn write_limit(call: &mut SystemCall<'_>, resource: u32, old: u64, size: usize) -> CallResult {
    let (soft, hard) = match resource {
        3 => (STACK_SIZE, u64::MAX),
        7 => (1024, 4096),
        0..=15 => (u64::MAX, u64::MAX),
        _ => return Err(CallFailure::Errno(errno::EINVAL)),
    };
    if old != 0 {
        let endian = call.linux.endian;
        let bytes = [endian.bytes(soft, size), endian.bytes(hard, size)].concat();
        call.caller.note("the usual limits of resources were assumed");
        call.write_bytes(old, &bytes)?;
    }
    Ok(0)
}

/// The process may run on one processor.
pub(super) fn affinity(call: &mut SystemCall<'_>) -> CallResult {
    let (size, mask) = (call.argument(1)?, call.argument(2)?);
    let count = call.linux.word as u64;
    if size < count {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    call.caller.note("one processor was assumed");
    call.write_number(mask, 1, count as usize)?;
    Ok(count)
}

/// There is one thread: nobody waits, and who waits does so forever.
pub(super) fn futex(call: &mut SystemCall<'_>) -> CallResult {
    match call.int(1)? & 0x7f {
        // FUTEX_WAKE
        1 => Ok(0),
        _ => call.unmodelled(),
    }
}

pub(super) fn thread_pointer(call: &mut SystemCall<'_>) -> CallResult {
    let first = call.argument(0)?;
    let own = call.linux.thread_pointers.iter().filter(|(name, ..)| name == call.name);
    for (_, code, slot) in own.cloned().collect::<Vec<_>>() {
        if code.is_none_or(|code| code == first) {
            let value = if code.is_some() { call.argument(1)? } else { first };
            put(call.caller, slot, value)?;
            call.process.has_thread_pointer = true;
            return Ok(0);
        }
    }
    // Other codes ask for extensions of the processor, of which there are none.
    Err(CallFailure::Errno(errno::EINVAL))
}

pub(super) fn prctl(call: &mut SystemCall<'_>) -> CallResult {
    match call.int(0)? {
        // PR_SET_NAME
        15 => Ok(0),
        _ => call.unmodelled(),
    }
}
