//! Calls that change the memory of the process: the heap, and mappings.
//!
//! Code that runs once must stay as it is, on every path: the machine keeps the blocks that it has lifted. So a call that would
//! change, move or remove code is not modelled, but for memory that was never code before.

use super::context::errno;
use super::reading::load_file;
use super::{CallResult, SystemCall};
use crate::linux::caller::CallFailure;
use crate::linux::files::NodeKind;
use crate::linux::process::OpenFile;
use everypath_machine::{PAGE_SIZE, Permissions, Region};
use std::sync::Arc;

const PAGE: u64 = PAGE_SIZE as u64;

/// Flags of a mapping.
const MAP_SHARED: u64 = 0x01;
const MAP_PRIVATE: u64 = 0x02;
const MAP_FIXED: u64 = 0x10;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED_NOREPLACE: u64 = 0x10_0000;
/// Flags that change nothing that a program sees: `MAP_DENYWRITE`, `MAP_EXECUTABLE`, `MAP_NORESERVE`,
/// `MAP_POPULATE`, `MAP_NONBLOCK`, `MAP_STACK`.
const WITHOUT_EFFECT: u64 = 0x0800 | 0x1000 | 0x4000 | 0x8000 | 0x1_0000 | 0x2_0000;

/// The memory that every system is taken to have for a process, with all that it has mapped: less than the address space of a process,
/// the limits (`RLIMIT_AS`, `RLIMIT_DATA`) and the memory (overcommit) of any machine that runs such programs. Beyond it, a system may
/// refuse, and the default heuristic of overcommit does where there is too little memory.
const SURELY_GRANTED: u64 = 1 << 30;
/// The end of the addresses that a process may have with the widest page tables, those of five levels.
const WIDEST_END: u64 = 1 << 56;
/// The lowest address at which a process without privileges may map memory (`vm.mmap_min_addr`).
const LEAST_ADDRESS: u64 = 1 << 16;

/// The assumption about `LEAST_ADDRESS`.
const LOWEST_ADDRESSES: &str =
    "the process was assumed to have no privilege, and no right to map the lowest 64 KiB";

/// The next page boundary.
fn page_end(address: u64) -> Option<u64> {
    address.checked_next_multiple_of(PAGE)
}

fn permissions(protection: u64) -> Permissions {
    Permissions { read: protection & 7 != 0, write: protection & 2 != 0, execute: protection & 4 != 0 }
}

impl SystemCall<'_> {
    /// The mapped regions that overlap a range.
    pub(super) fn overlapping(&mut self, first: u64, last: u64) -> Vec<Region> {
        let space = self.linux.space;
        let regions = self.caller.state().regions(space);
        let all = regions.into_iter().flat_map(everypath_machine::Regions::iter);
        all.filter(|region| region.start <= last && region.last >= first).collect()
    }

    /// Refuses to change memory with code.
    fn refuse_code(&mut self, first: u64, last: u64) -> Result<(), CallFailure> {
        let has_code = self.overlapping(first, last).iter().any(|region| region.permissions.execute);
        if has_code { self.unmodelled() } else { Ok(()) }
    }

    /// The end of the addresses that a process may have.
    fn addresses_end(&self) -> u64 {
        // The stack is at the end of them, but for what differs between systems.
        self.linux.interface.addresses.stack_end.next_power_of_two()
    }

    /// Whether addresses up to an end do not exist, which is an assumption where wider page tables have them.
    fn is_beyond_addresses(&mut self, end: u64) -> bool {
        let is_beyond = end > self.addresses_end();
        if is_beyond && end <= WIDEST_END {
            self.caller.note_loss(
                "addresses beyond those of page tables with four levels were assumed not to exist; a system may have wider tables",
            );
        }
        is_beyond
    }

    /// Records what is assumed of the system where the process is about to map so many bytes more: that it has them.
    fn note_memory(&mut self, size: u64) {
        let last = self.linux.interface.addresses.stack_end - 1;
        let own = self.overlapping(0, last);
        let own = own.iter().filter(|region| !region.outside);
        let mapped: u64 = own.map(|region| region.last.min(last) - region.start + 1).sum();
        if mapped.saturating_add(size) > SURELY_GRANTED {
            self.caller.note_loss(
                "the process asks for more than 1 GiB of memory in total, which the system was assumed to have wherever there are \
                 addresses for it; another system may refuse (overcommit, limits)",
            );
        } else {
            self.caller.note("the system was assumed to have up to 1 GiB of memory for the process");
        }
    }

    fn map_zeros(&mut self, first: u64, last: u64, permissions: Permissions) {
        let space = self.linux.space;
        let region = Region::memory(first, last, permissions).with_contents();
        self.caller.state().map_zeros(space, region);
    }
}

pub(super) fn brk(call: &mut SystemCall<'_>) -> CallResult {
    let wanted = call.argument(0)?;
    let (start, end) = call.process.heap;
    let (Some(old), Some(new)) = (page_end(end), page_end(wanted)) else { return Ok(end) };
    if wanted < start || call.is_beyond_addresses(new) {
        return Ok(end);
    }
    if new > old {
        call.note_memory(new - old);
        if !call.overlapping(old, new - 1).is_empty() {
            return Ok(end);
        }
        call.map_zeros(old, new - 1, Permissions::DATA);
    } else if new < old {
        let space = call.linux.space;
        call.caller.state().unmap(space, new, old - 1);
    }
    call.process.heap.1 = wanted;
    Ok(wanted)
}

pub(super) fn mmap(call: &mut SystemCall<'_>) -> CallResult {
    let offset = call.argument(5)?;
    map(call, offset)
}

/// As `mmap`, with the offset in units of 4096 bytes.
pub(super) fn mmap2(call: &mut SystemCall<'_>) -> CallResult {
    let offset = call.argument(5)?;
    map(call, offset.wrapping_mul(4096))
}

fn map(call: &mut SystemCall<'_>, offset: u64) -> CallResult {
    let (wanted, size) = (call.argument(0)?, call.argument(1)?);
    let (protection, flags, descriptor) = (call.argument(2)?, call.argument(3)?, call.int(4)?);
    let kind = MAP_SHARED | MAP_PRIVATE;
    if !offset.is_multiple_of(PAGE) {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    let known = kind | MAP_FIXED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | WITHOUT_EFFECT;
    if flags & !known != 0 || protection & !7 != 0 {
        return call.unmodelled();
    }
    if flags & kind == kind {
        // `MAP_SHARED_VALIDATE`
        return call.unmodelled();
    }
    if flags & MAP_ANONYMOUS == 0 && call.process.file(descriptor).is_none() {
        return Err(CallFailure::Errno(errno::EBADF));
    }
    // The kernel looks for addresses before it looks at the kind.
    let Some(size) = page_end(size) else { return Err(CallFailure::Errno(errno::ENOMEM)) };
    if call.is_beyond_addresses(size) {
        return Err(CallFailure::Errno(errno::ENOMEM));
    }
    if size == 0 || flags & kind == 0 {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    let file = if flags & MAP_ANONYMOUS != 0 {
        None
    } else {
        let (node, access) = match call.process.file(descriptor).cloned() {
            Some(OpenFile::File { node, access, .. }) if access.read => (node, access),
            // A pipe has no memory.
            Some(OpenFile::Input) => return Err(CallFailure::Errno(errno::ENODEV)),
            Some(_) => return Err(CallFailure::Errno(errno::EACCES)),
            None => return Err(CallFailure::Errno(errno::EBADF)),
        };
        if flags & MAP_SHARED != 0 && protection & 2 != 0 {
            // What is written would change the file.
            return if access.write { call.unmodelled() } else { Err(CallFailure::Errno(errno::EACCES)) };
        }
        if !matches!(node.kind, NodeKind::Regular(_)) && protection & 4 != 0 {
            // Code that is input.
            return call.unmodelled();
        }
        Some(node)
    };
    call.note_memory(size);
    let start = place(call, wanted, size, flags)?;
    let last = start + (size - 1);
    call.refuse_code(start, last)?;
    if protection & 4 != 0 {
        if call.process.has_read_file || call.process.read > 0 && call.linux.input_size().is_some() {
            // Whether there is code may then depend on input, and the machine runs blocks that it knows without looking.
            return call.unmodelled();
        }
        let path = file.as_ref().map_or_else(|| Arc::from(""), |node| node.path.clone());
        if !call.linux.may_map_code((start, last, path, offset)) {
            return call.unmodelled();
        }
    }
    call.map_zeros(start, last, permissions(protection));
    if let Some(node) = file {
        let count = load_file(call, &node, offset, start, size)?;
        call.note_mapped(node, start, last);
        // Pages that the file has nothing in cannot be accessed.
        let end = page_end(start + count).unwrap_or(last);
        if end <= last {
            let nothing = Permissions { read: false, write: false, execute: false };
            call.map_zeros(end, last, nothing);
        }
    }
    Ok(start)
}

/// Where a mapping begins.
fn place(call: &mut SystemCall<'_>, wanted: u64, size: u64, flags: u64) -> CallResult {
    let top = call.linux.interface.addresses.stack_end;
    let fits = |start: u64| start.checked_add(size).is_some_and(|end| end <= top);
    if flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) != 0 {
        let end = wanted.checked_add(size);
        if end.is_none_or(|end| call.is_beyond_addresses(end)) {
            return Err(CallFailure::Errno(errno::ENOMEM));
        }
        if !wanted.is_multiple_of(PAGE) {
            return Err(CallFailure::Errno(errno::EINVAL));
        }
        if wanted < LEAST_ADDRESS {
            call.caller.note(LOWEST_ADDRESSES);
            return Err(CallFailure::Errno(errno::EPERM));
        }
        if !fits(wanted) {
            // What is behind the stack differs between systems.
            return call.unmodelled();
        }
        let is_free = call.overlapping(wanted, wanted + (size - 1)).is_empty();
        if flags & MAP_FIXED_NOREPLACE != 0 && !is_free {
            return Err(CallFailure::Errno(errno::EEXIST));
        }
        return Ok(wanted);
    }
    let wanted = match wanted & !(PAGE - 1) {
        0 => 0,
        wanted if wanted < LEAST_ADDRESS => {
            call.caller.note(LOWEST_ADDRESSES);
            LEAST_ADDRESS
        }
        wanted => wanted,
    };
    if wanted != 0 && fits(wanted) && call.overlapping(wanted, wanted + (size - 1)).is_empty() {
        return Ok(wanted);
    }
    // From the top down, below everything that was mapped so: no address is used twice.
    let mut end = call.process.mappings_end;
    loop {
        let Some(start) = end.checked_sub(size).filter(|start| *start >= LEAST_ADDRESS) else {
            return Err(CallFailure::Errno(errno::ENOMEM));
        };
        match call.overlapping(start, end - 1).first() {
            Some(region) => end = region.start & !(PAGE - 1),
            None => {
                call.process.mappings_end = start;
                return Ok(start);
            }
        }
    }
}

pub(super) fn munmap(call: &mut SystemCall<'_>) -> CallResult {
    let (start, size) = (call.argument(0)?, call.argument(1)?);
    let Some(size) = page_end(size).filter(|size| *size > 0 && start % PAGE == 0) else {
        return Err(CallFailure::Errno(errno::EINVAL));
    };
    let Some(last) = start.checked_add(size - 1) else { return Err(CallFailure::Errno(errno::EINVAL)) };
    if last >= call.addresses_end() {
        return Err(CallFailure::Errno(errno::EINVAL));
    }
    if last >= call.linux.interface.addresses.stack_end {
        // What is behind the stack differs between systems.
        return call.unmodelled();
    }
    call.refuse_code(start, last)?;
    let space = call.linux.space;
    call.caller.state().unmap(space, start, last);
    Ok(0)
}

pub(super) fn mprotect(call: &mut SystemCall<'_>) -> CallResult {
    let (start, size, protection) = (call.argument(0)?, call.argument(1)?, call.argument(2)?);
    if protection & !7 != 0 {
        return call.unmodelled();
    }
    let Some(size) = page_end(size).filter(|_| start % PAGE == 0) else {
        return Err(CallFailure::Errno(errno::EINVAL));
    };
    let Some(last) = size.checked_sub(1) else { return Ok(0) };
    let Some(last) = start.checked_add(last) else { return Err(CallFailure::Errno(errno::ENOMEM)) };
    let permissions = permissions(protection);
    let regions = call.overlapping(start, last);
    let mapped: u64 = regions.iter().map(|region| region.last.min(last) - region.start.max(start) + 1).sum();
    if mapped < size {
        return Err(CallFailure::Errno(errno::ENOMEM));
    }
    let changes_code = |region: &Region| {
        region.permissions != permissions && (region.permissions.execute || permissions.execute)
    };
    if regions.iter().any(changes_code) {
        return call.unmodelled();
    }
    let space = call.linux.space;
    if let Some(memory) = call.caller.state().memory(space) {
        for region in regions {
            let (start, last) = (region.start.max(start), region.last.min(last));
            memory.map(Region { start, last, permissions, ..region });
        }
    }
    Ok(0)
}

pub(super) fn madvise(call: &mut SystemCall<'_>) -> CallResult {
    match call.argument(2)? {
        // MADV_NORMAL to MADV_WILLNEED, MADV_HUGEPAGE, MADV_NOHUGEPAGE: without effect.
        0..=3 | 14 | 15 => Ok(0),
        _ => call.unmodelled(),
    }
}
