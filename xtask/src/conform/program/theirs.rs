//! A program on an independent executor.

use crate::conform::description::ExecutorChoice;
use crate::conform::executor::Executor;
use crate::conform::gdb::Emulator;
use crate::conform::registers::Registers;
use everypath_ir::{Location, SpaceId};
use std::path::Path;

/// The number of bytes below and above the initial stack pointer that are copied.
pub(super) const BELOW: u64 = 0x4000;
const ABOVE: u64 = 0x400;
const SIGTRAP: i32 = 5;

/// An executor's run: its initial state, trace and final state.
pub(super) struct Run {
    /// The value of each register before the first instruction.
    pub(super) before: Vec<u128>,
    /// The address and the initial contents of the stack, if an operating system made it.
    pub(super) stack: Option<(u64, Vec<u8>)>,
    /// The addresses of the executed instructions.
    pub(super) trace: Vec<u64>,
    /// The signal that ended it, if any.
    pub(super) signal: Option<i32>,
    /// The value of each register afterwards.
    pub(super) after: Vec<u128>,
    /// The final contents of memory.
    pub(super) memory: Vec<(Location, u8)>,
}

/// The parameters of a run.
pub(super) struct Task<'t> {
    pub(super) registers: &'t Registers,
    pub(super) stack_pointer: usize,
    /// The address at which the program ends.
    pub(super) done: u64,
    /// The code space, and the ranges of it that are compared in addition to the stack.
    pub(super) space: SpaceId,
    pub(super) ranges: &'t [(u64, usize)],
}

/// Runs a program in an emulator, which writes the address of each instruction to a file.
///
/// Single-stepping the host's processor would work, too, but is far slower.
///
/// # Errors
/// If the emulator fails.
pub(super) fn run(choice: &ExecutorChoice, file: &Path, task: &Task<'_>) -> Result<Run, String> {
    let command = choice.command.as_ref().ok_or("the executor is no emulator")?;
    let log = file.with_extension("log");
    let mut arguments = choice.arguments.clone();
    arguments.extend(["-singlestep", "-d", "nochain,exec", "-D"].map(str::to_owned));
    arguments.push(log.to_string_lossy().into_owned());
    let mut emulator = Emulator::start(command, &arguments, file, task.registers)?;
    let before = task.registers.take_apart(&emulator.registers()?);
    let start = before[task.stack_pointer] as u64 - BELOW;
    // The stack may end shortly above.
    let stack = read(&mut emulator, start, (BELOW + ABOVE) as usize)
        .or_else(|_| read(&mut emulator, start, BELOW as usize))?;
    emulator.set(&format!("Z0,{:x},4", task.done))?;
    let signal = emulator.go_on("c")?;
    let after = task.registers.take_apart(&emulator.registers()?);
    let ranges = task.ranges.iter().copied().chain([(start, stack.len())]);
    let mut memory = Vec::new();
    for (address, size) in ranges {
        let bytes = read(&mut emulator, address, size)?;
        let location = |distance| Location { space: task.space, offset: address + distance };
        memory.extend((0..).map(location).zip(bytes));
    }
    emulator.end();
    let text = std::fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let trace = addresses(&text).filter(|address| *address != task.done).collect();
    let signal = (signal != SIGTRAP).then_some(signal);
    Ok(Run { before, stack: Some((start, stack)), trace, signal, after, memory })
}

/// The addresses in lines such as `Trace 0: 0x7f0000000100 [00000000/00400110/000000e2/00000201] main`.
fn addresses(log: &str) -> impl Iterator<Item = u64> + '_ {
    let lines = log.lines().filter(|line| line.starts_with("Trace "));
    lines.filter_map(|line| u64::from_str_radix(line.split('/').nth(1)?, 16).ok())
}

/// The size of one memory request.
const CHUNK: usize = 1024;

fn read(emulator: &mut Emulator, address: u64, size: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(size);
    while bytes.len() < size {
        let count = (size - bytes.len()).min(CHUNK);
        bytes.extend(emulator.bytes(&format!("m{:x},{count:x}", address + bytes.len() as u64))?);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_a_log() {
        let log = "Trace 0: 0x7f0 [00000000/00400110/000000e2/00000201] main\n\
                   Stopped execution of TB chain before 0x7f0 [00400114] main\n\
                   Trace 0: 0x7f1 [0000000000000000/0000ffff00400118/000000e2/00000201] \n";
        assert_eq!(addresses(log).collect::<Vec<_>>(), [0x40_0110, 0xffff_0040_0118]);
    }
}
