//! Builds the prerequisites: the plugin, the cross-compiled programs, and `everypath` itself.

use super::list::{Cross, Program};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a tool and returns its output.
///
/// # Errors
/// If it cannot be run or fails.
pub(super) fn output(command: &mut Command, packages: &str) -> Result<Vec<u8>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let run = command.output().map_err(|error| format!("{name}: {error}; Debian has it in {packages}"))?;
    if !run.status.success() {
        return Err(format!("{name}: {}\n{}", run.status, String::from_utf8_lossy(&run.stderr)));
    }
    Ok(run.stdout)
}

/// Compiles the plugin.
///
/// # Errors
/// If there is no compiler.
pub(super) fn plugin(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    let plugin = folder.join("plugin.so");
    let source = root.join("tests/traces/plugin.c");
    output(Command::new("cc").args(["-O2", "-shared", "-fPIC", "-o"]).args([&plugin, &source]), "gcc")?;
    Ok(plugin)
}

/// Builds `everypath` with the same features as the checks, so that nothing is built twice.
///
/// # Errors
/// If it does not build.
pub(super) fn everypath(root: &Path) -> Result<PathBuf, String> {
    let arguments = ["build", "--quiet", "--locked", "--workspace", "--bin", "everypath", "--test", "golden"];
    output(Command::new("cargo").current_dir(root).args(arguments), "rustup")?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = program.parent().and_then(Path::parent).ok_or("xtask lies nowhere")?;
    Ok(folder.join("debug/everypath"))
}

/// Compiles a program for another processor, statically and without symbols; its symbols are in a file beside it.
///
/// # Errors
/// If its compiler or C library is missing.
pub(super) fn cross(root: &Path, folder: &Path, cross: &Cross, flags: &[String]) -> Result<PathBuf, String> {
    let file = folder.join(format!("{}{}", cross.name, flags.concat()));
    let source = root.join("tests/traces/mixture.c");
    let mut command = Command::new(&cross.compiler);
    command.args(["-static", "-s", "-w"]).args(flags).arg("-o").args([&file, &source]);
    output(&mut command, &cross.packages.join(" and "))?;
    Ok(file)
}

/// The file of a Debian program.
///
/// # Errors
/// If it is not installed.
pub(super) fn installed(program: &Program) -> Result<PathBuf, String> {
    let file = match program.file.strip_prefix("gcc:") {
        Some(part) => {
            let mut command = Command::new("gcc");
            let path = output(command.arg(format!("-print-prog-name={part}")), "gcc")?;
            PathBuf::from(String::from_utf8_lossy(&path).trim())
        }
        None => PathBuf::from(&program.file),
    };
    if !file.is_absolute() || !file.exists() {
        let (name, package) = (&program.name, &program.package);
        return Err(format!("{name} is not installed; the Debian package {package} has it"));
    }
    Ok(file)
}
