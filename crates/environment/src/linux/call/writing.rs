//! Calls that write to the outputs of the process. What is written is kept; nothing of the host is changed.

use super::context::error;
use super::reading::{MOST, buffers};
use super::{Answer, SystemCall};
use crate::linux::caller::Refusal;
use crate::linux::process::OpenFile;

pub(super) fn write(call: &mut SystemCall<'_>) -> Answer {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    write_from(call, descriptor, buffer, count.min(MOST))
}

pub(super) fn writev(call: &mut SystemCall<'_>) -> Answer {
    let (descriptor, list, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    let mut done = 0;
    for (buffer, size) in buffers(call, list, count)? {
        match write_from(call, descriptor, buffer, size) {
            Err(Refusal::Error(_)) if done > 0 => break,
            written => done += written?,
        }
    }
    Ok(done)
}

fn write_from(call: &mut SystemCall<'_>, descriptor: u32, buffer: u64, count: u64) -> Answer {
    let Some(OpenFile::Output(output)) = call.process.file(descriptor).cloned() else {
        return Err(Refusal::Error(error::BAD_DESCRIPTOR));
    };
    let bytes = call.bytes(buffer, count)?;
    call.caller
        .note("it was assumed that everything can be written to the standard output and the standard error");
    call.caller.output(output, &bytes);
    Ok(count)
}
