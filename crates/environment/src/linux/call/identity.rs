//! Calls that ask who the process is, and on which system it runs.

use super::{CallResult, SystemCall};
use crate::linux::files::USER;

/// The number of the process, and of its only thread.
pub(super) const PROCESS: u64 = 1000;
/// The number of the process that has started it.
const PARENT: u64 = 999;
/// The size of a text in the name of the system.
const NAME: usize = 65;

/// The assumption about the mask for the permissions of new files.
pub(super) const MASK: &str =
    "the process was assumed to be started with the mask 022 for the permissions of new files";

pub(super) fn process(call: &mut SystemCall<'_>) -> CallResult {
    call.assumes_result = true;
    Ok(PROCESS)
}

/// The number of the thread, where the C library asks for it at the start.
pub(super) fn thread(call: &mut SystemCall<'_>) -> CallResult {
    call.caller.note("the process was assumed to have the number 1000");
    Ok(PROCESS)
}

pub(super) fn parent(call: &mut SystemCall<'_>) -> CallResult {
    call.assumes_result = true;
    Ok(PARENT)
}

pub(super) fn user(call: &mut SystemCall<'_>) -> CallResult {
    call.assumes_result = true;
    Ok(USER)
}

pub(super) fn umask(call: &mut SystemCall<'_>) -> CallResult {
    let new = call.argument(0)? & 0o777;
    // The first answer is the mask with which the process was started. Libraries compare every answer with errors, so that a decision
    // on it would be noted in each program that calls this.
    if !std::mem::replace(&mut call.process.has_mask, true) {
        call.caller.note(MASK);
    }
    Ok(std::mem::replace(&mut call.process.mask, new))
}

pub(super) fn uname(call: &mut SystemCall<'_>) -> CallResult {
    let buffer = call.argument(0)?;
    let machine = call.linux.interface.machine.clone();
    let mut bytes = Vec::with_capacity(6 * NAME);
    for text in ["Linux", "localhost", "6.1.0", "#1 SMP", &machine, "(none)"] {
        let start = bytes.len();
        bytes.extend(text.bytes().take(NAME - 1));
        bytes.resize(start + NAME, 0);
    }
    call.caller.note("the system was assumed to be Linux 6.1 on the host `localhost`");
    call.write_bytes(buffer, &bytes)?;
    Ok(0)
}
