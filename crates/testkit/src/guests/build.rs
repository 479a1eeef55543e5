//! Compiles a guest, and writes the `everypath.toml` that declares its memory-mapped input registers (volatile cells).

use super::GuestTarget;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiled guest.
#[derive(Clone, Debug)]
pub struct Built {
    /// The executable.
    pub file: PathBuf,
    /// The text of its `everypath.toml`, which is stored beside it.
    pub configuration: String,
}

/// The volatile cells of the guests, and the size of each in bytes.
const CELLS: [(&str, u64); 2] = [("in_i32", 4), ("in_u8", 1)];

/// Compiles a guest, one source file, for a target at an optimisation level, into a folder.
///
/// # Errors
/// If the compiler is missing or fails.
pub fn build(source: &Path, target: &GuestTarget, level: &str, folder: &Path) -> Result<Built, String> {
    let file = folder.join(&target.file);
    let compiled = if target.linker.is_empty() { file.clone() } else { folder.join("guest.o") };
    let mut command = Command::new(&target.compiler);
    command
        .args((!level.is_empty()).then_some(level))
        .arg("-o")
        .arg(&compiled)
        .arg(source)
        .args(&target.flags);
    run(command, source, target, &compiled)?;
    if let [linker, arguments @ ..] = target.linker.as_slice() {
        let mut command = Command::new(linker);
        command.arg("-o").args([&file, &compiled]).args(arguments);
        run(command, source, target, &file)?;
    }
    let symbols = match &target.map {
        Some(map) => symbols(&folder.join(map))?,
        None => HashMap::new(),
    };
    let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut configuration = target.configuration.clone();
    let own = source.with_extension("toml");
    if own.is_file() {
        configuration +=
            &std::fs::read_to_string(&own).map_err(|error| format!("{}: {error}", own.display()))?;
    }
    for (cell, size) in CELLS {
        let name = format!("{}{cell}", target.prefix);
        // A guest that does not read a cell may not have it.
        let is_there = if target.map.is_some() { symbols.contains_key(&name) } else { names(&bytes, &name) };
        if !is_there {
            continue;
        }
        let _ = writeln!(configuration, "[[volatile]]\nname = \"{cell}\"\nsize = {size}");
        if let Some(space) = &target.cell_space {
            let _ = writeln!(configuration, "space = \"{space}\"");
        }
        if let Some(address) = symbols.get(&name) {
            let _ = writeln!(configuration, "address = {address:#x}");
        }
    }
    let beside = folder.join("everypath.toml");
    std::fs::write(&beside, &configuration).map_err(|error| format!("{}: {error}", beside.display()))?;
    Ok(Built { file, configuration })
}

/// Runs a tool that makes a file. Some report success although they did not make it.
fn run(mut command: Command, source: &Path, target: &GuestTarget, file: &Path) -> Result<(), String> {
    let run = command.output().map_err(|error| {
        let tool = command.get_program().display();
        format!("{tool}: {error}; the Debian package {} has it", target.package)
    })?;
    if run.status.success() && file.is_file() {
        return Ok(());
    }
    let said = [run.stderr, run.stdout].concat();
    Err(format!("{}: {}", source.display(), String::from_utf8_lossy(&said)))
}

/// Whether an executable's string table contains this name.
fn names(file: &[u8], name: &str) -> bool {
    let wanted = format!("\0{name}\0");
    file.windows(wanted.len()).any(|part| part == wanted.as_bytes())
}

/// The symbols in a map of sdcc's linker: lines such as `C:   000001EA  _main   triangle`.
fn symbols(map: &Path) -> Result<HashMap<String, u64>, String> {
    let text = std::fs::read_to_string(map).map_err(|error| format!("{}: {error}", map.display()))?;
    let symbol = |line: &str| {
        let mut words = line.split_whitespace();
        words.next().filter(|word| matches!(*word, "C:" | "D:"))?;
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        Some((words.next()?.to_owned(), address))
    };
    Ok(text.lines().filter_map(symbol).collect())
}
