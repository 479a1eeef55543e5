//! What `tests/confirm/list.toml` says.

use serde::Deserialize;
use std::path::Path;

/// Guests, and where their tests are confirmed.
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
    /// What runs the script, or the emulator that a debugger connects to.
    pub(super) command: String,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
    /// The file in `tests/conform` that names the emulator's registers; without one the command takes the script itself.
    pub(super) registers: Option<String>,
    /// What the compiler is told beside what the target says.
    #[serde(default)]
    pub(super) flags: Vec<String>,
}

impl List {
    /// Reads the list.
    ///
    /// # Errors
    /// If it cannot be read, or says something that is not known.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let file = root.join("tests/confirm/list.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }
}
