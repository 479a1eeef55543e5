//! A system call while it is performed: its arguments, and the memory of the program.

use super::CallResult;
use crate::linux::caller::{CallFailure, Caller, fixed, read_memory, unfixed};
use crate::linux::interface::Linux;
use crate::linux::process::Process;
use everypath_ir::Location;
use everypath_machine::{Fault, Permissions};

/// Error numbers of Linux.
pub(super) mod errno {
    pub(crate) const EPERM: u64 = 1;
    pub(crate) const ENOENT: u64 = 2;
    pub(crate) const EBADF: u64 = 9;
    pub(crate) const ENOMEM: u64 = 12;
    pub(crate) const EACCES: u64 = 13;
    pub(crate) const EFAULT: u64 = 14;
    pub(crate) const EEXIST: u64 = 17;
    pub(crate) const ENODEV: u64 = 19;
    pub(crate) const ENOTDIR: u64 = 20;
    pub(crate) const EISDIR: u64 = 21;
    pub(crate) const EINVAL: u64 = 22;
    pub(crate) const EMFILE: u64 = 24;
    pub(crate) const ENOTTY: u64 = 25;
    pub(crate) const ESPIPE: u64 = 29;
    pub(crate) const ERANGE: u64 = 34;
    pub(crate) const ENAMETOOLONG: u64 = 36;
    pub(crate) const ENOSYS: u64 = 38;
    pub(crate) const ELOOP: u64 = 40;
}

/// The maximum length of a path.
const LONGEST_PATH: u64 = 4096;

/// A system call while it is performed.
pub(crate) struct SystemCall<'c> {
    pub(crate) linux: &'c Linux,
    pub(crate) process: &'c mut Process,
    pub(crate) caller: &'c mut dyn Caller,
    pub(crate) number: u64,
    pub(crate) name: &'static str,
    /// Whether another system could return another result.
    pub(crate) assumes_result: bool,
}

impl SystemCall<'_> {
    /// An argument, on which the call depends.
    pub(super) fn argument(&mut self, index: usize) -> CallResult {
        match self.linux.arguments.get(index) {
            Some(slot) => Ok(fixed(self.caller, *slot)?),
            None => self.unmodelled(),
        }
    }

    /// The low half of an argument, which is an `int`.
    pub(super) fn int(&mut self, index: usize) -> Result<u32, CallFailure> {
        self.argument(index).map(|value| value as u32)
    }

    /// An argument whose value is not fixed: other values are not explored.
    pub(super) fn passed(&mut self, index: usize) -> CallResult {
        match self.linux.arguments.get(index) {
            Some(slot) => Ok(unfixed(self.caller, *slot)?),
            None => self.unmodelled(),
        }
    }

    /// Ends the path: the call is used in a manner that is not modelled.
    pub(super) fn unmodelled<T>(&self) -> Result<T, CallFailure> {
        Err(CallFailure::Fault(Fault::SystemCall(Some(self.number))))
    }

    pub(super) fn location(&self, address: u64) -> Location {
        Location { space: self.linux.space, offset: address }
    }

    /// Bytes of memory, which decide nothing.
    pub(super) fn bytes(&mut self, address: u64, count: u64) -> Result<Vec<u8>, CallFailure> {
        let Ok(count) = usize::try_from(count) else { return Err(CallFailure::Errno(errno::EFAULT)) };
        let mut bytes = Vec::new();
        // A count may be wrong: memory is asked for as far as it is there.
        while bytes.len() < count {
            let (start, part) = (bytes.len(), (count - bytes.len()).min(1 << 16));
            bytes.resize(start + part, 0);
            let at = address.wrapping_add(start as u64);
            let read = read_memory(self.caller, self.linux.space, at, &mut bytes[start..]);
            read.map_err(|_| CallFailure::Errno(errno::EFAULT))?;
        }
        Ok(bytes)
    }

    /// Bytes of memory on which the call depends.
    pub(super) fn fixed_bytes(&mut self, address: u64, count: usize) -> Result<Vec<u8>, CallFailure> {
        // Whether the address is bad does not depend on the contents.
        self.bytes(address, count as u64)?;
        self.caller.fix(self.location(address), count);
        self.bytes(address, count as u64)
    }

    /// A number in memory on which the call depends.
    pub(super) fn fixed_number(&mut self, address: u64, size: usize) -> CallResult {
        let bytes = self.fixed_bytes(address, size)?;
        Ok(self.linux.endian.number(&bytes))
    }

    /// An address in memory on which the call depends.
    pub(super) fn fixed_word(&mut self, address: u64) -> CallResult {
        self.fixed_number(address, self.linux.word)
    }

    /// A text in memory that ends with a zero byte.
    pub(super) fn text(&mut self, address: u64) -> Result<String, CallFailure> {
        let mut text = Vec::new();
        for offset in 0..LONGEST_PATH {
            match self.fixed_bytes(address.wrapping_add(offset), 1)?[0] {
                0 => return Ok(String::from_utf8_lossy(&text).into_owned()),
                byte => text.push(byte),
            }
        }
        Err(CallFailure::Errno(errno::ENAMETOOLONG))
    }

    /// The number of bytes from an address on, at most `count`, that may be written.
    pub(super) fn writable(&mut self, address: u64, count: u64) -> u64 {
        self.accessible(address, count, |permissions| permissions.write)
    }

    /// The number of bytes from an address on, at most `count`, that may be read.
    pub(super) fn readable(&mut self, address: u64, count: u64) -> u64 {
        self.accessible(address, count, |permissions| permissions.read)
    }

    fn accessible(&mut self, address: u64, count: u64, may: fn(Permissions) -> bool) -> u64 {
        let space = self.linux.space;
        let Some(regions) = self.caller.state().regions(space) else { return 0 };
        let mut done = 0;
        while done < count {
            let Some(at) = address.checked_add(done) else { break };
            let region = regions.at(at).filter(|region| may(region.permissions) && !region.outside);
            let Some(region) = region else { break };
            done = (region.last - address).saturating_add(1);
        }
        done.min(count)
    }

    /// Refuses a buffer that ends where no user program has an address, whether anything is transferred or not.
    pub(super) fn check_buffer(&self, address: u64, count: u64) -> Result<(), CallFailure> {
        let largest = if self.linux.word < 8 { u64::from(u32::MAX) } else { i64::MAX as u64 };
        match address.checked_add(count) {
            Some(end) if end <= largest => Ok(()),
            _ => Err(CallFailure::Errno(errno::EFAULT)),
        }
    }

    /// Writes bytes to memory, all or none.
    pub(super) fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Result<(), CallFailure> {
        if self.writable(address, bytes.len() as u64) < bytes.len() as u64 {
            return Err(CallFailure::Errno(errno::EFAULT));
        }
        let location = self.location(address);
        if let Some(memory) = self.caller.state().memory(location.space) {
            memory.load(address, bytes);
        }
        self.caller.written(location, bytes.len());
        Ok(())
    }

    /// Writes a number to memory.
    pub(super) fn write_number(&mut self, address: u64, value: u64, size: usize) -> Result<(), CallFailure> {
        let bytes = self.linux.endian.bytes(value, size);
        self.write_bytes(address, &bytes)
    }

    /// Writes bytes that another system could give otherwise.
    pub(super) fn write_assumed(&mut self, address: u64, bytes: &[u8]) -> Result<(), CallFailure> {
        self.write_bytes(address, bytes)?;
        self.caller.assume(self.location(address), bytes.len(), self.number);
        Ok(())
    }
}
