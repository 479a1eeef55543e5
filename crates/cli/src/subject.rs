//! The subject of a command: a program with its architecture, configured by `everypath.toml` and flags.

use crate::arguments::{File, GlobalOptions, Setting};
use crate::failure::{Failure, WrongConfiguration};
use crate::{input, number};
use everypath::{
    AddressOrSymbol, Binary, Configuration, ConfigurationMistake, ConfigurationText, ExecutionTrace,
    without_justifications,
};
use everypath_environment::GuestError;
use everypath_lift::Library;
use everypath_record::Summary;
use everypath_report::shell_quoted;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The name of a configuration beside an executable.
const CONFIGURATION: &str = "everypath.toml";

/// Opens the program with its configuration.
pub(crate) fn load(file: &File, setting: &Setting, global: &GlobalOptions) -> Result<Binary, Failure> {
    let library = &input::library(global)?;
    // An unreadable program is reported before a wrong configuration.
    let configured = configuration(file, setting);
    let (configuration, text) = configured.or_else(|failure| input::image(file).and(Err(failure)))?;
    let Setting { input, stop, stdin, stdin_file, process, .. } = setting;
    let mut flags = format!("{input:?} {stop:?} {:?} {:?}", file.entry, file.base);
    if is_process(setting) {
        flags.push_str(&format!(" {stdin:?} {stdin_file:?} {process:?}"));
    }
    // A justification changes nothing about the tests.
    let hashed = without_justifications(&text);
    let hash_of = [hashed.as_bytes(), flags.as_bytes()].concat();
    let binary = open(file, configuration, (&hashed, &hash_of), library)?;
    let (path, written) = (configuration_file(file, setting), ConfigurationText(&text));
    if let Some(mistake) = written.check(binary.configuration(), binary.guest()).into_iter().next() {
        return Err(wrong(&path, text, mistake));
    }
    for mistake in written.doubts(binary.configuration()) {
        let file = path.display().to_string();
        WrongConfiguration { file, text: text.clone(), mistake }.warn(global.color);
    }
    Ok(binary)
}

/// Whether flags say what a Linux process is given.
fn is_process(setting: &Setting) -> bool {
    setting.stdin.is_some() || setting.stdin_file.is_some() || !setting.process.is_empty()
}

/// The failure of a configuration with a mistake.
fn wrong(file: &Path, text: String, mistake: ConfigurationMistake) -> Failure {
    Failure::Configuration(Box::new(WrongConfiguration { file: file.display().to_string(), text, mistake }))
}

/// The path of the configuration: the one that a flag names, else the one beside the program.
fn configuration_file(file: &File, setting: &Setting) -> PathBuf {
    setting.configuration.clone().unwrap_or_else(|| beside(file))
}

/// Opens the program with a configuration: its text, and the bytes of which its hash is.
pub(crate) fn open(
    file: &File,
    configuration: Configuration,
    (text, hashed): (&str, &[u8]),
    library: &Library,
) -> Result<Binary, Failure> {
    let mut options =
        Binary::options().library(library.clone()).configuration(configuration).configuration_text(hashed);
    options = options.configuration_source(text);
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
pub(crate) fn refused(file: &File, setting: &Setting, error: &GuestError) -> Failure {
    misfit(file, setting, &error.to_string())
}

/// The failure of an operation on a program with its configuration.
pub(crate) fn failure(file: &File, setting: &Setting, error: &everypath::Error) -> Failure {
    match error {
        everypath::Error::Configuration { message, .. } => misfit(file, setting, message),
        error => input::failure(error),
    }
}

/// Shows the entry of the configuration that a message names, if there is one; a flag may be what is wrong.
fn misfit(file: &File, setting: &Setting, message: &str) -> Failure {
    let path = configuration_file(file, setting);
    if let Ok(text) = fs::read_to_string(&path) {
        let mistake = ConfigurationText(&text).locate(message);
        if mistake.span.is_some() {
            return wrong(&path, text, mistake);
        }
    }
    Failure::Input(format!("{}: {message}", file.path.display()))
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

/// The flags of a program and its setup, each as a shell reads it. A configuration is named from a folder if one is given.
pub(crate) fn flags(file: &File, setting: &Setting, from: Option<&Path>) -> Vec<String> {
    let path = |path: &PathBuf| match from {
        Some(folder) => relative(folder, path).display().to_string(),
        None => path.display().to_string(),
    };
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
    flags.extend(setting.stdin.map(|size| ("stdin", size.to_string())));
    flags.extend(setting.stdin_file.as_ref().map(|file| ("stdin-file", path(file))));
    flags.extend(setting.process.flags());
    flags.into_iter().map(|(name, value)| format!("--{name} {}", shell_quoted(&value))).collect()
}

/// The absolute path of a folder that need not exist yet.
fn resolved(folder: &Path) -> Option<PathBuf> {
    let exists = folder.ancestors().find_map(|ancestor| {
        let here = if ancestor.as_os_str().is_empty() { Path::new(".") } else { ancestor };
        Some((fs::canonicalize(here).ok()?, ancestor))
    });
    let (existing, ancestor) = exists?;
    Some(existing.join(folder.strip_prefix(ancestor).ok()?))
}

/// The path of a file from a folder, so that both can be moved together.
pub(crate) fn relative(folder: &Path, file: &Path) -> PathBuf {
    // The folder of a file that is named without one is this one.
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (Some(folder), Ok(file)) = (resolved(here), fs::canonicalize(file)) else {
        return file.to_owned();
    };
    let common = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

/// Reads traces of a program, and the tests of suites as traces.
pub(crate) fn read_traces(binary: &Binary, files: &[PathBuf]) -> Result<Vec<ExecutionTrace>, Failure> {
    let mut traces = Vec::new();
    for file in files {
        traces.extend(binary.read_traces(file).map_err(|error| input::failure(&error))?);
    }
    Ok(traces)
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
    let path = &configuration_file(file, setting);
    let (mut configuration, text) = match fs::read_to_string(path) {
        Ok(text) => match ConfigurationText(&text).parse() {
            Ok(parsed) => (parsed, text),
            Err(mistake) => return Err(wrong(path, text, *mistake)),
        },
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
    if is_process(setting) {
        let linux = configuration.linux.get_or_insert_default();
        if setting.stdin.is_some() || setting.stdin_file.is_some() {
            (linux.stdin, linux.stdin_file) = (setting.stdin, setting.stdin_file.clone());
        }
        linux.arguments.extend(setting.process.arguments.iter().cloned());
        linux.environment.extend(setting.process.environment.iter().cloned());
        linux.files.extend(setting.process.files.iter().cloned());
    }
    configuration.budget = setting.budget.or(configuration.budget);
    Ok((configuration, text))
}
