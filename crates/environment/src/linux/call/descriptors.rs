//! Calls that open, close and duplicate files.

use super::context::error;
use super::reading::node_at;
use super::written::{create, to_written};
use super::{Answer, SystemCall};
use crate::linux::caller::Refusal;
use crate::linux::files::{FileNode, NodeKind};
use crate::linux::process::{Access, OpenFile};

/// The descriptor that stands for the folder of the process.
const HERE: u32 = -100_i32 as u32;
/// Flags by which a file is opened.
mod flag {
    pub(super) const ACCESS: u64 = 0o3;
    pub(super) const CREATE: u64 = 0o100;
    pub(super) const EXCLUSIVE: u64 = 0o200;
    pub(super) const TRUNCATE: u64 = 0o1000;
    pub(super) const APPEND: u64 = 0o2000;
    pub(super) const CLOSE_ON_EXEC: u64 = 0o2_000_000;
    /// `O_PATH` and `O_TMPFILE`.
    pub(super) const UNMODELLED: u64 = 0o10_000_000 | 0o20_000_000;
}

pub(super) fn open(call: &mut SystemCall<'_>) -> Answer {
    let (path, flags) = (call.argument(0)?, call.argument(1)?);
    open_at(call, path, flags)
}

pub(super) fn openat(call: &mut SystemCall<'_>) -> Answer {
    let path = path_at(call)?;
    let flags = call.argument(2)?;
    open_at(call, path, flags)
}

/// The address of the path in the second argument, which is relative to the folder in the first one.
pub(super) fn path_at(call: &mut SystemCall<'_>) -> Answer {
    let (folder, path) = (call.int(0)?, call.argument(1)?);
    let is_absolute = call.fixed_bytes(path, 1)?[0] == b'/';
    if folder != HERE && !is_absolute { call.unmodelled() } else { Ok(path) }
}

fn open_at(call: &mut SystemCall<'_>, path: u64, flags: u64) -> Answer {
    let path = call.text(path)?;
    if path.is_empty() {
        return Err(Refusal::Error(error::NO_FILE));
    }
    let access = match flags & flag::ACCESS {
        _ if flags & flag::UNMODELLED != 0 => return call.unmodelled(),
        0 if flags & flag::TRUNCATE != 0 => return call.unmodelled(),
        0 => Access { read: true, write: false, append: false },
        mode @ (1 | 2) => Access { read: mode == 2, write: true, append: flags & flag::APPEND != 0 },
        _ => return call.unmodelled(),
    };
    let node = match node_at(call, &path) {
        Err(Refusal::Error(error::NO_FILE)) if flags & flag::CREATE != 0 => create(call, &path)?,
        found => existing(call, found?, access, flags)?,
    };
    Ok(u64::from(call.process.open(OpenFile::File { node, position: 0, access })))
}

/// Opens a file that is there.
fn existing(
    call: &mut SystemCall<'_>,
    node: FileNode,
    access: Access,
    flags: u64,
) -> Result<FileNode, Refusal> {
    if flags & (flag::CREATE | flag::EXCLUSIVE) == flag::CREATE | flag::EXCLUSIVE {
        return Err(Refusal::Error(error::EXISTS));
    }
    match node.kind {
        NodeKind::Folder if access.write => return Err(Refusal::Error(error::IS_FOLDER)),
        // There is no model of reading a folder.
        NodeKind::Folder => return call.unmodelled(),
        NodeKind::Input(_) => {
            call.caller
                .note("files that are input were assumed to exist, and the process to have access to them");
        }
        NodeKind::Regular(_) => {
            call.caller.note("files were assumed to have the contents that they have on this machine");
        }
        NodeKind::Written(_) => {}
    }
    let is_truncated = flags & flag::TRUNCATE != 0;
    if access.write { to_written(call, &node, !is_truncated) } else { Ok(node) }
}

pub(super) fn close(call: &mut SystemCall<'_>) -> Answer {
    let descriptor = call.int(0)?;
    if call.process.close(descriptor) { Ok(0) } else { Err(Refusal::Error(error::BAD_DESCRIPTOR)) }
}

pub(super) fn dup(call: &mut SystemCall<'_>) -> Answer {
    let from = call.int(0)?;
    let to = call.process.free_descriptor(0);
    duplicate(call, from, to)
}

pub(super) fn dup2(call: &mut SystemCall<'_>) -> Answer {
    let (from, to) = (call.int(0)?, call.int(1)?);
    duplicate(call, from, to)
}

/// Its flag, to close the descriptor when another program is started, has no effect: none is.
pub(super) fn dup3(call: &mut SystemCall<'_>) -> Answer {
    let (from, to, flags) = (call.int(0)?, call.int(1)?, call.argument(2)?);
    if from == to || flags & !flag::CLOSE_ON_EXEC != 0 {
        return Err(Refusal::Error(error::INVALID));
    }
    duplicate(call, from, to)
}

fn duplicate(call: &mut SystemCall<'_>, from: u32, to: u32) -> Answer {
    let done = call.process.duplicate(from, to);
    done.map(u64::from).ok_or(Refusal::Error(error::BAD_DESCRIPTOR))
}

pub(super) fn fcntl(call: &mut SystemCall<'_>) -> Answer {
    let (descriptor, command) = (call.int(0)?, call.int(1)?);
    let Some(file) = call.process.file(descriptor).cloned() else {
        return Err(Refusal::Error(error::BAD_DESCRIPTOR));
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
            OpenFile::File { access: Access { read, write, append }, .. } => {
                let mode = if write { 1 + u64::from(read) } else { 0 };
                mode | if append { flag::APPEND } else { 0 }
            }
        }),
        _ => call.unmodelled(),
    }
}

/// No descriptor is a terminal or another device.
pub(super) fn ioctl(call: &mut SystemCall<'_>) -> Answer {
    let descriptor = call.int(0)?;
    let is_open = call.process.file(descriptor).is_some();
    call.caller.note("the standard input, output and error were assumed to be no terminal");
    Err(Refusal::Error(if is_open { error::NO_TERMINAL } else { error::BAD_DESCRIPTOR }))
}

pub(super) fn advise(call: &mut SystemCall<'_>) -> Answer {
    of_file(call, error::NO_SEEK)
}

pub(super) fn sync(call: &mut SystemCall<'_>) -> Answer {
    of_file(call, error::INVALID)
}

/// A call that does nothing here to an open file, and refuses a pipe with an error.
fn of_file(call: &mut SystemCall<'_>, of_pipe: u64) -> Answer {
    let descriptor = call.int(0)?;
    match call.process.file(descriptor) {
        Some(OpenFile::File { .. }) => Ok(0),
        Some(_) => Err(Refusal::Error(of_pipe)),
        None => Err(Refusal::Error(error::BAD_DESCRIPTOR)),
    }
}
