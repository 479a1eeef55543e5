//! Calls that open and close files.

use super::context::errno;
use super::overlay::{create, to_written};
use super::path::{LastLink, check_access, link_at, node_in, path_at, place_of};
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileNode, NodeKind};
use crate::linux::process::{OpenFile, OpenMode};

/// Flags by which a file is opened.
pub(super) mod flag {
    pub(super) const O_ACCMODE: u64 = 0o3;
    pub(super) const O_CREAT: u64 = 0o100;
    pub(super) const O_EXCL: u64 = 0o200;
    const O_NOCTTY: u64 = 0o400;
    pub(super) const O_TRUNC: u64 = 0o1000;
    pub(super) const O_APPEND: u64 = 0o2000;
    const O_NONBLOCK: u64 = 0o4000;
    const O_SYNC: u64 = 0o4_010_000;
    const O_LARGEFILE: u64 = 0o100_000;
    pub(super) const O_DIRECTORY: u64 = 0o200_000;
    pub(super) const O_NOFOLLOW: u64 = 0o400_000;
    pub(in super::super) const O_CLOEXEC: u64 = 0o2_000_000;
    /// Those of which there is a model, or which change nothing of a regular file.
    pub(super) const MODELLED: u64 =
        ONCE | (O_ACCMODE | O_APPEND | O_NONBLOCK | O_SYNC | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW);
    /// Those that the open file description does not keep.
    pub(super) const ONCE: u64 = O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC;
    /// The flag that the kernel adds where sizes of files have 64 bits.
    pub(super) const ALWAYS_KEPT: u64 = O_LARGEFILE;
}

pub(super) fn open(call: &mut SystemCall<'_>) -> CallResult {
    let (path, flags) = (call.argument(0)?, call.argument(1)?);
    open_at(call, path, flags, 2)
}

pub(super) fn openat(call: &mut SystemCall<'_>) -> CallResult {
    let path = path_at(call)?;
    let flags = call.argument(2)?;
    open_at(call, path, flags, 3)
}

/// Opens the file at the path that an address has. `mode` is the argument with the permissions of a new file.
fn open_at(call: &mut SystemCall<'_>, path: u64, flags: u64, mode: usize) -> CallResult {
    // They are an `int`.
    let flags = flags & u64::from(u32::MAX);
    let is_made = flags & flag::O_CREAT != 0;
    if flags & !flag::MODELLED != 0 || is_made && flags & flag::O_DIRECTORY != 0 {
        return call.unmodelled();
    }
    let always = if call.linux.word < 8 { 0 } else { flag::ALWAYS_KEPT };
    let append = flags & flag::O_APPEND != 0;
    let kept = flags & !flag::ONCE | always;
    let access = match flags & flag::O_ACCMODE {
        0 if flags & flag::O_TRUNC != 0 => return call.unmodelled(),
        0 => OpenMode { read: true, write: false, append, flags: kept },
        mode @ (1 | 2) => OpenMode { read: mode == 2, write: true, append, flags: kept },
        _ => return call.unmodelled(),
    };
    let path = call.text(path)?;
    // The kernel takes a descriptor before it walks the path.
    if call.process.free_descriptor(0).is_none() && !path.is_empty() {
        call.caller.note("the usual limits of resources were assumed");
        return Err(CallFailure::Errno(errno::EMFILE));
    }
    let is_new = is_made && flags & flag::O_EXCL != 0;
    let last = if is_new || flags & flag::O_NOFOLLOW != 0 { LastLink::Itself } else { LastLink::Followed };
    let place = place_of(call, &path, last)?;
    if is_made && place.has_slash {
        return Err(CallFailure::Errno(errno::EISDIR));
    }
    if last == LastLink::Itself && link_at(call, &place.path).is_some() {
        return match (is_new, flags & flag::O_DIRECTORY != 0 || place.has_slash) {
            (true, _) => Err(CallFailure::Errno(errno::EEXIST)),
            (false, true) => call.unmodelled(),
            (false, false) => Err(CallFailure::Errno(errno::ELOOP)),
        };
    }
    let node = match node_in(call, &place) {
        Err(CallFailure::Errno(errno::ENOENT)) if is_made => {
            let mode = call.argument(mode)?;
            create(call, &place, mode)
        }
        found => existing(call, found?, access, flags)?,
    };
    let file = OpenFile::File { node, position: 0, access };
    let opened = call.process.open(file, flags & flag::O_CLOEXEC != 0);
    opened.map(u64::from).ok_or(CallFailure::Errno(errno::EMFILE))
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
    if flags & flag::O_DIRECTORY != 0 && !node.is_directory() {
        return Err(CallFailure::Errno(errno::ENOTDIR));
    }
    match node.kind {
        NodeKind::Directory if access.write || flags & flag::O_CREAT != 0 => {
            return Err(CallFailure::Errno(errno::EISDIR));
        }
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
    let wanted = if access.read { 4 } else { 0 } | if access.write { 2 } else { 0 };
    check_access(call, &node, wanted)?;
    let is_truncated = flags & flag::O_TRUNC != 0;
    if access.write { to_written(call, &node, !is_truncated) } else { Ok(node) }
}

pub(super) fn close(call: &mut SystemCall<'_>) -> CallResult {
    let descriptor = call.int(0)?;
    if call.process.close(descriptor) { Ok(0) } else { Err(CallFailure::Errno(errno::EBADF)) }
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
