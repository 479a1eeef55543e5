//! Mutation testing (DeMillo, Lipton and Sayward 1978): faults that are planted one at a time in a copy of the workspace,
//! to show that a check notices them. A fault is one exact replacement of text.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    fault: Vec<PlantedFault>,
}

/// A fault that can be planted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlantedFault {
    /// A description of the fault.
    pub(crate) name: String,
    file: String,
    /// Text that occurs once in the file.
    old: String,
    new: String,
    /// The programs that show it, for checks with a list of programs.
    #[serde(default)]
    pub(crate) programs: Vec<String>,
}

/// Reads a list of faults, by its path in the workspace.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn list(root: &Path, file: &str) -> Result<Vec<PlantedFault>, String> {
    let text = std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    Ok(list.fault)
}

impl PlantedFault {
    /// The file with the fault.
    fn planted(&self, root: &Path) -> Result<String, String> {
        let text = std::fs::read_to_string(root.join(&self.file));
        let text = text.map_err(|error| format!("{}: {error}", self.file))?;
        match text.matches(&self.old).count() {
            1 => Ok(text.replacen(&self.old, &self.new, 1)),
            count => Err(format!("`{}` occurs {count} times in {}", self.old, self.file)),
        }
    }

    /// Builds `everypath` with the fault in the copy of the workspace, and reverts the fault.
    ///
    /// # Errors
    /// If the fault does not fit, or the copy does not build.
    pub(crate) fn build(&self, root: &Path) -> Result<PathBuf, String> {
        let copy = copy_of(root);
        let file = copy.join(&self.file);
        let sound = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        std::fs::write(&file, self.planted(root)?).map_err(|error| error.to_string())?;
        let built = build_copy(root, &copy, "mutant");
        std::fs::write(&file, sound).map_err(|error| error.to_string())?;
        built
    }
}

/// Copies the workspace and builds `everypath` without a fault.
///
/// # Errors
/// If it cannot be copied, or does not build.
pub(crate) fn build_original(root: &Path) -> Result<PathBuf, String> {
    build_copy(root, &copy_of(root), "original")
}

fn copy_of(root: &Path) -> PathBuf {
    root.join("target/planted/project")
}

/// Copies the project's changed files and builds the command; returns a copy of it with this name.
fn build_copy(root: &Path, copy: &Path, name: &str) -> Result<PathBuf, String> {
    if name == "original" {
        std::fs::create_dir_all(copy).map_err(|error| error.to_string())?;
        // Changed files get the current time; otherwise cargo considers a file edited before its last build unchanged.
        // Not by a pipe, which would hide that there is no repository here.
        // Files that the project no longer has are removed: an old module beside its new folder does not compile.
        let script = "set -e; export LC_ALL=C; git ls-files -z | sort -z > \"$1.list\"; \
                      rsync --links --perms --checksum --from0 --files-from=\"$1.list\" ./ \"$1\"; \
                      cd \"$1\"; find . -type f -printf '%P\\0' | sort -z | comm -z -13 \"$1.list\" - | xargs -0 -r rm";
        let mut shell = Command::new("sh");
        shell.current_dir(root).args(["-c", script, "sh"]).arg(copy);
        let output = shell.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    let mut cargo = Command::new("cargo");
    cargo.current_dir(copy).args(["build", "--quiet", "--package", "everypath-cli", "--target-dir"]);
    let target = root.join("target/planted/target");
    let output = cargo.arg(&target).output().map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!(
            "the copy cannot be built: {}",
            said.lines().take(3).collect::<Vec<_>>().join(" / ")
        ));
    }
    let (from, to) = (target.join("debug/everypath"), root.join("target/planted").join(name));
    let _ = std::fs::remove_file(&to);
    std::fs::copy(&from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_can_be_planted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        for (file, least) in [("tests/adversary/planted.toml", 25), ("tests/traces/faults.toml", 10)] {
            let faults = list(root, file).expect("a list");
            assert!(faults.len() >= least, "{file}: {least} faults are asked for");
            // A fault of the traces without programs would be compared with nothing.
            let are_compared =
                file.contains("adversary") || faults.iter().all(|fault| !fault.programs.is_empty());
            assert!(are_compared, "{file}: a fault names no program");
            for fault in faults {
                let name = &fault.name;
                let planted = fault.planted(root).unwrap_or_else(|error| panic!("{file}: {name}: {error}"));
                assert_ne!(planted, std::fs::read_to_string(root.join(&fault.file)).expect("a file"));
            }
        }
    }
}
