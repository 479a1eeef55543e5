//! The subject of a command: a program with its architecture, configured by `everypath.toml` and flags.

use crate::arguments::{File, Setting};
use crate::failure::Failure;
use crate::{input, number};
use everypath::{AddressOrSymbol, Binary, Configuration, ExecutionTrace, without_justifications};
use everypath_environment::GuestError;
use everypath_lift::Library;
use everypath_record::Summary;
use everypath_report::shell_quoted;
use std::fs;
use std::path::{Path, PathBuf};

/// The name of a configuration beside an executable.
const CONFIGURATION: &str = "everypath.toml";

/// Opens the program with its configuration.
pub(crate) fn load(file: &File, setting: &Setting, library: &Library) -> Result<Binary, Failure> {
    // An unreadable program is reported before a wrong configuration.
    let configured = configuration(file, setting);
    let (configuration, text) = configured.or_else(|failure| input::image(file).and(Err(failure)))?;
    let Setting { input, stop, .. } = setting;
    let flags = format!("{input:?} {stop:?} {:?} {:?}", file.entry, file.base);
    // A justification changes nothing about the tests.
    let text = without_justifications(&text);
    open(file, configuration, &[text.as_bytes(), flags.as_bytes()].concat(), library)
}

/// Opens the program with a configuration, whose hash is that of this text.
pub(crate) fn open(
    file: &File,
    configuration: Configuration,
    text: &[u8],
    library: &Library,
) -> Result<Binary, Failure> {
    let mut options =
        Binary::options().library(library.clone()).configuration(configuration).configuration_text(text);
    if let Some(name) = &file.architecture {
        options = options.architecture(name);
    }
    if let Some(format) = file.format {
        options = options.format(format);
    }
    if let Some(base) = file.base {
        options = options.base(base);
    }
    if let Some(entry) = file.entry {
        options = options.entry(entry);
    }
    options.open(&file.path).map_err(|error| input::failure(&error))
}

/// The failure of a configuration that does not fit the program.
pub(crate) fn refused(file: &File, error: &GuestError) -> Failure {
    Failure::Input(format!("{}: {error}", file.path.display()))
}

/// How the program and the configuration differ from those that a suite was made for, in words; an older suite does not
/// record the configuration.
pub(crate) fn differences(binary: &Binary, summary: &Summary) -> Vec<String> {
    let mut differences = Vec::new();
    if binary.program_hash() != summary.program_hash {
        let (name, hash, own) = (&summary.program, &summary.program_hash, binary.program_hash());
        differences.push(format!(
            "another program: the tests were made for {name} with SHA-256 {hash}; this one has {own}"
        ));
    }
    let recorded = &summary.configuration_hash;
    if !recorded.is_empty() && binary.configuration_hash() != recorded {
        let own = binary.configuration_hash();
        differences.push(format!(
            "another configuration: the tests were made with one with SHA-256 {recorded}; this one has {own}"
        ));
    }
    differences
}

/// Refuses a program or a configuration that a suite was not made for.
pub(crate) fn check_same_setup(binary: &Binary, summary: &Summary) -> Result<(), Failure> {
    match differences(binary, summary) {
        differences if differences.is_empty() => Ok(()),
        differences => Err(Failure::Input(format!(
            "{}; give the same file and flags as to `everypath test`, or run it again",
            differences.join("; ")
        ))),
    }
}

/// The flags of a program and its setup, as a shell reads them.
pub(crate) fn flags(file: &File, setting: &Setting) -> String {
    let path = |path: &PathBuf| path.display().to_string();
    let mut flags: Vec<(&str, String)> = Vec::new();
    flags.extend(file.architecture.clone().map(|name| ("architecture", name)));
    flags.extend(file.format.map(|format| ("format", format.name.to_owned())));
    flags.extend(file.base.map(|base| ("base", format!("{base:#x}"))));
    flags.extend(file.entry.map(|entry| ("entry", format!("{entry:#x}"))));
    flags.extend(setting.configuration.as_ref().map(|file| ("configuration", path(file))));
    for (cell, values) in &setting.input {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        flags.push(("input", format!("{cell}={}", values.join(","))));
    }
    flags.extend(setting.stop.iter().map(|stop| ("stop", stop.clone())));
    let flags: Vec<String> =
        flags.into_iter().map(|(name, value)| format!("--{name} {}", shell_quoted(&value))).collect();
    flags.join(" ")
}

/// Reads traces of a program.
pub(crate) fn read_traces(binary: &Binary, files: &[PathBuf]) -> Result<Vec<ExecutionTrace>, Failure> {
    files.iter().map(|file| binary.read_trace(file).map_err(|error| input::failure(&error))).collect()
}

/// The default folder for results: the name of the program's file with an extension.
pub(crate) fn folder_beside(file: &File, extension: &str) -> PathBuf {
    let mut name = file.path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(extension);
    file.path.with_file_name(name)
}

/// The default path of a configuration.
pub(crate) fn beside(file: &File) -> PathBuf {
    file.path.parent().unwrap_or(Path::new("")).join(CONFIGURATION)
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
    configuration.given.clone_from(&setting.input);
    let stops = setting.stop.iter().map(|stop| match number::parse(stop) {
        Ok(address) => AddressOrSymbol::Address(address),
        Err(_) => AddressOrSymbol::Symbol(stop.clone()),
    });
    configuration.stop.extend(stops);
    configuration.budget = setting.budget.or(configuration.budget);
    Ok((configuration, text))
}
