//! The system-call interface of a guest: registers, handlers by number, and what the process is given.

use super::call::{self, CallHandler, SystemCall};
use super::caller::{CallFailure, Caller};
use super::files::{Found, HostFiles};
use super::input_files::InputFile;
use super::process::Process;
use super::settings::LinuxSettings;
use super::stream_size::StreamSize;
use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use everypath_image::{FileKind, Host, Image, ReadOptions};
use everypath_ir::{Bits, Endian, Location, Place, SpaceId};
use everypath_lift::{LinuxInterface, RegisterCondition};
use everypath_machine::{Fault, State};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A register, with its size in bytes.
pub(crate) type RegisterSlot = (Location, usize);

/// A file that a path has mapped as code: first and last address, path and offset.
pub(crate) type MappedCode = (u64, u64, Arc<str>, u64);

/// The Linux environment of a guest.
pub(crate) struct Linux {
    pub(crate) interface: LinuxInterface,
    pub(crate) settings: LinuxSettings,
    number: RegisterSlot,
    pub(crate) arguments: Vec<RegisterSlot>,
    result: RegisterSlot,
    error: Option<(RegisterSlot, RegisterCondition)>,
    /// The calls that set a thread pointer: their name, their code, and the register.
    pub(crate) thread_pointers: Vec<(String, Option<u64>, RegisterSlot)>,
    handlers: BTreeMap<u64, (&'static str, CallHandler)>,
    pub(crate) space: SpaceId,
    pub(crate) endian: Endian,
    /// The size of an address in bytes.
    pub(crate) word: usize,
    /// The contents of the standard input, if they are no input of a test.
    pub(crate) stdin: Option<Arc<[u8]>>,
    pub(crate) files: HostFiles,
    /// The files that are input.
    pub(crate) input_files: Vec<Arc<InputFile>>,
    /// The files that paths have mapped as code: first and last address, path and offset.
    pub(crate) code: Mutex<Vec<MappedCode>>,
    /// The dynamic linker, if the program needs one.
    pub(crate) linker: Option<Arc<Image>>,
}

impl Guest {
    /// Whether a configuration makes the program a Linux process: the file says so, or the configuration does.
    pub fn is_linux_process(&self, configuration: &Configuration) -> bool {
        if configuration.call.is_some() || self.architecture().description().linux.is_none() {
            return false;
        }
        let is_executable = |kind| matches!(kind, FileKind::Executable | FileKind::Shared);
        let is_named = match self.image().host() {
            Some(Host::System(name)) => name == "Linux",
            Some(Host::DynamicLinker(path)) => is_linux_linker(path),
            None => false,
        };
        self.image().machine().is_some_and(|machine| is_executable(machine.kind))
            && (configuration.linux.is_some() || is_named && configuration.entry.is_none())
    }

    /// Reads the dynamic linker that the program names.
    fn linker(&self, files: &HostFiles, base: u64) -> Result<Option<Arc<Image>>, GuestError> {
        let Some(Host::DynamicLinker(path)) = self.image().host() else { return Ok(None) };
        let Found::File(file) = files.find(path) else {
            return Err(GuestError::new(format!(
                "the dynamic linker {path} is not there: install the program's libraries, or name the folder that has them with \
                 `root` in `[linux]`"
            )));
        };
        let Some(bytes) = file.contents() else {
            return Err(GuestError::new(format!("the dynamic linker {path} is no file")));
        };
        let options = ReadOptions { base: Some(base), ..ReadOptions::default() };
        let image = Image::read(bytes.clone(), &options);
        image.map(Arc::new).map(Some).map_err(|error| GuestError::new(format!("{path}: {error}")))
    }

    /// The entry of a process's own program, which its dynamic linker runs last.
    pub fn program_start(&self) -> Option<Place> {
        self.code_map().starts(self.image()).into_iter().next().map(|start| start.place)
    }

    /// Where a position-independent program is loaded, if it becomes a Linux process.
    pub fn process_base(&self, configuration: &Configuration) -> Option<u64> {
        let is_movable = self.image().machine().is_some_and(|machine| machine.kind == FileKind::Shared);
        let linux = self.architecture().description().linux.as_ref()?;
        (is_movable && self.is_linux_process(configuration)).then_some(linux.addresses.program)
    }

    /// The Linux environment, if the program is a Linux process.
    pub(crate) fn linux(&self, configuration: &Configuration) -> Result<Option<Linux>, GuestError> {
        if !self.is_linux_process(configuration) {
            return match configuration.linux {
                Some(_) if self.architecture().description().linux.is_none() => {
                    Err(GuestError::new(format!(
                        "`[linux]` is not supported for `{}`: its description does not say how programs call the system",
                        self.architecture().name()
                    )))
                }
                _ => Ok(None),
            };
        }
        let Some(interface) = self.architecture().description().linux.clone() else { return Ok(None) };
        let register = |name: &str| {
            let found = self.architecture().register(name);
            found
                .map(|(location, width)| (location, width.bytes()))
                .ok_or_else(|| GuestError::new(format!("there is no register `{name}`")))
        };
        let settings = configuration.linux.clone().unwrap_or_default();
        let stdin = match &settings.stdin_file {
            Some(file) => Some(contents(file)?),
            None if settings.stdin.is_none() => Some(Arc::from([])),
            None => None,
        };
        let handlers = call::ALL.iter().filter_map(|(name, handler)| {
            interface.calls.get(*name).map(|number| (*number, (*name, *handler)))
        });
        let pointer = |pointer: &everypath_lift::ThreadPointer| {
            Ok((pointer.call.clone(), pointer.code, register(&pointer.register)?))
        };
        let space = self.code_space();
        let input_files = InputFile::lay_out(&settings, space, interface.addresses.stack_end)?;
        let input_files: Vec<_> = input_files.into_iter().map(Arc::new).collect();
        let files = HostFiles::new(settings.root.clone(), &input_files);
        let linker = self.linker(&files, interface.addresses.linker)?;
        let spaces = &self.architecture().layout().spaces;
        Ok(Some(Linux {
            number: register(&interface.number)?,
            arguments: interface.arguments.iter().map(|name| register(name)).collect::<Result<_, _>>()?,
            result: register(&interface.result)?,
            error: match &interface.error {
                Some(condition) => Some((register(&condition.register)?, condition.clone())),
                None => None,
            },
            thread_pointers: interface
                .thread_pointers
                .iter()
                .map(pointer)
                .collect::<Result<_, GuestError>>()?,
            handlers: handlers.collect(),
            space,
            endian: spaces[usize::from(space.0)].endian,
            word: self.image().machine().map_or(8, |machine| usize::from(machine.class.bytes())),
            stdin,
            files,
            input_files,
            code: Mutex::default(),
            linker,
            settings,
            interface,
        }))
    }
}

/// Whether a dynamic linker is one of Linux: `/lib*/ld-...`, as the C libraries of Linux name it.
fn is_linux_linker(path: &str) -> bool {
    path.starts_with("/lib") && path.rsplit('/').next().is_some_and(|name| name.starts_with("ld"))
}

fn contents(file: &Path) -> Result<Arc<[u8]>, GuestError> {
    let read = fs::read(file);
    read.map(Arc::from)
        .map_err(|error| GuestError::new(format!("{}: cannot be read: {error}", file.display())))
}

impl Linux {
    /// Whether code may be mapped: another path must not have mapped other code there, because all paths share the blocks that
    /// the machine has lifted.
    pub(crate) fn may_map_code(&self, new: MappedCode) -> bool {
        let mut known = self.code.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&new) {
            return true;
        }
        let overlaps = known.iter().any(|(first, last, ..)| *first <= new.1 && new.0 <= *last);
        if !overlaps {
            known.push(new);
        }
        !overlaps
    }

    /// The size of the standard input, if it is input of a test.
    pub(crate) fn input_size(&self) -> Option<StreamSize> {
        self.settings.stdin.filter(|_| self.stdin.is_none())
    }

    /// Performs the call whose number and arguments the registers hold.
    pub(crate) fn perform(
        &self,
        process: &mut Process,
        caller: &mut dyn Caller,
    ) -> Result<Option<Bits>, Fault> {
        let number = fixed(caller, self.number)?;
        let Some((name, handler)) = self.handlers.get(&number) else {
            return Err(Fault::SystemCall(Some(number)));
        };
        let mut call = SystemCall { linux: self, process, caller, number, name, assumes_result: false };
        let answer = match handler(&mut call) {
            Ok(result) => (result, false),
            Err(CallFailure::Errno(error)) => (error, true),
            Err(CallFailure::Fault(fault)) => return Err(fault),
        };
        let (value, is_error) = answer;
        let assumes_result = call.assumes_result;
        let value = match (is_error, &self.error) {
            (true, None) => value.wrapping_neg(),
            (true, Some(_)) | (false, _) => value,
        };
        if let Some((slot, RegisterCondition { bits, value, .. })) = &self.error {
            let held = number_in(caller.state(), *slot)? & !bits;
            put(caller, *slot, if is_error { held | value } else { held | !value & bits })?;
        }
        put(caller, self.result, value)?;
        if assumes_result {
            caller.assume(self.result.0, self.result.1, number);
        }
        Ok(None)
    }
}

/// The number that a register holds.
fn number_in(state: &mut State, (location, size): RegisterSlot) -> Result<u64, Fault> {
    let read = state.read(location.space, location.offset, size.min(8));
    read.map_err(|denied| Fault::Access { space: location.space, denied })
}

/// The number that a register holds, on which the call depends.
pub(crate) fn fixed(caller: &mut dyn Caller, slot: RegisterSlot) -> Result<u64, Fault> {
    caller.fix(slot.0, slot.1);
    number_in(caller.state(), slot)
}

/// The number that a register holds, which decides nothing.
pub(crate) fn unfixed(caller: &mut dyn Caller, slot: RegisterSlot) -> Result<u64, Fault> {
    number_in(caller.state(), slot)
}

/// Sets a register.
pub(crate) fn put(caller: &mut dyn Caller, (location, size): RegisterSlot, value: u64) -> Result<(), Fault> {
    let written = caller.state().write(location.space, location.offset, size.min(8), value);
    written.map_err(|denied| Fault::Access { space: location.space, denied })?;
    caller.written(location, size);
    Ok(())
}
