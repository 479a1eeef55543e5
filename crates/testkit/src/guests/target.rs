//! The schema of `tests/guests/targets.toml`.

use crate::programs::installed;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A compiler, and the environment for the programs that it makes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuestTarget {
    /// The name of the architecture.
    pub name: String,
    /// The compiler.
    pub compiler: String,
    /// The Debian package that has it.
    pub package: String,
    /// Optimisation levels of every check and table.
    pub levels: Vec<String>,
    /// Optimisation levels at which runs are also compared with the static analysis.
    #[serde(default)]
    pub contained: Vec<String>,
    /// The width of `int` in bits.
    #[serde(default = "sixteen")]
    pub int: u32,
    /// The compiler's flags.
    pub flags: Vec<String>,
    /// The linker with its arguments, where the compiler makes an object only.
    #[serde(default)]
    pub linker: Vec<String>,
    /// The file that it makes.
    pub file: String,
    /// The list of symbols that it writes, if the file has none.
    pub map: Option<String>,
    /// The prefix of C names in the symbol table.
    #[serde(default)]
    pub prefix: String,
    /// The space of variables, if it is not the code space.
    pub cell_space: Option<String>,
    /// The `everypath.toml`, without the volatile cells.
    pub configuration: String,
    /// The folders of guests whose runs are compared with the static analysis.
    #[serde(default = "plain")]
    pub folders: Vec<String>,
    /// Guests in them that the compiler cannot compile.
    #[serde(default)]
    pub without: Vec<String>,
}

impl GuestTarget {
    /// Whether every check and table includes this target.
    pub fn is_everywhere(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Whether its compiler and linker are installed. If not, the calling check is skipped, wholly or in part.
    ///
    /// # Panics
    /// As [`installed`].
    pub fn is_installed(&self) -> bool {
        let linker = self.linker.first().map(String::as_str);
        installed(&[self.compiler.as_str()].into_iter().chain(linker).collect::<Vec<_>>())
    }

    /// The guests whose runs are compared with the static analysis, in the project at `root`.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn guests(&self, root: &Path) -> Result<Vec<PathBuf>, String> {
        let mut guests = Vec::new();
        for folder in &self.folders {
            let folder = root.join("tests/guests").join(folder);
            let entries =
                std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            guests.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
        }
        let is_source = |path: &Path| path.extension().is_some_and(|ending| ending == "c" || ending == "asm");
        let is_left_out = |path: &Path| {
            path.file_stem().is_none_or(|stem| self.without.iter().any(|left_out| **left_out == *stem))
        };
        guests.retain(|path| is_source(path) && !is_left_out(path));
        guests.sort();
        Ok(guests)
    }
}

fn plain() -> Vec<String> {
    vec!["classic".to_owned(), "jumps".to_owned()]
}

fn sixteen() -> u32 {
    16
}

#[derive(Deserialize)]
struct List {
    target: Vec<GuestTarget>,
}

/// The targets in the file `tests/guests/targets.toml` of the project at `root`.
///
/// # Errors
/// If the file cannot be read.
pub fn targets(root: &Path) -> Result<Vec<GuestTarget>, String> {
    let file = root.join("tests/guests/targets.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut targets = list.target;
    for flag in targets.iter_mut().flat_map(|target| &mut target.flags) {
        *flag = with_root(root, flag);
    }
    Ok(targets)
}

/// A flag, unchanged; one that names a file of the project gets its path.
pub fn with_root(root: &Path, flag: &str) -> String {
    match root.join(flag) {
        file if file.is_file() => file.display().to_string(),
        _ => flag.to_owned(),
    }
}
