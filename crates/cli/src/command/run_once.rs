//! `everypath run`: one concrete execution.

use super::dump;
use crate::arguments::File;
use crate::document::{self, Hexadecimal};
use crate::failure::Failure;
use crate::{input, number};
use everypath_environment::{Configuration, Guest, Place, World};
use everypath_lift::{Architecture, Library};
use everypath_machine::{Bound, Concrete, ConcreteDomain, End, FaultReason, Machine, Missing, Trace};
use std::fs;
use std::io::Write;
use std::path::Path;

/// What is asked for.
pub(crate) struct Question<'q> {
    pub(crate) file: &'q File,
    pub(crate) configuration: Option<&'q Path>,
    pub(crate) input: &'q [(String, Vec<u64>)],
    pub(crate) stop: &'q [String],
    pub(crate) budget: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) trace: bool,
    pub(crate) dump: bool,
}

/// The name of a configuration beside an executable.
const CONFIGURATION: &str = "everypath.toml";

pub(crate) fn run(
    question: &Question<'_>,
    library: &Library,
    json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let image = input::image(question.file)?;
    let configuration = configuration(question)?;
    let named = configuration.architecture.as_deref();
    let architecture = input::architecture_or(question.file, named, &image, library)?;
    let refused = |error: everypath_environment::GuestError| {
        Failure::Input(format!("{}: {error}", question.file.path.display()))
    };
    let guest = Guest::new(architecture, image).map_err(refused)?;
    let entry = guest.entry(&configuration).map_err(refused)?;
    let limits = guest.limits(&configuration).map_err(refused)?;
    let mut state = guest.state(&configuration).map_err(refused)?;
    let world = guest.world(&configuration).map_err(refused)?;
    let mut machine: Machine<&Guest, Concrete> = Machine::new(&guest);
    let mut domain = ConcreteDomain { state: &mut state, outside: world };
    let mut trace = Trace::default();
    let (end, instructions) = if question.trace {
        machine.run(&mut domain, entry, &limits, &mut trace)
    } else {
        machine.run(&mut domain, entry, &limits, &mut everypath_machine::Nobody)
    };
    let world = domain.outside;
    let (registers, memory) = if question.dump {
        (dump::registers(guest.architecture(), &mut state), dump::memory(guest.architecture(), &mut state))
    } else {
        (Vec::new(), Vec::new())
    };
    let run = document::Run {
        entry: Hexadecimal(entry.address),
        end: end_word(&end),
        address: end_address(&end).map(Hexadecimal),
        reason: end_text(guest.architecture(), &end),
        instructions,
        readings: readings(&world),
        trace: trace.addresses.iter().copied().map(Hexadecimal).collect(),
        registers,
        memory,
    };
    if json { document::write(out, "everypath.run", &run) } else { print(&run, out) }
}

fn configuration(question: &Question<'_>) -> Result<Configuration, Failure> {
    let beside = question.file.path.parent().unwrap_or(Path::new("")).join(CONFIGURATION);
    let path = question.configuration.unwrap_or(&beside);
    let mut configuration = match fs::read_to_string(path) {
        Ok(text) => Configuration::parse(&text)
            .map_err(|error| Failure::Input(format!("{}: {}", path.display(), error.trim_end())))?,
        // Only a configuration that was asked for must be there.
        Err(_) if question.configuration.is_none() && !path.exists() => Configuration::default(),
        Err(error) => return Err(Failure::Input(format!("{}: cannot be read: {error}", path.display()))),
    };
    for (name, values) in question.input {
        let cell = configuration.volatiles.iter_mut().find(|cell| cell.name == *name).ok_or_else(|| {
            Failure::Input(format!(
                "the configuration has no volatile cell `{name}`; add it to {CONFIGURATION}"
            ))
        })?;
        cell.values.clone_from(values);
    }
    let stops = question.stop.iter().map(|stop| match number::parse(stop) {
        Ok(address) => Place::Address(address),
        Err(_) => Place::Symbol(stop.clone()),
    });
    configuration.stop.extend(stops);
    configuration.budget = question.budget.or(configuration.budget);
    configuration.seed = question.seed.unwrap_or(configuration.seed);
    // A dump tells bytes that are zero from bytes that never got a value.
    configuration.note_written |= question.dump;
    if let Some(entry) = question.file.entry {
        configuration.entry = Some(Place::Address(entry));
    }
    Ok(configuration)
}

fn end_word(end: &End) -> &'static str {
    match end {
        End::Exited { .. } => "exited",
        End::Faulted { .. } => "faulted",
        End::Unmodelled { .. } => "unmodelled",
        End::Exhausted { .. } => "exhausted",
        End::Infeasible => "infeasible",
    }
}

fn end_address(end: &End) -> Option<u64> {
    match end {
        End::Exited { address, .. } | End::Faulted { address, .. } | End::Unmodelled { address, .. } => {
            Some(*address)
        }
        End::Exhausted { place, .. } => Some(place.address),
        End::Infeasible => None,
    }
}

fn end_text(architecture: &Architecture, end: &End) -> String {
    match end {
        End::Exited { .. } => "it reached a stop".to_owned(),
        End::Faulted { reason: FaultReason::Access { space, denied }, .. } => {
            let space = &architecture.layout().spaces[usize::from(space.0)].name;
            format!("{} at {space}[{:#x}]", denied.fault, denied.address)
        }
        End::Faulted { reason, .. } => reason.to_string(),
        End::Unmodelled { missing: Missing::SystemCall(None), .. } => {
            "a call of the operating system, which is not there".to_owned()
        }
        End::Unmodelled { missing: Missing::SystemCall(Some(number)), .. } => {
            format!("call {number} of the operating system, which is not there")
        }
        End::Unmodelled { missing: Missing::Operation(operation), .. } => {
            let names = &architecture.layout().user_operations;
            let name = names.get(*operation as usize).map_or("?", String::as_str);
            format!("the operation `{name}` has no model")
        }
        End::Exhausted { bound: Bound::Instructions, .. } => {
            "the budget of instructions is used up; --budget N gives more".to_owned()
        }
        End::Exhausted { bound: Bound::Memory, .. } => {
            "the budget of memory is used up; `memory_budget` in the configuration gives more".to_owned()
        }
        End::Infeasible => "no input takes this path".to_owned(),
    }
}

fn readings(world: &World) -> Vec<document::Reading> {
    let reading = |reading: &everypath_environment::Reading| document::Reading {
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
    let place = run.address.as_ref().map_or_else(String::new, |address| format!(" at {address}"));
    writeln!(out, "{}{place} after {} instructions: {}", run.end, run.instructions, run.reason)?;
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
