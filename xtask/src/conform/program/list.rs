//! The schema of `tests/conform/programs/list.toml`.

use crate::conform::executable::from_hex;
use everypath_testkit::random::Random;
use serde::Deserialize;
use std::path::Path;

/// Programs, compilers and inputs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// Optimisation levels.
    pub(super) levels: Vec<String>,
    /// Flags for every compiler.
    pub(super) flags: Vec<String>,
    #[serde(rename = "target")]
    pub(super) targets: Vec<Target>,
    #[serde(rename = "guest")]
    pub(super) guests: Vec<Guest>,
}

/// A compiler and the executor of its programs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    pub(super) name: String,
    /// The file in `tests/conform` that names the architecture, the executor and its registers.
    pub(super) registers: String,
    pub(super) compiler: String,
    /// The Debian package that has it.
    pub(super) package: String,
    #[serde(default)]
    pub(super) flags: Vec<String>,
    /// Whether these flags replace those for every compiler, because the library's own start-up code runs.
    #[serde(default)]
    pub(super) starts_itself: bool,
    /// Whether it has a runtime library for operations that the processor lacks.
    #[serde(default = "yes")]
    pub(super) library: bool,
}

fn yes() -> bool {
    true
}

/// A program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Guest {
    /// The file in `tests/guests/classic`.
    pub(super) name: String,
    /// A macro that it is compiled with.
    pub(super) define: Option<String>,
    /// Inputs, in hexadecimal. A guest without any reads none, and runs once.
    inputs: Vec<String>,
}

/// The size of a guest's input: as in `tests/guests/conform/start.c`.
pub(super) const INPUT: usize = 64;
/// The number of random inputs in addition to the list.
const RANDOM: usize = 4;

impl List {
    /// Reads the list.
    ///
    /// # Errors
    /// If it cannot be read, or has an unknown key.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let file = root.join("tests/conform/programs/list.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }
}

impl Guest {
    /// All inputs, each of the full length; with `cut`, the first only.
    ///
    /// # Errors
    /// If one is not hexadecimal.
    pub(super) fn inputs(&self, random: &mut Random, cut: bool) -> Result<Vec<Vec<u8>>, String> {
        if self.inputs.is_empty() {
            return Ok(vec![vec![0; INPUT]]);
        }
        let mut inputs = Vec::new();
        for text in &self.inputs {
            let mut bytes = from_hex(text)?;
            bytes.resize(INPUT, 0);
            inputs.push(bytes);
        }
        // Arbitrary bytes, and small numbers, which pass more input checks.
        for number in 0..RANDOM as u64 {
            let limit = if number % 2 == 0 { 256 } else { 8 };
            inputs.push((0..INPUT).map(|_| random.number_below(limit) as u8).collect());
        }
        if cut {
            inputs.truncate(1);
        }
        Ok(inputs)
    }
}
