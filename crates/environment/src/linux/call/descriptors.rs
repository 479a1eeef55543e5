//! Calls that open, close and duplicate files.

use super::context::errno;
use super::overlay::{create, to_written};
use super::path::{node_at, path_at};
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileNode, NodeKind};
use crate::linux::process::{OpenFile, OpenMode};

/// Flags by which a file is opened.
mod flag {
    pub(super) const O_ACCMODE: u64 = 0o3;
    pub(super) const O_CREAT: u64 = 0o100;
    pub(super) const O_EXCL: u64 = 0o200;
    pub(super) const O_TRUNC: u64 = 0o1000;
    pub(super) const O_APPEND: u64 = 0o2000;
    pub(super) const O_CLOEXEC: u64 = 0o2_000_000;
    /// `O_PATH` and `O_TMPFILE`.
    pub(super) const UNMODELLED: u64 = 0o10_000_000 | 0o20_000_000;
}

pub(super) fn open(call: &mut SystemCall<'_>) -> CallResult {
    let (path, flags) = (call.argument(0)?, call.argument(1)?);
    open_at(call, path, flags)
}

pub(super) fn openat(call: &mut SystemCall<'_>) -> CallResult {
    let path = path_at(call)?;
    let flags = call.argument(2)?;
    open_at(call, path, flags)
}

fn open_at(call: &mut SystemCall<'_>, path: u64, flags: u64) -> CallResult {
    let path = call.text(path)?;
    if path.is_empty() {
        return Err(CallFailure::Errno(errno::ENOENT));
    }
    let access = match flags & flag::O_ACCMODE {
        _ if flags & flag::UNMODELLED != 0 => return call.unmodelled(),
        0 if flags & flag::O_TRUNC != 0 => return call.unmodelled(),
        0 => OpenMode { read: true, write: false, append: false },
        mode @ (1 | 2) => OpenMode { read: mode == 2, write: true, append: flags & flag::O_APPEND != 0 },
        _ => return call.unmodelled(),
    };
    let node = match node_at(call, &path) {
        Err(CallFailure::Errno(errno::ENOENT)) if flags & flag::O_CREAT != 0 => create(call, &path)?,
        found => existing(call, found?, access, flags)?,
    };
    Ok(u64::from(call.process.open(OpenFile::File { node, position: 0, access })))
}

/// Opens a file that is there.
fn existing(
    call: &mut SystemCall<'_>,
    node: FileNode,
    access: OpenMode,
    flags: u64,
) -> Result<FileNode, CallFailure> {
    if flags & (flag::O_CREAT | flag::O_EXCL) == flag::O_CREAT | flag::O_EXCL {
        return Err(CallFailure::Errno(errno::EEXIST));
    }
    match node.kind {
        NodeKind::Directory if access.write => return Err(CallFailure::Errno(errno::EISDIR)),
        // There is no model of reading a directory.
        NodeKind::Directory => return call.unmodelled(),
        NodeKind::Input(_) => {
            call.caller
                .note("files that are input were assumed to exist, and the process to have access to them");
        }
        NodeKind::Regular(_) => {
            call.caller.note("files were assumed to have the contents that they have on this machine");
        }
        NodeKind::Overlay(_) => {}
    }
    let is_truncated = flags & flag::O_TRUNC != 0;
    if access.write { to_written(call, &node, !is_truncated) } else { Ok(node) }
}

pub(super) fn close(call: &mut SystemCall<'_>) -> CallResult {
    let descriptor = call.int(0)?;
    if call.process.close(descriptor) { Ok(0) } else { Err(CallFailure::Errno(errno::EBADF)) }
}

pub(super) fn dup(call: &mut SystemCall<'_>) -> CallResult {
    let from = call.int(0)?;
    let to = call.process.free_descriptor(0);
    duplicate(call, from, to)
}

pub(super) fn dup2(call: &mut SystemCall<'_>) -> CallResult {
    let (from, to) = (call.int(0)?, call.int(1)?);
    duplicate(call, from, to)
}

/// Its flag, to close the descriptor when another program is started, has no effect: none is.
pub(super) fn dup3(call: &mut SystemCall<'_>) -> CallResult {
    let (from, to, flags) = (call.int(0)?, call.int(1)?, call.argument(2)?);
    if from == to || flags & !flag::O_CLOEXEC != 0 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    duplicate(call, from, to)
}

fn duplicate(call: &mut SystemCall<'_>, from: u32, to: u32) -> CallResult {
    let done = call.process.duplicate(from, to);
    done.map(u64::from).ok_or(CallFailure::Errno(errno::EBADF))
}

pub(super) fn fcntl(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, command) = (call.int(0)?, call.int(1)?);
    let Some(file) = call.process.file(descriptor).cloned() else {
        return Err(CallFailure::Errno(errno::EBADF));
    };
    match command {
        // F_DUPFD, F_DUPFD_CLOEXEC
        0 | 1030 => {
            let least = call.int(2)?;
            let to = call.process.free_descriptor(least);
            duplicate(call, descriptor, to)
        }
        // F_GETFD, F_SETFD: no other program is started.
        1 | 2 => Ok(0),
        // F_GETFL
        3 => Ok(match file {
            OpenFile::Input => 0,
            OpenFile::Output(_) => 1,
            OpenFile::File { access: OpenMode { read, write, append }, .. } => {
                let mode = if write { 1 + u64::from(read) } else { 0 };
                mode | if append { flag::O_APPEND } else { 0 }
            }
        }),
        _ => call.unmodelled(),
    }
}

/// No descriptor is a terminal or another device.
pub(super) fn ioctl(call: &mut SystemCall<'_>) -> CallResult {
    let descriptor = call.int(0)?;
    let is_open = call.process.file(descriptor).is_some();
    call.caller.note("the standard input, output and error were assumed to be no terminal");
    Err(CallFailure::Errno(if is_open { errno::ENOTTY } else { errno::EBADF }))
}

pub(super) fn advise(call: &mut SystemCall<'_>) -> CallResult {
    of_file(call, errno::ESPIPE)
}

pub(super) fn sync(call: &mut SystemCall<'_>) -> CallResult {
    of_file(call, errno::EINVAL)
}

/// A call that does nothing here to an open file, and refuses a pipe with an error.
fn of_file(call: &mut SystemCall<'_>, of_pipe: u64) -> CallResult {
    let descriptor = call.int(0)?;
    match call.process.file(descriptor) {
        Some(OpenFile::File { .. }) => Ok(0),
        Some(_) => Err(CallFailure::Errno(of_pipe)),
        None => Err(CallFailure::Errno(errno::EBADF)),
    }
}
