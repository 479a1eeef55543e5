//! The schema of `tests/confirm/list.toml`.

use serde::Deserialize;
use std::path::Path;

/// Guests, and the executors that confirm their tests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// The files in `tests/guests/classic`.
    pub(super) guests: Vec<String>,
    #[serde(rename = "target")]
    pub(super) targets: Vec<Target>,
}

/// An executor of tests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    /// The name in `tests/guests/targets.toml`.
    pub(super) name: String,
    pub(super) level: String,
    /// The format of the scripts.
    pub(super) format: String,
    /// The tool that runs the script, or the emulator that a debugger connects to.
    pub(super) command: String,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
    /// The file in `tests/conform` that names the emulator's registers; without one the command reads the script
    /// itself.
    pub(super) registers: Option<String>,
    /// Compiler flags in addition to the target's.
    #[serde(default)]
    pub(super) flags: Vec<String>,
}

impl List {
    /// Reads the list.
    ///
    /// # Errors
    /// If it cannot be read, or has an unknown key.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let file = root.join("tests/confirm/list.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }
}
