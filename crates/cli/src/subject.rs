//! The subject of a command: a program with its architecture, configured by `everypath.toml` and flags.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::{input, number};
use everypath_environment::{AddressOrSymbol, Configuration, Guest, GuestError};
use everypath_lift::Library;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The name of a configuration beside an executable.
const CONFIGURATION: &str = "everypath.toml";

/// A program, ready to be run.
pub(crate) struct Subject {
    pub(crate) guest: Guest,
    pub(crate) configuration: Configuration,
    /// The hash (SHA-256) of the program's file.
    pub(crate) program_hash: String,
    /// The hash (SHA-256) of the configuration's text and of the flags that override it.
    pub(crate) configuration_hash: String,
}

impl Subject {
    /// Reads the program and its configuration.
    pub(crate) fn load(file: &File, setting: &Setting, library: &Library) -> Result<Self, Failure> {
        let image = input::image(file)?;
        let (configuration, text) = configuration(file, setting)?;
        let named = configuration.architecture.as_deref();
        let architecture = input::architecture_or(file, named, &image, library)?;
        let guest = Guest::new(architecture, image).map_err(|error| Self::refused(file, &error))?;
        let Setting { input, stop, .. } = setting;
        let flags = format!("{input:?} {stop:?} {:?}", file.entry);
        let configuration_hash = hash(&[text.as_bytes(), flags.as_bytes()].concat());
        let program = fs::read(&file.path).map_err(|error| unreadable(&file.path, &error))?;
        Ok(Self { guest, configuration, program_hash: hash(&program), configuration_hash })
    }

    /// The failure of a configuration that does not fit the program.
    pub(crate) fn refused(file: &File, error: &GuestError) -> Failure {
        Failure::Input(format!("{}: {error}", file.path.display()))
    }
}

/// The default path of a configuration.
pub(crate) fn beside(file: &File) -> PathBuf {
    file.path.parent().unwrap_or(Path::new("")).join(CONFIGURATION)
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("{}: cannot be read: {error}", path.display()))
}

/// The configuration, and the text that it comes from.
fn configuration(file: &File, setting: &Setting) -> Result<(Configuration, String), Failure> {
    let beside = beside(file);
    let path = setting.configuration.as_deref().unwrap_or(&beside);
    let (mut configuration, text) = match fs::read_to_string(path) {
        Ok(text) => {
            let parsed = Configuration::parse(&text)
                .map_err(|error| Failure::Input(format!("{}: {}", path.display(), error.trim_end())))?;
            (parsed, text)
        }
        // Only a configuration that a flag names must exist.
        Err(_) if setting.configuration.is_none() && !path.exists() => {
            (Configuration::default(), String::new())
        }
        Err(error) => return Err(unreadable(path, &error)),
    };
    for (name, values) in &setting.input {
        let cell = configuration.volatiles.iter_mut().find(|cell| cell.name == *name).ok_or_else(|| {
            Failure::Input(format!(
                "the configuration has no volatile cell `{name}`; add it to {CONFIGURATION}"
            ))
        })?;
        cell.values.clone_from(values);
    }
    let stops = setting.stop.iter().map(|stop| match number::parse(stop) {
        Ok(address) => AddressOrSymbol::Address(address),
        Err(_) => AddressOrSymbol::Symbol(stop.clone()),
    });
    configuration.stop.extend(stops);
    configuration.budget = setting.budget.or(configuration.budget);
    if let Some(entry) = file.entry {
        configuration.entry = Some(AddressOrSymbol::Address(entry));
    }
    Ok((configuration, text))
}
