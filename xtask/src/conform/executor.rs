//! The interface of independent executors, which run one instruction in a given state.

use super::adapter::Adapter;
use super::console::Console;
use super::description::ExecutorChoice;
use super::gdb::Emulator;
use super::layout::Layout;
use super::native;
use super::registers::Registers;
use std::path::Path;

/// A request to an executor.
#[derive(Clone, Debug)]
pub(super) struct Request<'r> {
    /// Bytes to write to memory first.
    pub(super) writes: &'r [(u64, Vec<u8>)],
    /// All registers, in the executor's order.
    pub(super) registers: &'r [u8],
    /// The extra-time registers that the instruction uses.
    pub(super) extra: &'r [usize],
    /// The number of steps: more than one with delay slots.
    pub(super) steps: usize,
    /// Ranges of memory to read afterwards: addresses and sizes.
    pub(super) reads: &'r [(u64, usize)],
}

/// The response of an executor.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// The signal that the instruction raised, if it was not completed.
    pub(super) signal: Option<i32>,
    /// All registers.
    pub(super) registers: Vec<u8>,
    /// The memory that was read.
    pub(super) memory: Vec<Vec<u8>>,
}

/// An executor of instructions. Its memory is that of [`executable`](super::executable::executable).
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

    /// The best number of requests at once.
    fn batch(&self) -> usize {
        1
    }

    /// The registers as they are now.
    ///
    /// # Errors
    /// If the executor itself fails.
    fn registers(&mut self) -> Result<Vec<u8>, String>;
}

/// Starts an executor with a program. `folder` is that of the description.
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
