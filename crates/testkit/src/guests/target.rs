//! What `tests/guests/targets.toml` says.

use serde::Deserialize;
use std::path::Path;

/// A compiler, and the world in which what it makes runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The name of the architecture.
    pub name: String,
    /// The compiler.
    pub compiler: String,
    /// The Debian package that has it.
    pub package: String,
    /// Optimisation levels.
    pub levels: Vec<String>,
    /// How many bits an `int` has.
    #[serde(default = "sixteen")]
    pub int: u32,
    /// What the compiler is told.
    pub flags: Vec<String>,
    /// The file that it makes.
    pub file: String,
    /// The list of symbols that it writes, if the file has none.
    pub map: Option<String>,
    /// What stands before C names.
    #[serde(default)]
    pub prefix: String,
    /// The space in which variables lie, if it is not that of code.
    pub cell_space: Option<String>,
    /// The `everypath.toml`, without the volatile cells.
    pub configuration: String,
}

fn sixteen() -> u32 {
    16
}

#[derive(Deserialize)]
struct List {
    target: Vec<Target>,
}

/// The targets in the file `tests/guests/targets.toml` of the project at `root`.
///
/// # Errors
/// If the file cannot be read.
pub fn targets(root: &Path) -> Result<Vec<Target>, String> {
    let file = root.join("tests/guests/targets.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(list.target)
}
