//! The view that a system call has of the run that makes it, be it concrete or symbolic.

use super::input_files::InputFile;
use everypath_ir::{Location, SpaceId};
use everypath_machine::{Denied, Fault, State};

/// The run that makes a system call. A concrete run has only values; in a symbolic one, what a call decides on is fixed to the
/// value of this path, and other values become alternatives of the path.
pub(crate) trait Caller {
    /// The state.
    fn state(&mut self) -> &mut State;

    /// Fixes bytes, which the call is about to read, to the values that they have.
    fn fix(&mut self, location: Location, size: usize);

    /// Records that bytes have been written with values that do not depend on input.
    fn written(&mut self, location: Location, size: usize);

    /// Whether the standard input has at least so many bytes: a decision of the path.
    fn input_has(&mut self, count: u64) -> bool;

    /// Puts the next byte of the standard input into memory that may be written.
    fn put_input(&mut self, location: Location);

    /// Whether a file that is input has at least so many bytes, which its bounds leave open: a decision of the path.
    fn file_has(&mut self, file: &InputFile, count: u64) -> bool;

    /// Copies bytes with all that is known of them, whether the program has access to them or not.
    fn copy(&mut self, from: Location, to: Location, count: u64);

    /// Puts the size of a file that is input, in units of `1 << shift` bytes, into memory that may be written.
    fn put_file_size(&mut self, file: &InputFile, shift: u32, to: Location, size: usize);

    /// Makes bytes that were just written an assumption about the system: they may be others. `answer` numbers the kind.
    fn assume(&mut self, location: Location, size: usize, answer: u64);

    /// Records an assumption about the system, by which no decision of the program is known to be changed.
    fn note(&mut self, assumption: &'static str);

    /// Records an assumption about the system that leaves paths of the program out.
    fn note_loss(&mut self, assumption: &'static str);

    /// Keeps what the program writes to an output.
    fn output(&mut self, descriptor: u32, bytes: &[u8]);
}

/// Why a call does not return a result (its failure): an error number for the program, or the end of the run.
pub(crate) enum CallFailure {
    /// An error number.
    Errno(u64),
    /// The run ends.
    Fault(Fault),
}

impl From<Fault> for CallFailure {
    fn from(fault: Fault) -> CallFailure {
        CallFailure::Fault(fault)
    }
}

/// A register, with its size in bytes.
pub(crate) type RegisterSlot = (Location, usize);

/// The number that a register holds.
pub(super) fn number_in(state: &mut State, (location, size): RegisterSlot) -> Result<u64, Fault> {
    let read = state.read(location.space, location.offset, size.min(8));
    read.map_err(|denied| Fault::Access { space: location.space, denied })
}

/// The number that a register holds, on which the call depends.
pub(crate) fn fixed(caller: &mut dyn Caller, slot: RegisterSlot) -> Result<u64, Fault> {
    caller.fix(slot.0, slot.1);
    number_in(caller.state(), slot)
}

/// The number that a register holds, which decides nothing.
pub(crate) fn unfixed(caller: &mut dyn Caller, slot: RegisterSlot) -> Result<u64, Fault> {
    number_in(caller.state(), slot)
}

/// Sets a register.
pub(crate) fn put(caller: &mut dyn Caller, (location, size): RegisterSlot, value: u64) -> Result<(), Fault> {
    let written = caller.state().write(location.space, location.offset, size.min(8), value);
    written.map_err(|denied| Fault::Access { space: location.space, denied })?;
    caller.written(location, size);
    Ok(())
}

/// The bytes of memory that a call reads, or the error of a bad address.
pub(crate) fn read_memory(
    caller: &mut dyn Caller,
    space: SpaceId,
    address: u64,
    buffer: &mut [u8],
) -> Result<(), Denied> {
    match caller.state().memory(space) {
        Some(memory) => memory.read_bytes(address, buffer),
        None => Ok(()),
    }
}
