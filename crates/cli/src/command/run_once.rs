//! `everypath run`: one concrete execution.

use super::dump;
use crate::arguments::{GlobalOptions, RunOptions};
use crate::document::{self, Hexadecimal};
use crate::failure::Failure;
use crate::subject;
use everypath_environment::{Guest, GuestError, World};
use everypath_machine::{Concrete, ConcreteDomain, End, Machine, Trace};
use std::io::Write;

pub(super) fn run(options: &RunOptions, global: &GlobalOptions, out: &mut dyn Write) -> Result<(), Failure> {
    let binary = subject::load(&options.file, &options.setting, global)?;
    let (guest, mut configuration) = (binary.guest(), binary.configuration().clone());
    let refused = |error: GuestError| subject::refused(&options.file, &options.setting, &error);
    configuration.seed = options.seed.unwrap_or(configuration.seed);
    // A dump tells bytes that are zero from bytes that never got a value.
    configuration.note_written |= options.dump;
    let entry = guest.entry(&configuration).map_err(refused)?;
    let limits = guest.limits(&configuration).map_err(refused)?;
    let mut state = guest.state(&configuration).map_err(refused)?;
    let world = guest.world(&configuration).map_err(refused)?;
    let mut machine: Machine<&Guest, Concrete> = Machine::new(guest);
    let mut domain = ConcreteDomain { state: &mut state, outside: world };
    let mut trace = Trace::default();
    let (end, instructions) = if options.trace {
        machine.run(&mut domain, entry, &limits, &mut trace)
    } else {
        machine.run(&mut domain, entry, &limits, &mut everypath_machine::NoWatch)
    };
    let world = domain.outside;
    let (registers, memory) = if options.dump {
        (dump::registers(guest.architecture(), &mut state), dump::memory(guest.architecture(), &mut state))
    } else {
        (Vec::new(), Vec::new())
    };
    let run = document::Run {
        entry: Hexadecimal(entry.address),
        end: end_word(&end),
        address: Hexadecimal(end_address(&end)),
        reason: guest.explain(&end),
        instructions,
        readings: readings(&world),
        output: output(&world),
        status: match end {
            End::Exited { status, .. } if guest.is_linux_process(&configuration) => Some(status),
            _ => None,
        },
        trace: trace.addresses.iter().copied().map(Hexadecimal).collect(),
        registers,
        memory,
    };
    if global.json { document::write(out, "everypath.run", &run) } else { print(&run, out) }
}

/// The word for how a run ended.
pub(super) fn end_word(end: &End) -> &'static str {
    match end {
        End::Exited { .. } => "exited",
        End::Faulted { .. } => "faulted",
        End::Unmodelled { .. } => "unmodelled",
        End::Exhausted { .. } => "exhausted",
        End::Repeats { .. } => "repeats",
        End::Postponed { .. } => "postponed",
    }
}

/// The address at which a run ended.
pub(super) fn end_address(end: &End) -> u64 {
    match end {
        End::Exited { address, .. } | End::Faulted { address, .. } | End::Unmodelled { address, .. } => {
            *address
        }
        End::Exhausted { place, .. } | End::Repeats { place } | End::Postponed { place } => place.address,
    }
}

/// The outputs of a process.
fn output(world: &World) -> Vec<document::Written> {
    let written = |(descriptor, bytes): &(u32, Vec<u8>)| document::Written {
        descriptor: *descriptor,
        text: String::from_utf8_lossy(bytes).into_owned(),
    };
    world.output.iter().map(written).collect()
}

fn readings(world: &World) -> Vec<document::Reading> {
    let reading = |reading: &everypath_environment::CellRead| document::Reading {
        cell: reading.cell.to_string(),
        offset: reading.offset,
        value: reading.value.to_string(),
    };
    world.readings.iter().map(reading).collect()
}

fn print(run: &document::Run, out: &mut dyn Write) -> Result<(), Failure> {
    for address in &run.trace {
        writeln!(out, "{address}")?;
    }
    for written in &run.output {
        write!(out, "{}", written.text)?;
    }
    if run.output.last().is_some_and(|written| !written.text.ends_with('\n')) {
        writeln!(out)?;
    }
    let place = format!(" at {}", run.address);
    let status = run.status.map_or_else(String::new, |status| format!(" with status {status}"));
    writeln!(out, "{}{status}{place} after {} instructions: {}", run.end, run.instructions, run.reason)?;
    for reading in &run.readings {
        writeln!(out, "  read {}+{:#x} = {}", reading.cell, reading.offset, reading.value)?;
    }
    for register in &run.registers {
        writeln!(out, "  {} = {}", register.name, register.value)?;
    }
    for line in &run.memory {
        writeln!(out, "  {}[{}] {}", line.space, line.address, line.bytes)?;
    }
    Ok(())
}
