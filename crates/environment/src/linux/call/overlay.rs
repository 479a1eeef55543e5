//! Copy-on-write overlay over the host's files (as OverlayFS): calls that make, change and remove files change it, and nothing
//! of the host.

use super::context::errno;
use super::path::{node_at, path_at};
use super::reading::{copy_input, fixed_size};
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileNode, NodeKind};
use crate::linux::overlay::{LARGEST_WRITTEN, contents_at};
use crate::linux::process::OpenFile;
use everypath_ir::Location;
use std::sync::Arc;

/// The flag of `unlinkat` by which it removes a directory.
const AT_REMOVEDIR: u64 = 0x200;

impl SystemCall<'_> {
    /// Where the contents of a written file are, from a position on.
    pub(super) fn written_at(&self, number: usize, position: u64) -> Location {
        contents_at(self.linux.space, self.linux.interface.addresses.stack_end, number, position)
    }

    fn note_written(&mut self) {
        self.caller.note(
            "it was assumed that the process may write files where it does, and that there is room for them",
        );
    }

    /// Makes the bytes of a written file in a range zero.
    fn clear_written(&mut self, number: usize, from: u64, to: u64) {
        let (start, zeros) = (self.written_at(number, from), vec![0; to.saturating_sub(from) as usize]);
        if let Some(memory) = self.caller.state().memory(start.space) {
            memory.load(start.offset, &zeros);
        }
        self.caller.written(start, zeros.len());
    }

    /// Sets the size of a written file. What it gains is zero.
    fn resize_written(&mut self, number: usize, size: u64) -> Result<(), CallFailure> {
        if size > LARGEST_WRITTEN {
            return self.unmodelled();
        }
        self.clear_written(number, size, self.process.overlay.size(number));
        self.process.overlay.set_size(number, size);
        Ok(())
    }
}

/// Makes an empty file where there is none.
pub(super) fn create(call: &mut SystemCall<'_>, path: &str) -> Result<FileNode, CallFailure> {
    let path = call.linux.files.absolute(path);
    check_parent(call, &path)?;
    call.note_written();
    let number = call.process.overlay.create(path.clone());
    let permissions = 0o666 & !call.process.mask;
    Ok(FileNode { path, kind: NodeKind::Overlay(number), permissions })
}

/// Refuses an absolute path whose parent directory does not exist.
fn check_parent(call: &mut SystemCall<'_>, path: &str) -> Result<(), CallFailure> {
    let parent = match path.rsplit_once('/') {
        None | Some(("", _)) => "/",
        Some((parent, _)) => parent,
    };
    match node_at(call, parent)?.kind {
        NodeKind::Directory => Ok(()),
        _ => Err(CallFailure::Errno(errno::ENOTDIR)),
    }
}

/// The same file in the upper layer (a copy-up), with its contents or without. Open descriptions of it follow.
pub(super) fn to_written(
    call: &mut SystemCall<'_>,
    node: &FileNode,
    keeps_contents: bool,
) -> Result<FileNode, CallFailure> {
    call.note_written();
    if let Some(number) = node.kind.overlay_number() {
        if !keeps_contents {
            call.resize_written(number, 0)?;
        }
        return Ok(node.clone());
    }
    let number = call.process.overlay.create(node.path.clone());
    let copy = FileNode { kind: NodeKind::Overlay(number), ..node.clone() };
    if keeps_contents {
        let to = call.written_at(number, 0);
        let size = match &node.kind {
            NodeKind::Regular(bytes) => {
                if let Some(memory) = call.caller.state().memory(to.space) {
                    memory.load(to.offset, bytes);
                }
                bytes.len() as u64
            }
            NodeKind::Input(file) => {
                let size = fixed_size(call, file);
                copy_input(call, file, 0, to.offset, size);
                size
            }
            NodeKind::Overlay(_) | NodeKind::Directory => return call.unmodelled(),
        };
        call.process.overlay.set_size(number, size);
    }
    for open in call.process.open.values_mut() {
        if let OpenFile::File { node: other, .. } = open
            && other == node
        {
            *other = copy.clone();
        }
    }
    Ok(copy)
}

/// Writes bytes of memory to a file. Returns the position after them.
pub(super) fn write_file(
    call: &mut SystemCall<'_>,
    number: usize,
    position: u64,
    buffer: u64,
    count: u64,
) -> CallResult {
    // Whether they can be read.
    call.bytes(buffer, count)?;
    let Some(end) = position.checked_add(count).filter(|end| *end <= LARGEST_WRITTEN) else {
        return call.unmodelled();
    };
    let (from, to) = (call.location(buffer), call.written_at(number, position));
    call.caller.copy(from, to, count);
    let size = call.process.overlay.size(number).max(end);
    call.process.overlay.set_size(number, size);
    call.note_written();
    Ok(end)
}

pub(super) fn ftruncate(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, size) = (call.int(0)?, call.argument(1)?);
    match call.process.file(descriptor).cloned() {
        None => Err(CallFailure::Errno(errno::EBADF)),
        Some(OpenFile::File { node, access, .. }) if access.write => {
            let Some(number) = node.kind.overlay_number() else { return call.unmodelled() };
            call.resize_written(number, size)?;
            Ok(0)
        }
        Some(_) => Err(CallFailure::Errno(errno::EINVAL)),
    }
}

pub(super) fn unlink(call: &mut SystemCall<'_>) -> CallResult {
    let path = call.argument(0)?;
    remove(call, path)
}

pub(super) fn unlinkat(call: &mut SystemCall<'_>) -> CallResult {
    let path = path_at(call)?;
    if call.argument(2)? & AT_REMOVEDIR != 0 {
        return call.unmodelled();
    }
    remove(call, path)
}

fn remove(call: &mut SystemCall<'_>, path: u64) -> CallResult {
    let path = call.text(path)?;
    let path = regular_at(call, &path)?.0;
    call.note_written();
    call.process.overlay.remove(path);
    Ok(0)
}

pub(super) fn rename(call: &mut SystemCall<'_>) -> CallResult {
    let (from, to) = (call.argument(0)?, call.argument(1)?);
    let (from, to) = (call.text(from)?, call.text(to)?);
    let (from, node) = regular_at(call, &from)?;
    let to = call.linux.files.absolute(&to);
    if from == to {
        return Ok(0);
    }
    check_parent(call, &to)?;
    if matches!(node_at(call, &to), Ok(FileNode { kind: NodeKind::Directory, .. })) {
        return Err(CallFailure::Errno(errno::EISDIR));
    }
    let node = to_written(call, &node, true)?;
    let Some(number) = node.kind.overlay_number() else { return call.unmodelled() };
    call.process.overlay.link(to, number);
    call.process.overlay.remove(from);
    Ok(0)
}

/// The regular file at a path, with that path from the root on.
fn regular_at(call: &mut SystemCall<'_>, path: &str) -> Result<(Arc<str>, FileNode), CallFailure> {
    let node = node_at(call, path)?;
    if matches!(node.kind, NodeKind::Directory) {
        return Err(CallFailure::Errno(errno::EISDIR));
    }
    Ok((call.linux.files.absolute(path), node))
}
