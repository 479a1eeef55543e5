//! The Linux environment of a guest: whether the program is a process of Linux, its dynamic linker, and its system-call interface.

use super::call;
use super::files::Found;
use super::host_files::HostFiles;
use super::input_files::InputFile;
use super::interface::Linux;
use crate::configuration::Configuration;
use crate::guest::{Guest, GuestError};
use everypath_image::{FileKind, Host, Image, ReadOptions};
use everypath_ir::Place;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

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
        let calls = call::ALL.iter().enumerate();
        let calls = calls.filter_map(|(index, (name, _))| Some((*interface.calls.get(*name)?, index)));
        let pointer = |pointer: &everypath_lift::ThreadPointer| {
            Ok((pointer.call.clone(), pointer.code, register(&pointer.register)?))
        };
        let space = self.code_space();
        let input_files = InputFile::lay_out(&settings, space, interface.addresses.stack_end)?;
        let input_files: Vec<_> = input_files.into_iter().map(Arc::new).collect();
        let files = HostFiles::new(settings.root.clone(), &input_files);
        let linker = self.linker(&files, interface.addresses.linker)?;
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
            calls: calls.collect(),
            space,
            endian: self.architecture().layout()[space].endian,
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
