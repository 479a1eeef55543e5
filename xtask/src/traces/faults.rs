//! Planted faults: does the comparison notice a graph or values that are wrong? Each fault of `tests/traces/faults.toml` is one
//! exact replacement of text in a copy of the workspace, whose `everypath` is then held against the same runs.

use super::build::output;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<Fault>,
}

/// One fault.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    /// What is wrong then.
    pub name: String,
    pub file: String,
    /// Text that occurs once in the file.
    from: String,
    to: String,
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
        match text.matches(&self.from).count() {
            1 => Ok(text.replacen(&self.from, &self.to, 1)),
            count => Err(format!("{}: `{}` occurs {count} times in {}", self.name, self.from, self.file)),
        }
    }
}

/// A copy of the workspace that keeps what it has built.
pub(super) struct Copy {
    folder: PathBuf,
}

impl Copy {
    /// Copies the files that are under version control.
    ///
    /// # Errors
    /// If `git` or `tar` is missing.
    pub(super) fn new(root: &Path) -> Result<Self, String> {
        let folder = root.join("target/planted-faults");
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let list = output(Command::new("git").current_dir(root).args(["ls-files"]), "git")?;
        for name in String::from_utf8_lossy(&list).lines() {
            let (from, to) = (root.join(name), folder.join(name));
            let Ok(new) = std::fs::read(&from) else { continue };
            // A file that did not change keeps its time, so that nothing is built again for it.
            if std::fs::read(&to).is_ok_and(|old| old == new) {
                continue;
            }
            if let Some(parent) = to.parent() {
                std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
            }
            std::fs::write(&to, new).map_err(|error| format!("{}: {error}", to.display()))?;
        }
        Ok(Self { folder })
    }

    /// Builds `everypath` with a fault, and takes the fault out of the copy again.
    ///
    /// # Errors
    /// If it does not build.
    pub(super) fn build(&self, root: &Path, fault: &Fault) -> Result<PathBuf, String> {
        let file = self.folder.join(&fault.file);
        let sound = std::fs::read(root.join(&fault.file)).map_err(|error| error.to_string())?;
        std::fs::write(&file, fault.planted(root)?).map_err(|error| error.to_string())?;
        let arguments =
            ["build", "--quiet", "--locked", "--package", "everypath-cli", "--target-dir", "target"];
        let built = output(Command::new("cargo").current_dir(&self.folder).args(arguments), "rustup");
        std::fs::write(&file, sound).map_err(|error| error.to_string())?;
        built.map(|_| self.folder.join("target/debug/everypath"))
    }
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
