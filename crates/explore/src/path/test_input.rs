//! A test's input: values of memory-mapped inputs (MMIO), initial contents of memory and registers, and interrupts.

use everypath_environment::{Configuration, Guest, GuestError};
use everypath_machine::State;
use everypath_record::{Address, CellValues, MemoryBytes, TakenInterrupt, TestCase};

/// A test's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestInput {
    pub(crate) cells: Vec<CellValues>,
    pub(crate) memory: Vec<MemoryBytes>,
    pub(crate) registers: Vec<(String, Address)>,
    pub(crate) interrupts: Vec<TakenInterrupt>,
}

impl TestInput {
    /// The input of a recorded test.
    pub(crate) fn of(test: &TestCase) -> TestInput {
        TestInput {
            cells: test.cells.clone(),
            memory: test.memory.clone(),
            registers: test.registers.clone(),
            interrupts: test.interrupts.clone(),
        }
    }

    /// The values of each memory-mapped input, by its name.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = (&str, &[u64])> {
        self.cells.iter().map(CellValues::script)
    }

    /// The next interrupt, when so many are done, if it is due after this number of instructions.
    pub(crate) fn due(&self, taken: usize, instructions: u64) -> Option<TakenInterrupt> {
        self.interrupts.get(taken).copied().filter(|next| next.after == instructions)
    }

    /// The state of a guest at the entry, with this input.
    pub(crate) fn initial_state(
        &self,
        guest: &Guest,
        configuration: &Configuration,
    ) -> Result<State, GuestError> {
        let mut state = guest.state(configuration)?;
        self.put(guest, &mut state)?;
        Ok(state)
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
