//! Calls that ask about files: their status, links, and the directory of the process.

use super::context::errno;
use super::path::{node_at, path_at};
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileNode, NodeKind};
use crate::linux::process::{OpenFile, Process};

const S_IFIFO: u64 = 0o010_000;
const S_IFDIR: u64 = 0o040_000;
const S_IFREG: u64 = 0o100_000;
/// The first argument is the file itself.
const AT_EMPTY_PATH: u64 = 0x1000;
/// The owner of the process.
pub(super) const USER: u64 = 1000;
/// The path of the program, where it asks for it.
pub(crate) const PROGRAM: &str = "/program";

/// The status of a file (`stat`).
struct FileStatus {
    inode: u64,
    mode: u64,
    user: u64,
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
        // The same for the same path: libraries are told from each other by it (FNV-1a).
        let inode = file.path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        FileStatus { inode: inode >> 16, mode: kind | file.permissions, user: 0, length }
    }

    fn pipe(number: u64) -> FileStatus {
        FileStatus { inode: number, mode: S_IFIFO | 0o600, user: USER, length: 0 }
    }
}

pub(super) fn stat(call: &mut SystemCall<'_>) -> CallResult {
    let path = call.argument(0)?;
    let (path, buffer) = (call.text(path)?, call.argument(1)?);
    of_path(call, &path, buffer)
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
    of_path(call, &path, buffer)
}

fn of_path(call: &mut SystemCall<'_>, path: &str, buffer: u64) -> CallResult {
    if path.is_empty() {
        return Err(CallFailure::Errno(errno::ENOENT));
    }
    let file = node_at(call, path)?;
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
    write_status(call, &status, buffer)
}

fn write_file_status(call: &mut SystemCall<'_>, file: &FileNode, buffer: u64) -> CallResult {
    let written = write_status(call, &FileStatus::of(file, call.process), buffer)?;
    if let NodeKind::Input(input) = &file.kind {
        let layout = call.linux.interface.status;
        // Blocks are units of 512 bytes.
        for ((offset, size), shift) in [(layout.length, 0), (layout.blocks, 9)] {
            let to = call.location(buffer.wrapping_add(offset));
            call.caller.put_file_size(input, shift, to, size as usize);
        }
    }
    Ok(written)
}

fn write_status(call: &mut SystemCall<'_>, status: &FileStatus, buffer: u64) -> CallResult {
    let layout = call.linux.interface.status;
    let mut bytes = vec![0; layout.size as usize];
    let fields = [
        (layout.device, 1),
        (layout.inode, status.inode),
        (layout.mode, status.mode),
        (layout.links, 1),
        (layout.user, status.user),
        (layout.group, status.user),
        (layout.length, status.length),
        (layout.block_size, 4096),
        (layout.blocks, status.length.div_ceil(512)),
    ];
    for ((offset, size), value) in fields {
        let (offset, size) = (offset as usize, size as usize);
        bytes[offset..offset + size].copy_from_slice(&call.linux.endian.bytes(value, size));
    }
    call.write_bytes(buffer, &bytes)?;
    Ok(0)
}

pub(super) fn access(call: &mut SystemCall<'_>) -> CallResult {
    let (path, wanted) = (call.argument(0)?, call.argument(1)?);
    accessible(call, path, wanted)
}

pub(super) fn accessat(call: &mut SystemCall<'_>) -> CallResult {
    let path = path_at(call)?;
    let wanted = call.argument(2)?;
    accessible(call, path, wanted)
}

fn accessible(call: &mut SystemCall<'_>, path: u64, wanted: u64) -> CallResult {
    let path = call.text(path)?;
    let node = node_at(call, &path)?;
    if wanted & 2 != 0 {
        call.caller.note("it was assumed that the process may write files where it asks whether it may");
    }
    // A file that is no directory may be no program.
    let is_program = wanted & 1 != 0 && !matches!(node.kind, NodeKind::Directory);
    if is_program { call.unmodelled() } else { Ok(0) }
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
    let path = call.text(path)?;
    let target = match path.as_str() {
        "/proc/self/exe" => PROGRAM.to_owned(),
        path => match call.linux.files.link(path) {
            Some(target) => target.to_string_lossy().into_owned(),
            None => {
                node_at(call, path)?;
                return Err(CallFailure::Errno(errno::EINVAL));
            }
        },
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
    if (directory.len() as u64) > size {
        return Err(CallFailure::Errno(errno::ERANGE));
    }
    call.write_bytes(buffer, &directory)?;
    Ok(directory.len() as u64)
}
