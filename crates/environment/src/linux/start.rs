//! The start of a process, as the kernel does it: the stack with arguments, environment and auxiliary vector (System V ABI), and the
//! heap behind the program.
//!
//! An argument that is input has room for its largest size. Its bytes are initial contents of memory, and the first zero among
//! them ends it.

use super::call::{PROGRAM, STACK_SIZE};
use super::files::USER;
use super::headers::stack_permissions;
use super::input_files::InputFile;
use super::interface::Linux;
use super::process::Process;
use super::settings::{Argument, EnvironmentVariable};
use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use crate::input::InitialInput;
use everypath_image::{Image, Segment};
use everypath_ir::Location;
use everypath_machine::{PAGE_SIZE, Permissions, Region, State};
use std::sync::Arc;

const PAGE: u64 = PAGE_SIZE as u64;

/// Entries of the auxiliary vector.
mod auxiliary {
    pub(super) const END: u64 = 0;
    pub(super) const PROGRAM_HEADERS: u64 = 3;
    pub(super) const HEADER_SIZE: u64 = 4;
    pub(super) const HEADER_COUNT: u64 = 5;
    pub(super) const PAGE_SIZE: u64 = 6;
    pub(super) const LINKER: u64 = 7;
    pub(super) const FLAGS: u64 = 8;
    pub(super) const ENTRY: u64 = 9;
    pub(super) const USERS: [u64; 4] = [11, 12, 13, 14];
    pub(super) const PLATFORM: u64 = 15;
    pub(super) const CAPABILITIES: u64 = 16;
    pub(super) const CLOCK: u64 = 17;
    pub(super) const SECURE: u64 = 23;
    pub(super) const RANDOM: u64 = 25;
    pub(super) const CAPABILITIES_2: u64 = 26;
    pub(super) const PATH: u64 = 31;
}

/// The environment variable by which a dynamic linker binds all functions at the start.
const BIND_NOW: &str = "LD_BIND_NOW=1";
/// The random bytes that a process is given.
const RANDOM: [u8; 16] = *b"\x5f\x1d\xa2\x3c\x94\xe7\x60\x0b\xd8\x36\x7e\xc1\x29\x8a\xf4\x53";

/// The largest size of a text that the kernel takes, with its end.
const LARGEST_TEXT: u32 = 32 * PAGE as u32;

/// The name of the input that is an argument; the first one behind the name of the program is 1.
pub fn argument_name(number: usize) -> String {
    format!("argument-{number}")
}

/// The name of the input that is the value of an environment variable.
pub fn variable_name(variable: &str) -> String {
    format!("environment-{variable}")
}

/// The top of the stack while it is filled, downwards.
struct StackTop {
    address: u64,
    bytes: Vec<(u64, Vec<u8>)>,
    inputs: Vec<TextInput>,
}

/// A part of a text on the stack that is input.
struct TextInput {
    name: String,
    address: u64,
    size: u32,
}

impl StackTop {
    /// Puts bytes onto the stack, and returns their address.
    fn push(&mut self, bytes: &[u8]) -> u64 {
        self.address -= bytes.len() as u64;
        self.bytes.push((self.address, bytes.to_vec()));
        self.address
    }

    fn text(&mut self, text: &str) -> u64 {
        self.push(&[text.as_bytes(), &[0]].concat())
    }

    /// Puts a text onto the stack that begins like this and continues with input.
    fn text_with_input(&mut self, start: &str, name: String, size: u32) -> Result<u64, GuestError> {
        if size >= LARGEST_TEXT {
            return Err(GuestError::new(format!(
                "`{name}` has at most {size} bytes, and a process takes less than {LARGEST_TEXT}"
            )));
        }
        let room = vec![0; size as usize + 1];
        let address = self.push(&[start.as_bytes(), &room].concat());
        self.inputs.push(TextInput { name, address: address + start.len() as u64, size });
        Ok(address)
    }

    fn argument(&mut self, number: usize, argument: &Argument) -> Result<u64, GuestError> {
        match argument {
            Argument::Text(text) => Ok(self.text(text)),
            Argument::Input(input) => self.text_with_input("", argument_name(number), input.bytes),
        }
    }

    fn variable(&mut self, variable: &EnvironmentVariable) -> Result<u64, GuestError> {
        match variable {
            EnvironmentVariable::Text(text) => Ok(self.text(text)),
            EnvironmentVariable::Input(input) => {
                let start = format!("{}=", input.name);
                self.text_with_input(&start, variable_name(&input.name), input.bytes)
            }
        }
    }

    fn align(&mut self, alignment: u64) {
        self.address &= !(alignment - 1);
    }
}

impl Guest {
    /// The state of the process at its start.
    pub(crate) fn process(&self, linux: &Linux) -> Process {
        let last = self.image().segments().iter().map(Segment::last).max().unwrap_or(0);
        let heap = last.saturating_add(PAGE) & !(PAGE - 1);
        Process::new(heap, linux.interface.addresses.mappings_end)
    }

    /// Makes the memory of a loaded program that of a process: whole pages, and the stack. Returns the stack pointer.
    pub(crate) fn start_process(&self, state: &mut State, linux: &Linux) -> Result<u64, GuestError> {
        if let Some(linker) = &linux.linker {
            load_linker(state, linux, linker);
        }
        self.fill_pages(state, linux);
        let end = linux.interface.addresses.stack_end;
        let space = linux.space;
        let permissions = stack_permissions(state, linux, self.image().program_headers());
        let stack = Region::memory(end - STACK_SIZE, end - 1, permissions).with_contents();
        state.map_zeros(space, stack);
        linux.input_files.iter().for_each(|file| file.map(state));
        let StackTop { bytes, address: pointer, .. } = self.initial_stack(linux, end)?;
        if let Some(memory) = state.memory(space) {
            bytes.into_iter().for_each(|(address, bytes)| memory.load(address, &bytes));
        }
        Ok(pointer)
    }

    /// The arguments and environment variables of a process that are input.
    ///
    /// # Errors
    /// If one of them is too long, or the process cannot be started.
    pub fn process_texts(&self, configuration: &Configuration) -> Result<Vec<InitialInput>, GuestError> {
        self.linux(configuration)?.map_or_else(|| Ok(Vec::new()), |linux| self.texts(&linux))
    }

    fn texts(&self, linux: &Linux) -> Result<Vec<InitialInput>, GuestError> {
        let StackTop { inputs, .. } = self.initial_stack(linux, linux.interface.addresses.stack_end)?;
        let input = |TextInput { name, address, size }| {
            let location = Location { space: linux.space, offset: address };
            InitialInput::in_memory(name, location, u64::from(size), linux.endian)
        };
        // They were put onto the stack from the last to the first.
        Ok(inputs.into_iter().rev().map(input).collect())
    }

    /// The paths and contents of the files that are input, in the state of a process at its start.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn process_files(
        &self,
        configuration: &Configuration,
        state: &State,
    ) -> Result<Vec<(String, Vec<u8>)>, GuestError> {
        let Some(linux) = self.linux(configuration)? else { return Ok(Vec::new()) };
        let file = |file: &Arc<InputFile>| (file.path.clone(), file.contents_in(state, linux.endian));
        Ok(linux.input_files.iter().map(file).collect())
    }

    /// The inputs that the process is given at its start: texts and files.
    pub(crate) fn process_inputs(
        &self,
        configuration: &Configuration,
    ) -> Result<Vec<InitialInput>, GuestError> {
        let Some(linux) = self.linux(configuration)? else { return Ok(Vec::new()) };
        let mut inputs = self.texts(&linux)?;
        inputs.extend(linux.input_files.iter().flat_map(|file| file.inputs(linux.endian)));
        Ok(inputs)
    }

    /// Extends the segments of the program to whole pages, as they are mapped. Bytes between them are zero.
    fn fill_pages(&self, state: &mut State, linux: &Linux) {
        let Some(memory) = state.memory(linux.space) else { return };
        let regions: Vec<Region> = memory.regions().iter().collect();
        for region in regions {
            let first = region.start & !(PAGE - 1);
            let last = region.last | (PAGE - 1);
            for (start, end) in [(first, region.start), (region.last + 1, last + 1)] {
                let is_free = |address: u64| memory.regions().at(address).is_none();
                let mut gap = start;
                while gap < end && is_free(gap) {
                    gap += 1;
                }
                if gap > start {
                    memory.map(Region { start, last: gap - 1, has_contents: true, ..region });
                }
            }
        }
    }

    fn initial_stack(&self, linux: &Linux, end: u64) -> Result<StackTop, GuestError> {
        let word = linux.word;
        let mut top = StackTop { address: end, bytes: Vec::new(), inputs: Vec::new() };
        top.push(&vec![0; word]);
        let path = top.text(PROGRAM);
        // The linker binds all functions at the start, so that no path does it where it calls one for the first time.
        let bound = linux.linker.as_ref().map(|_| top.text(BIND_NOW));
        let variables = linux.settings.environment.iter().rev();
        let variables: Vec<u64> =
            variables.map(|variable| top.variable(variable)).collect::<Result<_, _>>()?;
        let environment: Vec<u64> = bound.into_iter().chain(variables).collect();
        let arguments = (1..).zip(&linux.settings.arguments).collect::<Vec<_>>().into_iter().rev();
        let arguments: Vec<u64> =
            arguments.map(|(number, argument)| top.argument(number, argument)).collect::<Result<_, _>>()?;
        let name = top.text(PROGRAM);
        let platform = linux.interface.platform.as_ref().map(|platform| top.text(platform));
        top.align(16);
        let random = top.push(&RANDOM);
        let mut auxiliary = vec![
            (auxiliary::CAPABILITIES, linux.interface.capabilities),
            (auxiliary::PAGE_SIZE, PAGE),
            (auxiliary::CLOCK, 100),
        ];
        if let Some(headers) = self.image().program_headers() {
            auxiliary.push((auxiliary::PROGRAM_HEADERS, headers.address));
            auxiliary.push((auxiliary::HEADER_SIZE, headers.entry_size));
            auxiliary.push((auxiliary::HEADER_COUNT, headers.count));
        }
        let entry = self.program_entry()?;
        let linker = linux.linker.as_ref().map_or(0, |linker| linker.load_bias());
        auxiliary.extend([(auxiliary::LINKER, linker), (auxiliary::FLAGS, 0), (auxiliary::ENTRY, entry)]);
        auxiliary.extend(auxiliary::USERS.map(|kind| (kind, USER)));
        auxiliary.extend([
            (auxiliary::SECURE, 0),
            (auxiliary::RANDOM, random),
            (auxiliary::CAPABILITIES_2, 0),
            (auxiliary::PATH, path),
        ]);
        auxiliary.extend(platform.map(|platform| (auxiliary::PLATFORM, platform)));
        auxiliary.push((auxiliary::END, 0));
        let mut words = vec![1 + arguments.len() as u64, name];
        words.extend(arguments.iter().rev());
        words.push(0);
        words.extend(environment.iter().rev());
        words.push(0);
        words.extend(auxiliary.into_iter().flat_map(|(kind, value)| [kind, value]));
        let vector: Vec<u8> = words.into_iter().flat_map(|value| linux.endian.bytes(value, word)).collect();
        top.address -= vector.len() as u64;
        top.align(16);
        let pointer = top.address;
        top.bytes.push((pointer, vector));
        Ok(top)
    }
}

/// Loads the dynamic linker.
fn load_linker(state: &mut State, linux: &Linux, linker: &Image) {
    let Some(memory) = state.memory(linux.space) else { return };
    for segment in linker.segments() {
        let allowed = segment.permissions();
        let permissions = Permissions { read: allowed.read, write: allowed.write, execute: allowed.execute };
        memory.map(Region::memory(segment.address(), segment.last(), permissions).with_contents());
        memory.load(segment.address(), segment.data());
    }
}
