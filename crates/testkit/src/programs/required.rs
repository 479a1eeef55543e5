//! The schema of `tests/programs.toml`, and the search for its programs.

use super::record;
use serde::Deserialize;
use std::fmt;
use std::path::Path;

/// The environment variable with which a missing program fails a check: `.ci/run` sets it.
pub const NO_SKIP: &str = "EVERYPATH_NO_SKIP";

/// A program that checks need.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredProgram {
    /// Its name, in the search path unless `program` is given.
    pub name: String,
    /// The program in the search path that it is a library of, with its `files`.
    #[serde(default)]
    pub program: Option<String>,
    /// The Debian packages that have it and its files.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The Python package that has it, if Debian has none.
    #[serde(default)]
    pub python_package: Option<String>,
    /// Files that must exist, too.
    #[serde(default)]
    pub files: Vec<String>,
}

impl RequiredProgram {
    /// Whether the program is in the search path, with its files.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders)
            .any(|folder| folder.join(self.program.as_ref().unwrap_or(&self.name)).is_file())
            && self.files.iter().all(|file| Path::new(file).is_file())
    }
}

impl fmt::Display for RequiredProgram {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(package) = &self.python_package {
            return write!(formatter, "{} (Python package {package})", self.name);
        }
        let plural = if self.packages.len() == 1 { "" } else { "s" };
        write!(formatter, "{} (Debian package{plural} {})", self.name, self.packages.join(", "))
    }
}

#[derive(Deserialize)]
struct List {
    program: Vec<RequiredProgram>,
}

/// The programs of `tests/programs.toml`.
///
/// # Panics
/// If the file has another form.
#[must_use]
pub fn required() -> Vec<RequiredProgram> {
    let list: Result<List, _> = toml::from_str(include_str!("../../../../tests/programs.toml"));
    list.unwrap_or_else(|error| panic!("tests/programs.toml: {error}")).program
}

/// Whether all these programs are installed. If not, prints and records that the calling check is skipped, wholly or in
/// part. Called on the thread of the check, whose name is recorded.
///
/// # Panics
/// If one is missing and [`NO_SKIP`] is set, or is not in `tests/programs.toml`.
#[must_use]
pub fn installed(programs: &[&str]) -> bool {
    let known = required();
    let mut missing = Vec::new();
    for name in programs {
        let program = known.iter().find(|program| program.name == *name);
        let program = program.unwrap_or_else(|| panic!("`{name}` is not in tests/programs.toml: add it"));
        if !program.is_installed() {
            println!("skipped: needs {program}");
            missing.push(program);
        }
    }
    record::add(&missing).unwrap_or_else(|error| panic!("{}: {error}", record::file().display()));
    let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
    let may_skip = std::env::var_os(NO_SKIP).is_none();
    assert!(missing.is_empty() || may_skip, "{NO_SKIP} is set, and this is missing: {}", names.join(", "));
    missing.is_empty()
}
