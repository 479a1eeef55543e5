//! The schema of `tests/traces/list.toml`: programs, their command lines, and the thresholds that must hold.

use serde::Deserialize;
use std::path::Path;

/// The whole list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// The architecture of the Debian programs.
    pub architecture: String,
    /// The emulator and its dump format for each architecture.
    pub machine: Vec<Machine>,
    /// Programs of Debian packages.
    pub program: Vec<Program>,
    /// Programs that are compiled here for another processor.
    pub cross: Vec<Cross>,
}

/// A processor, with the format of the dumps of QEMU's user emulation (`-d cpu`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Machine {
    /// The architecture, as in `architectures/`.
    pub architecture: String,
    /// The emulator.
    pub emulator: String,
    /// The text before the program counter in a dump.
    pub program_counter: String,
    pub stack_pointer: String,
    /// Whether branches have a delay slot, which the graph counts as part of the branch.
    #[serde(default)]
    pub delay_slots: bool,
    /// Text in a dump, and the names of the registers whose values follow it.
    pub registers: Vec<(String, String)>,
}

/// A program of a Debian package.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    pub name: String,
    /// The executable file; `gcc:NAME` is the output of `gcc -print-prog-name`.
    pub file: String,
    pub package: String,
    pub commands: Vec<Command>,
    #[serde(flatten)]
    pub bar: Bar,
}

/// One run: `{root}` in an argument or in the input is the folder of the workspace, `{scratch}` one for files.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Command {
    pub arguments: Vec<String>,
    /// Standard input.
    #[serde(default)]
    pub input: String,
}

/// The thresholds of a program.
#[derive(Clone, Deserialize)]
pub(super) struct Bar {
    /// The minimum share of executed instructions that the graph contains, in thousandths; 995 by default.
    pub held: Option<u64>,
    /// The reason for a lower threshold.
    pub reason: Option<String>,
    /// Whether it is compared at every change.
    #[serde(default)]
    pub cut: bool,
    /// Whether values are compared as well.
    #[serde(default)]
    pub values: bool,
}

/// A compiler for another processor, with the sources of `tests/traces` that it compiles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cross {
    pub name: String,
    /// The architecture of the machine that runs it.
    pub architecture: String,
    pub compiler: String,
    pub packages: Vec<String>,
    /// The programs: one for each list of flags.
    pub flags: Vec<Vec<String>>,
    #[serde(flatten)]
    pub bar: Bar,
}

impl Bar {
    /// The minimum share, in thousandths.
    pub(super) fn held(&self) -> u64 {
        self.held.unwrap_or(995)
    }
}

impl List {
    /// Reads the list.
    ///
    /// # Errors
    /// If it cannot be read, or lowers a threshold without a reason.
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let file = root.join("tests/traces/list.toml");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let list: Self = toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let bars = list.program.iter().map(|program| (&program.name, &program.bar));
        let bars = bars.chain(list.cross.iter().map(|cross| (&cross.name, &cross.bar)));
        for (name, bar) in bars {
            if bar.held.is_some() != bar.reason.is_some() {
                return Err(format!("{}: `{name}` has a bar of its own without a reason", file.display()));
            }
        }
        Ok(list)
    }

    /// The machine of an architecture.
    ///
    /// # Errors
    /// If the list has none.
    pub(super) fn machine(&self, architecture: &str) -> Result<&Machine, String> {
        let found = self.machine.iter().find(|machine| machine.architecture == architecture);
        found.ok_or_else(|| format!("tests/traces/list.toml has no machine `{architecture}`"))
    }
}
