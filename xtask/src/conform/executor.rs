//! An independent executor: something that runs one instruction in a state it is given.

use super::adapter::Adapter;
use super::console::Console;
use super::description::ExecutorChoice;
use super::gdb::Emulator;
use super::layout::Layout;
use super::native;
use super::registers::Registers;
use std::path::Path;

/// What is to be done.
#[derive(Clone, Debug)]
pub(super) struct Request<'r> {
    /// What is written to memory beforehand.
    pub(super) writes: &'r [(u64, Vec<u8>)],
    /// All registers, as the executor orders them.
    pub(super) registers: &'r [u8],
    /// Which of the registers that cost extra time the instruction has to do with.
    pub(super) extra: &'r [usize],
    /// How many steps the instruction takes: more than one with delay slots.
    pub(super) steps: usize,
    /// What is read from memory afterwards: addresses and sizes.
    pub(super) reads: &'r [(u64, usize)],
}

/// What happened.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// The signal that the instruction raised, if it was not completed.
    pub(super) signal: Option<i32>,
    /// All registers.
    pub(super) registers: Vec<u8>,
    /// What was read from memory.
    pub(super) memory: Vec<Vec<u8>>,
}

/// Something that runs instructions. Its memory is that of [`executable`](super::executable::executable).
pub(super) trait Executor {
    /// Runs one instruction.
    ///
    /// # Errors
    /// If the executor itself fails.
    fn run(&mut self, request: &Request<'_>) -> Result<Response, String>;

    /// Runs instructions one after the other, each in its own state.
    ///
    /// # Errors
    /// If the executor itself fails.
    fn run_all(&mut self, requests: &[Request<'_>]) -> Result<Vec<Response>, String> {
        requests.iter().map(|request| self.run(request)).collect()
    }

    /// How many requests it is best given at once.
    fn batch(&self) -> usize {
        1
    }

    /// The registers as they are now.
    ///
    /// # Errors
    /// If the executor itself fails.
    fn registers(&mut self) -> Result<Vec<u8>, String>;
}

/// Starts an executor with a program. `folder`: where the description lies.
///
/// # Errors
/// If it cannot be started.
pub(super) fn open(
    choice: &ExecutorChoice,
    folder: &Path,
    file: &Path,
    registers: &Registers,
    layout: &Layout,
) -> Result<Box<dyn Executor>, String> {
    let needs = |error| format!("{error}; needed are the Debian packages {}", choice.packages.join(", "));
    if let Some(source) = &choice.source {
        let started = Adapter::start(&folder.join(source), &choice.libraries, file, registers);
        return Ok(Box::new(started.map_err(needs)?));
    }
    match &choice.command {
        Some(command) if choice.console => {
            let started = Console::start(choice, command, file, registers, layout);
            Ok(Box::new(started.map_err(needs)?))
        }
        Some(command) => Ok(Box::new(Emulator::start(command, &choice.arguments, file, registers)?)),
        None => native::start(file),
    }
}
