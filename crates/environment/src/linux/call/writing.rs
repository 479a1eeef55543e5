//! Calls that write to the outputs of the process and to files. What is written is kept; nothing of the host is changed.

use super::context::errno;
use super::overlay::write_file;
use super::reading::{MOST, buffers};
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::process::OpenFile;

pub(super) fn write(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    write_from(call, descriptor, buffer, count.min(MOST))
}

pub(super) fn writev(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, list, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    let mut done = 0;
    for (buffer, size) in buffers(call, list, count)? {
        match write_from(call, descriptor, buffer, size) {
            Err(CallFailure::Errno(_)) if done > 0 => break,
            written => done += written?,
        }
    }
    Ok(done)
}

pub(super) fn pwrite(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    if call.linux.word < 8 {
        // The position is in two registers, which ones differs.
        return call.unmodelled();
    }
    let (position, count) = (call.argument(3)?, count.min(MOST));
    match call.process.file(descriptor).cloned() {
        Some(OpenFile::File { node, access, .. }) if access.write => {
            let Some(number) = node.kind.overlay_number() else { return call.unmodelled() };
            write_file(call, number, position, buffer, count)?;
            Ok(count)
        }
        Some(OpenFile::Output(_)) => Err(CallFailure::Errno(errno::ESPIPE)),
        Some(OpenFile::Input | OpenFile::File { .. }) | None => Err(CallFailure::Errno(errno::EBADF)),
    }
}

fn write_from(call: &mut SystemCall<'_>, descriptor: u32, buffer: u64, count: u64) -> CallResult {
    let output = match call.process.file(descriptor).cloned() {
        Some(OpenFile::Output(output)) => output,
        Some(OpenFile::File { node, position, access }) if access.write => {
            let Some(number) = node.kind.overlay_number() else { return call.unmodelled() };
            let position = if access.append { call.process.overlay.size(number) } else { position };
            let end = write_file(call, number, position, buffer, count)?;
            if let Some(OpenFile::File { position, .. }) = call.process.file_mut(descriptor) {
                *position = end;
            }
            return Ok(count);
        }
        Some(OpenFile::Input | OpenFile::File { .. }) | None => {
            return Err(CallFailure::Errno(errno::EBADF));
        }
    };
    let bytes = call.bytes(buffer, count)?;
    call.caller
        .note("it was assumed that everything can be written to the standard output and the standard error");
    call.caller.output(output, &bytes);
    Ok(count)
}
