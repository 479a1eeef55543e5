//! Calls that read: the standard input, files that are input of a test or written, and files of the host.

use super::context::errno;
use super::standard_input::{available, read_input};
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::{FileNode, NodeKind};
use crate::linux::input_files::InputFile;
use crate::linux::process::OpenFile;
use everypath_ir::Location;

/// The largest number of bytes that one call transfers.
pub(super) const MOST: u64 = 0x7fff_f000;

pub(super) fn read(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    check_readable(call, descriptor)?;
    call.check_buffer(buffer, count)?;
    read_into(call, descriptor, buffer, count.min(MOST))
}

pub(super) fn readv(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, list, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    check_readable(call, descriptor)?;
    let is_pipe = matches!(call.process.file(descriptor), Some(OpenFile::Input));
    let mut done = 0;
    for (buffer, size) in buffers(call, list, count)? {
        let read = match read_into(call, descriptor, buffer, size) {
            // A page of a pipe is read as a whole, into all buffers.
            Err(CallFailure::Errno(_)) if done > 0 && is_pipe => return call.unmodelled(),
            Err(CallFailure::Errno(_)) if done > 0 => break,
            read => read?,
        };
        done += read;
        if read < size {
            break;
        }
    }
    Ok(done)
}

/// Refuses a descriptor that is not open for reading.
fn check_readable(call: &SystemCall<'_>, descriptor: u32) -> Result<(), CallFailure> {
    match call.process.file(descriptor) {
        Some(OpenFile::Input) => Ok(()),
        Some(OpenFile::File { access, .. }) if access.read => Ok(()),
        Some(OpenFile::Output(_) | OpenFile::File { .. }) | None => Err(CallFailure::Errno(errno::EBADF)),
    }
}

/// The buffers of a vector of them: address and size.
pub(super) fn buffers(
    call: &mut SystemCall<'_>,
    list: u64,
    count: u64,
) -> Result<Vec<(u64, u64)>, CallFailure> {
    if count > 1024 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    let word = call.linux.word as u64;
    let largest = u64::MAX >> (65 - 8 * word);
    let (mut buffers, mut room) = (Vec::new(), MOST);
    for number in 0..count {
        let entry = list.wrapping_add(2 * word * number);
        let (buffer, size) = (call.fixed_word(entry)?, call.fixed_word(entry.wrapping_add(word))?);
        if size > largest {
            return Err(CallFailure::Errno(errno::EINVAL));
        }
        call.check_buffer(buffer, size)?;
        let size = size.min(room);
        room -= size;
        buffers.push((buffer, size));
    }
    Ok(buffers)
}

fn read_into(call: &mut SystemCall<'_>, descriptor: u32, buffer: u64, count: u64) -> CallResult {
    match call.process.file(descriptor).cloned() {
        None | Some(OpenFile::Output(_)) => Err(CallFailure::Errno(errno::EBADF)),
        Some(OpenFile::Input) => read_input(call, buffer, count),
        Some(OpenFile::File { access, .. }) if !access.read => Err(CallFailure::Errno(errno::EBADF)),
        Some(OpenFile::File { node, position, .. }) => {
            let done = read_file(call, &node, position, buffer, count)?;
            if let Some(OpenFile::File { position, .. }) = call.process.file_mut(descriptor) {
                *position += done;
            }
            Ok(done)
        }
    }
}

/// Whether a file that is input has at least so many bytes. What the path has decided is not asked again.
fn file_has(call: &mut SystemCall<'_>, file: &InputFile, count: u64) -> bool {
    let known = call.process.file_sizes.get(&file.number).copied().unwrap_or_default();
    if let Some(known) = file.surely_has(count).or_else(|| known.has(count)) {
        return known;
    }
    let has = call.caller.file_has(file, count);
    call.process.file_sizes.entry(file.number).or_default().learn(count, has);
    has
}

/// The size of a file that is input, on which the call depends.
pub(super) fn fixed_size(call: &mut SystemCall<'_>, file: &InputFile) -> u64 {
    let (mut least, mut most) = (u64::from(file.bounds.least), u64::from(file.bounds.most));
    // By halves: each size is a path with few decisions.
    while least < most {
        let middle = least + (most - least).div_ceil(2);
        if file_has(call, file, middle) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    least
}

fn read_file(
    call: &mut SystemCall<'_>,
    node: &FileNode,
    position: u64,
    buffer: u64,
    count: u64,
) -> CallResult {
    match &node.kind {
        NodeKind::Directory => Err(CallFailure::Errno(errno::EISDIR)),
        NodeKind::Input(file) => read_input_file(call, file, position, buffer, count),
        NodeKind::Overlay(number) => {
            let rest = call.process.overlay.size(*number).saturating_sub(position).min(count);
            let room = call.writable(buffer, rest);
            if room == 0 && rest > 0 {
                return Err(CallFailure::Errno(errno::EFAULT));
            }
            let (from, to) = (call.written_at(*number, position), call.location(buffer));
            call.caller.copy(from, to, room);
            Ok(room)
        }
        NodeKind::Regular(bytes) => {
            let start = position.min(bytes.len() as u64) as usize;
            let part = &bytes[start..start + (bytes.len() - start).min(count as usize)];
            let room = call.writable(buffer, part.len() as u64);
            if room == 0 && !part.is_empty() {
                return Err(CallFailure::Errno(errno::EFAULT));
            }
            call.write_bytes(buffer, &part[..room as usize])?;
            Ok(room)
        }
    }
}

fn read_input_file(
    call: &mut SystemCall<'_>,
    file: &InputFile,
    position: u64,
    buffer: u64,
    count: u64,
) -> CallResult {
    let room = call.writable(buffer, count);
    let wanted = room.min(u64::from(file.bounds.most).saturating_sub(position));
    if room == 0 && count > 0 {
        let has_more = position < u64::from(file.bounds.most) && file_has(call, file, position + 1);
        return if has_more { Err(CallFailure::Errno(errno::EFAULT)) } else { Ok(0) };
    }
    let done = available(call, position, wanted, |call, count| file_has(call, file, count));
    if done == wanted && wanted < room {
        call.caller.note(
            "files that are input were assumed to end after the number of bytes that is given for them",
        );
    }
    copy_input(call, file, position, buffer, done);
    Ok(done)
}

/// Copies bytes of a file that is input, which has them, to memory that may be written.
pub(super) fn copy_input(call: &mut SystemCall<'_>, file: &InputFile, position: u64, to: u64, count: u64) {
    call.process.has_read_file = true;
    let from = Location { offset: file.contents.offset.wrapping_add(position), ..file.contents };
    let to = call.location(to);
    call.caller.copy(from, to, count);
}

/// The size of a regular file, on which the call depends.
fn file_size(call: &mut SystemCall<'_>, node: &FileNode) -> CallResult {
    match &node.kind {
        NodeKind::Directory => Err(CallFailure::Errno(errno::EISDIR)),
        NodeKind::Input(file) => Ok(fixed_size(call, file)),
        NodeKind::Overlay(number) => Ok(call.process.overlay.size(*number)),
        NodeKind::Regular(bytes) => Ok(bytes.len() as u64),
    }
}

/// Copies a part of a regular file, as far as there is one, to memory that was just mapped for it.
pub(super) fn load_file(
    call: &mut SystemCall<'_>,
    node: &FileNode,
    offset: u64,
    to: u64,
    size: u64,
) -> CallResult {
    let count = file_size(call, node)?.saturating_sub(offset).min(size);
    match &node.kind {
        NodeKind::Directory => {}
        NodeKind::Input(file) => copy_input(call, file, offset, to, count),
        NodeKind::Overlay(number) => {
            let (from, to) = (call.written_at(*number, offset), call.location(to));
            call.caller.copy(from, to, count);
        }
        NodeKind::Regular(bytes) => {
            let start = offset.min(bytes.len() as u64) as usize;
            let space = call.linux.space;
            if let Some(memory) = call.caller.state().memory(space) {
                memory.load(to, &bytes[start..start + count as usize]);
            }
        }
    }
    Ok(count)
}

pub(super) fn pread(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    let position = position_argument(call)?;
    match call.process.file(descriptor).cloned() {
        Some(OpenFile::File { access, .. }) if !access.read => Err(CallFailure::Errno(errno::EBADF)),
        Some(OpenFile::File { node, .. }) => {
            call.check_buffer(buffer, count)?;
            read_file(call, &node, position, buffer, count.min(MOST))
        }
        Some(OpenFile::Input | OpenFile::Output(_)) => Err(CallFailure::Errno(errno::ESPIPE)),
        None => Err(CallFailure::Errno(errno::EBADF)),
    }
}

/// The position in a file that is the fourth argument. Where it is in two registers, which ones differs.
pub(super) fn position_argument(call: &mut SystemCall<'_>) -> CallResult {
    if call.linux.word < 8 {
        return call.unmodelled();
    }
    match call.argument(3)? {
        position if position > i64::MAX as u64 => Err(CallFailure::Errno(errno::EINVAL)),
        position => Ok(position),
    }
}

pub(super) fn lseek(call: &mut SystemCall<'_>) -> CallResult {
    let (descriptor, offset, origin) = (call.int(0)?, call.argument(1)?, call.int(2)?);
    match call.process.file(descriptor).cloned() {
        None => Err(CallFailure::Errno(errno::EBADF)),
        Some(OpenFile::Input | OpenFile::Output(_)) => Err(CallFailure::Errno(errno::ESPIPE)),
        Some(OpenFile::File { node, position, .. }) => {
            let base = match origin {
                0 => 0,
                1 => position,
                2 => file_size(call, &node)?,
                _ => return call.unmodelled(),
            };
            let to = base.wrapping_add(offset);
            if to > i64::MAX as u64 {
                return Err(CallFailure::Errno(errno::EINVAL));
            }
            if let Some(OpenFile::File { position, .. }) = call.process.file_mut(descriptor) {
                *position = to;
            }
            Ok(to)
        }
    }
}
