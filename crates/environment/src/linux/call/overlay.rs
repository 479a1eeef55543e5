//! Copy-on-write overlay over the host's files (as OverlayFS): calls that make, change and remove files change it, and nothing
//! of the host.

use super::context::errno;
use super::identity::MASK;
use super::path::{LastLink, Place, link_at, node_in, path_at, place_of};
use super::reading::{copy_input, fixed_size};
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileAttributes, FileNode, NodeKind, inode};
use crate::linux::overlay::{LARGEST_WRITTEN, contents_at};
use crate::linux::process::OpenFile;
use everypath_ir::Location;

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
        self.refuse_mapped(number)?;
        if size > LARGEST_WRITTEN {
            return self.unmodelled();
        }
        self.clear_written(number, size, self.process.overlay.size(number));
        self.process.overlay.set_size(number, size);
        Ok(())
    }
}

/// Makes an empty file with these permissions, where there is none.
pub(super) fn create(call: &mut SystemCall<'_>, place: &Place, mode: u64) -> FileNode {
    call.note_written();
    if !call.process.has_mask {
        call.caller.note(MASK);
    }
    let path = place.path.clone();
    // A file that is removed may still be open, so that the next one of its name has another number.
    let number = call.process.overlay.next_number();
    let attributes =
        FileAttributes::own(inode(&format!("{number}:{path}")), mode & 0o7777 & !call.process.mask);
    call.process.overlay.create(path.clone(), attributes);
    FileNode { path, kind: NodeKind::Overlay(number), attributes }
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
    if node.attributes.links > 1 {
        // The other names of the file would have to change with it.
        return call.unmodelled();
    }
    let number = call.process.overlay.create(node.path.clone(), node.attributes);
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
    for mapped in call.process.mapped.iter_mut().filter(|mapped| mapped.node == *node) {
        mapped.node = copy.clone();
    }
    if !keeps_contents {
        call.refuse_mapped(number)?;
    }
    Ok(copy)
}

/// Writes bytes of memory to a file, as far as they can be read. Returns their number.
pub(super) fn write_file(
    call: &mut SystemCall<'_>,
    number: usize,
    position: u64,
    buffer: u64,
    count: u64,
) -> CallResult {
    let done = call.readable(buffer, count);
    if count == 0 {
        return Ok(0);
    }
    if done == 0 {
        return Err(CallFailure::Errno(errno::EFAULT));
    }
    call.refuse_mapped(number)?;
    let Some(end) = position.checked_add(done).filter(|end| *end <= LARGEST_WRITTEN) else {
        return call.unmodelled();
    };
    let (from, to) = (call.location(buffer), call.written_at(number, position));
    call.caller.copy(from, to, done);
    let size = call.process.overlay.size(number).max(end);
    call.process.overlay.set_size(number, size);
    call.note_written();
    Ok(done)
}

pub(super) fn ftruncate(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, size) = (call.int(0)?, call.argument(1)?);
    if call.linux.word == 8 && size > i64::MAX as u64 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
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
    let place = place_of(call, &path, LastLink::Itself)?;
    if own_node(call, &place)?.is_directory() {
        return Err(CallFailure::Errno(errno::EISDIR));
    }
    call.note_written();
    call.process.overlay.remove(place.path);
    Ok(0)
}

pub(super) fn rename(call: &mut SystemCall<'_>) -> CallResult {
    let (from, to) = (call.argument(0)?, call.argument(1)?);
    let (from, to) = (call.text(from)?, call.text(to)?);
    let from = place_of(call, &from, LastLink::Itself)?;
    let to = place_of(call, &to, LastLink::Itself)?;
    let node = own_node(call, &from)?;
    if node.is_directory() {
        return call.unmodelled();
    }
    let replaced = own_node(call, &Place { path: to.path.clone(), has_slash: false });
    match replaced {
        _ if to.has_slash => return Err(CallFailure::Errno(errno::ENOTDIR)),
        Ok(replaced) if replaced.is_directory() => return Err(CallFailure::Errno(errno::EISDIR)),
        Err(CallFailure::Fault(fault)) => return Err(CallFailure::Fault(fault)),
        // Two names of one file stay, and an error is that there is nothing yet.
        Ok(replaced) if replaced.attributes.inode == node.attributes.inode => return Ok(0),
        Ok(_) | Err(CallFailure::Errno(_)) => {}
    }
    let node = to_written(call, &node, true)?;
    let Some(number) = node.kind.overlay_number() else { return call.unmodelled() };
    call.process.overlay.link(to.path, number);
    call.process.overlay.remove(from.path);
    Ok(0)
}

/// The file in a place, which is no symbolic link: these are neither removed nor renamed.
fn own_node(call: &mut SystemCall<'_>, place: &Place) -> Result<FileNode, CallFailure> {
    if link_at(call, &place.path).is_some() { call.unmodelled() } else { node_in(call, place) }
}
