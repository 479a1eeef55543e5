//! The `everypath` command, built for a task that runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The command that is given, or one that is built in the same profile as this task.
///
/// # Errors
/// If it does not build.
pub(crate) fn given_or_built(given: Option<&Path>, root: &Path) -> Result<PathBuf, String> {
    if let Some(given) = given {
        return std::path::absolute(given).map_err(|error| error.to_string());
    }
    let mut cargo = Command::new("cargo");
    // Build the whole workspace: a single package would be built with other features of its dependencies.
    cargo.current_dir(root).args(["build", "--quiet", "--workspace", "--bin", "everypath"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let status = cargo.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !status.success() {
        return Err("the command cannot be built".to_owned());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(own.with_file_name("everypath"))
}
