//! Calls that read files: the standard input, whose bytes are input of a test, and files of the host.

use super::context::error;
use super::{Answer, SystemCall};
use crate::linux::caller::Refusal;
use crate::linux::files::{Found, HostFile};
use crate::linux::process::OpenFile;
use std::sync::Arc;

/// The largest number of bytes that one call transfers.
pub(super) const MOST: u64 = 0x7fff_f000;

pub(super) fn read(call: &mut SystemCall<'_>) -> Answer {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    read_into(call, descriptor, buffer, count.min(MOST))
}

pub(super) fn readv(call: &mut SystemCall<'_>) -> Answer {
    let (descriptor, list, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    let mut done = 0;
    for (buffer, size) in buffers(call, list, count)? {
        let read = match read_into(call, descriptor, buffer, size) {
            Err(Refusal::Error(_)) if done > 0 => break,
            read => read?,
        };
        done += read;
        if read < size {
            break;
        }
    }
    Ok(done)
}

/// The buffers of a vector of them: address and size.
pub(super) fn buffers(call: &mut SystemCall<'_>, list: u64, count: u64) -> Result<Vec<(u64, u64)>, Refusal> {
    if count > 1024 {
        return Err(Refusal::Error(error::INVALID));
    }
    let word = call.linux.word as u64;
    let mut buffers = Vec::new();
    for number in 0..count {
        let entry = list.wrapping_add(2 * word * number);
        buffers.push((call.fixed_word(entry)?, call.fixed_word(entry.wrapping_add(word))?.min(MOST)));
    }
    Ok(buffers)
}

fn read_into(call: &mut SystemCall<'_>, descriptor: u32, buffer: u64, count: u64) -> Answer {
    match call.process.file(descriptor).cloned() {
        None | Some(OpenFile::Output(_)) => Err(Refusal::Error(error::BAD_DESCRIPTOR)),
        Some(OpenFile::Input) => read_input(call, buffer, count),
        Some(OpenFile::File { path, position }) => {
            let done = read_file(call, &path, position, buffer, count)?;
            if let Some(OpenFile::File { position, .. }) = call.process.file_mut(descriptor) {
                *position += done;
            }
            Ok(done)
        }
    }
}

/// Reads the standard input: a pipe from which as many bytes come as are asked for, while there are any.
fn read_input(call: &mut SystemCall<'_>, buffer: u64, count: u64) -> Answer {
    let room = call.writable(buffer, count);
    if room == 0 && count > 0 {
        // The kernel touches the buffer only if there is something to put into it.
        let has_more = has_more_input(call);
        return if has_more { Err(Refusal::Error(error::BAD_ADDRESS)) } else { Ok(0) };
    }
    if let Some(bytes) = call.linux.stdin.clone() {
        let start = call.process.read.min(bytes.len() as u64) as usize;
        let rest = &bytes[start..];
        let part = &rest[..rest.len().min(room as usize)];
        call.write_bytes(buffer, part)?;
        call.process.read += part.len() as u64;
        return Ok(part.len() as u64);
    }
    let most = call.linux.input_size().map_or(0, |size| u64::from(size.most));
    let position = call.process.read;
    let wanted = room.min(most.saturating_sub(position));
    let done = available(call, position, wanted);
    if done == wanted && wanted < room {
        call.caller
            .note("the standard input was assumed to end after the number of bytes that `stdin` gives");
    }
    if done > 1 {
        call.caller.note(
            "each read of the standard input was assumed to return as many bytes as it asks for, while there are any; a writer that \
             writes in pieces can make it return fewer",
        );
    }
    for offset in 0..done {
        let location = call.location(buffer.wrapping_add(offset));
        call.caller.put_input(location);
    }
    call.process.read += done;
    Ok(done)
}

/// Whether the standard input has bytes that were not read yet.
fn has_more_input(call: &mut SystemCall<'_>) -> bool {
    let next = call.process.read + 1;
    match call.linux.stdin.as_ref().map(|bytes| bytes.len() as u64) {
        Some(size) => next <= size,
        None => {
            call.linux.input_size().is_some_and(|size| next <= u64::from(size.most)) && input_has(call, next)
        }
    }
}

/// How many of the next bytes the standard input has.
fn available(call: &mut SystemCall<'_>, position: u64, wanted: u64) -> u64 {
    if wanted == 0 || input_has(call, position + wanted) {
        return wanted;
    }
    (1..wanted).take_while(|count| input_has(call, position + count)).last().unwrap_or(0)
}

/// Whether the standard input has at least so many bytes. What the path has decided is not asked again.
fn input_has(call: &mut SystemCall<'_>, count: u64) -> bool {
    if count <= call.process.at_least {
        return true;
    }
    if count >= call.process.below {
        return false;
    }
    let has = call.caller.input_has(count);
    if has {
        call.process.at_least = count;
    } else {
        call.process.below = count;
    }
    has
}

/// The host's file at the path of an open file.
pub(super) fn host_file(call: &mut SystemCall<'_>, path: &str) -> Result<HostFile, Refusal> {
    match call.linux.files.find(path) {
        Found::File(file) => Ok(file),
        Found::Nothing { made_up } => {
            if made_up {
                call.caller.note("`/proc` and `/sys` were assumed not to be mounted");
            }
            Err(Refusal::Error(error::NO_FILE))
        }
        Found::Unmodelled => call.unmodelled(),
    }
}

/// The contents of a regular file of the host.
pub(super) fn contents(call: &mut SystemCall<'_>, path: &str) -> Result<Arc<[u8]>, Refusal> {
    let file = host_file(call, path)?;
    file.contents().cloned().ok_or(Refusal::Error(error::IS_FOLDER))
}

fn read_file(call: &mut SystemCall<'_>, path: &str, position: u64, buffer: u64, count: u64) -> Answer {
    let bytes = contents(call, path)?;
    let start = position.min(bytes.len() as u64) as usize;
    let part = &bytes[start..start + (bytes.len() - start).min(count as usize)];
    call.write_bytes(buffer, part)?;
    Ok(part.len() as u64)
}

pub(super) fn pread(call: &mut SystemCall<'_>) -> Answer {
    let (descriptor, buffer, count) = (call.int(0)?, call.argument(1)?, call.argument(2)?);
    if call.linux.word < 8 {
        // The position is in two registers, which ones differs.
        return call.unmodelled();
    }
    let position = call.argument(3)?;
    match call.process.file(descriptor).cloned() {
        Some(OpenFile::File { path, .. }) => read_file(call, &path, position, buffer, count.min(MOST)),
        Some(OpenFile::Input | OpenFile::Output(_)) => Err(Refusal::Error(error::NO_SEEK)),
        None => Err(Refusal::Error(error::BAD_DESCRIPTOR)),
    }
}

pub(super) fn lseek(call: &mut SystemCall<'_>) -> Answer {
    let (descriptor, offset, origin) = (call.int(0)?, call.argument(1)?, call.int(2)?);
    match call.process.file(descriptor).cloned() {
        None => Err(Refusal::Error(error::BAD_DESCRIPTOR)),
        Some(OpenFile::Input | OpenFile::Output(_)) => Err(Refusal::Error(error::NO_SEEK)),
        Some(OpenFile::File { path, position }) => {
            let base = match origin {
                0 => 0,
                1 => position,
                2 => contents(call, &path)?.len() as u64,
                _ => return call.unmodelled(),
            };
            let to = base.wrapping_add(offset);
            if to > i64::MAX as u64 {
                return Err(Refusal::Error(error::INVALID));
            }
            if let Some(OpenFile::File { position, .. }) = call.process.file_mut(descriptor) {
                *position = to;
            }
            Ok(to)
        }
    }
}
