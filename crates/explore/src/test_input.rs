//! A test's input: values of memory-mapped inputs (MMIO), and initial contents of memory and registers.

use everypath_environment::{Guest, GuestError, InputOrigin};
use everypath_machine::State;
use everypath_record::{Address, CellValues, MemoryBytes, TestCase};
use everypath_term::{Evaluation, Model};

use crate::explorer::Explorer;

/// A test's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestInput {
    pub(crate) cells: Vec<CellValues>,
    pub(crate) memory: Vec<MemoryBytes>,
    pub(crate) registers: Vec<(String, Address)>,
}

impl TestInput {
    /// The input of a recorded test.
    pub(crate) fn of(test: &TestCase) -> TestInput {
        TestInput {
            cells: test.cells.clone(),
            memory: test.memory.clone(),
            registers: test.registers.clone(),
        }
    }

    /// The values of each memory-mapped input, by its name.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = (&str, &[u64])> {
        self.cells.iter().map(|cell| (cell.name.as_str(), cell.values.as_slice()))
    }

    /// Writes the initial memory and registers into a state.
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
    /// The test input that a model describes, on a path that has read each cell so many times.
    pub(crate) fn given(&self, model: &Model, reads: &[u32]) -> TestInput {
        let byte = |origin: InputOrigin| self.inputs.find(origin).map_or(0, |input| model.get(input));
        let cell = |(number, name): (usize, &str)| {
            let value = |ordinal: u32| {
                // A read that the configuration fixes is no input, but other tools need its value to run the test.
                if let Some(value) = self.world.scripted(number, ordinal as usize) {
                    return value;
                }
                let part =
                    |byte| self.inputs.find(InputOrigin::Reading { cell: number as u32, ordinal, byte });
                // If a byte of a read is input, all lower bytes are.
                let bytes = (0..8).map_while(|place| Some((place, model.get(part(place)?))));
                bytes.fold(0_u64, |value, (place, byte)| value | u64::from(byte) << (8 * place))
            };
            CellValues { name: name.to_owned(), values: (0..reads[number]).map(value).collect() }
        };
        let cells = self.world.cells().enumerate().map(cell).filter(|cell| !cell.values.is_empty()).collect();
        let mut given = TestInput { cells, ..TestInput::default() };
        let pointed_to = self.pointed_to(model);
        for (number, input) in self.initial.values.iter().enumerate() {
            let part = |part: u64| byte(InputOrigin::Initial { input: number as u32, byte: part as u32 });
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
                // An all-zero object that no pointer points to is unused.
                None if input.object.is_some()
                    && bytes.iter().all(|byte| *byte == 0)
                    && !pointed_to.contains(&input.location.offset) => {}
                None => given.memory.push(self.bytes(input.location, bytes)),
            }
        }
        self.add_unwritten(model, &mut given.memory);
        given
    }

    /// The addresses that input pointers hold under a model.
    fn pointed_to(&self, model: &Model) -> Vec<u64> {
        if self.pointers.is_empty() {
            return Vec::new();
        }
        let mut evaluation = Evaluation::new(model.clone());
        self.pointers.iter().filter_map(|(_, term)| evaluation.word(&self.terms, *term)).collect()
    }

    /// Adds the non-zero bytes of uninitialised memory under a model.
    fn add_unwritten(&self, model: &Model, memory: &mut Vec<MemoryBytes>) {
        let mut blank: Vec<(everypath_ir::Location, u8)> = Vec::new();
        for (input, value) in model.iter().filter(|(_, value)| *value != 0) {
            if let Some(InputOrigin::Unwritten { location }) = self.inputs.origin(input) {
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

    fn bytes(&self, location: everypath_ir::Location, bytes: Vec<u8>) -> MemoryBytes {
        let spaces = &self.guest.architecture().layout().spaces;
        let space = spaces[usize::from(location.space.0)].name.clone();
        MemoryBytes { space, address: Address(location.offset), bytes }
    }
}

/// Sign-extends a number of so many bytes to a width.
fn sign_extended(value: u64, bytes: usize, width: u32) -> u64 {
    let unused = 64 - 8 * bytes.min(8) as u32;
    let wide = ((value << unused) as i64 >> unused) as u64;
    wide & (u64::MAX >> (64 - width.clamp(1, 64)))
}
