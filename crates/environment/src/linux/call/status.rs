//! Calls that ask about files: their status, links, and the directory of the process.

use super::context::errno;
use super::path::{
    LastLink, PERMISSIONS, check_access, link_at, node_at, node_in, own_node_at, path_at, place_of,
};
use super::time::START;
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileAttributes, FileNode, NodeKind};
use crate::linux::process::{OpenFile, Process};

const S_IFIFO: u64 = 0o010_000;
const S_IFDIR: u64 = 0o040_000;
const S_IFREG: u64 = 0o100_000;
/// A link at the end of the path is not followed.
const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
/// Access is that of the effective user, who is the same.
const AT_EACCESS: u64 = 0x200;
/// The first argument is the file itself.
const AT_EMPTY_PATH: u64 = 0x1000;
/// The path of the program, where it asks for it.
pub(crate) const PROGRAM: &str = "/program";

/// The device of all files, and that of pipes.
const FILES: u64 = 1;
const PIPES: u64 = 14;

/// The number of words that the times of a file have: of its last access, modification and change of status, each of them with
/// seconds and nanoseconds.
const TIME_WORDS: usize = 6;

/// The shortest path of a directory, with its end.
const SHORTEST_DIRECTORY: u64 = 2;
/// The longest one whose bytes are assumptions.
const LONGEST_DIRECTORY: usize = 1024;

/// The status of a file (`stat`).
struct FileStatus {
    device: u64,
    kind: u64,
    attributes: FileAttributes,
    length: u64,
}

impl FileStatus {
    fn of(file: &FileNode, process: &Process) -> FileStatus {
        let (kind, length) = match &file.kind {
            NodeKind::Overlay(number) => (S_IFREG, process.overlay.size(*number)),
            NodeKind::Regular(bytes) => (S_IFREG, bytes.len() as u64),
            // Its size is written where the rest is.
            NodeKind::Input(_) => (S_IFREG, 0),
            NodeKind::Directory => (S_IFDIR, 4096),
        };
        let removed = u64::from(process.overlay.at(&file.path).is_some());
        let links = match &file.kind {
            NodeKind::Overlay(number) => process.overlay.links(*number),
            NodeKind::Regular(_) | NodeKind::Input(_) => file.attributes.links.saturating_sub(removed),
            NodeKind::Directory => file.attributes.links,
        };
        FileStatus { device: FILES, kind, attributes: FileAttributes { links, ..file.attributes }, length }
    }

    fn pipe(number: u64) -> FileStatus {
        let attributes = FileAttributes::own(number, 0o600);
        FileStatus { device: PIPES, kind: S_IFIFO, attributes, length: 0 }
    }
}

impl SystemCall<'_> {
    /// Where the times are in the status of a file: right behind the number of blocks, in the layouts of all architectures that have `[linux]`.
    fn times(&self) -> (u64, u64) {
        let (offset, size) = self.linux.interface.status.blocks;
        (offset + size, (TIME_WORDS * self.linux.word) as u64)
    }

    /// Makes fields of a status that was just written assumptions: each is an offset and a size.
    fn assume_fields(&mut self, buffer: u64, fields: &[(u64, u64)]) {
        // Code of the program runs behind that, and the linker looks at what tells files from each other.
        let is_loading = self.linux.linker.is_some()
            && !self.linux.thread_pointers.is_empty()
            && !self.process.has_thread_pointer;
        if is_loading {
            self.caller.note(
                "the times of libraries, and the blocks that they take, were assumed not to change how the dynamic linker loads them",
            );
            return;
        }
        for (offset, size) in fields {
            let at = self.location(buffer.wrapping_add(*offset));
            self.caller.assume(at, *size as usize, self.number);
        }
    }
}

pub(super) fn stat(call: &mut SystemCall<'_>) -> CallResult {
    let path = call.argument(0)?;
    let (path, buffer) = (call.text(path)?, call.argument(1)?);
    of_path(call, &path, buffer)
}

pub(super) fn lstat(call: &mut SystemCall<'_>) -> CallResult {
    let path = call.argument(0)?;
    let (path, buffer) = (call.text(path)?, call.argument(1)?);
    of_own(call, &path, buffer)
}

pub(super) fn fstat(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, buffer) = (call.int(0)?, call.argument(1)?);
    of_descriptor(call, descriptor, buffer)
}

pub(super) fn fstatat(call: &mut SystemCall<'_>) -> CallResult {
    let (directory, path, buffer, flags) =
        (call.int(0)?, call.argument(1)?, call.argument(2)?, call.argument(3)?);
    if flags & AT_EMPTY_PATH != 0 && call.fixed_bytes(path, 1)?[0] == 0 {
        return of_descriptor(call, directory, buffer);
    }
    let path = path_at(call)?;
    let path = call.text(path)?;
    if flags & AT_SYMLINK_NOFOLLOW != 0 { of_own(call, &path, buffer) } else { of_path(call, &path, buffer) }
}

fn of_path(call: &mut SystemCall<'_>, path: &str, buffer: u64) -> CallResult {
    let file = node_at(call, path)?;
    write_file_status(call, &file, buffer)
}

/// The status of the file at a path that is no symbolic link.
fn of_own(call: &mut SystemCall<'_>, path: &str, buffer: u64) -> CallResult {
    let file = own_node_at(call, path)?;
    write_file_status(call, &file, buffer)
}

fn of_descriptor(call: &mut SystemCall<'_>, descriptor: u32, buffer: u64) -> CallResult {
    let status = match call.process.file(descriptor).cloned() {
        None => return Err(CallFailure::Errno(errno::EBADF)),
        Some(OpenFile::Input) => FileStatus::pipe(1),
        Some(OpenFile::Output(number)) => FileStatus::pipe(1 + u64::from(number)),
        Some(OpenFile::File { node, .. }) => return write_file_status(call, &node, buffer),
    };
    call.caller.note("the standard input, output and error were assumed to be pipes");
    let written = write_status(call, &status, buffer)?;
    let times = call.times();
    call.assume_fields(buffer, &[times]);
    Ok(written)
}

fn write_file_status(call: &mut SystemCall<'_>, file: &FileNode, buffer: u64) -> CallResult {
    call.caller.note(PERMISSIONS);
    call.caller.note(
        "all files were assumed to be on one device, and the number of an inode to be one that is made from the file's path",
    );
    let written = write_status(call, &FileStatus::of(file, call.process), buffer)?;
    if let NodeKind::Input(input) = &file.kind {
        let layout = call.linux.interface.status;
        // Blocks are units of 512 bytes.
        for ((offset, size), shift) in [(layout.length, 0), (layout.blocks, 9)] {
            let to = call.location(buffer.wrapping_add(offset));
            call.caller.put_file_size(input, shift, to, size as usize);
        }
    }
    // The file system decides how many blocks a file takes, and what size a directory has.
    let (layout, (_, times)) = (call.linux.interface.status, call.times());
    let (blocks, size) = layout.blocks;
    let blocks_and_times = (blocks, size + times);
    if file.is_directory() {
        call.assume_fields(buffer, &[layout.length, blocks_and_times]);
    } else {
        call.assume_fields(buffer, &[blocks_and_times]);
    }
    Ok(written)
}

fn write_status(call: &mut SystemCall<'_>, status: &FileStatus, buffer: u64) -> CallResult {
    let layout = call.linux.interface.status;
    let attributes = &status.attributes;
    let mut bytes = vec![0; layout.size as usize];
    let fields = [
        (layout.device, status.device),
        (layout.inode, attributes.inode),
        (layout.mode, status.kind | attributes.permissions),
        (layout.links, attributes.links),
        (layout.user, attributes.owner),
        (layout.group, attributes.group),
        (layout.length, status.length),
        (layout.block_size, 4096),
        (layout.blocks, status.length.div_ceil(512)),
    ];
    for ((offset, size), value) in fields {
        let (offset, size) = (offset as usize, size as usize);
        bytes[offset..offset + size].copy_from_slice(&call.linux.endian.bytes(value, size));
    }
    let ((start, size), endian, word) = (call.times(), call.linux.endian, call.linux.word);
    let time = [endian.bytes(START, word), endian.bytes(0, word)].concat();
    let (start, size) = (start as usize, size as usize);
    match bytes.get_mut(start..start + size) {
        Some(times) => times.copy_from_slice(&time.repeat(TIME_WORDS / 2)),
        None => return call.unmodelled(),
    }
    call.write_bytes(buffer, &bytes)?;
    Ok(0)
}

pub(super) fn access(call: &mut SystemCall<'_>) -> CallResult {
    let (path, wanted) = (call.argument(0)?, call.int(1)?);
    accessible(call, path, wanted)
}

pub(super) fn accessat(call: &mut SystemCall<'_>) -> CallResult {
    let wanted = call.int(2)?;
    let path = path_at(call)?;
    accessible(call, path, wanted)
}

/// As `faccessat`, with flags.
pub(super) fn accessat2(call: &mut SystemCall<'_>) -> CallResult {
    let flags = u64::from(call.int(3)?);
    if flags & !(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    if flags & !AT_EACCESS != 0 { call.unmodelled() } else { accessat(call) }
}

fn accessible(call: &mut SystemCall<'_>, path: u64, wanted: u32) -> CallResult {
    if wanted & !7 != 0 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    let path = call.text(path)?;
    let node = node_at(call, &path)?;
    if wanted & 2 != 0 {
        call.caller.note("it was assumed that the process may write files where it asks whether it may");
    }
    check_access(call, &node, u64::from(wanted))?;
    Ok(0)
}

pub(super) fn readlink(call: &mut SystemCall<'_>) -> CallResult {
    let (path, buffer, size) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    link(call, path, buffer, size)
}

pub(super) fn readlinkat(call: &mut SystemCall<'_>) -> CallResult {
    let path = path_at(call)?;
    let (buffer, size) = (call.argument(2)?, call.argument(3)?);
    link(call, path, buffer, size)
}

fn link(call: &mut SystemCall<'_>, path: u64, buffer: u64, size: u64) -> CallResult {
    // It is an `int`.
    let size = size as u32;
    if size as i32 <= 0 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    let path = call.text(path)?;
    let target = match path.as_str() {
        "/proc/self/exe" => PROGRAM.to_owned(),
        path => {
            let place = place_of(call, path, LastLink::Itself)?;
            match link_at(call, &place.path) {
                Some(_) if place.has_slash => return call.unmodelled(),
                Some(target) => {
                    call.caller.note("symbolic links were assumed to lead where they do on this machine");
                    target
                }
                None => {
                    node_in(call, &place)?;
                    return Err(CallFailure::Errno(errno::EINVAL));
                }
            }
        }
    };
    let bytes = &target.as_bytes()[..target.len().min(size as usize)];
    call.write_bytes(buffer, bytes)?;
    Ok(bytes.len() as u64)
}

/// The file system of a file: of none that exists there is a model.
pub(super) fn statfs(call: &mut SystemCall<'_>) -> CallResult {
    let path = call.argument(0)?;
    let path = call.text(path)?;
    node_at(call, &path)?;
    call.unmodelled()
}

pub(super) fn getcwd(call: &mut SystemCall<'_>) -> CallResult {
    let (buffer, size) = (call.argument(0)?, call.argument(1)?);
    let mut directory = call.linux.files.directory().to_string_lossy().into_owned().into_bytes();
    directory.push(0);
    if directory.len() > LONGEST_DIRECTORY {
        return call.unmodelled();
    }
    // Another directory may be longer, or fit where this one does not.
    call.assumes_result = size >= SHORTEST_DIRECTORY;
    if (directory.len() as u64) > size {
        return Err(CallFailure::Errno(errno::ERANGE));
    }
    call.write_assumed(buffer, &directory)?;
    Ok(directory.len() as u64)
}
