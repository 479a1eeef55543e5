//! Compiles a module with its harness for a target, with the same small C library on each.

use super::list::{ModuleEntry, ModuleTarget};
use everypath_testkit::guests::{Subject, targets};
use std::path::Path;
use std::process::Command;

/// Compiles the module in `folder` and loads it.
pub(super) fn compile(
    root: &Path,
    folder: &Path,
    module: &ModuleEntry,
    target: &ModuleTarget,
    bytes: u32,
) -> Result<Subject, String> {
    let found = targets(root)?.into_iter().find(|guest| guest.name == target.guest);
    let mut guest =
        found.ok_or_else(|| format!("tests/guests/targets.toml has no target {}", target.guest))?;
    let own = root.join("tests/modules");
    let mut arguments = module.arguments(root, folder, bytes);
    // Only our headers and the compiler's own: the headers of an installed C library differ between targets.
    arguments.extend(["-nostdinc", "-isystem"].map(str::to_owned));
    arguments.push(own.join("libc").display().to_string());
    arguments.extend(["-isystem".to_owned(), compiler_headers(&guest.compiler)?]);
    arguments.push(own.join("runtime.c").display().to_string());
    // Position-independent code would refer to what the linker drops. A loop in `memset` is not a call of `memset`.
    arguments.extend(["-fno-pic", "-fno-tree-loop-distribute-patterns"].map(str::to_owned));
    // Libraries are named last.
    guest.flags.splice(0..0, arguments);
    Subject::compile(&own.join(format!("{}.c", module.name)), &guest, &target.level, "")
}

/// The folder of the headers that come with the compiler, such as `stddef.h`.
fn compiler_headers(compiler: &str) -> Result<String, String> {
    let run = Command::new(compiler).arg("-print-file-name=include").output();
    let run = run.map_err(|error| format!("{compiler}: {error}"))?;
    Ok(String::from_utf8_lossy(&run.stdout).trim().to_owned())
}
