//! The schema of `tests/sweep/list.toml`: the programs and random words to sweep.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The list of programs and of random words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Programs whose code is decoded from front to back.
    #[serde(rename = "program")]
    pub programs: Vec<ProgramEntry>,
    /// Random words; a built-in architecture without an entry is an error.
    pub words: Vec<WordsEntry>,
}

/// A program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramEntry {
    /// Its name in the table.
    pub name: String,
    /// An ELF file, of which `.text` is used, or an archive of them, of which all code is used.
    pub path: String,
    /// The Debian package that has it.
    pub package: String,
    /// Its architecture.
    pub architecture: String,
    /// The distance to the next attempt after an address without an instruction.
    pub step: u64,
    /// Context fields that differ from the architecture's own.
    #[serde(default)]
    pub context: BTreeMap<String, u64>,
    /// The distance in bytes at which the context is reset, because data decoded as code may have changed it; 0 for
    /// never.
    #[serde(default)]
    pub anchor: u64,
}

/// Random words of one architecture.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordsEntry {
    /// The architecture.
    pub architecture: String,
    /// The size of each word in bytes; the bytes after it are zero.
    pub size: u64,
    /// Its name in the table; the architecture's by default.
    pub name: Option<String>,
    /// Context fields that differ from the architecture's own.
    #[serde(default)]
    pub context: BTreeMap<String, u64>,
}

impl WordsEntry {
    /// Its name in the table.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.architecture)
    }
}

impl List {
    /// Reads the list.
    ///
    /// # Errors
    /// If it cannot be read, or has an unknown key.
    pub fn read(root: &Path) -> Result<Self, String> {
        let file = root.join("tests/sweep/list.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }
}
