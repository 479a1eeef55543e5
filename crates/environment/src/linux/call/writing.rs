//! Calls that write to the outputs of the process and to files. What is written is kept; nothing of the host is changed.

use super::context::errno;
use super::overlay::write_file;
use super::reading::{MOST, buffers, position_argument};
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::process::OpenFile;
use everypath_machine::PAGE_SIZE;

pub(super) fn write(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    check_writable(call, descriptor)?;
    call.check_buffer(buffer, count)?;
    write_from(call, descriptor, buffer, count.min(MOST))
}

pub(super) fn writev(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, list, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    check_writable(call, descriptor)?;
    let mut done = 0;
    for (buffer, size) in buffers(call, list, count)? {
        match write_from(call, descriptor, buffer, size) {
            // What of it a pipe takes depends on how the parts fill its pages.
            Err(CallFailure::Errno(_)) if done > 0 && !is_file(call, descriptor) => return call.unmodelled(),
            Err(CallFailure::Errno(_)) if done > 0 => break,
            written => {
                let written = written?;
                done += written;
                if written < size {
                    break;
                }
            }
        }
    }
    Ok(done)
}

fn is_file(call: &SystemCall<'_>, descriptor: u32) -> bool {
    matches!(call.process.file(descriptor), Some(OpenFile::File { .. }))
}

/// Refuses a descriptor that is not open for writing.
fn check_writable(call: &SystemCall<'_>, descriptor: u32) -> Result<(), CallFailure> {
    match call.process.file(descriptor) {
        Some(OpenFile::Output(_)) => Ok(()),
        Some(OpenFile::File { access, .. }) if access.write => Ok(()),
        Some(OpenFile::Input | OpenFile::File { .. }) | None => Err(CallFailure::Errno(errno::EBADF)),
    }
}

pub(super) fn pwrite(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    let position = position_argument(call)?;
    match call.process.file(descriptor).cloned() {
        Some(OpenFile::File { node, access, .. }) if access.write => {
            call.check_buffer(buffer, count)?;
            let Some(number) = node.kind.overlay_number() else { return call.unmodelled() };
            // Against POSIX, Linux appends to a file that is open for appending.
            let position = if access.append { call.process.overlay.size(number) } else { position };
            write_file(call, number, position, buffer, count.min(MOST))
        }
        Some(OpenFile::Input | OpenFile::Output(_)) => Err(CallFailure::Errno(errno::ESPIPE)),
        Some(OpenFile::File { .. }) | None => Err(CallFailure::Errno(errno::EBADF)),
    }
}

fn write_from(call: &mut SystemCall<'_>, descriptor: u32, buffer: u64, count: u64) -> CallResult {
    let output = match call.process.file(descriptor).cloned() {
        Some(OpenFile::Output(output)) => output,
        Some(OpenFile::File { node, position, access }) if access.write => {
            let Some(number) = node.kind.overlay_number() else { return call.unmodelled() };
            let start = if access.append { call.process.overlay.size(number) } else { position };
            let done = write_file(call, number, start, buffer, count)?;
            if let Some(OpenFile::File { position, .. }) = call.process.file_mut(descriptor)
                && done > 0
            {
                *position = start + done;
            }
            return Ok(done);
        }
        Some(OpenFile::Input | OpenFile::File { .. }) | None => {
            return Err(CallFailure::Errno(errno::EBADF));
        }
    };
    let readable = call.readable(buffer, count);
    if readable < count {
        // A pipe takes whole pages: which ones depends on what is in it already.
        let is_refused = readable == 0 || count <= PAGE_SIZE as u64;
        return if is_refused { Err(CallFailure::Errno(errno::EFAULT)) } else { call.unmodelled() };
    }
    let bytes = call.bytes(buffer, count)?;
    call.caller
        .note("it was assumed that everything can be written to the standard output and the standard error");
    call.caller.output(output, &bytes);
    Ok(count)
}
