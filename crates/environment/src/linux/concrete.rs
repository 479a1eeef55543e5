//! System calls of a concrete run.

use super::caller::Caller;
use super::input_files::InputFile;
use super::interface::Linux;
use super::process::Process;
use crate::world::World;
use everypath_ir::{Bits, Endian, Location, Width};
use everypath_machine::{Fault, State};
use std::sync::Arc;

/// A concrete run that makes a system call.
struct ConcreteCaller<'c> {
    state: &'c mut State,
    world: &'c mut World,
    linux: &'c Linux,
}

impl Caller for ConcreteCaller<'_> {
    fn state(&mut self) -> &mut State {
        self.state
    }

    fn fix(&mut self, _: Location, _: usize) {}

    fn written(&mut self, _: Location, _: usize) {}

    fn input_has(&mut self, count: u64) -> bool {
        let Some(size) = self.linux.input_size() else { return false };
        if count <= u64::from(size.least) || count > u64::from(size.most) {
            return count <= u64::from(size.least);
        }
        self.world.input_length() >= count
    }

    fn put_input(&mut self, location: Location) {
        let byte = self.world.next_input();
        if let Some(memory) = self.state.memory(location.space) {
            memory.poke(location.offset, byte);
        }
    }

    fn file_has(&mut self, file: &InputFile, count: u64) -> bool {
        file.size_in(self.state, self.linux.endian) >= count
    }

    fn copy(&mut self, from: Location, to: Location, count: u64) {
        copy_values(self.state, from, to, count);
    }

    fn put_file_size(&mut self, file: &InputFile, shift: u32, to: Location, size: usize) {
        put_file_size(self.state, file, shift, to, size, self.linux.endian);
    }

    fn assume(&mut self, _: Location, _: usize, _: u64) {}

    fn note(&mut self, _: &'static str) {}

    fn note_loss(&mut self, _: &'static str) {}

    fn output(&mut self, descriptor: u32, bytes: &[u8]) {
        match self.world.output.last_mut() {
            Some((last, written)) if *last == descriptor => written.extend(bytes),
            _ => self.world.output.push((descriptor, bytes.to_vec())),
        }
    }
}

/// Copies the values of bytes, whatever access the program has to them.
pub(super) fn copy_values(state: &mut State, from: Location, to: Location, count: u64) {
    for offset in 0..count {
        let byte = state.peek(Location { offset: from.offset + offset, ..from }, 1) as u8;
        if let Some(memory) = state.memory(to.space) {
            memory.poke(to.offset + offset, byte);
        }
    }
}

/// Puts the size of a file that is input into memory.
pub(super) fn put_file_size(
    state: &mut State,
    file: &InputFile,
    shift: u32,
    to: Location,
    size: usize,
    endian: Endian,
) {
    let units = file.size_in(state, endian).div_ceil(1 << shift);
    if let Some(memory) = state.memory(to.space) {
        memory.load(to.offset, &endian.bytes(units, size));
    }
}

impl World {
    /// Performs a system call.
    pub(crate) fn system_call(&mut self, state: &mut State, linux: &Linux) -> Result<Option<Bits>, Fault> {
        let Some(mut process) = self.remembered.process.take() else { return Err(Fault::SystemCall(None)) };
        let mut caller = ConcreteCaller { state, world: self, linux };
        let performed = linux.perform(Arc::<Process>::make_mut(&mut process), &mut caller);
        self.remembered.process = Some(process);
        performed
    }

    /// The value of a cell that has just been read.
    fn take(&mut self, cell: usize, width: Width) -> u64 {
        let source = &mut self.sources[cell];
        let value = source.draw(width);
        let name = source.name.clone();
        self.readings.push(crate::world::CellRead { cell: name, offset: 0, value: value.clone() });
        value.to_u64().unwrap_or(0)
    }

    /// The number of bytes of the standard input: read once, and the same from then on.
    fn input_length(&mut self) -> u64 {
        let Some((bytes, Some(length))) = self.input_cells else { return 0 };
        if self.sources[length].next == 0 {
            if self.sources[length].values.is_empty() {
                let given = self.sources[bytes].values.len() as u64;
                self.sources[length].values = vec![given];
            }
            return self.take(length, Width::W32);
        }
        self.sources[length].values.first().copied().unwrap_or(0)
    }

    /// The next byte of the standard input.
    fn next_input(&mut self) -> u8 {
        match self.input_cells {
            Some((bytes, _)) => self.take(bytes, Width::W8) as u8,
            None => 0,
        }
    }
}
