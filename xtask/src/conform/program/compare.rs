//! Compares two runs of a program.

use super::ours::{Instructions, Ready};
use super::shape::Shapes;
use super::theirs::{self, Task};
use crate::conform::executor::{Executor, Request};
use crate::conform::registers::{Registers, Role};
use everypath_machine::End;

/// The result of a comparison.
pub(super) struct Comparison {
    /// The length of the common prefix of the traces, in instructions.
    pub(super) instructions: u64,
    /// The differences in words.
    pub(super) differences: Vec<String>,
    /// Whether our run ended, right or wrong.
    pub(super) ended: bool,
}

/// The maximum number of reported differences.
const SHOWN: usize = 4;

/// Compares the run of our machine with the executor's.
pub(super) fn compare(
    ours: &mut Ready,
    end: &End,
    instructions: &Instructions,
    theirs: &theirs::Run,
    shapes: &mut Shapes<'_>,
    registers: &Registers,
) -> Comparison {
    let mut differences = Vec::new();
    let same = same_way(ours, instructions, theirs, shapes, &mut differences);
    let ended = matches!(end, End::Exited { .. });
    if !ended || theirs.signal.is_some() {
        differences.push(format!("ours ended as {end:x?}, the executor with signal {:?}", theirs.signal));
    }
    if differences.is_empty() {
        for (field, value) in registers.fields.iter().zip(&theirs.after) {
            // Some instructions leave flags undefined; the trace covers the branches that depend on flags.
            let counts = !matches!(field.role, Role::Counter | Role::Bits);
            let our = ours.register(field);
            if counts && our != *value {
                differences.push(format!("{} is {our:#x}, the executor has {value:#x}", field.name));
            }
        }
        for (location, byte) in &theirs.memory {
            let our = ours.byte(*location);
            if our != *byte {
                let address = location.offset;
                differences.push(format!("[{address:#x}] is {our:#04x}, the executor has {byte:#04x}"));
            }
        }
        if differences.len() > SHOWN {
            let more = differences.len() - SHOWN;
            differences.truncate(SHOWN);
            differences.push(format!("and {more} more"));
        }
    }
    Comparison { instructions: same, differences, ended }
}

/// Compares both traces; returns the length of their common prefix.
///
/// A repeated instruction may be traced once or once per iteration, and one in a delay slot may be part of its jump.
fn same_way(
    ours: &mut Ready,
    instructions: &Instructions,
    theirs: &theirs::Run,
    shapes: &mut Shapes<'_>,
    differences: &mut Vec<String>,
) -> u64 {
    let mut rest = theirs.trace.as_slice();
    let mut same = 0;
    let mut last: Option<(u64, everypath_ir::Context)> = None;
    let mut slots = Vec::new();
    for &(address, context) in &instructions.list {
        let repeated = last.is_some_and(|(last, _)| last == address);
        if (repeated || slots.contains(&address)) && rest.first() != Some(&address) {
            continue;
        }
        while let Some((before, _)) = last
            && rest.first() == Some(&before)
            && before != address
        {
            rest = &rest[1..];
        }
        if rest.first() != Some(&address) {
            let text = last.map_or("the start".to_owned(), |(address, context)| {
                format!("{address:#x} `{}`", shapes.at(ours.memory(), address, context).text)
            });
            let to = rest.first().map_or("nowhere".to_owned(), |address| format!("to {address:#x}"));
            differences.push(format!("from {text} ours goes to {address:#x}, the executor {to}"));
            return same;
        }
        rest = &rest[1..];
        same += 1;
        slots.clone_from(&shapes.at(ours.memory(), address, context).slots);
        last = Some((address, context));
    }
    while let Some((before, _)) = last
        && rest.first() == Some(&before)
    {
        rest = &rest[1..];
    }
    if let Some(next) = rest.first() {
        let text = last.map_or("the start".to_owned(), |(address, context)| {
            format!("{address:#x} `{}`", shapes.at(ours.memory(), address, context).text)
        });
        differences.push(format!("after {text} ours ends, the executor goes to {next:#x}"));
    }
    same
}

/// The maximum number of instructions that are searched for the first difference of registers.
const SEARCHED: usize = 20_000;

/// The instruction after which a register first differs, in words. The executor must be at the start.
///
/// # Errors
/// If the executor fails.
pub(super) fn first_difference(
    ours: &mut Ready,
    (mut executor, mut bytes): (Box<dyn Executor>, Vec<u8>),
    task: &Task<'_>,
    shapes: &mut Shapes<'_>,
) -> Result<Option<String>, String> {
    let registers = task.registers;
    for _ in 0..SEARCHED {
        let place = ours.place();
        if place.address == task.done {
            break;
        }
        let shape = shapes.at(ours.memory(), place.address, place.context).clone();
        let steps = 1 + shape.slots.len();
        let response =
            executor.run(&Request { writes: &[], registers: &bytes, extra: &[], steps, reads: &[] })?;
        bytes = response.registers;
        let next = ours.step();
        let words = |what: &str| Some(format!("{what}, at {:#x} `{}`", place.address, shape.text));
        let Some(next) = next else { return Ok(words("our run ends")) };
        let mut differing = Vec::new();
        for (field, value) in registers.fields.iter().zip(registers.take_apart(&bytes)) {
            let our =
                if field.role == Role::Counter { u128::from(next.address) } else { ours.register(field) };
            // The extra-time registers would cost it at each step.
            if our != value && field.role != Role::Bits && field.extra.is_none() {
                differing.push(format!("{} is {our:#x}, not {value:#x}", field.name));
            }
        }
        if !differing.is_empty() {
            return Ok(words(&differing.join(", ")));
        }
        if let Some(signal) = response.signal {
            return Ok(words(&format!("the executor stops with signal {signal}")));
        }
    }
    Ok(None)
}
