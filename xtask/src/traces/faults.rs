//! Mutation testing of the comparison (DeMillo, Lipton and Sayward 1978): each fault of `tests/traces/faults.toml` is
//! one exact replacement of text in a copy of the workspace, whose `everypath` is then compared with the same runs.

use crate::adversary::build_copy;
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<Fault>,
}

/// One fault.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    /// A description of the fault.
    pub name: String,
    pub file: String,
    /// Text that occurs once in the file.
    old: String,
    new: String,
    /// Programs of the list that are compared.
    pub programs: Vec<String>,
}

/// Reads the list of faults.
///
/// # Errors
/// If it cannot be read.
pub(super) fn list(root: &Path) -> Result<Vec<Fault>, String> {
    let file = root.join("tests/traces/faults.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(list.fault)
}

impl Fault {
    /// The file with the fault.
    ///
    /// # Errors
    /// If the text to replace does not occur exactly once.
    pub(super) fn planted(&self, root: &Path) -> Result<String, String> {
        let file = root.join(&self.file);
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        match text.matches(&self.old).count() {
            1 => Ok(text.replacen(&self.old, &self.new, 1)),
            count => Err(format!("{}: `{}` occurs {count} times in {}", self.name, self.old, self.file)),
        }
    }
}

/// Builds `everypath` with a fault in the copy of the workspace that the adversary uses, and reverts the fault.
///
/// # Errors
/// If it does not build.
pub(super) fn build(root: &Path, fault: &Fault) -> Result<PathBuf, String> {
    let copy = root.join("target/planted/project");
    let file = copy.join(&fault.file);
    let sound = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    std::fs::write(&file, fault.planted(root)?).map_err(|error| error.to_string())?;
    let built = build_copy(root, &copy, "mutant");
    std::fs::write(&file, sound).map_err(|error| error.to_string())?;
    built
}

/// Copies the workspace and builds `everypath` without a fault.
///
/// # Errors
/// If it does not build.
pub(super) fn original(root: &Path) -> Result<PathBuf, String> {
    build_copy(root, &root.join("target/planted/project"), "original")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn every_fault_can_be_planted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let faults = super::list(root).expect("a list");
        assert!(faults.len() >= 10, "ten faults are asked for");
        for fault in faults {
            let planted = fault.planted(root).unwrap_or_else(|error| panic!("{error}"));
            assert_ne!(planted, std::fs::read_to_string(root.join(&fault.file)).expect("a file"));
        }
    }
}
