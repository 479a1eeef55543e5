//! What an `everypath.toml` beside an executable says.

use everypath_lift::MemoryRange;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The configuration of a bare-metal run. Everything in it is optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Configuration {
    /// The architecture, where the file does not say it.
    pub architecture: Option<String>,
    /// Where execution starts, where neither the file nor the architecture says it.
    pub entry: Option<Place>,
    /// Where execution stops.
    pub stop: Vec<Place>,
    /// How many instructions are run at most.
    pub budget: Option<u64>,
    /// How many bytes of memory, in whole pages, a run touches at most in each space beyond what is loaded.
    pub memory_budget: Option<u64>,
    /// Memory in addition to the file's and the architecture's.
    pub memory: Vec<MemoryRange>,
    /// Cells whose value comes from outside, a new one at each read.
    #[serde(rename = "volatile")]
    pub volatiles: Vec<Cell>,
    /// Where the random values of volatile cells come from: the same seed gives the same values.
    pub seed: u64,
    /// Whether the state notes which bytes of memory were ever given a value.
    pub note_written: bool,
    /// Registers that are not zero at the start.
    pub registers: BTreeMap<String, u64>,
    /// Memory that is not what the file says at the start.
    pub initial: Vec<InitialBytes>,
}

/// An address, or the name of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Place {
    /// An address.
    Address(u64),
    /// A symbol.
    Symbol(String),
}

/// A cell, or a range of them, whose value comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// What it is called; a symbol's name if there is no address.
    pub name: String,
    /// The space it lies in; without one, the space of code.
    pub space: Option<String>,
    /// Its first address; without one, that of the symbol of its name.
    pub address: Option<u64>,
    /// How many bytes it has; without a number, as many as the symbol.
    pub size: Option<u64>,
    /// The values of the reads, one after the other; the last one stays.
    #[serde(default)]
    pub values: Vec<u64>,
    /// Whether random values follow instead of the last one.
    #[serde(default)]
    pub random: bool,
}

/// Bytes of memory at the start.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialBytes {
    /// The space; without one, the space of code.
    pub space: Option<String>,
    /// The address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Configuration {
    /// Reads the text of an `everypath.toml`.
    ///
    /// # Errors
    /// What is wrong with it, with the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}
