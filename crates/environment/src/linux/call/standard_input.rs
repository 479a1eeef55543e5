//! The standard input: a pipe, whose bytes may be input of a test.

use super::context::errno;
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use everypath_machine::PAGE_SIZE;

/// Reads the standard input: a pipe from which as many bytes come as are asked for, while there are any.
pub(super) fn read_input(call: &mut SystemCall<'_>, buffer: u64, count: u64) -> CallResult {
    let room = call.writable(buffer, count);
    if room < count && has_more_input(call, room) {
        // The kernel touches the buffer only if there is something to put into it, and then a page of the pipe is read as a whole.
        let is_one_page = room == 0 || most_input(call) <= PAGE_SIZE as u64;
        return if is_one_page { Err(CallFailure::Errno(errno::EFAULT)) } else { call.unmodelled() };
    }
    if let Some(bytes) = call.linux.stdin.clone() {
        if call.linux.settings.stdin_file.is_none() {
            call.caller.note_loss(
                "the standard input was assumed to be empty; `--stdin N` makes up to N bytes of it input",
            );
        }
        let start = call.process.read.min(bytes.len() as u64) as usize;
        let rest = &bytes[start..];
        let part = &rest[..rest.len().min(room as usize)];
        call.write_bytes(buffer, part)?;
        call.process.read += part.len() as u64;
        return Ok(part.len() as u64);
    }
    let most = most_input(call);
    let position = call.process.read;
    let wanted = room.min(most.saturating_sub(position));
    let done = available(call, position, wanted, input_has);
    if done == wanted && wanted < room {
        call.caller
            .note("the standard input was assumed to end after the number of bytes that `stdin` gives");
    }
    if done > 1 {
        call.caller.note(
            "each read of the standard input was assumed to return as many bytes as it asks for, while there are any; a writer that \
             writes in pieces can make it return fewer",
        );
    }
    for offset in 0..done {
        let location = call.location(buffer.wrapping_add(offset));
        call.caller.put_input(location);
    }
    call.process.read += done;
    Ok(done)
}

/// The largest number of bytes that the standard input may have.
fn most_input(call: &SystemCall<'_>) -> u64 {
    match &call.linux.stdin {
        Some(bytes) => bytes.len() as u64,
        None => call.linux.input_size().map_or(0, |size| u64::from(size.most)),
    }
}

/// Whether the standard input has more bytes than so many that were not read yet.
fn has_more_input(call: &mut SystemCall<'_>, count: u64) -> bool {
    let next = call.process.read + count + 1;
    next <= most_input(call) && (call.linux.stdin.is_some() || input_has(call, next))
}

/// How many of the next bytes there are, where `has` says whether there are at least so many in all.
pub(super) fn available(
    call: &mut SystemCall<'_>,
    position: u64,
    wanted: u64,
    has: impl Fn(&mut SystemCall<'_>, u64) -> bool,
) -> u64 {
    if wanted == 0 || has(call, position + wanted) {
        return wanted;
    }
    (1..wanted).take_while(|count| has(call, position + count)).last().unwrap_or(0)
}

/// Whether the standard input has at least so many bytes. What the path has decided is not asked again.
fn input_has(call: &mut SystemCall<'_>, count: u64) -> bool {
    if let Some(known) = call.process.input_size.has(count) {
        return known;
    }
    let has = call.caller.input_has(count);
    call.process.input_size.learn(count, has);
    has
}
