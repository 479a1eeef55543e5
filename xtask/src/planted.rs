//! Mutation testing (DeMillo, Lipton and Sayward 1978) by mutant schemata (Untch, Offutt and Harrold 1993): a copy of the workspace is
//! built once with all faults of a list in it, and the environment chooses the one that a run has. It shows that a check notices them.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable of the environment that holds the name of the fault that a run has.
const CHOICE: &str = "EVERYPATH_PLANTED";

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
    /// Text that occurs once in the file and contains `old` once; `old` itself if there is none.
    within: Option<String>,
    /// An expression, or a statement.
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
    /// Puts the fault into the text of its file, to be had by runs that choose it.
    fn plant(&self, text: &str) -> Result<String, String> {
        let within = self.within.as_ref().unwrap_or(&self.old);
        let once = |text: &str, part: &str| match text.matches(part).count() {
            1 => Ok(()),
            count => Err(format!("`{part}` occurs {count} times in {}", self.file)),
        };
        once(text, within)?;
        once(within, &self.old)?;
        let is_chosen = format!(
            "{{ static CHOSEN: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| \
             std::env::var({CHOICE:?}).is_ok_and(|name| name == {:?})); *CHOSEN }}",
            self.name
        );
        let (old, new) = (&self.old, &self.new);
        let both = match old.ends_with([';', '}']) {
            true => format!("if {is_chosen} {{ {new} }} else {{ {old} }}"),
            false => format!("(if {is_chosen} {{ {new} }} else {{ {old} }})"),
        };
        Ok(text.replacen(within, &within.replacen(old, &both, 1), 1))
    }
}

/// The changed files of the workspace with all faults of a list, by path.
fn plant_all(root: &Path, faults: &[PlantedFault]) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    for fault in faults {
        let text = match files.remove(&fault.file) {
            Some(text) => text,
            None => std::fs::read_to_string(root.join(&fault.file))
                .map_err(|error| format!("{}: {error}", fault.file))?,
        };
        let planted = fault.plant(&text).map_err(|error| format!("{}: {error}", fault.name))?;
        files.insert(fault.file.clone(), planted);
    }
    Ok(files)
}

/// `everypath` with all faults of a list.
pub(crate) struct Mutants {
    folder: PathBuf,
}

impl Mutants {
    /// Copies the workspace, plants the faults and builds the command.
    ///
    /// # Errors
    /// If a fault does not fit, or the copy cannot be made or built.
    pub(crate) fn build(root: &Path, faults: &[PlantedFault]) -> Result<Mutants, String> {
        let folder = root.join("target/planted");
        let copy = folder.join("project");
        copy_workspace(root, &copy)?;
        for (file, text) in plant_all(root, faults)? {
            let file = copy.join(file);
            std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let target = folder.join("target");
        let mut cargo = Command::new("cargo");
        // Dependencies that the workspace has built already are taken from its folder.
        cargo.current_dir(&copy).env("CARGO_BUILD_BUILD_DIR", root.join("target"));
        cargo.args(["build", "--quiet", "--workspace", "--bin", "everypath", "--target-dir"]);
        let output = cargo.arg(&target).output().map_err(|error| format!("cargo cannot be run: {error}"))?;
        if !output.status.success() {
            return Err(format!(
                "the copy with faults in {} cannot be built:\n{}",
                copy.display(),
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        let mutants = Mutants { folder };
        let to = mutants.original();
        let _ = std::fs::remove_file(&to);
        std::fs::copy(target.join("debug/everypath"), &to)
            .map_err(|error| format!("{}: {error}", to.display()))?;
        Ok(mutants)
    }

    /// The command without a fault.
    pub(crate) fn original(&self) -> PathBuf {
        self.folder.join("everypath")
    }

    /// The command with a fault: a script.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn with(&self, fault: &PlantedFault) -> Result<PathBuf, String> {
        let name: String =
            fault.name.chars().map(|sign| if sign.is_alphanumeric() { sign } else { '-' }).collect();
        let file = self.folder.join(name);
        let quoted = fault.name.replace('\'', "'\\''");
        let original = self.original();
        let script = format!("#!/bin/sh\n{CHOICE}='{quoted}' exec '{}' \"$@\"\n", original.display());
        let problem = |error: std::io::Error| format!("{}: {error}", file.display());
        std::fs::write(&file, script).map_err(problem)?;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).map_err(problem)?;
        Ok(file)
    }
}

/// Makes the copy of the workspace that of now.
fn copy_workspace(root: &Path, copy: &Path) -> Result<(), String> {
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
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
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
            let files = plant_all(root, &faults).unwrap_or_else(|error| panic!("{file}: {error}"));
            for fault in &faults {
                assert_ne!(fault.old, fault.new, "{file}: {}", fault.name);
                let chosen = format!("name == {:?}", fault.name);
                assert_eq!(files[&fault.file].matches(&chosen).count(), 1, "{file}: {}", fault.name);
            }
        }
    }
}
