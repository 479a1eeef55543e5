//! The schema of `conformance.toml`: what the semantics of an architecture's instructions were compared with, by mnemonic.
//!
//! `cargo xtask conform --record` writes the file, from the instruction vectors and from its comparisons.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The evidence for the semantics of an architecture's instructions. A mnemonic is the first word of the assembly text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conformance {
    /// Number of instruction vectors of each mnemonic.
    #[serde(default)]
    pub vectors: BTreeMap<String, u64>,
    /// Comparisons with independent executors, one instruction at a time.
    #[serde(default, rename = "comparison", skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<ConformanceRun>,
}

/// One run of the comparison with one executor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConformanceRun {
    /// The name of the comparison's description, a file of `tests/conform`.
    pub name: String,
    /// The executor and its version.
    pub executor: String,
    /// The seed of all random choices.
    pub seed: u64,
    /// Number of compared cases: an instruction in a random state.
    pub cases: u64,
    /// Number of cases of each mnemonic in which nothing differed.
    pub equal: BTreeMap<String, u64>,
    /// Number of cases of each mnemonic with only known, explained differences.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub explained: BTreeMap<String, u64>,
}

impl Conformance {
    /// Parses the contents of a `conformance.toml`.
    ///
    /// # Errors
    /// A message, if it is malformed.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}
