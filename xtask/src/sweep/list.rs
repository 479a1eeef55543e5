//! What is swept: `tests/sweep/list.toml`.

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
    /// Random words; an architecture that is built in and has no entry is a fault.
    pub words: Vec<WordsEntry>,
}

/// A program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramEntry {
    /// What the table calls it.
    pub name: String,
    /// An ELF file, whose `.text` is taken, or an archive of them, all code of which is taken.
    pub path: String,
    /// The Debian package that has it.
    pub package: String,
    /// Its architecture.
    pub architecture: String,
    /// How far to go on from an address where there is no instruction.
    pub step: u64,
    /// Context fields that differ from the architecture's own.
    #[serde(default)]
    pub context: BTreeMap<String, u64>,
    /// After how many bytes the context is set anew, because data decoded as code may have changed it; 0 for never.
    #[serde(default)]
    pub anchor: u64,
}

/// Random words of one architecture.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordsEntry {
    /// The architecture.
    pub architecture: String,
    /// How many bytes each word has; the bytes behind it are zero.
    pub size: u64,
    /// What the table calls it, if not by the architecture's name.
    pub name: Option<String>,
    /// Context fields that differ from the architecture's own.
    #[serde(default)]
    pub context: BTreeMap<String, u64>,
}

impl WordsEntry {
    /// What the table calls it.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.architecture)
    }
}

impl List {
    /// Reads the list.
    ///
    /// # Errors
    /// If it cannot be read, or says something that this program does not know.
    pub fn read(root: &Path) -> Result<Self, String> {
        let file = root.join("tests/sweep/list.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }
}
