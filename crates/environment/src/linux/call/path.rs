//! Paths that calls name: relative to a directory, and the file at a path as the process sees it.

use super::context::errno;
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileNode, Found, NodeKind};

/// The descriptor that stands for the directory of the process.
const AT_FDCWD: u32 = -100_i32 as u32;

/// The address of the path in the second argument, which is relative to the directory in the first one.
pub(super) fn path_at(call: &mut SystemCall<'_>) -> CallResult {
    let (directory, path) = (call.int(0)?, call.argument(1)?);
    let is_absolute = call.fixed_bytes(path, 1)?[0] == b'/';
    if directory != AT_FDCWD && !is_absolute { call.unmodelled() } else { Ok(path) }
}

/// The file at a path.
pub(super) fn node_at(call: &mut SystemCall<'_>, path: &str) -> Result<FileNode, CallFailure> {
    let absolute = call.linux.files.absolute(path);
    match call.process.overlay.at(&absolute) {
        Some(None) => return Err(CallFailure::Errno(errno::ENOENT)),
        Some(Some(number)) => {
            return Ok(FileNode { path: absolute, kind: NodeKind::Overlay(number), permissions: 0o644 });
        }
        None => {}
    }
    match call.linux.files.find(path) {
        Found::File(file) => Ok(file),
        Found::Nothing { made_up } => {
            call.caller.note(match made_up {
                true => "`/proc` and `/sys` were assumed not to be mounted",
                false => "files that are not on this machine were assumed not to appear",
            });
            Err(CallFailure::Errno(errno::ENOENT))
        }
        Found::Unmodelled => call.unmodelled(),
    }
}
