//! Calls that duplicate descriptors, and that ask and change what is known of them.

use super::context::errno;
use super::descriptors::flag;
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::process::{DESCRIPTORS, OpenFile};

/// Commands of `fcntl`.
mod command {
    pub(super) const F_DUPFD: u32 = 0;
    pub(super) const F_GETFD: u32 = 1;
    pub(super) const F_SETFD: u32 = 2;
    pub(super) const F_GETFL: u32 = 3;
    pub(super) const F_DUPFD_CLOEXEC: u32 = 1030;
}

/// The only flag of a descriptor.
const FD_CLOEXEC: u32 = 1;

/// Requests of `ioctl` to terminals, and those among these numbers that other files answer.
const OF_TERMINALS: std::ops::RangeInclusive<u32> = 0x5401..=0x541f;
const FIONREAD: u32 = 0x541b;

pub(super) fn dup(call: &mut SystemCall<'_>) -> CallResult {
    let from = call.int(0)?;
    duplicate_from(call, from, 0, false)
}

/// Duplicates a descriptor to the least free one from a number on.
fn duplicate_from(call: &mut SystemCall<'_>, from: u32, least: u32, closes: bool) -> CallResult {
    if call.process.file(from).is_none() {
        return Err(CallFailure::Errno(errno::EBADF));
    }
    match call.process.free_descriptor(least) {
        Some(to) => duplicate(call, from, to, closes),
        None => Err(CallFailure::Errno(errno::EMFILE)),
    }
}

pub(super) fn dup2(call: &mut SystemCall<'_>) -> CallResult {
    let (from, to) = (call.int(0)?, call.int(1)?);
    duplicate(call, from, to, false)
}

pub(super) fn dup3(call: &mut SystemCall<'_>) -> CallResult {
    let (from, to, flags) = (call.int(0)?, call.int(1)?, u64::from(call.int(2)?));
    if from == to || flags & !flag::O_CLOEXEC != 0 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    duplicate(call, from, to, flags & flag::O_CLOEXEC != 0)
}

fn duplicate(call: &mut SystemCall<'_>, from: u32, to: u32, closes: bool) -> CallResult {
    if to >= DESCRIPTORS {
        call.caller.note("the usual limits of resources were assumed");
        return Err(CallFailure::Errno(errno::EBADF));
    }
    let done = call.process.duplicate(from, to, closes);
    done.map(u64::from).ok_or(CallFailure::Errno(errno::EBADF))
}

pub(super) fn fcntl(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, command) = (call.int(0)?, call.int(1)?);
    let Some(file) = call.process.file(descriptor).cloned() else {
        return Err(CallFailure::Errno(errno::EBADF));
    };
    match command {
        command::F_DUPFD | command::F_DUPFD_CLOEXEC => {
            let least = call.int(2)?;
            if least >= DESCRIPTORS {
                call.caller.note("the usual limits of resources were assumed");
                return Err(CallFailure::Errno(errno::EINVAL));
            }
            duplicate_from(call, descriptor, least, command == command::F_DUPFD_CLOEXEC)
        }
        command::F_GETFD => {
            Ok(call.process.descriptors.get(&descriptor).map_or(0, |found| u64::from(found.closes)))
        }
        command::F_SETFD => {
            let closes = call.int(2)? & FD_CLOEXEC != 0;
            set_closing(call, descriptor, closes);
            Ok(0)
        }
        command::F_GETFL => Ok(match file {
            OpenFile::Input => 0,
            OpenFile::Output(_) => 1,
            OpenFile::File { access, .. } => access.flags,
        }),
        _ => call.unmodelled(),
    }
}

fn set_closing(call: &mut SystemCall<'_>, descriptor: u32, closes: bool) {
    if let Some(found) = call.process.descriptors.get_mut(&descriptor) {
        found.closes = closes;
    }
}

/// No descriptor is a terminal or another device.
pub(super) fn ioctl(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, request) = (call.int(0)?, call.int(1)?);
    if call.process.file(descriptor).is_none() {
        return Err(CallFailure::Errno(errno::EBADF));
    }
    if request == FIONREAD || !OF_TERMINALS.contains(&request) {
        return call.unmodelled();
    }
    call.caller.note("the standard input, output and error were assumed to be no terminal");
    Err(CallFailure::Errno(errno::ENOTTY))
}
