//! The targets of the adversary: `tests/adversary/targets.toml`; `tests/guests/targets.toml` has their compilers.

use everypath_testkit::guests;
use serde::Deserialize;
use std::path::Path;

/// How to generate and run programs for a target.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    /// The name of the target in `tests/guests/targets.toml`.
    pub(super) name: String,
    /// The executor of every input: `emulator`, `simulator`, `console` or `machine` (our own).
    pub(super) executor: Kind,
    /// The emulator and its arguments.
    #[serde(default)]
    pub(super) command: Vec<String>,
    /// The emulator's address for the guest's address zero.
    #[serde(default)]
    pub(super) base: u64,
    /// The source of the program around a simulator library, and the libraries.
    pub(super) source: Option<String>,
    #[serde(default)]
    pub(super) libraries: Vec<String>,
    /// The space of cells, if it is not the code space, and the base of symbol addresses in it.
    pub(super) cell_space: Option<String>,
    #[serde(default)]
    pub(super) cell_base: u64,
    /// The stack pointer at the start.
    #[serde(default)]
    pub(super) stack: u64,
    /// Optimisation levels.
    pub(super) levels: Vec<String>,
    /// Flags in addition to those of `tests/guests/targets.toml`.
    #[serde(default)]
    pub(super) flags: Vec<String>,
    /// Assembly that calls `main` for ever, as the body of `_start`.
    pub(super) start: Option<String>,
    /// Features that the compiler or its runtime lacks: `wide` (64 bits), `labels`, `packed`, `recursion`.
    #[serde(default)]
    pub(super) lacks: Vec<String>,
    /// Faults that can be planted in a program: `divide`, `load`, `store`, `trap`, and `misaligned`, where `ALIGNED` is
    /// a type.
    #[serde(default)]
    pub(super) faults: Vec<String>,
    /// The widest domain of input, in bits.
    #[serde(default = "sixteen")]
    pub(super) bits: u32,
    /// Whether programs are smaller, for processors on which a C statement is many instructions.
    #[serde(default)]
    pub(super) small: bool,
    /// Functions `u16 NAME(u16 x)` in assembly, with control flow that compilers rarely emit. `{name}` is the
    /// function's name; `{a}`, `{b}` and `{c}` are bytes.
    #[serde(default)]
    pub(super) snippets: Vec<String>,
    /// Programs in assembly only.
    pub(super) assembly: Option<Assembly>,
}

/// Programs in assembly: fragments between a head and a tail.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Assembly {
    /// Beginnings of programs: the first reads one cell, the second two, of which it masks the second to four bits.
    pub(super) heads: Vec<String>,
    pub(super) tail: String,
    /// `{n}` is a unique number for labels; `{a}`, `{b}` and `{c}` are bytes.
    pub(super) fragments: Vec<String>,
    /// The addresses of the input cells, and of the stop.
    pub(super) cells: Vec<u64>,
    pub(super) stop: u64,
    /// The configuration without cells and stop.
    pub(super) configuration: String,
}

/// The executors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// QEMU's user mode with a plugin.
    Emulator,
    /// Our own driver of a simulator library.
    Simulator,
    /// A simulator with a command language.
    Console,
    /// Our own concrete machine, where there is no independent executor.
    Machine,
}

/// A target: its compiler and its executor.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) description: Description,
    pub(super) compiler: guests::GuestTarget,
}

fn sixteen() -> u32 {
    16
}

#[derive(Deserialize)]
struct List {
    target: Vec<Description>,
}

/// The targets with these names; all if there is no name.
///
/// # Errors
/// If a file cannot be read, or there is no such target.
pub(super) fn targets(root: &Path, names: &[String]) -> Result<Vec<Target>, String> {
    let file = root.join("tests/adversary/targets.toml");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let compilers = guests::targets(root)?;
    let mut targets = Vec::new();
    for description in list.target {
        let compiler = compilers.iter().find(|compiler| compiler.name == description.name);
        let compiler = compiler.ok_or_else(|| format!("no compiler for `{}`", description.name))?.clone();
        targets.push(Target { description, compiler });
    }
    if let Some(name) =
        names.iter().find(|name| !targets.iter().any(|target| target.description.name == **name))
    {
        return Err(format!("there is no target `{name}` in {}", file.display()));
    }
    targets.retain(|target| names.is_empty() || names.contains(&target.description.name));
    Ok(targets)
}
