//! What a test gives to a run: what cells give, and what memory and registers hold at the start.

use everypath_environment::{Guest, GuestError, Origin};
use everypath_machine::State;
use everypath_record::{Address, Bytes, Cell, TestCase};
use everypath_term::{Evaluation, Model};

use crate::explorer::Explorer;

/// What a test gives to a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) cells: Vec<Cell>,
    pub(crate) memory: Vec<Bytes>,
    pub(crate) registers: Vec<(String, Address)>,
}

impl Given {
    /// What a recorded test gives.
    pub(crate) fn of(test: &TestCase) -> Given {
        Given { cells: test.cells.clone(), memory: test.memory.clone(), registers: test.registers.clone() }
    }

    /// What each cell gives, by its name.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = (&str, &[u64])> {
        self.cells.iter().map(|cell| (cell.name.as_str(), cell.values.as_slice()))
    }

    /// Puts what is there at the start into a state.
    pub(crate) fn put(&self, guest: &Guest, state: &mut State) -> Result<(), GuestError> {
        for bytes in &self.memory {
            guest.set_memory(state, Some(&bytes.space), bytes.address.0, &bytes.bytes)?;
        }
        for (name, value) in &self.registers {
            guest.set_register(state, name, value.0)?;
        }
        Ok(())
    }
}

impl Explorer<'_> {
    /// What a model gives, on a path that has read each cell so many times.
    pub(crate) fn given(&self, model: &Model, reads: &[u32]) -> Given {
        let byte = |origin: Origin| self.inputs.find(origin).map_or(0, |input| model.get(input));
        let cell = |(number, name): (usize, &str)| {
            let value = |ordinal: u32| {
                // A read whose value the configuration fixes is no input, but whoever runs the test must be given it.
                if let Some(value) = self.world.scripted(number, ordinal as usize) {
                    return value;
                }
                let part = |byte| self.inputs.find(Origin::Reading { cell: number as u32, ordinal, byte });
                // A read that had a byte had all below it.
                let bytes = (0..8).map_while(|place| Some((place, model.get(part(place)?))));
                bytes.fold(0_u64, |value, (place, byte)| value | u64::from(byte) << (8 * place))
            };
            Cell { name: name.to_owned(), values: (0..reads[number]).map(value).collect() }
        };
        let cells = self.world.cells().enumerate().map(cell).filter(|cell| !cell.values.is_empty()).collect();
        let mut given = Given { cells, ..Given::default() };
        let pointed_to = self.pointed_to(model);
        for (number, input) in self.initial.values.iter().enumerate() {
            let part = |part: u64| byte(Origin::Initial { input: number as u32, byte: part as u32 });
            let bytes: Vec<u8> = (0..input.size).map(part).collect();
            match &input.register {
                Some(register) => {
                    let byte = |byte: usize| u64::from(bytes[input.endian.place(byte, bytes.len())]);
                    let value =
                        (0..bytes.len().min(8)).rev().fold(0, |value, place| value << 8 | byte(place));
                    let value = match input.sign_extended {
                        Some((_, width)) => sign_extended(value, bytes.len(), width.bits()),
                        None => value,
                    };
                    given.registers.push((register.clone(), Address(value)));
                }
                // An object that no pointer leads to and that is all zero is one that nobody has.
                None if input.object.is_some()
                    && bytes.iter().all(|byte| *byte == 0)
                    && !pointed_to.contains(&input.location.offset) => {}
                None => given.memory.push(self.bytes(input.location, bytes)),
            }
        }
        self.add_unwritten(model, &mut given.memory);
        given
    }

    /// Where pointers among the input lead to.
    fn pointed_to(&self, model: &Model) -> Vec<u64> {
        if self.pointers.is_empty() {
            return Vec::new();
        }
        let mut evaluation = Evaluation::new(model.clone());
        self.pointers.iter().filter_map(|(_, term)| evaluation.word(&self.terms, *term)).collect()
    }

    /// What memory holds where nothing was written, if it is not zero.
    fn add_unwritten(&self, model: &Model, memory: &mut Vec<Bytes>) {
        let mut blank: Vec<(everypath_ir::Location, u8)> = Vec::new();
        for (input, value) in model.iter().filter(|(_, value)| *value != 0) {
            if let Some(Origin::Unwritten { location }) = self.inputs.origin(input) {
                blank.push((location, value));
            }
        }
        blank.sort_unstable();
        let first = memory.len();
        let mut next = None;
        for (location, value) in blank {
            if next == Some(location)
                && let Some(last) = memory[first..].last_mut()
            {
                last.bytes.push(value);
            } else {
                memory.push(self.bytes(location, vec![value]));
            }
            next = Some(everypath_ir::Location { offset: location.offset.wrapping_add(1), ..location });
        }
    }

    fn bytes(&self, location: everypath_ir::Location, bytes: Vec<u8>) -> Bytes {
        let spaces = &self.guest.architecture().layout().spaces;
        let space = spaces[usize::from(location.space.0)].name.clone();
        Bytes { space, address: Address(location.offset), bytes }
    }
}

/// A number of so many bytes with its sign in the bits above, up to a width.
fn sign_extended(value: u64, bytes: usize, width: u32) -> u64 {
    let unused = 64 - 8 * bytes.min(8) as u32;
    let wide = ((value << unused) as i64 >> unused) as u64;
    wide & (u64::MAX >> (64 - width.clamp(1, 64)))
}
